//! Rows of results of one image: folded across first, then downward.

use std::ops::Range;

use bytemuck::Zeroable;
use stratal_tensor_base::Element;

use super::fold::{Fold, Indexed, Taps};
use super::plan::{Plan, Shifts};

/// Room to work in, one for each thread's part.
pub(super) struct Scratch<E, W> {
    /// A row of the image, where it is not one of neighbours.
    gathered: Vec<E>,
    /// A row ready to be folded, whole or in parts, with padding around.
    line: Vec<W>,
    /// A row ready to be taken apart.
    whole: Vec<W>,
    /// Rows folded across, and of each: which row it is, whether it needs care, and where its elements come from.
    kept: Vec<W>,
    numbers: Vec<usize>,
    needs_care: Vec<bool>,
    sources: Vec<i32>,
    /// Where elements of the window come from, as far as it does not depend on which one: for shifted rows the window's
    /// start, else zeros; and the first one inside the image.
    starts: Vec<i32>,
    firsts: Vec<i32>,
    /// A row of results.
    row: Vec<W>,
    /// Divisors of a row, for this number of elements downward.
    divisors: Vec<W>,
    downward: u64,
}

/// No row has this number.
const NONE: usize = usize::MAX;

impl<E: Element, W: Element> Scratch<E, W> {
    pub(super) fn new<F: Fold<Element = E, Work = W>>(plan: &Plan, is_indexed: bool) -> Self {
        let (kept_length, places) = (plan.kept_length(), plan.kept_rows());
        let span = plan.spans[2];
        let row = span.extent as usize * plan.channels;
        let line = plan.shifts.as_ref().map_or(row, |shifts| shifts.parts.len() * shifts.part);
        let mut firsts = vec![0; if is_indexed { kept_length } else { 0 }];
        let mut starts = firsts.clone();
        if is_indexed && plan.shifts.is_some() {
            for (position, (first, start)) in firsts.iter_mut().zip(&mut starts).take(plan.windows[2]).enumerate() {
                // Both are positions of an image or near it.
                *start = span.start(position) as i32;
                *first = plan.elements(2, position).next().unwrap_or(0) as i32;
            }
        }
        Self {
            gathered: Vec::new(),
            line: vec![F::PADDING; line],
            whole: Vec::new(),
            kept: vec![F::PADDING; kept_length * places],
            numbers: vec![NONE; places],
            needs_care: vec![false; places],
            sources: vec![0; if is_indexed { kept_length * places } else { 0 }],
            starts,
            firsts,
            row: vec![F::PADDING; plan.row_length()],
            divisors: vec![F::PADDING; plan.row_length()],
            downward: 0,
        }
    }
}

/// Computes rows of results of the image that starts at an element, and where they come from if there is room for it.
#[inline(always)]
pub(super) fn rows<F: Fold>(
    fold: F,
    plan: &Plan,
    (x, start): (&[F::Element], usize),
    scratch: &mut Scratch<F::Element, F::Work>,
    rows: Range<usize>,
    result: &mut [F::Element],
    mut indices: Option<&mut [i32]>,
) {
    scratch.numbers.fill(NONE);
    let (length, kept_length) = (plan.row_length(), plan.kept_length());
    let [_, height, width] = plan.spans.map(|span| span.extent as usize);
    for (index, row) in rows.enumerate() {
        let (depth, across) = (row / plan.windows[1], row % plan.windows[1]);
        for slice in plan.elements(0, depth) {
            for line in plan.elements(1, across) {
                if scratch.numbers[plan.place(slice, line)] != slice * height + line {
                    fold_across(fold, plan, (x, start), scratch, (slice, line), indices.is_some());
                }
            }
        }
        let result = &mut result[index * length..][..length];
        let needs_room = fold.borrow_mut(&mut *result).is_none();
        let to = match fold.borrow_mut(&mut *result) {
            Some(place) => place,
            None => &mut scratch.row[..],
        };
        let kept = |slice: usize, line: usize| {
            let place = plan.place(slice, line);
            (place, place * kept_length..(place + 1) * kept_length)
        };
        if let Some(indices) = &mut indices {
            let indices = &mut indices[index * length..][..length];
            let mut is_first = true;
            to.fill(F::PADDING);
            for slice in plan.elements(0, depth) {
                for line in plan.elements(1, across) {
                    let (_, range) = kept(slice, line);
                    let offset = ((slice * height + line) * width) as i32;
                    let sources = &scratch.sources[range.clone()][..length];
                    if is_first {
                        // If nothing comes before padding, it is the first element that equals it.
                        indices.iter_mut().zip(sources).for_each(|(index, source)| *index = source + offset);
                        is_first = false;
                    }
                    let from = Indexed { values: &scratch.kept[range][..length], indices: sources, offset };
                    fold.take(from, to, indices);
                }
            }
        } else {
            let slices = plan.elements(0, depth);
            let lines = plan.elements(1, across);
            // The usual windows, then all others.
            if let (Some([slice]), Some(lines)) = (slices.exactly(), lines.exactly()) {
                fold_lines::<F, 3>(fold, plan, &scratch.kept, &scratch.needs_care, (slice, lines), to);
            } else if let (Some([slice]), Some(lines)) = (slices.exactly(), lines.exactly()) {
                fold_lines::<F, 2>(fold, plan, &scratch.kept, &scratch.needs_care, (slice, lines), to);
            } else {
                let mut taps = Taps::new();
                for slice in slices {
                    for line in lines {
                        let (place, range) = kept(slice, line);
                        taps.push(fold, &scratch.kept[range], scratch.needs_care[place], to);
                    }
                }
                taps.fold(fold, to);
            }
        }
        if fold.divides() {
            let downward = plan.counts[0][depth] * plan.counts[1][across];
            if scratch.downward != downward {
                scratch.downward = downward;
                for (divisors, count) in scratch.divisors.chunks_mut(plan.channels).zip(&plan.counts[2]) {
                    divisors.fill(fold.divisor(downward * count));
                }
            }
        }
        fold.finish(to, &scratch.divisors);
        if needs_room {
            fold.write(&scratch.row, result);
        }
    }
}

/// Folds kept rows downward.
#[inline(always)]
fn fold_lines<F: Fold, const N: usize>(
    fold: F,
    plan: &Plan,
    kept: &[F::Work],
    needs_care: &[bool],
    (slice, lines): (usize, [usize; N]),
    to: &mut [F::Work],
) {
    let (mut taps, mut with_care) = ([&kept[..0]; N], false);
    for (tap, line) in taps.iter_mut().zip(lines) {
        let place = plan.place(slice, line);
        *tap = &kept[place * plan.kept_length()..][..plan.kept_length()];
        with_care |= needs_care[place];
    }
    fold.fold_few(taps, with_care, to);
}

/// Folds a row of the image across and keeps it.
#[inline(always)]
fn fold_across<F: Fold>(
    fold: F,
    plan: &Plan,
    (x, start): (&[F::Element], usize),
    scratch: &mut Scratch<F::Element, F::Work>,
    (slice, line): (usize, usize),
    is_indexed: bool,
) {
    let [slice_stride, line_stride, stride] = plan.strides;
    let extent = plan.spans[2].extent as usize;
    let channels = plan.channels;
    let offset =
        start.wrapping_add_signed(slice_stride * slice as isize).wrapping_add_signed(line_stride * line as isize);
    let row = if stride == channels as isize || extent == 1 {
        &x[offset..][..extent * channels]
    } else {
        scratch.gathered.clear();
        for position in 0..extent {
            let from = offset.wrapping_add_signed(stride * position as isize);
            scratch.gathered.extend_from_slice(&x[from..][..channels]);
        }
        &scratch.gathered[..]
    };
    let place = plan.place(slice, line);
    let kept_length = plan.kept_length();
    let kept = &mut scratch.kept[place * kept_length..][..kept_length];
    scratch.numbers[place] = slice * plan.spans[1].extent as usize + line;
    let sources = if is_indexed { &mut scratch.sources[place * kept_length..][..kept_length] } else { &mut [][..] };
    if is_indexed {
        kept.fill(F::PADDING);
    }
    let Some(shifts) = &plan.shifts else {
        let (ready, needs_care) = match fold.borrow(row) {
            Some(ready) => ready,
            None => {
                let needs_care = fold.read(row, &mut scratch.line);
                (&scratch.line[..], needs_care)
            }
        };
        scratch.needs_care[place] = needs_care;
        for (position, to) in kept.chunks_exact_mut(channels).enumerate() {
            if is_indexed {
                let sources = &mut sources[position * channels..][..channels];
                sources.fill(plan.elements(2, position).next().unwrap_or(0) as i32);
                for element in plan.elements(2, position) {
                    let values = &ready[element * channels..][..channels];
                    let from = Indexed { values, indices: &scratch.starts[..channels], offset: element as i32 };
                    fold.take(from, to, sources);
                }
            } else {
                let elements = plan.elements(2, position);
                let row = |element: usize| &ready[element * channels..][..channels];
                if let Some([a, b, c]) = elements.exactly() {
                    fold.fold_few([row(a), row(b), row(c)], needs_care, to);
                } else if let Some([a, b]) = elements.exactly() {
                    fold.fold_few([row(a), row(b)], needs_care, to);
                } else {
                    let mut taps = Taps::new();
                    for element in elements {
                        taps.push(fold, row(element), needs_care, to);
                    }
                    taps.fold(fold, to);
                }
            }
        }
        return;
    };
    scratch.needs_care[place] = read_in_parts(fold, plan, shifts, row, &mut scratch.line, &mut scratch.whole);
    if is_indexed {
        sources.copy_from_slice(&scratch.firsts);
        for (number, begin) in shifts.starts.iter().enumerate() {
            let values = &scratch.line[*begin..][..kept_length];
            let offset = (number as i64 * plan.spans[2].dilation) as i32;
            fold.take(Indexed { values, indices: &scratch.starts, offset }, kept, sources);
        }
    } else {
        let needs_care = scratch.needs_care[place];
        let row = |begin: usize| &scratch.line[begin..][..kept_length];
        match *shifts.starts {
            [a, b, c] => fold.fold_few([row(a), row(b), row(c)], needs_care, kept),
            [a, b] => fold.fold_few([row(a), row(b)], needs_care, kept),
            ref starts => {
                let mut taps = Taps::new();
                for begin in starts {
                    taps.push(fold, row(*begin), needs_care, kept);
                }
                taps.fold(fold, kept);
            }
        }
    }
}

/// Gets a row ready in the parts that shifting needs, between padding that stays.
#[inline(always)]
fn read_in_parts<F: Fold>(
    fold: F,
    plan: &Plan,
    shifts: &Shifts,
    row: &[F::Element],
    line: &mut [F::Work],
    whole: &mut Vec<F::Work>,
) -> bool {
    let (pad, stride) = (plan.spans[2].pad_begin as usize, plan.spans[2].stride as usize);
    match stride {
        1 => fold.read(row, &mut line[pad..pad + row.len()]),
        2 => {
            let (first, second) = line.split_at_mut(shifts.part);
            let (even, odd) = if pad.is_multiple_of(2) { (first, second) } else { (second, first) };
            fold.read_split(row, &mut even[pad / 2..], &mut odd[pad.div_ceil(2)..])
        }
        _ => {
            whole.resize(row.len(), F::Work::zeroed());
            let needs_care = fold.read(row, whole);
            for (part, position) in line.chunks_exact_mut(shifts.part).zip(&shifts.parts) {
                // The first element at this position that is not padding.
                let first = pad.saturating_sub(*position).div_ceil(stride);
                let elements = whole.iter().skip(first * stride + position - pad).step_by(stride);
                part[first..].iter_mut().zip(elements).for_each(|(to, from)| *to = *from);
            }
            needs_care
        }
    }
}
