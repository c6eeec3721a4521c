//! What all maps share: walking operands of any strides in blocks, on one thread or several.
//!
//! A map is given as a function on slices of equal length. Where operands are contiguous it gets the elements where they
//! are; elsewhere they are gathered into blocks that stay in the first-level cache, and results scattered from one. The
//! text here knows the size of an element and not its type, so it is compiled once for all operations and dtypes.

use stratal_tensor_base::{Geometry, ShapeError, Walk};

use super::cursor::{BLOCK, Buffer, Cursor};
use super::order::in_memory_order;
use crate::parallel::Threads;
use crate::simd::{Isa, streaming};
use crate::stream;

/// Elements that one thread takes at a time, and below which a problem stays on the calling thread. Waking a thread costs
/// about 10 us, in which one core adds this many.
const GRAIN: usize = 64 * 1024;

/// Runs shorter than this are gathered into blocks rather than given to the function one by one.
const SHORTEST_RUN: usize = 64;

/// An operand: whole elements, and which of them each index means.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) geometry: &'a Geometry,
    /// Bytes an element: 1, 2, 4 or 8.
    pub(crate) size: usize,
}

/// The result: whole elements, and which of them each index means.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    pub(crate) bytes: &'a mut [u8],
    pub(crate) geometry: &'a Geometry,
    /// Bytes an element: 1, 2, 4 or 8.
    pub(crate) size: usize,
    /// Whether the function also reads what is there, which makes the map one in place.
    pub(crate) is_read: bool,
}

/// The function of a map: from as many elements of each operand to those of the result.
pub(crate) type Function<'a, const N: usize> = &'a (dyn Fn([&[u8]; N], &mut [u8]) + Sync);

/// Computes the whole result. Where an instruction set is named, large results are computed in blocks and bypass the caches
/// from there.
///
/// # Errors
/// [`ShapeError::Different`] unless all shapes are equal; nothing is written then.
pub(crate) fn map<const N: usize>(
    inputs: [Input<'_>; N],
    output: Output<'_>,
    threads: &Threads,
    streamed_by: Option<Isa>,
    function: Function<'_, N>,
) -> Result<(), ShapeError> {
    let shape = output.geometry.shape();
    if let Some(other) = inputs.iter().map(|input| input.geometry.shape()).find(|other| *other != shape) {
        return Err(ShapeError::Different { left: *other, right: *shape });
    }
    if shape.is_empty() {
        return Ok(());
    }
    let size = output.size;
    if output.geometry.is_contiguous() && inputs.iter().all(|input| input.geometry.is_contiguous()) {
        // The usual case, without the cost of planning a walk.
        let start = output.geometry.offset() * size;
        let target = &mut output.bytes[start..start + shape.count() * size];
        let isa = streamed_by.filter(|_| target.len() >= stream::BYTES && !output.is_read);
        let slices = |position: usize, length: usize| {
            inputs.map(|input| {
                let start = (input.geometry.offset() + position) * input.size;
                &input.bytes[start..start + length * input.size]
            })
        };
        threads.for_each_chunk(target, GRAIN * size, |start, part| match isa {
            None => function(slices(start / size, part.len() / size), part),
            Some(isa) => streaming(|permission| {
                let mut block = const { Buffer::new() };
                for (index, part) in part.chunks_mut(BLOCK * size).enumerate() {
                    let length = part.len() / size;
                    let block = block.room(length, size);
                    function(slices(start / size + index * BLOCK, length), block);
                    stream::copy(isa, block, part, permission);
                }
            }),
        });
        return Ok(());
    }
    let geometries = inputs.map(|input| input.geometry);
    let (order_of_output, order) = in_memory_order(output.geometry, geometries);
    let walk_of_output = Walk::new([&order_of_output])?;
    let mut walks = [walk_of_output; N];
    for (walk, geometry) in walks.iter_mut().zip(&order) {
        *walk = Walk::new([geometry])?;
    }
    if walk_of_output.is_dense() && walk_of_output.run_count() == 1 {
        let [start] = walk_of_output.starts();
        let target = &mut output.bytes[start * size..(start + shape.count()) * size];
        threads.for_each_chunk(target, GRAIN * size, |start, part| {
            let (position, length) = (start / size, part.len() / size);
            let mut cursors = walks.map(|walk| Cursor::new(&walk, position));
            let mut buffers = [const { Buffer::new() }; N];
            let mut done = 0;
            while done < length {
                let step = block_length(length - done, None, &cursors);
                let slices = read(&inputs, &mut cursors, &mut buffers, step);
                function(slices, &mut part[done * size..(done + step) * size]);
                done += step;
            }
        });
    } else {
        // Two threads may not hold the same bytes, and strided results are rare: the calling thread does it all.
        let mut cursors = walks.map(|walk| Cursor::new(&walk, 0));
        let mut buffers = [const { Buffer::new() }; N];
        let mut target = Cursor::new(&walk_of_output, 0);
        let mut block = const { Buffer::new() };
        let mut left = shape.count();
        while left > 0 {
            let step = block_length(left, Some(&target), &cursors);
            let slices = read(&inputs, &mut cursors, &mut buffers, step);
            if target.direct() >= step {
                let range = target.take(step);
                function(slices, &mut output.bytes[range.start * size..range.end * size]);
            } else {
                let block = block.room(step, size);
                if output.is_read {
                    target.clone().gather(output.bytes, size, block);
                }
                function(slices, block);
                target.scatter(block, output.bytes, size);
            }
            left -= step;
        }
    }
    Ok(())
}

/// The first thing found in the operands, from the first element to the last.
///
/// # Errors
/// [`ShapeError::Different`] unless all shapes are equal.
pub(crate) fn find<const N: usize, T>(
    inputs: [Input<'_>; N],
    function: impl Fn([&[u8]; N]) -> Option<T>,
) -> Result<Option<T>, ShapeError> {
    let Some(first) = inputs.first() else {
        return Ok(None);
    };
    let mut left = first.geometry.shape().count();
    let mut walks = [Walk::new([first.geometry])?; N];
    for (walk, input) in walks.iter_mut().zip(&inputs) {
        // The two together only to compare shapes.
        Walk::new([first.geometry, input.geometry])?;
        *walk = Walk::new([input.geometry])?;
    }
    let mut cursors = walks.map(|walk| Cursor::new(&walk, 0));
    let mut buffers = [const { Buffer::new() }; N];
    while left > 0 {
        let step = block_length(left, None, &cursors);
        if let Some(found) = function(read(&inputs, &mut cursors, &mut buffers, step)) {
            return Ok(Some(found));
        }
        left -= step;
    }
    Ok(None)
}

/// How many elements to do next: whole runs where all operands have long ones, else a block.
fn block_length(left: usize, target: Option<&Cursor>, sources: &[Cursor]) -> usize {
    let mut length = left;
    let mut are_all_direct = true;
    for cursor in target.into_iter().chain(sources) {
        match cursor.direct() {
            run if run >= SHORTEST_RUN.min(left) => length = length.min(run),
            _ => are_all_direct = false,
        }
    }
    if are_all_direct { length } else { length.min(BLOCK) }
}

/// The next elements of each operand.
fn read<'a, const N: usize>(
    inputs: &[Input<'a>; N],
    cursors: &mut [Cursor; N],
    buffers: &'a mut [Buffer; N],
    length: usize,
) -> [&'a [u8]; N] {
    let mut slices: [&[u8]; N] = [&[]; N];
    for (((slice, input), cursor), buffer) in slices.iter_mut().zip(inputs).zip(cursors).zip(buffers) {
        *slice = cursor.read(input.bytes, input.size, length, buffer);
    }
    slices
}
