//! `Strided`: matrices in memory as one side of a product, with any strides, packed by whole vectors where lines or depth
//! lie side by side.
#![expect(
    clippy::needless_range_loop,
    reason = "loops by index are unrolled before the compiler looks for what can be in registers"
)]

use bytemuck::{Pod, cast_ref, cast_slice};
use stratal_tensor_base::half::{bf16_to_f32, f16_to_f32};
use stratal_tensor_base::{DType, bf16, f16};

use super::direct::Direct;
use super::packed::PackedMatrix;
use super::side::{Extract, Side};
use super::term::{Exact, Term};
use crate::rows::Places;
use crate::simd::{Float, Isa, LANES, Simd, Task};

/// An element that becomes a term.
pub(crate) trait Source<T: Term>: Pod + Send + Sync {
    /// Whether elements are terms already, bit for bit.
    const IS_TERM: bool = false;

    fn term(self) -> T;
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> T::Vector<S>;
}

/// A batch of matrices.
#[derive(Debug)]
pub(crate) struct Strided<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) dtype: DType,
    /// Each row of these places is a matrix, and begins where it does.
    pub(crate) matrices: Places,
    /// The distance of neighbouring lines, and of neighbours along the depth.
    pub(crate) line: isize,
    pub(crate) depth: isize,
}

impl Strided<'_> {
    fn direct_elements<E: Source<T>, T: Term>(&self, matrix: usize) -> Option<Direct<'_, T>> {
        if !E::IS_TERM {
            return None;
        }
        let (line, step) = (usize::try_from(self.line).ok()?, usize::try_from(self.depth).ok()?);
        let elements = cast_slice::<u8, T>(self.bytes).get(self.matrices.start(matrix)..)?;
        Some(Direct { elements, line, step })
    }

    fn pack_elements<E: Source<T>, T: Term>(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [T]) {
        if extract.depth.is_empty() || extract.lines.is_empty() {
            return;
        }
        let elements = cast_slice::<u8, E>(self.bytes);
        let at = Positions { start: self.matrices.start(extract.matrix), line: self.line, step: self.depth };
        isa.run(Pack { elements, at, extract, width, to });
    }
}

/// Packs the dtypes that can be terms of a type.
macro_rules! sides {
    ($($term:ty: $($dtype:ident $element:ty),+;)+) => {$(
        impl Side<$term> for Strided<'_> {
            fn pack(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [$term]) {
                match self.dtype {
                    $(DType::$dtype => self.pack_elements::<$element, $term>(isa, extract, width, to),)+
                    _ => debug_assert!(false, "{} as terms of a product", self.dtype),
                }
            }

            fn direct(&self, matrix: usize) -> Option<Direct<'_, $term>> {
                match self.dtype {
                    $(DType::$dtype => self.direct_elements::<$element, $term>(matrix),)+
                    _ => None,
                }
            }
        }

        impl Side<$term> for PackedMatrix {
            fn pack(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [$term]) {
                match self.dtype() {
                    $(DType::$dtype => self.convert::<$element, $term>(isa, extract, width, to),)+
                    _ => debug_assert!(false, "{} as terms of a product", self.dtype()),
                }
            }

            fn ready(&self, extract: &Extract) -> Option<&[$term]> {
                match self.dtype() {
                    $(DType::$dtype => self.terms::<$element, $term>(extract),)+
                    _ => None,
                }
            }
        }
    )+};
}

sides! {
    f32: F32 f32, F16 f16, BF16 bf16;
    f64: F64 f64;
    Exact: F32 f32, F16 f16, BF16 bf16, F64 f64;
    i32: I32 i32, U32 i32;
    i64: I64 i64, U64 i64;
}

/// Packs lines of terms that begin somewhere, with the distances of neighbouring lines and of neighbours along the depth.
pub(crate) fn pack_terms<T: Term + Source<T>>(
    isa: Isa,
    elements: &[T],
    start: usize,
    (line, step): (isize, isize),
    extract: &Extract,
    width: usize,
    to: &mut [T],
) {
    isa.run(Pack { elements, at: Positions { start, line, step }, extract, width, to });
}

struct Pack<'a, E, T> {
    elements: &'a [E],
    at: Positions,
    extract: &'a Extract,
    width: usize,
    to: &'a mut [T],
}

/// Where the elements of a matrix are.
#[derive(Debug, Clone, Copy)]
struct Positions {
    start: usize,
    /// The distance of neighbouring lines, and of neighbours along the depth.
    line: isize,
    step: isize,
}

impl Positions {
    /// Line and depth are counted in the whole matrix.
    #[inline(always)]
    fn of(self, line: usize, depth: usize) -> usize {
        let distance = self.line.wrapping_mul(line as isize).wrapping_add(self.step.wrapping_mul(depth as isize));
        self.start.wrapping_add_signed(distance)
    }
}

/// Indices of depth that are copied at a time: so many streams are read, and whole cache lines written.
const STEPS: usize = 8;

impl<E: Source<T>, T: Term> Task for Pack<'_, E, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        if self.at.line == 1 {
            self.copy(simd);
        } else if self.at.step == 1 && self.width <= LANES {
            self.transpose(simd);
        } else {
            self.gather();
        }
    }
}

impl<E: Source<T>, T: Term> Pack<'_, E, T> {
    /// Lines lie side by side: so many at each index of depth.
    #[inline(always)]
    fn copy<S: Simd>(&mut self, simd: S) {
        let (width, depth, lines) = (self.width, self.extract.depth.clone(), self.extract.lines.clone());
        let (elements, at) = (self.elements, self.at);
        let panel_size = width * depth.len();
        // What of a vector is too much is written over by the next index of depth. So vectors end in their own panel: the
        // first indices of the next panel are there already, from the steps before.
        let is_by_vectors = width <= LANES;
        for first in depth.clone().step_by(STEPS) {
            let count = STEPS.min(depth.end - first);
            let row = |step: usize| {
                let start = at.of(lines.start, first + step.min(count - 1));
                &elements[start..start + lines.len()]
            };
            let rows: [&[E]; STEPS] = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
            // The rows after these, to be asked for.
            let ahead = first + STEPS < depth.end;
            let distance = at.step.wrapping_mul(STEPS as isize);
            for (panel, column) in (0..lines.len()).step_by(width).enumerate() {
                let panel = &mut self.to[panel * panel_size..][..panel_size];
                let base = (first - depth.start) * width;
                for (step, row) in rows.iter().enumerate().take(count) {
                    let from = &row[column..];
                    let to = &mut panel[base + step * width..];
                    if ahead {
                        let next = at.of(lines.start, first + step).wrapping_add_signed(distance).wrapping_add(column);
                        if let Some(next) = elements.get(next) {
                            simd.prefetch(next);
                        }
                    }
                    match (from.first_chunk(), to.first_chunk_mut()) {
                        (Some(from), Some(to)) if is_by_vectors => T::store::<S>(E::load(simd, from), to),
                        _ => {
                            for (to, from) in to.iter_mut().zip(from.iter().take(width)) {
                                *to = from.term();
                            }
                        }
                    }
                }
            }
        }
    }

    /// Depth lies side by side: squares of sixteen lines and indices are transposed in registers.
    #[inline(always)]
    fn transpose<S: Simd>(&mut self, simd: S) {
        let (width, depth, lines) = (self.width, self.extract.depth.clone(), self.extract.lines.clone());
        let (elements, at) = (self.elements, self.at);
        for (panel, first) in lines.clone().step_by(width).enumerate() {
            let last = (first + width).min(lines.end) - 1;
            // Lines that are missing are another's: what a panel is filled up with does not matter.
            let mut rows: [&[E]; LANES] = [&[]; LANES];
            for line in 0..LANES {
                let start = at.of((first + line).min(last), depth.start);
                rows[line] = &elements[start..start + depth.len()];
            }
            // The lines of the next panel, which are asked for while these are packed.
            let mut ahead = [None; LANES];
            for line in 0..LANES {
                if line < width && first + width + line < lines.end {
                    ahead[line] = elements.get(at.of(first + width + line, depth.start)..);
                }
            }
            let to = &mut self.to[panel * width * depth.len()..];
            let mut step = 0;
            if T::IS_TRANSPOSED {
                while step + LANES <= depth.len() {
                    let mut square = [T::splat(simd, T::zeroed()); LANES];
                    for line in 0..LANES {
                        if let Some(next) = ahead[line].and_then(|line| line.get(step)) {
                            simd.prefetch(next);
                        }
                        if let Some(from) = rows[line][step..].first_chunk() {
                            square[line] = E::load(simd, from);
                        }
                    }
                    let square = T::transpose(simd, square);
                    let to = &mut to[step * width..][..(LANES - 1) * width + LANES];
                    for index in 0..LANES {
                        // What is too much is written over by the next index, or is slack.
                        if let Some(to) = to[index * width..].first_chunk_mut() {
                            T::store::<S>(square[index], to);
                        }
                    }
                    step += LANES;
                }
            }
            for step in step..depth.len() {
                for (to, row) in to[step * width..][..width].iter_mut().zip(rows) {
                    *to = row[step].term();
                }
            }
        }
    }

    /// Element by element.
    #[inline(always)]
    fn gather(&mut self) {
        let (width, depth, lines) = (self.width, self.extract.depth.clone(), self.extract.lines.clone());
        let (elements, at) = (self.elements, self.at);
        for (panel, first) in lines.clone().step_by(width).enumerate() {
            let count = width.min(lines.end - first);
            let to = &mut self.to[panel * width * depth.len()..];
            for (to, index) in to.chunks_mut(width).zip(depth.clone()) {
                for (line, to) in to.iter_mut().enumerate().take(count) {
                    *to = elements[at.of(first + line, index)].term();
                }
            }
        }
    }
}

impl Source<f32> for f16 {
    #[inline(always)]
    fn term(self) -> f32 {
        f16_to_f32(self)
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::F32 {
        simd.load_f16(cast_ref(from))
    }
}

impl Source<f32> for bf16 {
    #[inline(always)]
    fn term(self) -> f32 {
        bf16_to_f32(self)
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::F32 {
        simd.load_bf16(cast_ref(from))
    }
}

impl Source<Exact> for f64 {
    const IS_TERM: bool = true;

    #[inline(always)]
    fn term(self) -> Exact {
        Exact(self)
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::F64 {
        simd.load_f64(from)
    }
}

/// What is computed in f32 when fast is widened once more when exact.
macro_rules! exactly {
    ($($type:ty)+) => {$(
        impl Source<Exact> for $type {
            #[inline(always)]
            fn term(self) -> Exact {
                Exact(f64::from(<Self as Source<f32>>::term(self)))
            }

            #[inline(always)]
            fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::F64 {
                <Self as Source<f32>>::load(simd, from).widen()
            }
        }
    )+};
}

exactly!(f32 f16 bf16);

/// What is its own term.
macro_rules! own_terms {
    ($($type:ty)+) => {$(
        impl Source<$type> for $type {
            const IS_TERM: bool = true;

            #[inline(always)]
            fn term(self) -> $type {
                self
            }

            #[inline(always)]
            fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> <$type as Term>::Vector<S> {
                <$type as Term>::load(simd, from)
            }
        }
    )+};
}

own_terms!(f32 f64 i32 i64 Exact);
