//! `Place`: where the elements of an operand lie, by arithmetic of its own, so that a fault in a walk cannot hide in both.

use stratal_tensor_base::{Geometry, Shape};

/// Extents and strides over a buffer that is just large enough, with some elements before and behind.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) extents: Vec<i64>,
    pub(crate) strides: Vec<i64>,
    pub(crate) offset: i64,
    /// Elements in the buffer.
    pub(crate) buffer: usize,
}

impl Place {
    /// With so many elements before the first one reached and two behind the last.
    pub(crate) fn new(extents: &[i64], strides: &[i64], before: i64) -> Self {
        assert_eq!(extents.len(), strides.len());
        if extents.contains(&0) {
            let (extents, strides) = (extents.to_vec(), strides.to_vec());
            return Self { extents, strides, offset: 0, buffer: before as usize };
        }
        let reach = |wanted: fn(i64) -> bool| {
            let steps = extents.iter().zip(strides).map(|(extent, stride)| (extent - 1) * stride);
            steps.filter(|reach| wanted(*reach)).sum::<i64>()
        };
        let (below, above) = (reach(|reach| reach < 0), reach(|reach| reach > 0));
        let offset = before - below;
        Self { extents: extents.to_vec(), strides: strides.to_vec(), offset, buffer: (offset + above + 3) as usize }
    }

    /// Row-major, without gaps.
    pub(crate) fn dense(extents: &[i64], before: i64) -> Self {
        Self::new(extents, &row_major(extents), before)
    }

    pub(crate) fn count(&self) -> usize {
        self.extents.iter().product::<i64>() as usize
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape::new(&self.extents).unwrap()
    }

    pub(crate) fn geometry(&self) -> Geometry {
        Geometry::strided(self.shape(), &self.strides, self.offset, self.buffer as u64).unwrap()
    }

    /// The position in the buffer of each element, in row-major order of the index.
    pub(crate) fn positions(&self) -> Vec<usize> {
        let mut positions = vec![self.offset];
        for (extent, stride) in self.extents.iter().zip(&self.strides) {
            positions =
                positions.iter().flat_map(|start| (0..*extent).map(move |step| start + step * stride)).collect();
        }
        positions.into_iter().map(|position| position as usize).collect()
    }
}

/// The strides of row-major elements without gaps.
pub(crate) fn row_major(extents: &[i64]) -> Vec<i64> {
    in_order(extents, &(0..extents.len()).collect::<Vec<_>>(), 1)
}

/// The strides of elements whose axes are nested in an order, outermost first, the innermost with a given stride.
pub(crate) fn in_order(extents: &[i64], order: &[usize], innermost: i64) -> Vec<i64> {
    let mut strides = vec![0; extents.len()];
    let mut stride = innermost;
    for axis in order.iter().rev() {
        strides[*axis] = stride;
        stride *= extents[*axis].max(1);
    }
    strides
}
