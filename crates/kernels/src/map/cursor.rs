//! `Cursor`: a place in an operand of any strides, read and written in blocks.

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use stratal_tensor_base::{Runs, Walk};

/// Elements of a block: three blocks of eight-byte elements fit into a quarter of a first-level cache of 48 KiB.
pub(super) const BLOCK: usize = 512;

/// The next element to visit, in the order of a walk.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    runs: Runs<1>,
    run_length: usize,
    stride: isize,
    /// Where the next element is. Meaningless when nothing is left.
    offset: usize,
    /// Elements left in this run.
    left: usize,
}

/// Room for the elements of one block, and what is known of them. In this order, so that the room is aligned for every
/// element type and for whole vectors.
#[repr(C, align(64))]
pub(super) struct Buffer {
    bytes: [u8; BLOCK * 8],
    /// The first so many elements all come from this offset.
    constant: Option<(usize, usize)>,
}

impl Buffer {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; BLOCK * 8], constant: None }
    }

    /// Room for elements of this size.
    pub(super) fn room(&mut self, length: usize, size: usize) -> &mut [u8] {
        &mut self.bytes[..length * size]
    }
}

impl Cursor {
    /// At the element of this position of the walk.
    pub(super) fn new(walk: &Walk<1>, position: usize) -> Self {
        let run_length = walk.run_length();
        let [stride] = walk.run_strides();
        let (run, within) = (position / run_length.max(1), position % run_length.max(1));
        let runs = walk.runs_in(run..walk.run_count());
        let mut cursor = Self { runs, run_length, stride, offset: 0, left: 0 };
        cursor.next_run();
        cursor.step(within);
        cursor
    }

    /// How many of the next elements lie side by side.
    pub(super) fn direct(&self) -> usize {
        if self.stride == 1 { self.left } else { 0 }
    }

    /// The next elements where they are: there must be as many side by side.
    pub(super) fn take(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.offset;
        self.step(length);
        start..start + length
    }

    /// The next elements, where they are if they lie side by side, else copied into the buffer.
    pub(super) fn read<'a>(&mut self, bytes: &'a [u8], size: usize, length: usize, buffer: &'a mut Buffer) -> &'a [u8] {
        if self.direct() >= length {
            let range = self.take(length);
            return &bytes[range.start * size..range.end * size];
        }
        if self.stride == 0 && self.left >= length {
            if buffer.constant.is_none_or(|(offset, known)| offset != self.offset || known < length) {
                let constant = Some((self.offset, length));
                self.clone().gather(bytes, size, buffer.room(length, size));
                buffer.constant = constant;
            }
            self.step(length);
        } else {
            buffer.constant = None;
            self.gather(bytes, size, buffer.room(length, size));
        }
        buffer.room(length, size)
    }

    /// Copies the next elements out.
    pub(super) fn gather(&mut self, bytes: &[u8], size: usize, block: &mut [u8]) {
        match size {
            1 => self.gather_words::<u8>(bytes, block),
            2 => self.gather_words::<u16>(cast_slice(bytes), cast_slice_mut(block)),
            4 => self.gather_words::<u32>(cast_slice(bytes), cast_slice_mut(block)),
            _ => self.gather_words::<u64>(cast_slice(bytes), cast_slice_mut(block)),
        }
    }

    /// Copies the next elements in.
    pub(super) fn scatter(&mut self, block: &[u8], bytes: &mut [u8], size: usize) {
        match size {
            1 => self.scatter_words::<u8>(block, bytes),
            2 => self.scatter_words::<u16>(cast_slice(block), cast_slice_mut(bytes)),
            4 => self.scatter_words::<u32>(cast_slice(block), cast_slice_mut(bytes)),
            _ => self.scatter_words::<u64>(cast_slice(block), cast_slice_mut(bytes)),
        }
    }

    fn gather_words<W: Pod>(&mut self, elements: &[W], mut block: &mut [W]) {
        while !block.is_empty() {
            let (piece, rest) = block.split_at_mut(block.len().min(self.left));
            match self.stride {
                1 => piece.copy_from_slice(&elements[self.offset..][..piece.len()]),
                0 => piece.fill(elements[self.offset]),
                stride => {
                    let mut offset = self.offset;
                    for word in &mut *piece {
                        *word = elements[offset];
                        offset = offset.wrapping_add_signed(stride);
                    }
                }
            }
            self.step(piece.len());
            block = rest;
        }
    }

    fn scatter_words<W: Pod>(&mut self, mut block: &[W], elements: &mut [W]) {
        while !block.is_empty() {
            let (piece, rest) = block.split_at(block.len().min(self.left));
            if self.stride == 1 {
                elements[self.offset..][..piece.len()].copy_from_slice(piece);
            } else {
                let mut offset = self.offset;
                for word in piece {
                    elements[offset] = *word;
                    offset = offset.wrapping_add_signed(self.stride);
                }
            }
            self.step(piece.len());
            block = rest;
        }
    }

    /// Moves on within the run, and to the next one at its end.
    fn step(&mut self, length: usize) {
        self.left -= length;
        self.offset = self.offset.wrapping_add_signed(self.stride.wrapping_mul(length as isize));
        if self.left == 0 {
            self.next_run();
        }
    }

    fn next_run(&mut self) {
        if let Some([start]) = self.runs.next() {
            self.offset = start;
            self.left = self.run_length;
        }
    }
}
