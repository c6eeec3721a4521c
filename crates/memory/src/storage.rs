//! `Storage`: what keeps the bytes of one lease alive, and how they go back to where they came from.

use crate::{
    Damage, Origin, foreign::ForeignMemory, lot::Lot, mapped::WindowMemory, pool::PooledBlock, region::Region,
    vector::VectorMemory,
};

/// What keeps the bytes of one lease alive. Dropping it frees them, except for a pooled block, which is
/// given back or up.
#[derive(Debug)]
pub(crate) enum Storage {
    Pool(PooledBlock),
    Lot(Lot),
    Vector(VectorMemory),
    Window(WindowMemory),
    Foreign(ForeignMemory),
}

impl Storage {
    /// The bytes, wherever this value is moved: a lease's bytes and, in checked builds, its canaries.
    pub(crate) fn region(&self) -> &Region {
        match self {
            Self::Pool(pooled) => pooled.block().region(),
            Self::Lot(lot) => lot.region(),
            Self::Vector(vector) => vector.region(),
            Self::Window(window) => window.region(),
            Self::Foreign(foreign) => foreign.region(),
        }
    }

    /// At the end of a lease of `length` bytes: checks the canaries and fills the bytes.
    #[inline]
    pub(crate) fn check(&mut self, length: usize, origin: Origin) -> Result<(), Damage> {
        match self {
            Self::Pool(pooled) => pooled.check(length, origin),
            Self::Lot(lot) => lot.check(length, origin),
            Self::Vector(_) | Self::Window(_) | Self::Foreign(_) => Ok(()),
        }
    }

    /// Gives the bytes back to where they came from. May run foreign code.
    pub(crate) fn give_back(self) {
        if let Self::Pool(pooled) = self {
            pooled.give_back();
        }
    }

    /// Gives damaged bytes up: they are never used again.
    pub(crate) fn give_up(self) {
        if let Self::Pool(pooled) = self {
            pooled.give_up();
        }
    }

    /// Whether this is a block that waits in a free list, and so is not part of a lease.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self, Self::Pool(pooled) if pooled.is_idle())
    }

    /// Whether the bytes belong to a larger block, whose owner must hear of damage.
    pub(crate) fn is_lot(&self) -> bool {
        matches!(self, Self::Lot(_))
    }
}
