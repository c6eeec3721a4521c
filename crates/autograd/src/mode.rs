//! Grad mode: whether operations of this thread record, as a scope that unwinding leaves too.

use std::{cell::Cell, marker::PhantomData};

thread_local! {
    static IS_ENABLED: Cell<bool> = const { Cell::new(true) };
}

/// Whether operations of this thread record what backward needs. Every thread begins with yes.
pub fn is_grad_enabled() -> bool {
    IS_ENABLED.get()
}

/// Runs `work` without recording, as inference and the steps of an optimiser do.
///
/// The mode before it comes back afterwards, also when `work` panics. Other threads have modes of their own.
///
/// ```
/// use stratal_autograd::{enable_grad, is_grad_enabled, no_grad};
///
/// assert!(is_grad_enabled());
/// no_grad(|| {
///     assert!(!is_grad_enabled());
///     enable_grad(|| assert!(is_grad_enabled()));
///     assert!(!is_grad_enabled());
/// });
/// assert!(is_grad_enabled());
/// ```
pub fn no_grad<R>(work: impl FnOnce() -> R) -> R {
    let _scope = set_grad_enabled(false);
    work()
}

/// Runs `work` with recording, within a scope that has it off.
pub fn enable_grad<R>(work: impl FnOnce() -> R) -> R {
    let _scope = set_grad_enabled(true);
    work()
}

/// Sets the mode of this thread until the scope that is returned drops.
pub fn set_grad_enabled(is_enabled: bool) -> GradScope {
    GradScope { before: IS_ENABLED.replace(is_enabled), thread: PhantomData }
}

/// Brings back the grad mode of before when it drops, also by unwinding.
///
/// Scopes end in the opposite order of their begin, as variables of a function do. It stays on its thread:
///
/// ```compile_fail,E0277
/// let scope = stratal_autograd::set_grad_enabled(false);
/// std::thread::spawn(move || drop(scope));
/// ```
#[derive(Debug)]
#[must_use = "the mode of before comes back as soon as the scope drops"]
pub struct GradScope {
    before: bool,
    /// A raw pointer is neither `Send` nor `Sync`, and so the mode that comes back is that of the same thread.
    thread: PhantomData<*const ()>,
}

impl Drop for GradScope {
    fn drop(&mut self) {
        IS_ENABLED.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_brings_back_what_was_before() {
        no_grad(|| {
            no_grad(|| assert!(!is_grad_enabled()));
            assert!(!is_grad_enabled());
            enable_grad(|| assert!(is_grad_enabled()));
            assert!(!is_grad_enabled());
        });
        assert!(is_grad_enabled());
    }

    #[test]
    fn unwinding_leaves_the_scope() {
        let caught = std::panic::catch_unwind(|| no_grad(|| panic!("inside")));
        assert!(caught.is_err());
        assert!(is_grad_enabled());
    }

    #[test]
    fn a_new_thread_records_whatever_its_parent_does() {
        no_grad(|| std::thread::scope(|scope| scope.spawn(|| assert!(is_grad_enabled())).join().unwrap()));
    }
}
