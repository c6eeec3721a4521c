//! `Frame`: one block split into the output and the inputs of a step, by offsets, in safe code.

use std::ops::Range;

use crate::PlanError;

/// One block, split into the output and the inputs of one step after the other.
///
/// This is how a planned run touches its intermediates: one write guard on the block for the whole run,
/// and per step a few checked splits, without handles or atomics. Ranges are in bytes. Inputs may
/// overlap each other, but not an output.
///
/// ```
/// use stratal_memory::{Frame, Pool};
///
/// let block = Pool::new().rent_zeroed(192)?;
/// let mut guard = block.write()?;
/// let mut frame = Frame::new(&mut guard);
/// frame.output(0..64)?.fill(2);
/// let (output, [input]) = frame.split(128..192, [0..64])?;
/// output.copy_from_slice(input);
/// assert!(frame.split(0..64, [63..100]).is_err());
/// assert_eq!(guard[191], 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Frame<'a> {
    bytes: &'a mut [u8],
}

/// What is left of a block when the outputs of a wave are taken: inputs are read from here.
#[derive(Debug, Clone)]
pub struct Inputs<'a> {
    block_length: usize,
    // The pieces between the outputs with their offsets, in ascending order.
    pieces: Vec<(usize, &'a [u8])>,
}

impl<'a> Frame<'a> {
    /// Splits these bytes.
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes of one output alone.
    ///
    /// # Errors
    ///
    /// [`PlanError::OutOfBounds`].
    pub fn output(&mut self, output: Range<usize>) -> Result<&mut [u8], PlanError> {
        let (output, []) = self.split(output, [])?;
        Ok(output)
    }

    /// The bytes of one input alone.
    ///
    /// # Errors
    ///
    /// [`PlanError::OutOfBounds`].
    pub fn input(&self, input: Range<usize>) -> Result<&[u8], PlanError> {
        let block_length = self.len();
        self.bytes.get(input.clone()).ok_or_else(|| out_of_bounds(&input, block_length))
    }

    /// The bytes of one output, and of its inputs.
    ///
    /// # Errors
    ///
    /// [`PlanError::OutOfBounds`], or [`PlanError::OutputOverlap`] if an input shares a byte with the
    /// output.
    #[inline]
    pub fn split<const N: usize>(
        &mut self,
        output: Range<usize>,
        inputs: [Range<usize>; N],
    ) -> Result<(&mut [u8], [&[u8]; N]), PlanError> {
        let block_length = self.bytes.len();
        if output.start > output.end || output.end > block_length {
            return Err(out_of_bounds(&output, block_length));
        }
        if output.is_empty() {
            // Shares no byte, but would cut an input that spans its place in two.
            let mut parts: [&[u8]; N] = [&[]; N];
            for (part, input) in parts.iter_mut().zip(inputs) {
                *part = self.input(input)?;
            }
            return Ok((&mut [], parts));
        }
        let (left, rest) = self.bytes.split_at_mut(output.start);
        let (middle, right) = rest.split_at_mut(output.end - output.start);
        let (left, right) = (&*left, &*right);
        let mut parts: [&[u8]; N] = [&[]; N];
        for (part, input) in parts.iter_mut().zip(inputs) {
            *part = if input.end <= output.start {
                left.get(input.clone())
            } else if input.start >= output.end {
                right.get(input.start - output.end..input.end.wrapping_sub(output.end))
            } else if input.is_empty() {
                // Inside the output, but no byte of it.
                (input.start == input.end).then_some(&[][..])
            } else {
                None
            }
            .ok_or_else(|| refused(&output, &input, block_length))?;
        }
        Ok((middle, parts))
    }

    /// The bytes of all outputs of a wave of independent steps, in the order given, and the rest of the
    /// block to read their inputs from. Unlike [`split`](Self::split) this takes two small vectors from
    /// the heap.
    ///
    /// # Errors
    ///
    /// [`PlanError::OutOfBounds`], or [`PlanError::OutputOverlap`] if two outputs share a byte.
    pub fn wave(&mut self, outputs: &[Range<usize>]) -> Result<(Vec<&mut [u8]>, Inputs<'_>), PlanError> {
        let block_length = self.bytes.len();
        let mut order: Vec<usize> = (0..outputs.len()).collect();
        order.sort_by_key(|&index| (outputs[index].start, outputs[index].end));
        let mut taken: Vec<(usize, &mut [u8])> = Vec::with_capacity(outputs.len());
        let mut pieces = Vec::with_capacity(outputs.len() + 1);
        let mut rest = &mut *self.bytes;
        let mut rest_start = 0;
        let mut previous = 0..0;
        for index in order {
            let output = outputs[index].clone();
            if output.start > output.end || output.end > block_length {
                return Err(out_of_bounds(&output, block_length));
            }
            if output.is_empty() {
                taken.push((index, &mut []));
                continue;
            }
            if output.start < rest_start {
                return Err(overlap(&output, &previous));
            }
            let (gap, from_output) = rest.split_at_mut(output.start - rest_start);
            let (bytes, after) = from_output.split_at_mut(output.end - output.start);
            pieces.push((rest_start, &*gap));
            taken.push((index, bytes));
            rest = after;
            rest_start = output.end;
            previous = output;
        }
        pieces.push((rest_start, &*rest));
        taken.sort_by_key(|&(index, _)| index);
        let outputs = taken.into_iter().map(|(_, bytes)| bytes).collect();
        Ok((outputs, Inputs { block_length, pieces }))
    }
}

impl<'a> Inputs<'a> {
    /// The bytes of one input.
    ///
    /// # Errors
    ///
    /// [`PlanError::OutOfBounds`], or [`PlanError::OutputOverlap`] if it shares a byte with an output.
    pub fn get(&self, input: Range<usize>) -> Result<&'a [u8], PlanError> {
        if input.start > input.end || input.end > self.block_length {
            return Err(out_of_bounds(&input, self.block_length));
        }
        // The last piece that starts at or before the input, and is not empty where another does.
        let position = self.pieces.partition_point(|&(start, _)| start <= input.start);
        let (start, bytes) = self.pieces[position.saturating_sub(1)];
        let from = input.start.wrapping_sub(start);
        if let Some(part) = bytes.get(from..from.wrapping_add(input.len())) {
            return Ok(part);
        }
        if input.is_empty() {
            return Ok(&[]);
        }
        let next = self.pieces.get(position).map_or(self.block_length, |&(start, _)| start);
        let end = start + bytes.len();
        Err(overlap(&(end..next), &input))
    }
}

#[cold]
fn refused(output: &Range<usize>, input: &Range<usize>, block_length: usize) -> PlanError {
    if input.start > input.end || input.end > block_length {
        return out_of_bounds(input, block_length);
    }
    overlap(output, input)
}

#[cold]
fn out_of_bounds(range: &Range<usize>, block_length: usize) -> PlanError {
    PlanError::OutOfBounds { offset: range.start, length: range.end.saturating_sub(range.start), block_length }
}

#[cold]
fn overlap(output: &Range<usize>, other: &Range<usize>) -> PlanError {
    PlanError::OutputOverlap {
        output_offset: output.start,
        output_length: output.end.saturating_sub(output.start),
        offset: other.start,
        length: other.end.saturating_sub(other.start),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Every output and input of a block of six bytes, against what their bytes say.
    #[test]
    fn every_small_split_is_granted_exactly_when_nothing_is_shared() {
        let ends = || (0..8_usize).flat_map(|start| (0..8_usize).map(move |end| start..end));
        for output in ends() {
            for input in ends() {
                let mut bytes: Vec<u8> = (0..6).collect();
                let is_inside = |range: &Range<usize>| range.start <= range.end && range.end <= 6;
                let is_shared = input.clone().any(|byte| output.contains(&byte));
                let mut frame = Frame::new(&mut bytes);
                let split = frame.split(output.clone(), [input.clone()]);
                let is_granted = is_inside(&output) && is_inside(&input) && !is_shared;
                assert_eq!(split.is_ok(), is_granted, "{output:?} {input:?}");
                if let Ok((output_bytes, [input_bytes])) = split {
                    assert!(output_bytes.iter().map(|&byte| usize::from(byte)).eq(output.clone()));
                    assert!(input_bytes.iter().map(|&byte| usize::from(byte)).eq(input.clone()));
                }
                let wave = frame.wave(std::slice::from_ref(&output));
                assert_eq!(wave.is_ok(), is_inside(&output));
                if let Ok((outputs, inputs)) = wave {
                    assert!(outputs[0].iter().map(|&byte| usize::from(byte)).eq(output.clone()));
                    let read = inputs.get(input.clone());
                    assert_eq!(read.is_ok(), is_inside(&input) && !is_shared, "{output:?} {input:?}");
                    if let Ok(read) = read {
                        assert!(read.iter().map(|&byte| usize::from(byte)).eq(input.clone()));
                    }
                }
            }
        }
    }

    #[test]
    fn waves_of_two_outputs_never_share_a_byte() {
        let ends = || (0..5_usize).flat_map(|start| (start..5_usize).map(move |end| start..end));
        for first in ends() {
            for second in ends() {
                for input in ends() {
                    let mut bytes: Vec<u8> = (0..4).collect();
                    let mut frame = Frame::new(&mut bytes);
                    let is_shared = first.clone().any(|byte| second.contains(&byte));
                    match frame.wave(&[first.clone(), second.clone()]) {
                        Ok((outputs, inputs)) => {
                            assert!(!is_shared);
                            for (output, range) in outputs.iter().zip([&first, &second]) {
                                assert!(output.iter().map(|&byte| usize::from(byte)).eq(range.clone()));
                            }
                            let touches = input.clone().any(|byte| first.contains(&byte) || second.contains(&byte));
                            assert_eq!(inputs.get(input.clone()).is_ok(), !touches, "{first:?} {second:?} {input:?}");
                        }
                        Err(PlanError::OutputOverlap { .. }) => {
                            assert!(is_shared);
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_at_the_ends_of_numbers_are_errors() {
        let mut bytes = [0; 8];
        let mut frame = Frame::new(&mut bytes);
        let bounds = [(usize::MAX - 1, usize::MAX), (0, usize::MAX), (usize::MAX, 0), (9, 9), (5, 4)];
        for (start, end) in bounds {
            let range = start..end;
            assert!(matches!(frame.output(range.clone()), Err(PlanError::OutOfBounds { .. })));
            assert!(matches!(frame.input(range.clone()), Err(PlanError::OutOfBounds { .. })));
            assert!(frame.split(2..4, [range.clone()]).is_err());
            assert!(frame.wave(std::slice::from_ref(&range)).is_err());
            let (_, inputs) = frame.wave(&[]).unwrap();
            assert!(inputs.get(range).is_err());
        }
    }
}
