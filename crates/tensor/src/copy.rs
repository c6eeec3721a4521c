//! Copying elements between any strides, as few and as large moves as the strides allow.

use stratal_tensor_base::{DType, Element, Geometry, MAX_RANK, Walk, WalkAxis};

use crate::{
    Tensor, TensorError, TensorOptions,
    access::{check_writable, span_bytes, typed, typed_mut},
};

impl Tensor {
    /// Copies the elements of `source`, which is of the same dtype and of this shape or one that broadcasts to it.
    /// Advances the version by one.
    ///
    /// Strides may be any on either side. Where both are views of one buffer, the result is as if the source had been
    /// copied away first.
    ///
    /// # Errors
    /// [`TensorError::MixedDTypes`], [`ShapeError::Expand`](stratal_tensor_base::ShapeError::Expand),
    /// [`TensorError::Overlapping`] when two indices of this tensor may share an element, [`TensorError::Blocked`], and
    /// [`AccessError`](stratal_memory::AccessError).
    ///
    /// ```
    /// use stratal_tensor::{Tensor, base::DType};
    ///
    /// let numbers = Tensor::arange(0, 6, 1, DType::I32)?;
    /// // Shifted onto itself by one.
    /// numbers.narrow(0, 1, 5)?.copy_from(&numbers.narrow(0, 0, 5)?)?;
    /// assert_eq!(numbers.to_vec::<i32>()?, [0, 0, 1, 2, 3, 4]);
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn copy_from(&self, source: &Self) -> Result<(), TensorError> {
        let (dtype, target_geometry) = (self.dtype(), *self.plain("copy_from")?);
        let source_geometry = source.plain("copy_from")?.broadcast_to(target_geometry.shape());
        if dtype != source.dtype() {
            return Err(TensorError::MixedDTypes { left: dtype, right: source.dtype() });
        }
        let source_geometry = source_geometry?;
        check_writable(&target_geometry)?;
        if self.shares_buffer(source) {
            let (to, from) = (span_bytes(&target_geometry, dtype), span_bytes(&source_geometry, dtype));
            let is_apart = to.end <= from.start || from.end <= to.start;
            if is_apart || target_geometry.is_contiguous() && source_geometry.is_contiguous() {
                let mut bytes = self.buffer().write()?;
                copy_within(&mut bytes, dtype, &target_geometry, &source_geometry);
            } else {
                // Had first, so that memory which runs out changes nothing.
                let aside = TensorOptions::new(dtype).allocate(from.len())?;
                let mut aside = aside.write()?;
                let mut bytes = self.buffer().write()?;
                aside.copy_from_slice(&bytes[from]);
                copy_bytes(dtype, &mut bytes, &target_geometry, &aside, &source_geometry.rebased());
            }
        } else {
            let (mut target, [source]) = stratal_memory::access(self.buffer(), [source.buffer()])?;
            copy_bytes(dtype, &mut target, &target_geometry, &source, &source_geometry);
        }
        Ok(())
    }

    /// A row-major copy, whatever the strides.
    ///
    /// # Errors
    /// [`AllocationError`](stratal_memory::AllocationError), [`AccessError`](stratal_memory::AccessError),
    /// [`TensorError::Blocked`].
    pub fn copied(&self) -> Result<Self, TensorError> {
        self.plain("copied")?;
        let copy = TensorOptions::new(self.dtype()).empty_of(*self.shape())?;
        copy.copy_from(self)?;
        Ok(copy)
    }
}

/// Copies elements between two buffers. Both geometries have one shape and stay inside their buffers, and the target's
/// does not overlap itself.
pub(crate) fn copy_bytes(dtype: DType, target: &mut [u8], to: &Geometry, source: &[u8], from: &Geometry) {
    let target = &mut target[span_bytes(to, dtype)];
    let source = &source[span_bytes(from, dtype)];
    let (to, from) = (to.rebased(), from.rebased());
    // Bits are moved, so only the size of an element matters.
    match dtype.size() {
        1 => copy_elements::<u8, 32>(target, &to, source, &from),
        2 => copy_elements::<u16, 32>(typed_mut(target), &to, typed(source), &from),
        4 => copy_elements::<u32, 16>(typed_mut(target), &to, typed(source), &from),
        _ => copy_elements::<u64, 8>(typed_mut(target), &to, typed(source), &from),
    }
}

/// Copies elements inside one buffer between spans that do not meet, or that are both contiguous.
fn copy_within(bytes: &mut [u8], dtype: DType, to: &Geometry, from: &Geometry) {
    let (target, source) = (span_bytes(to, dtype), span_bytes(from, dtype));
    if to.is_contiguous() && from.is_contiguous() {
        bytes.copy_within(source, target.start);
    } else if source.end <= target.start {
        let (left, right) = bytes.split_at_mut(target.start);
        copy_elements_of(dtype, &mut right[..target.len()], to, &left[source], from);
    } else {
        let (left, right) = bytes.split_at_mut(source.start);
        copy_elements_of(dtype, &mut left[target], to, &right[..source.len()], from);
    }
}

/// [`copy_bytes`] over spans that were cut out already.
fn copy_elements_of(dtype: DType, target: &mut [u8], to: &Geometry, source: &[u8], from: &Geometry) {
    copy_bytes(dtype, target, &to.rebased(), source, &from.rebased());
}

/// Copies elements of one shape. The order does not matter, so the axes are walked as suits the memory.
fn copy_elements<T: Element, const TILE: usize>(target: &mut [T], to: &Geometry, source: &[T], from: &Geometry) {
    // Every caller brings equal shapes.
    let Ok(walk) = Walk::new([to, from]) else { return };
    let Some((run, outer)) = walk.axes().split_last().filter(|_| walk.run_count() > 0) else { return };
    let across = if run.strides == [1, 1] { None } else { transposed_axis(run, outer) };
    let Some(across) = across else {
        return for_each_start(outer, walk.starts(), &mut |starts| copy_run(target, source, starts, run));
    };
    let mut rest = [*run; MAX_RANK];
    let others = outer.iter().enumerate().filter(|(axis, _)| *axis != across);
    let rest_length = rest.iter_mut().zip(others).map(|(rest, (_, axis))| *rest = *axis).count();
    // The target is written along its memory, the source read along its own; if it is the other way round, turn both.
    let plane = [outer[across], *run];
    let plane = if run.strides[0] == 1 { plane } else { [plane[1], plane[0]] };
    for_each_start(&rest[..rest_length], walk.starts(), &mut |starts| {
        copy_plane::<T, TILE>(target, source, starts, plane)
    });
}

/// The axis along which one side's memory runs while the other's runs along `run`; none if there is no such pair.
fn transposed_axis(run: &WalkAxis<2>, outer: &[WalkAxis<2>]) -> Option<usize> {
    let is_transposed =
        |axis: &WalkAxis<2>| run.strides[0] == 1 && axis.strides[1] == 1 || run.strides[1] == 1 && axis.strides[0] == 1;
    outer.iter().position(is_transposed)
}

/// Calls `action` with the starts at every step along all axes, outermost first.
fn for_each_start(axes: &[WalkAxis<2>], starts: [usize; 2], action: &mut impl FnMut([usize; 2])) {
    let Some((axis, inner)) = axes.split_first() else { return action(starts) };
    for step in 0..axis.extent {
        for_each_start(inner, moved(starts, axis, step), action);
    }
}

fn copy_run<T: Element>(target: &mut [T], source: &[T], [to, from]: [usize; 2], run: &WalkAxis<2>) {
    if run.strides == [1, 1] {
        target[to..to + run.extent].copy_from_slice(&source[from..from + run.extent]);
        return;
    }
    for step in 0..run.extent {
        let [to, from] = moved([to, from], run, step);
        target[to] = source[from];
    }
}

/// Copies a plane whose target has stride 1 along the second axis and whose source has it along the first.
///
/// It goes in square tiles whose sides are cache lines: each line is read once and written once, so rows that fall on
/// the same place of the cache, as those of a power of two do, cost nothing. Blocks of tiles bound the pages in use.
fn copy_plane<T: Element, const TILE: usize>(
    target: &mut [T],
    source: &[T],
    starts: [usize; 2],
    [across, along]: [WalkAxis<2>; 2],
) {
    const BLOCK: usize = 128;
    for across_block in (0..across.extent).step_by(BLOCK) {
        let across_end = across.extent.min(across_block + BLOCK);
        for along_block in (0..along.extent).step_by(BLOCK) {
            let along_end = along.extent.min(along_block + BLOCK);
            for second in (along_block..along_end).step_by(TILE) {
                for first in (across_block..across_end).step_by(TILE) {
                    let starts = moved(moved(starts, &across, first), &along, second);
                    if across_end - first >= TILE && along_end - second >= TILE {
                        copy_tile::<T, TILE>(target, source, starts, [across.strides[0], along.strides[1]]);
                    } else {
                        let part = WalkAxis { extent: TILE.min(along_end - second), ..along };
                        for step in 0..TILE.min(across_end - first) {
                            copy_run(target, source, moved(starts, &across, step), &part);
                        }
                    }
                }
            }
        }
    }
}

/// Transposes a full tile. `strides` are those between rows of the target and between rows of the source.
fn copy_tile<T: Element, const TILE: usize>(
    target: &mut [T],
    source: &[T],
    [to, from]: [usize; 2],
    strides: [isize; 2],
) {
    let row = |start: usize, stride: isize, number: usize| start.wrapping_add_signed(stride * number as isize);
    let mut rows = [[T::zeroed(); TILE]; TILE];
    for (number, read) in rows.iter_mut().enumerate() {
        let start = row(from, strides[1], number);
        read.copy_from_slice(&source[start..start + TILE]);
    }
    for number in 0..TILE {
        let start = row(to, strides[0], number);
        let written = &mut target[start..start + TILE];
        for (element, read) in written.iter_mut().zip(&rows) {
            *element = read[number];
        }
    }
}

/// Offsets after a number of steps along an axis.
fn moved([to, from]: [usize; 2], axis: &WalkAxis<2>, steps: usize) -> [usize; 2] {
    let distance = |side: usize| axis.strides[side] * steps as isize;
    [to.wrapping_add_signed(distance(0)), from.wrapping_add_signed(distance(1))]
}
