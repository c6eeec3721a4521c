//! The one way in which this crate takes a lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whatever became of an earlier holder.
///
/// Locks are held for a few moves of values, never while rules, hooks, accumulation or destructors run. So nothing
/// panics under one, and none is ever waited for by a thread that holds another of ours (but see
/// [`commit`](crate::slot::commit), which takes several in one order).
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
