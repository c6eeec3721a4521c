//! Reshape: the open extent, and whether the new shape is a view.

use crate::{Geometry, Integers, MAX_RANK, Shape, ShapeError, Strides, strides::fitting_stride};

impl Shape {
    /// The shape that a reshape request means. One extent may be -1: it becomes what makes the counts equal.
    ///
    /// # Errors
    /// [`ShapeError::InferTwice`], [`ShapeError::InferFromZero`], [`ShapeError::Reshape`] when the counts cannot be
    /// made equal, and the errors of [`Shape::new`], such as any other negative extent.
    ///
    /// ```
    /// use stratal_tensor_base::Shape;
    ///
    /// let shape = Shape::new(&[2, 3, 4])?;
    /// assert_eq!(shape.reshaped(&[6, -1])?.extents(), [6, 4]);
    /// assert!(shape.reshaped(&[5, -1]).is_err());
    /// # Ok::<(), stratal_tensor_base::ShapeError>(())
    /// ```
    pub fn reshaped(&self, extents: &[i64]) -> Result<Self, ShapeError> {
        let (from, to) = (*self, Integers::new(extents));
        let mut open = None;
        // Another negative extent takes part as 1 here; the shape's own check refuses it below.
        let mut known = 1_u64;
        for (axis, extent) in extents.iter().enumerate() {
            if *extent != -1 {
                known = known.saturating_mul(u64::try_from(*extent).unwrap_or(1));
            } else if open.replace(axis).is_some() {
                return Err(ShapeError::InferTwice { from, to });
            }
        }
        let shape = match open {
            None => Self::new(extents)?,
            Some(_) if extents.len() > MAX_RANK => {
                return Err(ShapeError::RankTooLarge { rank: extents.len() });
            }
            Some(_) if known == 0 => return Err(ShapeError::InferFromZero { from, to }),
            Some(axis) => {
                let mut completed = [0; MAX_RANK];
                completed[..extents.len()].copy_from_slice(extents);
                completed[axis] = (self.count() as u64 / known) as i64;
                Self::new(&completed[..extents.len()])?
            }
        };
        if shape.count() == self.count() { Ok(shape) } else { Err(ShapeError::Reshape { from, to }) }
    }
}

impl Geometry {
    /// The same elements in the same row-major order under another shape, when strides can say it; else nothing.
    ///
    /// Nothing is returned as well when the counts differ; [`Shape::reshaped`] has the error for that.
    ///
    /// The rule: without its axes of extent 1 the source is a list of runs, neighbouring axes along which one stride
    /// suffices (`stride[i] == stride[i + 1] * extent[i + 1]`). The new axes, left to right, must fill run after run
    /// exactly; inside a run they are row-major over its innermost stride.
    ///
    /// Strides of new axes of extent 1 follow the row-major order of the run they stand before; behind the last run
    /// they are its innermost stride, and where there is no run at all they are 1.
    pub fn try_reshape(&self, shape: &Shape) -> Option<Self> {
        if shape.count() != self.shape().count() {
            return None;
        }
        if shape.is_empty() {
            return Some(self.with_axes(*shape, Strides::contiguous(shape)));
        }
        let mut runs = [Run { length: 1, stride: 1 }; MAX_RANK];
        let run_count = merge_runs(self, &mut runs);
        let mut strides = [0_i32; MAX_RANK];
        let mut first = 0;
        for run in &runs[..run_count] {
            let end = fill_run(&shape.extents()[first..], run.length)? + first;
            let mut stride = i64::from(run.stride);
            for axis in (first..end).rev() {
                strides[axis] = fitting_stride(stride);
                stride *= i64::from(shape.extents()[axis]);
            }
            first = end;
        }
        // The counts are equal and every run is full, so what is left has extent 1.
        let trailing = runs[run_count.saturating_sub(1)].stride;
        strides[first..shape.rank()].fill(trailing);
        Some(self.with_axes(*shape, Strides::from_slice(&strides[..shape.rank()])))
    }
}

/// Neighbouring axes that one stride walks through.
#[derive(Clone, Copy)]
struct Run {
    /// The product of their extents.
    length: u64,
    /// The stride of the innermost of them.
    stride: i32,
}

/// Lists the runs of a geometry, outermost first, and returns their number.
fn merge_runs(geometry: &Geometry, runs: &mut [Run; MAX_RANK]) -> usize {
    let mut count = 0;
    let mut outer_stride = 0;
    for (extent, stride) in geometry.axes().filter(|(extent, _)| *extent != 1) {
        let length = u64::from(extent);
        if count > 0 && outer_stride == i64::from(stride) * i64::from(extent) {
            let run = &mut runs[count - 1];
            *run = Run { length: run.length * length, stride };
        } else {
            runs[count] = Run { length, stride };
            count += 1;
        }
        outer_stride = stride.into();
    }
    count
}

/// The number of leading extents whose product is `length` exactly, ending with the one that completes it.
fn fill_run(extents: &[u32], length: u64) -> Option<usize> {
    let mut product = 1;
    for (axis, extent) in extents.iter().enumerate() {
        // Both factors are below 2^31.
        product *= u64::from(*extent);
        if product == length {
            return Some(axis + 1);
        }
        if product > length {
            return None;
        }
    }
    None
}
