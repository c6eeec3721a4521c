//! The naive model of a view: the list of its elements, and each operation as it would be written over lists.

use stratal_tensor_base::Geometry;

/// Extents and, in row-major order, the offset of each element.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Naive {
    pub(crate) extents: Vec<usize>,
    pub(crate) elements: Vec<usize>,
}

impl Naive {
    /// The elements by the definition of a geometry: one sum of products for each index.
    pub(crate) fn of(geometry: &Geometry) -> Self {
        let extents: Vec<usize> = geometry.shape().extents().iter().map(|extent| *extent as usize).collect();
        let elements = indices(&extents).map(|index| {
            let distances =
                index.iter().zip(geometry.strides()).map(|(index, stride)| *index as i64 * i64::from(*stride));
            (geometry.offset() as i64 + distances.sum::<i64>()) as usize
        });
        Self { elements: elements.collect(), extents }
    }

    /// The view whose element at each index is this one's at `origin(index)`.
    pub(crate) fn rearranged(&self, extents: Vec<usize>, origin: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let elements = indices(&extents).map(|index| self.at(&origin(&index))).collect();
        Self { extents, elements }
    }

    /// The view that keeps only some positions of an axis, in the order given.
    pub(crate) fn picked(&self, axis: usize, positions: &[usize]) -> Self {
        let mut extents = self.extents.clone();
        extents[axis] = positions.len();
        self.rearranged(extents, |index| {
            let mut origin = index.to_vec();
            origin[axis] = positions[index[axis]];
            origin
        })
    }

    fn at(&self, index: &[usize]) -> usize {
        let position = index.iter().zip(&self.extents).fold(0, |position, (index, extent)| {
            assert!(index < extent);
            position * extent + index
        });
        self.elements[position]
    }
}

/// Every index of a shape, in row-major order.
pub(crate) fn indices(extents: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let extents = extents.to_vec();
    (0..extents.iter().product()).map(move |position: usize| {
        let mut rest = position;
        let mut index = vec![0; extents.len()];
        for (coordinate, extent) in index.iter_mut().zip(&extents).rev() {
            (*coordinate, rest) = (rest % extent, rest / extent);
        }
        index
    })
}
