//! `Walk`: one or several geometries of one shape, as the fewest runs in logical order.

use core::ops::Range;

use crate::{Geometry, MAX_RANK, ShapeError};

/// One or several geometries of the same shape, walked together in row-major order of the index.
///
/// Axes that every geometry crosses with one stride are merged, axes of extent 1 dropped. What remains is a list of
/// runs of equal length: within a run, each geometry moves by its own constant stride. An element-wise loop so sees
/// runs, never indices, and a contiguous operand is one run of its whole length.
///
/// ```
/// use stratal_tensor_base::{Geometry, Shape, Walk};
///
/// let target = Geometry::contiguous(Shape::new(&[2, 3])?);
/// let source = Geometry::contiguous(Shape::new(&[3, 2])?).transpose(0, 1)?;
/// let walk = Walk::new([&target, &source])?;
/// assert_eq!((walk.run_length(), walk.run_strides()), (3, [1, 2]));
/// assert_eq!(walk.runs().collect::<Vec<_>>(), [[0, 0], [3, 1]]);
///
/// assert_eq!(Walk::new([&target, &target])?.run_length(), 6);
/// # Ok::<(), stratal_tensor_base::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Walk<const N: usize> {
    /// The merged axes, outermost first; the runs go along the one at `run_axis`, which is the last that counts.
    axes: [WalkAxis<N>; MAX_RANK],
    run_axis: usize,
    starts: [usize; N],
    run_count: usize,
}

/// A merged axis of a [`Walk`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkAxis<const N: usize> {
    /// The number of steps.
    pub extent: usize,
    /// How far a step moves each geometry, in elements.
    pub strides: [isize; N],
}

impl<const N: usize> Walk<N> {
    /// Plans the walk. Broadcast operands are expanded to the common shape first.
    ///
    /// # Errors
    /// [`ShapeError::Different`] unless all shapes are equal.
    pub fn new(geometries: [&Geometry; N]) -> Result<Self, ShapeError> {
        // Without operands there is nothing to walk: one step of the scalar shape.
        let shape = geometries.first().map_or(crate::Shape::SCALAR, |geometry| *geometry.shape());
        if let Some(other) = geometries.iter().find(|geometry| *geometry.shape() != shape) {
            return Err(ShapeError::Different { left: shape, right: *other.shape() });
        }
        let mut merged = [WalkAxis { extent: 1, strides: [1; N] }; MAX_RANK];
        let mut rank = 0_usize;
        for (axis, extent) in shape.extents().iter().enumerate().filter(|(_, extent)| **extent != 1) {
            let extent = *extent as usize;
            let strides = geometries.map(|geometry| geometry.strides()[axis] as isize);
            let inner = WalkAxis { extent, strides };
            match rank.checked_sub(1).map(|outer| &mut merged[outer]) {
                Some(outer) if outer.continues_into(&inner) => {
                    *outer = WalkAxis { extent: outer.extent.saturating_mul(extent), strides };
                }
                _ => {
                    merged[rank] = inner;
                    rank += 1;
                }
            }
        }
        let run_axis = rank.saturating_sub(1);
        let run_count = if shape.is_empty() { 0 } else { shape.count() / merged[run_axis].extent };
        let starts = geometries.map(Geometry::offset);
        Ok(Self { axes: merged, run_axis, starts, run_count })
    }

    /// The merged axes, outermost first; runs go along the last. Where the order of elements does not matter, such as in
    /// a copy, they may be walked in any order.
    pub fn axes(&self) -> &[WalkAxis<N>] {
        &self.axes[..=self.run_axis]
    }

    /// The element offset at which each geometry starts.
    pub const fn starts(&self) -> [usize; N] {
        self.starts
    }

    /// The number of elements in each run.
    pub const fn run_length(&self) -> usize {
        self.axes[self.run_axis].extent
    }

    /// How each geometry moves within a run, in elements. Runs of one element have strides of 1.
    pub const fn run_strides(&self) -> [isize; N] {
        self.axes[self.run_axis].strides
    }

    /// The number of runs; none when the shape is empty.
    pub const fn run_count(&self) -> usize {
        self.run_count
    }

    /// Whether every geometry moves by one element within a run, so that runs are slices.
    pub fn is_dense(&self) -> bool {
        self.run_strides().iter().all(|stride| *stride == 1)
    }

    /// The element offsets at which each run starts, one for each geometry, in logical order.
    pub fn runs(&self) -> Runs<N> {
        self.runs_in(0..self.run_count)
    }

    /// A part of the runs, by position; positions past the last run are left out. Threads divide a walk with it.
    pub fn runs_in(&self, positions: Range<usize>) -> Runs<N> {
        let end = positions.end.min(self.run_count);
        let start = positions.start.min(end);
        let mut runs = Runs { walk: *self, counters: [0; MAX_RANK], offsets: self.starts, left: end - start };
        let mut position = start;
        for (counter, axis) in runs.counters.iter_mut().zip(&self.axes[..self.run_axis]).rev() {
            *counter = position.checked_rem(axis.extent).unwrap_or(0);
            position = position.checked_div(axis.extent).unwrap_or(0);
            axis.advance(&mut runs.offsets, *counter as isize);
        }
        runs
    }
}

impl<const N: usize> WalkAxis<N> {
    /// Whether one stride a geometry leads through this axis and the next one inside it.
    fn continues_into(&self, inner: &Self) -> bool {
        self.strides.iter().zip(&inner.strides).all(|(outer_stride, inner_stride)| {
            // On 32-bit machines the product may not fit, and then equals no stride.
            inner_stride.checked_mul(inner.extent as isize) == Some(*outer_stride)
        })
    }

    /// Moves each offset by a number of steps along this axis.
    fn advance(&self, offsets: &mut [usize; N], steps: isize) {
        for (offset, stride) in offsets.iter_mut().zip(&self.strides) {
            // On the way from one run to the next an offset may pass below zero, and comes back.
            *offset = offset.wrapping_add_signed(stride.wrapping_mul(steps));
        }
    }
}

/// The starts of the runs of a [`Walk`], in logical order.
#[derive(Debug, Clone)]
pub struct Runs<const N: usize> {
    walk: Walk<N>,
    /// The position along each outer axis.
    counters: [usize; MAX_RANK],
    offsets: [usize; N],
    left: usize,
}

impl<const N: usize> Iterator for Runs<N> {
    type Item = [usize; N];

    fn next(&mut self) -> Option<[usize; N]> {
        self.left = self.left.checked_sub(1)?;
        let current = self.offsets;
        let outer = &self.walk.axes[..self.walk.run_axis];
        for (counter, axis) in self.counters.iter_mut().zip(outer).rev() {
            *counter += 1;
            if *counter < axis.extent {
                axis.advance(&mut self.offsets, 1);
                break;
            }
            axis.advance(&mut self.offsets, 1 - *counter as isize);
            *counter = 0;
        }
        Some(current)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<const N: usize> ExactSizeIterator for Runs<N> {}

impl Geometry {
    /// The offset of every element, in row-major order of the index.
    pub fn offsets(&self) -> impl Iterator<Item = usize> + use<> {
        // The shape of one geometry never differs.
        Walk::new([self]).into_iter().flat_map(|walk| {
            let [stride] = walk.run_strides();
            walk.runs().flat_map(move |[start]| {
                (0..walk.run_length()).map(move |step| start.wrapping_add_signed(stride * step as isize))
            })
        })
    }
}
