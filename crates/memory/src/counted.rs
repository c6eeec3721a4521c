//! `Counted`: a shared owner of a heap value, whose only owner is found out by a plain load.
#![expect(unsafe_code, reason = "shares a heap value between counted owners and frees it with the last")]

use std::{marker::PhantomData, ops::Deref, process, ptr::NonNull};

use crate::sync::{AtomicU64, Ordering, Tracked};

/// A shared owner of a heap value.
///
/// This is `std::sync::Arc` without weak references. Those make its `get_mut` lock the weak count, which
/// costs two atomic exchanges each time a buffer is rented or returned; without them an only owner is one
/// that reads a count of one.
#[derive(Debug)]
pub(crate) struct Counted<T> {
    // Invariant: a live box that was leaked, freed when the count of owners ends.
    inner: NonNull<Inner<T>>,
    owned: PhantomData<Inner<T>>,
}

#[derive(Debug)]
struct Inner<T> {
    // Invariant: the number of owners that exist, forgotten ones included.
    owners: AtomicU64,
    tracked: Tracked,
    value: T,
}

/// More owners than this end the process: the count must not wrap, and nobody has so many.
const OWNERS_MAX: u64 = 1 << 62;

// SAFETY: owners on several threads share the value (so it must be Sync), and any of them may be the one
// that is granted `&mut` or drops it (so it must be Send).
unsafe impl<T: Send + Sync> Send for Counted<T> {}
// SAFETY: as above: from a shared owner others can be cloned.
unsafe impl<T: Send + Sync> Sync for Counted<T> {}

impl<T> Counted<T> {
    pub(crate) fn new(value: T) -> Self {
        let inner = Box::new(Inner { owners: AtomicU64::new(1), tracked: Tracked::new(1), value });
        Self { inner: NonNull::from(Box::leak(inner)), owned: PhantomData }
    }

    /// The value, if no other owner exists.
    #[inline]
    pub(crate) fn get_mut(owner: &mut Self) -> Option<&mut T> {
        // One owner, and it is borrowed exclusively: nobody can clone another meanwhile. The load
        // acquires what owners did that have dropped since.
        if owner.inner().owners.load(Ordering::Acquire) != 1 {
            return None;
        }
        owner.inner().tracked.note_write();
        // SAFETY: the box is live while an owner exists. This is the only owner, it is borrowed
        // exclusively for as long as the reference lives, and the other owners' last uses come before
        // (the acquiring load pairs with their releasing drops). So nobody else refers to the value.
        Some(unsafe { &mut (*owner.inner.as_ptr()).value })
    }

    /// Whether both own the same value.
    #[inline]
    pub(crate) fn is_same(owner: &Self, other: &Self) -> bool {
        owner.inner == other.inner
    }

    #[inline]
    fn inner(&self) -> &Inner<T> {
        // SAFETY: the box is live while an owner exists, and `&mut` to the value is given out only
        // under an exclusive borrow of the only owner, which excludes the borrow of `self` here.
        unsafe { self.inner.as_ref() }
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        let inner = self.inner();
        inner.tracked.note_read();
        &inner.value
    }
}

impl<T> Clone for Counted<T> {
    #[inline]
    fn clone(&self) -> Self {
        // Needs no ordering: the new owner gets to where it is used from here by other means.
        let owners = self.inner().owners.fetch_add(1, Ordering::Relaxed);
        if owners > OWNERS_MAX {
            process::abort();
        }
        Self { inner: self.inner, owned: PhantomData }
    }
}

impl<T> Drop for Counted<T> {
    #[inline]
    fn drop(&mut self) {
        let owners = &self.inner().owners;
        // The only owner need not count down: there is nobody to tell.
        if owners.load(Ordering::Acquire) != 1 {
            if owners.fetch_sub(1, Ordering::Release) != 1 {
                return;
            }
            // Acquires what the others did before they dropped. Not a fence: the thread sanitizer does
            // not understand those.
            owners.load(Ordering::Acquire);
        }
        self.inner().tracked.note_end();
        // SAFETY: the pointer came from a leaked box, and this was the last owner: the others' uses come
        // before, by the acquiring loads above. The box is not used again.
        drop(unsafe { Box::from_raw(self.inner.as_ptr()) });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_only_owner_is_granted_the_value_and_the_last_one_drops_it() {
        let witness = std::rc::Rc::new(());
        let mut owner = Counted::new(witness.clone());
        assert!(Counted::get_mut(&mut owner).is_some());
        let mut other = owner.clone();
        assert!(Counted::is_same(&owner, &other));
        assert!(Counted::get_mut(&mut owner).is_none());
        assert!(Counted::get_mut(&mut other).is_none());
        drop(owner);
        assert!(Counted::get_mut(&mut other).is_some());
        assert_eq!(std::rc::Rc::strong_count(&witness), 2);
        drop(other);
        assert_eq!(std::rc::Rc::strong_count(&witness), 1);
    }
}
