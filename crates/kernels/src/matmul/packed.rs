//! `PackedMatrix`: the right side of products, packed once.

use std::sync::Arc;

use bytemuck::{Pod, cast_slice, cast_slice_mut, try_cast_slice};
use stratal_tensor_base::{DType, Scalar, Shape, match_dtype};

use super::integer::{Bytes, QUAD, Quad, Sign, column_sums};
use super::scratch::Aligned;
use super::side::{Extract, Side, packed_count};
use super::strided::Source;
use super::term::Term;
use super::{DEPTH_BLOCK, Operand, RIGHT};
use crate::rows::{Along, Places};
use crate::simd::{Isa, LANES, Simd, Task};
use crate::{AnyView, KernelError, Threads, check};

/// A matrix that is the right side of many products, such as the weights of a layer, in the order in which products read it.
///
/// Packing costs a copy and its memory; each product then saves the copy. The elements keep their size. Every backend reads
/// the same order, so a matrix packed by one can be used by all, and from many threads: clones share the elements.
///
/// [`MatMulKernels::pack_matrix`](crate::MatMulKernels::pack_matrix) makes one.
#[derive(Debug, Clone)]
pub struct PackedMatrix {
    dtype: DType,
    shape: Shape,
    depth: usize,
    columns: usize,
    /// Blocks of depth; in each, panels of sixteen columns, the last one filled up with zeros; in each, for each index of
    /// depth, an element of each column. Bytes are there as i8, u8 with the top bit flipped, and in quads: an element has
    /// four indices of depth, the last one filled up with zeros.
    elements: Arc<Aligned>,
    /// The sums of columns, of bytes alone.
    sums: Arc<[i32]>,
}

impl PackedMatrix {
    /// Packs a matrix of rank 2 with any strides.
    ///
    /// # Errors
    /// [`KernelError::DType`], [`KernelError::Rank`], and [`KernelError::Shape`] when the columns, filled up to a multiple of
    /// sixteen, are beyond the limits of shapes.
    pub(crate) fn new(isa: Isa, matrix: &AnyView<'_>) -> Result<Self, KernelError> {
        check::products::is_packed(matrix.dtype())?;
        let &[depth, columns] = matrix.shape().extents() else {
            let (operation, role) = ("pack_matrix", "a matrix");
            return Err(KernelError::Rank { operation, role, expected: 2, found: *matrix.shape() });
        };
        let (depth, columns) = (depth as usize, columns as usize);
        let (dtype, size) = (matrix.dtype(), matrix.dtype().size());
        if matrix.shape().is_empty() {
            let (elements, sums) = (Arc::default(), Arc::default());
            return Ok(Self { dtype, shape: *matrix.shape(), depth, columns, elements, sums });
        }
        // Panels of few columns are mostly filling: what is packed keeps the limits of what it is packed from.
        Shape::try_from(&[depth, columns.next_multiple_of(LANES)][..])?;
        if size == 1 {
            return Ok(Self::of_bytes(isa, matrix, depth, columns));
        }
        let mut elements = Aligned::zeroed(depth * columns.next_multiple_of(LANES) * size);
        let mut along: Along = Along::default();
        along[1] = true;
        let places = Places::new(matrix.geometry(), &along);
        for row in 0..depth {
            for first in (0..columns).step_by(LANES) {
                let positions = first..(first + LANES).min(columns);
                let at = position(depth, columns, row, first) * size;
                let to = &mut elements.bytes_mut()[at..at + positions.len() * size];
                places.gather(matrix.bytes(), size, row, positions, to);
            }
        }
        Ok(Self { dtype, shape: *matrix.shape(), depth, columns, elements: Arc::new(elements), sums: Arc::default() })
    }

    fn of_bytes(isa: Isa, matrix: &AnyView<'_>, depth: usize, columns: usize) -> Self {
        let dtype = matrix.dtype();
        let strided = Operand::new(matrix, RIGHT, 1).matrices;
        let bytes = Bytes { strided, sign: Sign::Signed, depth };
        let (quads, padded) = (depth.div_ceil(QUAD), columns.next_multiple_of(LANES));
        let mut elements = Aligned::zeroed(quads * padded * QUAD);
        let panels: &mut [Quad] = cast_slice_mut(elements.bytes_mut());
        for (block, to) in panels.chunks_mut((DEPTH_BLOCK * padded).max(1)).enumerate() {
            let first = block * DEPTH_BLOCK;
            let depth = first..first + to.len() / padded;
            bytes.pack(isa, &Extract { matrix: 0, depth, lines: 0..columns }, LANES, to);
        }
        let sums = column_sums(isa, &Threads::calling(), panels, columns).into();
        Self { dtype, shape: *matrix.shape(), depth, columns, elements: Arc::new(elements), sums }
    }

    /// The sums of columns of bytes, as i8.
    pub(super) fn sums(&self) -> &[i32] {
        &self.sums
    }

    /// The dtype of the elements.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Its rows, which are the depth of products, and its columns.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The bytes that its elements take.
    pub fn bytes(&self) -> usize {
        self.elements.bytes().len()
    }

    /// Panels of sixteen columns as terms, if the elements are terms already. The type must be the dtype's.
    pub(super) fn terms<E: Source<T>, T: Term>(&self, extract: &Extract) -> Option<&[T]> {
        if E::IS_TERM { try_cast_slice(self.panels::<E>(extract)).ok() } else { None }
    }

    /// Panels of sixteen columns, made terms. The type must be the dtype's.
    pub(super) fn convert<E: Source<T>, T: Term>(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [T]) {
        debug_assert_eq!(width, LANES);
        isa.run(Convert { from: self.panels::<E>(extract), to });
    }

    fn panels<E: Pod>(&self, extract: &Extract) -> &[E] {
        let first = position(self.depth, self.columns, extract.depth.start, extract.lines.start);
        let count = extract.lines.len().next_multiple_of(LANES) * extract.depth.len();
        &cast_slice(self.elements.bytes())[first..first + count]
    }

    /// The elements, row after row.
    pub(crate) fn scalars(&self) -> Vec<Scalar> {
        let places = (0..self.depth).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        if self.dtype.size() == 1 {
            let (bytes, quads) = (self.elements.bytes(), self.depth.div_ceil(QUAD));
            let flips = Sign::Signed.flips(self.dtype);
            let byte =
                |(row, column)| bytes[position(quads, self.columns, row / QUAD, column) * QUAD + row % QUAD] ^ flips;
            let bytes = places.map(byte);
            return match self.dtype {
                DType::I8 => bytes.map(|byte| byte.cast_signed().into()).collect(),
                _ => bytes.map(Scalar::from).collect(),
            };
        }
        match_dtype!(self.dtype, T => {
            let elements: &[T] = cast_slice(self.elements.bytes());
            places.map(|(row, column)| elements[position(self.depth, self.columns, row, column)].into()).collect()
        })
    }
}

impl Side<Quad> for PackedMatrix {
    fn pack(&self, _isa: Isa, extract: &Extract, _width: usize, to: &mut [Quad]) {
        if let Some(panels) = self.ready(extract) {
            to[..panels.len()].copy_from_slice(panels);
        }
    }

    fn ready(&self, extract: &Extract) -> Option<&[Quad]> {
        let first = position(self.depth.div_ceil(QUAD), self.columns, extract.depth.start, extract.lines.start);
        let count = packed_count(extract, LANES);
        Some(&cast_slice(self.elements.bytes())[first..first + count])
    }
}

/// Where an element is.
fn position(depth: usize, columns: usize, row: usize, column: usize) -> usize {
    let block = row / DEPTH_BLOCK * DEPTH_BLOCK;
    let block_depth = DEPTH_BLOCK.min(depth - block);
    let (panel, lane) = (column / LANES, column % LANES);
    block * columns.next_multiple_of(LANES) + (panel * block_depth + row - block) * LANES + lane
}

struct Convert<'a, E, T> {
    from: &'a [E],
    to: &'a mut [T],
}

impl<E: Source<T>, T: Term> Task for Convert<'_, E, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for (from, to) in self.from.as_chunks().0.iter().zip(self.to.as_chunks_mut().0) {
            T::store::<S>(E::load(simd, from), to);
        }
    }
}
