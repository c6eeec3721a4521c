//! `Bytes`: matrices of bytes as one side of a product, packed in quads along the depth.

use std::ops::Range;

use bytemuck::{cast, cast_mut};
use stratal_tensor_base::DType;

use super::super::side::{Extract, Side};
use super::super::strided::Strided;
use super::{QUAD, Quad};
use crate::simd::{Int, Isa, LANES, Simd, Task};

/// What the bytes of a side are as terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// u8, as on the left side.
    Unsigned,
    /// i8, as on the right side.
    Signed,
}

impl Sign {
    /// The bits that make a byte of a dtype a term.
    pub(crate) fn flips(self, dtype: DType) -> u8 {
        if (self == Self::Signed) == (dtype == DType::I8) { 0 } else { 0x80 }
    }
}

/// A batch of matrices of u8 or i8.
#[derive(Debug)]
pub(crate) struct Bytes<'a> {
    pub(crate) strided: Strided<'a>,
    /// What they are made.
    pub(crate) sign: Sign,
    /// Bytes of each line, of which the last quad may have fewer than four: it is filled up with zeros.
    pub(crate) depth: usize,
}

impl Side<Quad> for Bytes<'_> {
    /// The depth of the extract is counted in quads.
    fn pack(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [Quad]) {
        if extract.depth.is_empty() || extract.lines.is_empty() {
            return;
        }
        let Strided { bytes, dtype, line, depth: step, .. } = self.strided;
        let start = self.strided.matrices.start(extract.matrix);
        isa.run(Pack {
            bytes,
            start,
            line,
            step,
            flips: self.sign.flips(dtype),
            depth: self.depth,
            extract,
            width,
            to,
        });
    }
}

struct Pack<'a> {
    bytes: &'a [u8],
    /// Where the matrix begins.
    start: usize,
    /// The distance of neighbouring lines, and of neighbours along the depth.
    line: isize,
    step: isize,
    flips: u8,
    depth: usize,
    extract: &'a Extract,
    width: usize,
    to: &'a mut [Quad],
}

/// Quads along the depth that are interleaved at a time: so many streams are read, and whole cache lines written.
const STEPS: usize = 2;
/// Where each byte of a quad is in its 32 bits.
const SHIFTS: [u32; QUAD] = if cfg!(target_endian = "little") { [0, 8, 16, 24] } else { [24, 16, 8, 0] };
/// Bytes of a square that is transposed.
const SQUARE: usize = LANES * QUAD;

impl Task for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        if self.line == 1 && self.width <= LANES {
            self.interleave(simd);
        } else if self.step == 1 && self.width <= LANES {
            self.transpose(simd);
        } else {
            self.gather(self.extract.depth.clone());
        }
    }
}

impl Pack<'_> {
    /// Where a byte is; line and depth are counted in the whole matrix.
    #[inline(always)]
    fn position(&self, line: usize, depth: usize) -> usize {
        let distance = self.line.wrapping_mul(line as isize).wrapping_add(self.step.wrapping_mul(depth as isize));
        self.start.wrapping_add_signed(distance)
    }

    /// Lines lie side by side: rows of four indices of depth are interleaved.
    #[inline(always)]
    fn interleave<S: Simd>(&mut self, simd: S) {
        let (quads, lines) = (self.extract.depth.clone(), self.extract.lines.clone());
        let whole = quads.end.min(self.depth / QUAD).max(quads.start);
        for first in (quads.start..whole).step_by(STEPS) {
            let mut rows: [&[u8]; STEPS * QUAD] = [&[]; STEPS * QUAD];
            // The rows after these, to be asked for.
            let mut ahead: [&[u8]; STEPS * QUAD] = [&[]; STEPS * QUAD];
            let count = QUAD * STEPS.min(whole - first);
            for index in 0..count {
                let start = self.position(lines.start, first * QUAD + index);
                rows[index] = &self.bytes[start..start + lines.len()];
                let ahead_of_it = first * QUAD + index + STEPS * QUAD;
                if ahead_of_it < self.depth {
                    let start = self.position(lines.start, ahead_of_it);
                    ahead[index] = &self.bytes[start..start + lines.len()];
                }
            }
            let at = first - quads.start;
            let done = if self.width == LANES && count == rows.len() {
                self.interleave_panels(simd, &rows, &ahead, at)
            } else {
                0
            };
            for (step, rows) in rows[..count].as_chunks().0.iter().enumerate() {
                self.interleave_rest(simd, rows, at + step, done);
            }
        }
        self.gather(whole..quads.end);
    }

    /// Whole panels of sixteen lines, two quads of depth at a time; says how many.
    #[inline(always)]
    fn interleave_panels<S: Simd>(
        &mut self,
        simd: S,
        rows: &[&[u8]; STEPS * QUAD],
        ahead: &[&[u8]; STEPS * QUAD],
        at: usize,
    ) -> usize {
        let flips = simd.i32(i32::from_ne_bytes([self.flips; QUAD]));
        let depth = self.extract.depth.len();
        let panels = self.extract.lines.len() / LANES;
        let mut chunks: [&[[u8; LANES]]; STEPS * QUAD] = [&[]; STEPS * QUAD];
        for (chunks, row) in chunks.iter_mut().zip(rows) {
            *chunks = &row.as_chunks().0[..panels];
        }
        let to = self.to.as_chunks_mut::<LANES>().0;
        for (panel, to) in to.chunks_mut(depth).enumerate().take(panels) {
            // Once for each cache line.
            if panel % 4 == 0 {
                for row in ahead {
                    if let Some(next) = row.get(panel * LANES) {
                        simd.prefetch(next);
                    }
                }
            }
            let to = &mut to[at..at + STEPS];
            for step in 0..STEPS {
                let mut quads = flips;
                for byte in 0..QUAD {
                    quads = quads ^ simd.load_u8(&chunks[step * QUAD + byte][panel]).shl(SHIFTS[byte]);
                }
                quads.store(cast_mut(&mut to[step]));
            }
        }
        panels
    }

    /// The panels after some, one quad of depth.
    #[inline(always)]
    fn interleave_rest<S: Simd>(&mut self, simd: S, rows: &[&[u8]; QUAD], at: usize, panels: usize) {
        let flips = simd.i32(i32::from_ne_bytes([self.flips; QUAD]));
        let (width, depth, lines) = (self.width, self.extract.depth.len(), self.extract.lines.len());
        for panel in panels..lines.div_ceil(width) {
            let column = panel * width;
            // Up to the end of the panel: the one after it may be there already.
            let to = &mut self.to[(panel * depth + at) * width..(panel + 1) * depth * width];
            match (chunks(rows, column), to.first_chunk_mut::<LANES>()) {
                // What is too much is written over by the next quads.
                (Some(rows), Some(to)) => {
                    let mut quads = flips;
                    for byte in 0..QUAD {
                        quads = quads ^ simd.load_u8(rows[byte]).shl(SHIFTS[byte]);
                    }
                    quads.store(cast_mut(to));
                }
                _ => {
                    for (lane, to) in to.iter_mut().enumerate().take(width.min(lines - column)) {
                        let quad = [0, 1, 2, 3].map(|byte: usize| rows[byte][column + lane] ^ self.flips);
                        *to = Quad(i32::from_ne_bytes(quad));
                    }
                }
            }
        }
    }

    /// Depth lies side by side: squares of sixteen lines and quads are transposed in registers.
    #[inline(always)]
    fn transpose<S: Simd>(&mut self, simd: S) {
        let (width, quads, lines) = (self.width, self.extract.depth.clone(), self.extract.lines.clone());
        let flips = simd.i32(i32::from_ne_bytes([self.flips; QUAD]));
        let end = (quads.end * QUAD).min(self.depth);
        for (panel, first) in lines.clone().step_by(width).enumerate() {
            let last = (first + width).min(lines.end) - 1;
            // Lines that are missing are another's: what a panel is filled up with does not matter.
            let mut rows: [&[u8]; LANES] = [&[]; LANES];
            for (line, row) in rows.iter_mut().enumerate() {
                let start = self.position((first + line).min(last), quads.start * QUAD);
                *row = &self.bytes[start..start + end - quads.start * QUAD];
            }
            let to = &mut self.to[panel * width * quads.len()..];
            for first in (0..quads.len()).step_by(LANES) {
                let count = LANES.min(quads.len() - first);
                let mut square = [flips; LANES];
                for line in 0..LANES {
                    let bytes = &rows[line][first * QUAD..];
                    let bytes: [u8; SQUARE] = match bytes.first_chunk() {
                        Some(bytes) => *bytes,
                        None => {
                            // Flipped, these are zeros.
                            let mut room = [self.flips; SQUARE];
                            room[..bytes.len()].copy_from_slice(bytes);
                            room
                        }
                    };
                    square[line] = simd.load_i32(&cast(bytes)) ^ flips;
                }
                let square = simd.transpose(square);
                for index in 0..LANES {
                    if index < count {
                        let to = &mut to[(first + index) * width..];
                        // What is too much is written over by the next quad, or is slack.
                        if let Some(to) = to.first_chunk_mut::<LANES>() {
                            square[index].store(cast_mut(to));
                        }
                    }
                }
            }
        }
    }

    /// Byte by byte, for some of the quads.
    #[inline(always)]
    fn gather(&mut self, some: Range<usize>) {
        let (width, quads, lines) = (self.width, self.extract.depth.clone(), self.extract.lines.clone());
        for (panel, first) in lines.clone().step_by(width).enumerate() {
            for quad in some.clone() {
                let at = (panel * quads.len() + quad - quads.start) * width;
                for lane in 0..width.min(lines.end - first) {
                    let mut bytes = [0; QUAD];
                    for (byte, index) in bytes.iter_mut().zip(quad * QUAD..self.depth) {
                        *byte = self.bytes[self.position(first + lane, index)] ^ self.flips;
                    }
                    self.to[at + lane] = Quad(i32::from_ne_bytes(bytes));
                }
            }
        }
    }
}

/// Sixteen bytes of each row, if there are so many.
#[inline(always)]
fn chunks<'a>(rows: &[&'a [u8]; QUAD], column: usize) -> Option<[&'a [u8; LANES]; QUAD]> {
    Some([
        rows[0][column..].first_chunk()?,
        rows[1][column..].first_chunk()?,
        rows[2][column..].first_chunk()?,
        rows[3][column..].first_chunk()?,
    ])
}
