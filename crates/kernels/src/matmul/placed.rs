//! Results where they lie, or side by side in between where they lie in an order that is not computed in.

use stratal_tensor_base::Geometry;

use super::Machine;
use super::scratch::Aligned;
use crate::map::driver::{Input, Output};
use crate::{AnyViewMut, KernelError, copy};

/// Calls with the bytes of a result without gaps: its own if they are in an order that the work knows, else some whose elements
/// lie row by row and are copied afterwards, and before too if the work reads the old result.
pub(crate) fn with_bytes(
    machine: Machine<'_>,
    result: &mut AnyViewMut<'_>,
    is_in_order: bool,
    is_read: bool,
    work: impl FnOnce(&mut [u8]) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let size = result.dtype().size();
    let count = result.shape().count() * size;
    let side_by_side = Geometry::contiguous(*result.shape());
    let (geometry, bytes) = result.parts();
    if is_in_order {
        let start = geometry.offset() * size;
        return work(&mut bytes[start..start + count]);
    }
    let mut room = Aligned::zeroed(count);
    if is_read {
        let to = Output { bytes: room.bytes_mut(), geometry: &side_by_side, size, is_read: false };
        copy::run(machine.isa, Input { bytes, geometry, size }, to, machine.threads)?;
    }
    work(room.bytes_mut())?;
    let from = Input { bytes: room.bytes(), geometry: &side_by_side, size };
    copy::run(machine.isa, from, Output { bytes, geometry, size, is_read: false }, machine.threads)?;
    Ok(())
}
