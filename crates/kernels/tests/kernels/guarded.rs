//! `Guarded`: memory between two pages that nobody may touch, so that one byte too far ends the process.
#![expect(
    unsafe_code,
    reason = "takes away the right to touch two pages of its own, and makes slices of those between"
)]

use region::{Allocation, Protection};

/// Some pages that may be read and written, right between two that may not.
pub(crate) struct Guarded {
    /// The guarding pages included.
    pages: Allocation,
    page: usize,
}

impl Guarded {
    /// Room for at least so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let page = region::page::size();
        let room = bytes.next_multiple_of(page).max(page);
        let pages = region::alloc(room + 2 * page, Protection::READ_WRITE).unwrap();
        let first = pages.as_ptr::<u8>();
        for guard in [first, first.wrapping_add(page + room)] {
            // SAFETY: the page belongs to an allocation of this function, whole, and no reference to it is ever made:
            // `whole` leaves it out.
            unsafe { region::protect(guard, page, Protection::NONE) }.unwrap();
        }
        Self { pages, page }
    }

    /// Bytes that begin right behind a guarding page.
    pub(crate) fn first(&mut self, bytes: usize) -> &mut [u8] {
        &mut self.whole()[..bytes]
    }

    /// Bytes that end right before a guarding page.
    pub(crate) fn last(&mut self, bytes: usize) -> &mut [u8] {
        let whole = self.whole();
        let start = whole.len() - bytes;
        &mut whole[start..]
    }

    fn whole(&mut self) -> &mut [u8] {
        let length = self.pages.len() - 2 * self.page;
        let start = self.pages.as_mut_ptr::<u8>().wrapping_add(self.page);
        // SAFETY: the pages between the first and the last of the allocation are mapped, zeroed and readable and writable
        // for as long as it lives; the slice borrows `self`, which owns it and makes no other reference meanwhile.
        unsafe { std::slice::from_raw_parts_mut(start, length) }
    }
}
