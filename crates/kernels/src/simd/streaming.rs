//! Stores that bypass the caches, for results too large to stay in them.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "calls the instruction that orders streaming stores"))]

use std::marker::PhantomData;

/// The permission to bypass the caches, given for the length of a scope.
///
/// Such stores are not ordered with others until a fence; [`streaming`] ends with one, so that whoever sees what comes after
/// the scope sees the stores too.
#[derive(Debug)]
pub struct Streaming<'scope>(PhantomData<(&'scope (), *const ())>);

/// Runs work that may bypass the caches, and orders its stores before everything that follows, on unwinding too. The work
/// must keep its streaming stores on the calling thread, which the permission sees to: it is not `Sync`.
pub fn streaming<R>(work: impl FnOnce(&Streaming<'_>) -> R) -> R {
    let _fence = Fence;
    work(&Streaming(PhantomData))
}

struct Fence;

impl Drop for Fence {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: every x86-64 has the instruction, and it touches no memory.
            unsafe { std::arch::x86_64::_mm_sfence() }
        }
    }
}
