//! Stores that bypass the caches, for results too large to stay in them.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "calls the instruction that orders streaming stores"))]

use std::marker::PhantomData;

/// The permission to bypass the caches, given for the length of a scope.
///
/// Such stores are not ordered with others until a fence, and until then nobody may touch what they wrote: a thread that is
/// told of them by other means would read memory from before. The scope ends with a fence. Only the drivers of this crate
/// open one, around loops that write each place once and read none, since no type says so much.
#[derive(Debug)]
pub struct Streaming<'scope>(PhantomData<(&'scope (), *const ())>);

/// Runs work that may bypass the caches, and orders its stores before everything that follows, on unwinding too.
///
/// The streaming stores stay on the calling thread, which the permission sees to: it is not `Sync`. The caller sees to it
/// that until the end of the work nothing reads or writes what they wrote, not even on this thread.
pub(crate) fn streaming<R>(work: impl FnOnce(&Streaming<'_>) -> R) -> R {
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
