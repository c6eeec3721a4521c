//! `Patches`: what the windows of a convolution see, as one side of a product: a line for each window.
#![expect(
    clippy::needless_range_loop,
    reason = "loops by index are unrolled before the compiler looks for what can be in registers"
)]

use super::Depth;
use super::padded::Layout;
use crate::matmul::{Extract, Side, Term};
use crate::simd::{Isa, LANES, Simd, Task};

/// The patches of padded images. Which matrix counts the groups of an image, and then the images.
#[derive(Debug)]
pub(crate) struct Patches<'a, T> {
    /// Copies of images one behind the other, and elements behind them.
    elements: &'a [T],
    image: usize,
    groups: usize,
    /// The distance from one group's first channel to the next one's.
    group: usize,
    /// Where the element of each term is, from the first of the window.
    terms: Vec<usize>,
    /// Windows along depth, height and width, and the distances of their first elements.
    windows: [usize; 3],
    distances: [usize; 3],
    /// The channels of a group, if they are neighbours.
    interleaved: Option<usize>,
}

impl<'a, T: Term> Patches<'a, T> {
    pub(crate) fn new(
        elements: &'a [T],
        layout: &Layout,
        groups: usize,
        depth: Depth,
        kernel: [usize; 3],
        (stride, dilation): ([usize; 3], [usize; 3]),
        windows: [usize; 3],
    ) -> Self {
        let (channel, spatial) = layout.distances();
        let [_, height, width] = kernel;
        let terms = depth.terms().map(|(number, tap)| {
            let place = [tap / (height * width), tap / width % height, tap % width];
            let spatial: usize = (0..3).map(|axis| place[axis] * dilation[axis] * spatial[axis]).sum();
            number * channel + spatial
        });
        Self {
            elements,
            image: layout.count(),
            groups,
            group: depth.channels * channel,
            terms: terms.collect(),
            windows,
            distances: std::array::from_fn(|axis| stride[axis] * spatial[axis]),
            interleaved: layout.is_interleaved.then_some(depth.channels),
        }
    }

    pub(crate) const fn elements(&self) -> &'a [T] {
        self.elements
    }

    /// Where the element of each term is, from the first of the window.
    pub(crate) fn terms(&self) -> &[usize] {
        &self.terms
    }

    /// Windows of a row, and the distance of their first elements.
    pub(crate) const fn row(&self) -> usize {
        self.windows[2]
    }

    pub(crate) const fn step(&self) -> usize {
        self.distances[2]
    }

    /// The first element of a matrix.
    #[inline(always)]
    pub(crate) fn start(&self, matrix: usize) -> usize {
        matrix / self.groups * self.image + matrix % self.groups * self.group
    }

    /// The first element of a window, from that of the matrix.
    #[inline(always)]
    pub(crate) fn window(&self, window: usize) -> usize {
        let [_, height, width] = self.windows;
        let place = [window / (height * width), window / width % height, window % width];
        (0..3).map(|axis| place[axis] * self.distances[axis]).sum()
    }
}

impl<T: Term> Side<T> for Patches<'_, T> {
    fn pack(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [T]) {
        debug_assert!(width <= LANES);
        isa.run(Pack { patches: self, extract, width, to });
    }
}

struct Pack<'a, T> {
    patches: &'a Patches<'a, T>,
    extract: &'a Extract,
    width: usize,
    to: &'a mut [T],
}

impl<T: Term> Task for Pack<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { patches, extract, width, to } = self;
        let terms = &patches.terms[extract.depth.clone()];
        let elements = &patches.elements[patches.start(extract.matrix)..];
        let lines = extract.lines.clone();
        for (panel, first) in lines.clone().step_by(width).enumerate() {
            let count = width.min(lines.end - first);
            let to = &mut to[panel * width * terms.len()..];
            let panel = Panel { patches, elements, terms, first, count, width };
            if patches.interleaved.is_some() && T::IS_TRANSPOSED {
                panel.transpose(simd, to);
            } else {
                panel.runs(simd, to);
            }
        }
    }
}

/// Windows of a row of the image that follow each other.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    /// Which line of the panel the first one is.
    line: usize,
    /// Its first element.
    start: usize,
    count: usize,
}

/// Some windows, and what of them is packed.
struct Panel<'a, T> {
    patches: &'a Patches<'a, T>,
    /// From the first element of the matrix on.
    elements: &'a [T],
    terms: &'a [usize],
    /// The first window, and how many there are.
    first: usize,
    count: usize,
    width: usize,
}

impl<T: Term> Panel<'_, T> {
    /// Each term of neighbouring windows of a row is a run of elements, one or some apart.
    #[inline(always)]
    fn runs<S: Simd>(&self, simd: S, to: &mut [T]) {
        let mut runs = [Run::default(); LANES];
        let mut found = 0;
        let mut line = 0;
        while line < self.count {
            let window = self.first + line;
            let rest = self.patches.row() - window % self.patches.row();
            runs[found] = Run { line, start: self.patches.window(window), count: rest.min(self.count - line) };
            line += runs[found].count;
            found += 1;
        }
        let (runs, step) = (&runs[..found], self.patches.step());
        for (index, term) in self.terms.iter().enumerate() {
            let to = &mut to[index * self.width..];
            for run in runs {
                let from = &self.elements[run.start + term..];
                let to = &mut to[run.line..];
                // What is too much is written over by the next run or the next term, or is slack.
                if step == 1
                    && let (Some(from), Some(to)) = (from.first_chunk(), to.first_chunk_mut())
                {
                    T::store::<S>(T::load(simd, from), to);
                } else if step == 2
                    && T::IS_TRANSPOSED
                    && let (Some(from), Some(to)) = (from.first_chunk::<{ 2 * LANES }>(), to.first_chunk_mut())
                    && let ([even, odd], []) = from.as_chunks::<LANES>()
                {
                    T::store::<S>(T::even(simd, T::load(simd, even), T::load(simd, odd)), to);
                } else {
                    for (to, from) in to.iter_mut().take(run.count).zip(from.iter().step_by(step.max(1))) {
                        *to = *from;
                    }
                }
            }
        }
    }

    /// Neighbouring terms are neighbouring channels: squares of windows and channels are transposed.
    #[inline(always)]
    fn transpose<S: Simd>(&self, simd: S, to: &mut [T]) {
        let (terms, width) = (self.terms, self.width);
        let mut starts = [0; LANES];
        for line in 0..LANES {
            starts[line] = self.patches.window(self.first + line.min(self.count - 1));
        }
        let mut index = 0;
        while index < terms.len() {
            // Terms that follow each other in memory, up to a vector of them.
            let mut together = 1;
            while together < LANES
                && index + together < terms.len()
                && terms[index + together] == terms[index] + together
            {
                together += 1;
            }
            let mut square = [T::splat(simd, T::zeroed()); LANES];
            for line in 0..LANES {
                if let Some(from) = self.elements[starts[line] + terms[index]..].first_chunk() {
                    square[line] = T::load(simd, from);
                }
            }
            let square = T::transpose(simd, square);
            for step in 0..LANES {
                // What is too much is written over by the next term, or is slack.
                if step < together
                    && let Some(to) = to[(index + step) * width..].first_chunk_mut()
                {
                    T::store::<S>(square[step], to);
                }
            }
            index += together;
        }
    }
}
