//! The driver of resizing: axis by axis through rows without gaps.

use std::ops::{Add, Mul};

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use stratal_tensor_base::{DType, Element, Geometry, Shape};

use super::table::Table;
use crate::parallel::Threads;
use crate::simd::{Isa, Simd, Task};

/// Products that one thread computes at a time, about.
const GRAIN: usize = 64 * 1024;

/// A type that interpolation computes in.
pub(crate) trait Work: Element + Add<Output = Self> + Mul<Output = Self> {
    /// A weight.
    fn of(weight: f64) -> Self;

    /// The nearest integer, ties to even.
    fn round(self) -> Self;
}

impl Work for f32 {
    fn of(weight: f64) -> Self {
        weight as Self
    }

    fn round(self) -> Self {
        self.round_ties_even()
    }
}

impl Work for f64 {
    fn of(weight: f64) -> Self {
        weight
    }

    fn round(self) -> Self {
        self.round_ties_even()
    }
}

/// The type in which elements of a dtype are interpolated.
pub(crate) fn work_dtype(dtype: DType) -> DType {
    match dtype {
        DType::F64 | DType::I32 | DType::U32 | DType::I64 | DType::U64 => DType::F64,
        _ => DType::F32,
    }
}

/// Resizes the axes of row-major elements without gaps one after the other.
pub(crate) fn interpolate<W: Work>(isa: Isa, threads: &Threads, x: Vec<W>, shape: &Shape, tables: &[Table]) -> Vec<W> {
    let mut extents: Vec<usize> = shape.extents().iter().map(|extent| *extent as usize).collect();
    let mut elements = x;
    for table in tables {
        let inner = extents[table.axis + 1..].iter().product();
        let outer: usize = extents[..table.axis].iter().product();
        let mut to = vec![W::zeroed(); outer * table.extent() * inner];
        along(isa, threads, &elements, extents[table.axis], inner, table, &mut to);
        extents[table.axis] = table.extent();
        elements = to;
    }
    elements
}

/// Resizes the middle one of three axes. A single weight is 1 or next to it, and multiplied with all the same.
fn along<W: Work>(isa: Isa, threads: &Threads, from: &[W], extent: usize, inner: usize, table: &Table, to: &mut [W]) {
    if to.is_empty() {
        return;
    }
    let weights = table.weights().iter().map(|weight| W::of(*weight)).collect::<Vec<W>>();
    let length = table.extent() * inner;
    let looks = (table.weights().len() * inner).max(1);
    let images = (GRAIN / looks).max(1);
    threads.for_each_chunk(to, images * length, |start, to| {
        for (index, to) in to.chunks_exact_mut(length).enumerate() {
            let from = &from[(start / length + index) * extent * inner..][..extent * inner];
            isa.run(Along { from, inner, table, weights: &weights, to });
        }
    });
}

/// One image: all of what the middle axis and those inside it hold.
struct Along<'a, W> {
    from: &'a [W],
    inner: usize,
    table: &'a Table,
    weights: &'a [W],
    to: &'a mut [W],
}

impl<W: Work> Task for Along<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let Self { from, inner, table, weights, to } = self;
        if inner == 1 {
            for (position, to) in to.iter_mut().enumerate() {
                let range = table.range(position);
                let mut products = table.indices()[range.clone()]
                    .iter()
                    .zip(&weights[range])
                    .map(|(index, weight)| from[*index] * *weight);
                if let Some(first) = products.next() {
                    *to = products.fold(first, Add::add);
                }
            }
            return;
        }
        for (position, to) in to.chunks_exact_mut(inner).enumerate() {
            let range = table.range(position);
            let (indices, weights) = (&table.indices()[range.clone()], &weights[range]);
            let row = |number: usize| &from[indices[number] * inner..][..inner];
            match *weights {
                [a] => to.iter_mut().zip(row(0)).for_each(|(to, x)| *to = *x * a),
                [a, b] => {
                    to.iter_mut().zip(row(0)).zip(row(1)).for_each(|((to, x), y)| *to = *x * a + *y * b);
                }
                [a, b, c, d] => {
                    let rows = row(0).iter().zip(row(1)).zip(row(2)).zip(row(3));
                    for (to, (((x, y), z), w)) in to.iter_mut().zip(rows) {
                        *to = *x * a + *y * b + *z * c + *w * d;
                    }
                }
                _ => {
                    for (number, weight) in weights.iter().enumerate() {
                        let elements = to.iter_mut().zip(row(number));
                        if number == 0 {
                            elements.for_each(|(to, x)| *to = *x * *weight);
                        } else {
                            elements.for_each(|(to, x)| *to = *to + *x * *weight);
                        }
                    }
                }
            }
        }
    }
}

/// Writes a value where some axis is outside the operand, into row-major elements without gaps.
pub(crate) fn extrapolate<T: Copy>(elements: &mut [T], shape: &Shape, tables: &[Table], value: T) {
    for table in tables {
        let extents = shape.extents();
        let inner: usize = extents[table.axis + 1..].iter().map(|extent| *extent as usize).product();
        for image in elements.chunks_exact_mut((table.extent() * inner).max(1)) {
            for position in &table.outside {
                image[position * inner..][..inner].fill(value);
            }
        }
    }
}

/// Moves the nearest elements, given as bytes, to row-major elements without gaps.
pub(crate) fn nearest(
    threads: &Threads,
    x: &[u8],
    geometry: &Geometry,
    size: usize,
    shape: &Shape,
    tables: &[Table],
    to: &mut [u8],
) {
    match size {
        1 => nearest_words::<u8>(threads, x, geometry, shape, tables, to),
        2 => nearest_words::<u16>(threads, cast_slice(x), geometry, shape, tables, cast_slice_mut(to)),
        4 => nearest_words::<u32>(threads, cast_slice(x), geometry, shape, tables, cast_slice_mut(to)),
        _ => nearest_words::<u64>(threads, cast_slice(x), geometry, shape, tables, cast_slice_mut(to)),
    }
}

fn nearest_words<W: Pod + Send + Sync>(
    threads: &Threads,
    x: &[W],
    geometry: &Geometry,
    shape: &Shape,
    tables: &[Table],
    to: &mut [W],
) {
    if to.is_empty() {
        return;
    }
    // How far each position along each axis moves.
    let steps: Vec<Vec<isize>> = (0..shape.rank())
        .map(|axis| {
            let stride = geometry.strides()[axis] as isize;
            let table = tables.iter().find(|table| table.axis == axis);
            let index = |position| table.map_or(position, |table| table.of(position).0[0]);
            (0..shape.extent(axis)).map(|position| stride * index(position) as isize).collect()
        })
        .collect();
    let one = vec![0];
    let (columns, rows) = steps.split_last().unwrap_or((&one, &[]));
    let are_neighbours = columns.windows(2).all(|pair| pair[1] - pair[0] == 1);
    let length = columns.len();
    let chunk = (GRAIN / length).max(1) * length;
    threads.for_each_chunk(to, chunk, |start, to| {
        for (index, to) in to.chunks_exact_mut(length).enumerate() {
            let mut row = start / length + index;
            let mut offset = geometry.offset();
            for steps in rows.iter().rev() {
                offset = offset.wrapping_add_signed(steps[row % steps.len()]);
                row /= steps.len();
            }
            if are_neighbours {
                to.copy_from_slice(&x[offset.wrapping_add_signed(columns[0])..][..length]);
            } else {
                for (to, step) in to.iter_mut().zip(columns) {
                    *to = x[offset.wrapping_add_signed(*step)];
                }
            }
        }
    });
}
