//! `PackedMatrix`: the right side of products, packed once.

use std::sync::Arc;

use bytemuck::{Pod, cast_slice, try_cast_slice};
use stratal_tensor_base::{DType, Scalar, Shape, match_dtype};

use super::DEPTH_BLOCK;
use super::scratch::Aligned;
use super::side::Extract;
use super::strided::Source;
use super::term::Term;
use crate::rows::{Along, Places};
use crate::simd::{Isa, LANES, Simd, Task};
use crate::{AnyView, KernelError, check};

/// A matrix that is the right side of many products, such as the weights of a layer, in the order in which products read it.
///
/// Packing costs a copy and its memory; each product then saves the copy. The elements keep their dtype. Every backend reads
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
    /// depth, an element of each column.
    elements: Arc<Aligned>,
}

impl PackedMatrix {
    /// Packs a matrix of rank 2 with any strides.
    ///
    /// # Errors
    /// [`KernelError::DType`] and [`KernelError::Rank`].
    pub(crate) fn new(matrix: &AnyView<'_>) -> Result<Self, KernelError> {
        check::products::has_products(matrix.dtype())?;
        let &[depth, columns] = matrix.shape().extents() else {
            let (operation, role) = ("pack_matrix", "a matrix");
            return Err(KernelError::Rank { operation, role, expected: 2, found: *matrix.shape() });
        };
        let (depth, columns) = (depth as usize, columns as usize);
        let (dtype, size) = (matrix.dtype(), matrix.dtype().size());
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
        Ok(Self { dtype, shape: *matrix.shape(), depth, columns, elements: Arc::new(elements) })
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
        match_dtype!(self.dtype, T => {
            let elements: &[T] = cast_slice(self.elements.bytes());
            places.map(|(row, column)| elements[position(self.depth, self.columns, row, column)].into()).collect()
        })
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
