//! `Correction`: what zero points change, from the sums of lines.
//!
//! The sum of `(a - p) * (b - q)` over the depth `k` is that of `a * b`, less `q` times the sum of the row of `a`, less `p`
//! times the sum of the column of `b`, plus `k * p * q`. Lines are summed from panels, while these are in the caches.

use std::ops::Range;

use bytemuck::cast_slice_mut;
use stratal_tensor_base::{DType, MAX_RANK};

use super::super::DEPTH_BLOCK;
use super::super::block::Watch;
use super::super::rectangle::{Part, Rectangle};
use super::super::scratch::{self, Use};
use super::super::term::Term;
use super::{QUAD, Quad, Sign};
use crate::rows::{Along, Places};
use crate::simd::{Int, Isa, LANES, Simd, Task};
use crate::{AnyView, Threads};

/// Zero points of a side, as its terms: moved where bytes were flipped.
#[derive(Debug)]
pub(crate) enum LineZeros {
    /// The same for all lines.
    Same(i32),
    /// One for each line; the lines of the next matrix have those so many further on.
    Each { points: Vec<i32>, per_matrix: usize },
}

impl LineZeros {
    /// The zero points of a side of this dtype, which have its rank and an extent of 1 along the depth.
    pub(crate) fn new(view: Option<&AnyView<'_>>, dtype: DType, sign: Sign) -> Self {
        let flips = sign.flips(dtype);
        let point = |byte: u8| match sign {
            Sign::Unsigned => i32::from(byte ^ flips),
            Sign::Signed => i32::from((byte ^ flips).cast_signed()),
        };
        let Some(view) = view else { return Self::Same(point(0)) };
        let all = Places::new(view.geometry(), &[true; MAX_RANK]);
        if all.along().is_constant() {
            return Self::Same(point(view.bytes()[all.start(0)]));
        }
        let rank = view.shape().rank();
        let line: Along = std::array::from_fn(|axis| axis + 2 >= rank);
        let places = Places::new(view.geometry(), &line);
        let lines = places.along().count();
        let is_constant = places.across().is_constant();
        let matrices = if is_constant { 1 } else { places.across().count() };
        let mut bytes = vec![0; matrices * lines];
        for (matrix, to) in bytes.chunks_mut(lines).enumerate() {
            places.gather(view.bytes(), 1, matrix, 0..lines, to);
        }
        let points = bytes.into_iter().map(point).collect();
        Self::Each { points, per_matrix: if is_constant { 0 } else { lines } }
    }

    /// Whether each matrix has the same.
    pub(crate) const fn is_the_same_for_all(&self) -> bool {
        matches!(self, Self::Same(_) | Self::Each { per_matrix: 0, .. })
    }

    /// Whether all are zero.
    pub(crate) const fn is_zero(&self) -> bool {
        matches!(self, Self::Same(0))
    }

    /// Those of some lines, or the one of all.
    fn some(&self, matrix: usize, lines: Range<usize>) -> Result<&[i32], i32> {
        match self {
            Self::Same(point) => Err(*point),
            Self::Each { points, per_matrix } => Ok(&points[matrix * per_matrix..][lines]),
        }
    }

    /// That of a line. Lines of all matrices may be counted as those of one.
    fn of(&self, matrix: usize, line: usize) -> i32 {
        match self {
            Self::Same(point) => *point,
            Self::Each { points, per_matrix } => points[(matrix * per_matrix + line) % points.len()],
        }
    }
}

/// The zero points of both sides of a product.
#[derive(Debug)]
pub(crate) struct Correction<'a> {
    /// Bytes of each line.
    pub(crate) depth: usize,
    pub(crate) left: &'a LineZeros,
    pub(crate) right: &'a LineZeros,
    /// The sums of the right side's lines, if they are known.
    pub(crate) right_sums: Option<&'a [i32]>,
}

impl Correction<'_> {
    /// Calls with who corrects a part.
    pub(crate) fn with(&self, isa: Isa, part: &Part, work: impl FnOnce(&mut dyn Watch<Quad>)) {
        let rows = if self.right.is_zero() { 0 } else { part.rows.len() };
        let columns = if self.left.is_zero() || self.right_sums.is_some() { 0 } else { part.columns.len() };
        scratch::with::<i32, _>(Use::Sums, rows + columns, |room| {
            room.fill(0);
            let (rows, columns) = room.split_at_mut(rows);
            work(&mut Corrector { correction: self, isa, part, rows, columns });
        });
    }
}

/// Sums the lines of a part, and corrects its sums.
struct Corrector<'a> {
    correction: &'a Correction<'a>,
    isa: Isa,
    part: &'a Part,
    /// Sums of rows and columns of the part, if they are asked for.
    rows: &'a mut [i32],
    columns: &'a mut [i32],
}

impl Watch<Quad> for Corrector<'_> {
    fn left(&mut self, panels: &[Quad], depth: usize, width: usize, rows: Range<usize>) {
        if !self.rows.is_empty() {
            LineSums { sign: Sign::Unsigned, panels, depth, width, sums: &mut self.rows[rows] }.add(self.isa);
        }
    }

    fn right(&mut self, panels: &[Quad], depth: usize, columns: Range<usize>) {
        if !self.columns.is_empty() {
            let sums = &mut self.columns[columns];
            LineSums { sign: Sign::Signed, panels, depth, width: LANES, sums }.add(self.isa);
        }
    }

    fn complete(&mut self, columns: Range<usize>, result: &mut Rectangle<'_, Quad>) {
        let Correction { left, right, right_sums, .. } = self.correction;
        if left.is_zero() && right.is_zero() {
            return;
        }
        let in_matrix = self.part.columns.start + columns.start..self.part.columns.start + columns.end;
        let sums = match right_sums {
            Some(sums) => &sums[in_matrix.clone()],
            None if self.columns.is_empty() => &[],
            None => &self.columns[columns],
        };
        let Corrector { correction, part, .. } = self;
        self.isa.run(Correct { correction, part, rows: self.rows, columns: in_matrix, sums, result });
    }
}

/// Takes the zero points' part off complete sums.
struct Correct<'a, 'b> {
    correction: &'a Correction<'a>,
    part: &'a Part,
    /// The sums of rows of the part.
    rows: &'a [i32],
    /// Columns of the matrix, and their sums.
    columns: Range<usize>,
    sums: &'a [i32],
    result: &'a mut Rectangle<'b, Quad>,
}

impl Task for Correct<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let Self { correction: Correction { depth, left, right, .. }, part, rows, columns, sums, result } = self;
        let points = right.some(part.matrix, columns);
        for row in 0..result.rows() {
            let point = left.of(part.matrix, part.rows.start + row);
            // What each zero point of the right side is multiplied with.
            let factor = rows.get(row).copied().unwrap_or(0).wrapping_sub(point.wrapping_mul(*depth as i32));
            let to: &mut [i32] = cast_slice_mut(result.row(row));
            match points {
                Err(same) => {
                    let constant = same.wrapping_mul(factor);
                    if point == 0 {
                        for to in to {
                            *to = to.wrapping_sub(constant);
                        }
                    } else {
                        for (to, sum) in to.iter_mut().zip(sums) {
                            *to = to.wrapping_sub(constant).wrapping_sub(sum.wrapping_mul(point));
                        }
                    }
                }
                Ok(points) => {
                    for (to, right) in to.iter_mut().zip(points) {
                        *to = to.wrapping_sub(right.wrapping_mul(factor));
                    }
                    if point != 0 {
                        for (to, sum) in to.iter_mut().zip(sums) {
                            *to = to.wrapping_sub(sum.wrapping_mul(point));
                        }
                    }
                }
            }
        }
    }
}

/// Columns whose sums are worth a thread.
const SUMMED: usize = 16 * LANES;

/// The sums of the columns of a packed matrix, as terms. The panels are those of all columns, blocks of depth one behind the
/// other.
pub(crate) fn column_sums(isa: Isa, threads: &Threads, panels: &[Quad], columns: usize) -> Vec<i32> {
    let mut sums = vec![0; columns];
    let padded = columns.next_multiple_of(LANES);
    threads.for_each_chunk(&mut sums, SUMMED, |first, sums| {
        for block in panels.chunks((DEPTH_BLOCK * padded).max(1)) {
            let depth = block.len() / padded.max(1);
            LineSums { sign: Sign::Signed, panels: &block[first * depth..], depth, width: LANES, sums }.add(isa);
        }
    });
    sums
}

/// Adds what the lines of some panels sum to.
struct LineSums<'a> {
    /// What their bytes are.
    sign: Sign,
    /// As many panels as the sums fill, and maybe slack.
    panels: &'a [Quad],
    /// Quads of each line.
    depth: usize,
    /// Lines of a panel.
    width: usize,
    sums: &'a mut [i32],
}

impl LineSums<'_> {
    fn add(self, isa: Isa) {
        isa.run_dots(self);
    }
}

impl Task for LineSums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { sign, panels, depth, width, sums } = self;
        for (panel, to) in sums.chunks_mut(width).enumerate() {
            let panel = &panels[panel * width * depth..];
            // Four sums, since each term would wait for the one before.
            let mut sums = [simd.i32(0); 4];
            let whole = depth / 4 * 4;
            for quad in (0..whole).step_by(4) {
                for of in 0..4 {
                    sums[of] = add(simd, sign, &panel[(quad + of) * width..], sums[of]);
                }
            }
            for quad in whole..depth {
                sums[0] = add(simd, sign, &panel[quad * width..], sums[0]);
            }
            let mut all = [0; LANES];
            (sums[0] + sums[1] + (sums[2] + sums[3])).store(&mut all);
            for (to, sum) in to.iter_mut().zip(all) {
                *to = to.wrapping_add(sum);
            }
        }
    }
}

/// A sum and a quad more of each line.
#[inline(always)]
fn add<S: Simd>(simd: S, sign: Sign, quads: &[Quad], sum: S::I32) -> S::I32 {
    let ones = simd.i32(i32::from_ne_bytes([1; QUAD]));
    let quads = match quads.first_chunk() {
        Some(quads) => Quad::load(simd, quads),
        None => {
            let mut room = [Quad(0); LANES];
            room[..quads.len()].copy_from_slice(quads);
            Quad::load(simd, &room)
        }
    };
    match sign {
        Sign::Unsigned => simd.add_dots(quads, ones, sum),
        Sign::Signed => simd.add_dots(ones, quads, sum),
    }
}
