//! `Lot`: a range of a block that belongs to one lease of an arena or a plan.
#![expect(unsafe_code, reason = "several leases share one block here, so slices are made of parts of it")]

use crate::{Block, Damage, Origin, checked, region::Region};

/// The sole right to a range of a block. It does not keep the block alive.
#[derive(Debug)]
pub(crate) struct Lot {
    // Invariant (the duty of `carve`): the block lives and nobody but this lot's lease accesses the
    // range for as long as the lot exists. Canary bytes are part of it.
    region: Region,
    has_canaries: bool,
}

impl Lot {
    /// The right to `size` bytes of `block` from `offset`, or `None` if they are not all inside. Where
    /// `has_canaries`, the last bytes of a lease's part are canaries.
    ///
    /// # Safety
    ///
    /// For as long as the lot exists, the block must neither be dropped nor accessed in this range,
    /// directly or by another lot.
    #[inline]
    pub(crate) unsafe fn carve(block: &Block, offset: usize, size: usize, has_canaries: bool) -> Option<Self> {
        let region = block.region().part(offset, size)?;
        Some(Self { region, has_canaries })
    }

    pub(crate) fn region(&self) -> &Region {
        &self.region
    }

    /// Prepares the bytes for a lease of `length` bytes.
    #[inline]
    pub(crate) fn prepare(&mut self, length: usize) {
        if checked::CHECKED && self.has_canaries {
            checked::prepare(self.bytes_mut(), length, false);
        }
    }

    /// Writes zeros over the first `length` bytes.
    pub(crate) fn zero(&mut self, length: usize) {
        self.bytes_mut()[..length].fill(0);
    }

    /// At the end of a lease of `length` bytes: checks the canaries and fills the bytes.
    #[inline]
    pub(crate) fn check(&mut self, length: usize, origin: Origin) -> Result<(), Damage> {
        if checked::CHECKED && self.has_canaries {
            return checked::check(self.bytes_mut(), length, origin);
        }
        Ok(())
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the block is alive, and its bytes are initialised and writable (a block's invariant).
        // Only this lot's lease accesses the range (this type's invariant), and `self` is exclusive, so
        // no guard of the lease lives: a lot is reached by whoever has ended the lease or has not begun
        // it.
        unsafe { self.region.bytes_mut() }
    }
}
