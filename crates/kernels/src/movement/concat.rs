//! Concatenation: each part is a box of the result.
//!
//! A large result that has axes outside the one joined is cut there, and the thread that has a piece copies what every part
//! puts into it, so that a piece stays in its cache. Else parts follow each other, and each is cut by itself.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::Geometry;

use super::loops::{Loop, Loops};
use super::parts::in_parts;
use super::pick::{axes, strides};
use super::rows::Rows;
use super::{Word, match_word, narrowed};
use crate::map::driver::{Input, Output};
use crate::simd::Isa;
use crate::{AnyView, AnyViewMut, KernelError, Threads, copy};

/// Joins parts along an axis.
///
/// # Errors
/// None where shapes were checked.
pub(crate) fn run(
    isa: Isa,
    parts: &[AnyView<'_>],
    axis: usize,
    result: &mut AnyViewMut<'_>,
    threads: &Threads,
) -> Result<(), KernelError> {
    if result.shape().is_empty() {
        return Ok(());
    }
    let size = result.dtype().size();
    let (geometry, bytes) = result.parts();
    let boxes = || boxes(parts, axis, geometry);
    // What lies outside the axis joined, and how many elements one step of that holds.
    let joined = strides(geometry)[axis];
    let outside =
        axes(geometry).filter(|(extent, stride)| *extent != 1 && stride.unsigned_abs() > joined.unsigned_abs());
    let steps: usize = outside.map(|(extent, _)| extent).product();
    let step = geometry.shape().count() / steps;
    let whole = Loops::in_memory_order(axes(geometry).map(|(extent, stride)| Loop { extent, strides: [stride] }));
    let is_cut = steps > 1 && whole.is_dense() && geometry.shape().extent(axis) > 1;
    if is_cut {
        match_word!(size, W => {
            let (words, bytes) = (cast_slice_mut::<u8, W>(bytes), geometry.shape().count() * size);
            let whole = (geometry.offset(), geometry.shape().count());
            in_parts(threads, words, whole, true, step, |positions, piece, start| {
                Rows::of_result(isa, bytes, |rows| {
                    for (part, target) in boxes() {
                        let loops = loops(&target, part.geometry());
                        let step_of_part = loops.count() / steps;
                        let positions = positions.start / step * step_of_part..positions.end / step * step_of_part;
                        let start = start.wrapping_add(target.offset().wrapping_sub(whole.0));
                        copy_box(rows, &loops, cast_slice(part.bytes()), piece, [start, part.geometry().offset()], positions);
                    }
                });
            });
        });
        return Ok(());
    }
    for (part, target) in boxes() {
        let x = Input { bytes: part.bytes(), geometry: part.geometry(), size };
        copy::run(isa, x, Output { bytes: &mut *bytes, geometry: &target, size, is_read: false }, threads)?;
    }
    Ok(())
}

/// The parts that have elements, and where in the result each goes.
fn boxes<'a, 'b>(
    parts: &'b [AnyView<'a>],
    axis: usize,
    result: &'b Geometry,
) -> impl Iterator<Item = (&'b AnyView<'a>, Geometry)> {
    let mut start = 0;
    parts.iter().filter(|part| !part.shape().is_empty()).map(move |part| {
        let extent = part.shape().extent(axis);
        let target = narrowed(result, axis, start, extent);
        start += extent;
        (part, target)
    })
}

fn loops(target: &Geometry, part: &Geometry) -> Loops<2> {
    Loops::in_memory_order(
        axes(target).zip(strides(part)).map(|((extent, stride), of_part)| Loop { extent, strides: [stride, of_part] }),
    )
}

/// Copies the elements at some positions of the loops.
pub(super) fn copy_box<W: Word>(
    rows: Rows<'_>,
    loops: &Loops<2>,
    x: &[W],
    result: &mut [W],
    starts: [usize; 2],
    positions: std::ops::Range<usize>,
) {
    let strides = loops.innermost().strides;
    loops.for_each_run(starts, positions, |starts, length| rows.copy(result, x, starts, strides, length));
}
