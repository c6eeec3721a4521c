//! `Fold`: the step that all of pooling is made of, and what each operation puts into it.

use stratal_tensor_base::Element;

/// Operands of one step of folding, at most.
pub(super) const TAPS: usize = 9;

/// A kind of pooling on rows of elements.
pub(super) trait Fold: Copy {
    /// What images are made of.
    type Element: Element;
    /// What is computed with.
    type Work: Element;

    /// What is folded into anything without changing it.
    const PADDING: Self::Work;

    /// Whether sums are divided by the number of elements.
    fn divides(self) -> bool {
        false
    }

    /// Gets a row ready to be folded, and says whether it [needs care](Self::fold). The slices are equally long.
    fn read(self, from: &[Self::Element], to: &mut [Self::Work]) -> bool;

    /// [`read`](Self::read) of elements of even and of odd position apart. Of an odd number, `even` gets one more.
    fn read_split(self, from: &[Self::Element], even: &mut [Self::Work], odd: &mut [Self::Work]) -> bool;

    /// A row that is ready as it is, and whether it needs care.
    fn borrow(self, _row: &[Self::Element]) -> Option<(&[Self::Work], bool)> {
        None
    }

    /// The place of a result that can be worked in.
    fn borrow_mut(self, _row: &mut [Self::Element]) -> Option<&mut [Self::Work]> {
        None
    }

    /// Folds up to [`TAPS`] rows into one, the first first; or onto what is there. Rows with NaN need care.
    fn fold(self, taps: &[&[Self::Work]], with_care: bool, onto: bool, to: &mut [Self::Work]);

    /// [`fold`](Self::fold) of a number of rows that is known to the compiler, onto nothing.
    #[inline(always)]
    fn fold_few<const N: usize>(self, taps: [&[Self::Work]; N], with_care: bool, to: &mut [Self::Work]) {
        self.fold(&taps, with_care, false, to);
    }

    /// Where an element comes before what is there, takes it, and an index and `offset` for its index. Only for maxima.
    fn take(self, _from: Indexed<'_, Self::Work>, _to: &mut [Self::Work], _indices: &mut [i32]) {}

    /// Makes results of what was folded. Divisors are there if it [divides](Self::divides).
    fn finish(self, _row: &mut [Self::Work], _divisors: &[Self::Work]) {}

    /// The nearest number to a count.
    fn divisor(self, _count: u64) -> Self::Work {
        Self::PADDING
    }

    /// Writes results that could not be [worked on in place](Self::borrow_mut).
    fn write(self, from: &[Self::Work], to: &mut [Self::Element]);
}

/// Elements with where they come from: `indices[i] + offset`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indexed<'a, T> {
    pub(super) values: &'a [T],
    pub(super) indices: &'a [i32],
    pub(super) offset: i32,
}

/// Rows waiting to be folded together.
pub(super) struct Taps<'a, T> {
    rows: [&'a [T]; TAPS],
    count: usize,
    with_care: bool,
    onto: bool,
}

impl<'a, T> Taps<'a, T> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { rows: [&[]; TAPS], count: 0, with_care: false, onto: false }
    }

    /// Adds a row, after folding those that fill the places.
    #[inline(always)]
    pub(super) fn push<F: Fold<Work = T>>(&mut self, fold: F, row: &'a [T], needs_care: bool, to: &mut [T]) {
        if self.count == TAPS {
            self.fold(fold, to);
        }
        self.rows[self.count] = row;
        self.count += 1;
        self.with_care |= needs_care;
    }

    /// Folds the rows that wait. Care once taken goes on, for what is there.
    #[inline(always)]
    pub(super) fn fold<F: Fold<Work = T>>(&mut self, fold: F, to: &mut [T]) {
        fold.fold(&self.rows[..self.count], self.with_care, self.onto, to);
        self.count = 0;
        self.onto = true;
    }
}
