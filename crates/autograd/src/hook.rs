//! Hooks: functions that see a gradient once it is complete, and may replace it.

use std::{
    cell::RefCell,
    fmt,
    sync::{Arc, Mutex, OnceLock, Weak},
};

use smallvec::SmallVec;

use crate::{RuleError, Variable, lock::lock};

/// A function that sees a complete gradient, and returns another to go on in its place, or nothing to leave it.
///
/// The gradient requires gradients itself in a walk that [creates a graph](crate::GradOptions::create_graph), and grad
/// mode is on then. Any function of this form is a hook.
pub trait Hook: Send + Sync {
    /// Sees `gradient`. What it returns must have the same shape and dtype.
    ///
    /// # Errors
    /// Whatever goes wrong; the walk ends with it.
    fn call(&self, gradient: &Variable) -> Result<Option<Variable>, RuleError>;
}

impl<F> Hook for F
where
    F: Fn(&Variable) -> Result<Option<Variable>, RuleError> + Send + Sync,
{
    fn call(&self, gradient: &Variable) -> Result<Option<Variable>, RuleError> {
        self(gradient)
    }
}

/// Removes one hook. Dropping the handle leaves the hook where it is.
#[must_use = "without the handle the hook stays for good"]
pub struct HookHandle {
    list: Weak<HookList>,
    id: u64,
}

impl HookHandle {
    /// Takes the hook away. A walk that is running hooks at the moment may call it once more.
    pub fn remove(self) {
        let Some(list) = self.list.upgrade() else { return };
        let removed = {
            let mut state = lock(&list.state);
            let position = state.entries.iter().position(|entry| entry.id == self.id);
            position.map(|position| state.entries.remove(position))
        };
        // What the function owns is dropped without the lock.
        drop(removed);
    }
}

impl fmt::Debug for HookHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "HookHandle {}", self.id)
    }
}

/// The hooks of a slot or a record. Most have none, and so none is allocated.
#[derive(Default)]
pub(crate) struct Hooks {
    list: OnceLock<Arc<HookList>>,
}

impl Hooks {
    pub(crate) fn register(&self, output: u32, hook: Arc<dyn Hook>) -> HookHandle {
        let list = self.list.get_or_init(Arc::default);
        let mut state = lock(&list.state);
        let id = state.registered;
        state.registered += 1;
        state.entries.push(Entry { id, output, hook });
        HookHandle { list: Arc::downgrade(list), id }
    }

    /// The hooks of one output, in the order of their registration, to be called without a lock.
    pub(crate) fn of(&self, output: usize) -> SmallVec<[Arc<dyn Hook>; 2]> {
        let Some(list) = self.list.get() else { return SmallVec::new() };
        let state = lock(&list.state);
        let of_output = state.entries.iter().filter(|entry| entry.output as usize == output);
        of_output.map(|entry| Arc::clone(&entry.hook)).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.list.get().map_or(0, |list| lock(&list.state).entries.len())
    }
}

impl Drop for Hooks {
    /// A hook may own the variable before it, whose record may have a hook that owns the one before that, and so on:
    /// such a chain is freed list by list too, rather than in a deep recursion.
    fn drop(&mut self) {
        if let Some(list) = self.list.take() {
            drop_in_turn(list);
        }
    }
}

thread_local! {
    /// Lists that are dropped once the one is gone that this thread is dropping. Nothing if it drops none.
    static WAITING: RefCell<Option<Vec<Arc<HookList>>>> = const { RefCell::new(None) };
}

/// Drops a list now, or after the one whose drop this call comes from.
fn drop_in_turn(list: Arc<HookList>) {
    // When the thread ends, its own values may be gone already; then the list is dropped where it is.
    let is_first = WAITING.try_with(|waiting| match &mut *waiting.borrow_mut() {
        Some(lists) => {
            lists.push(list);
            false
        }
        none => {
            *none = Some(vec![list]);
            true
        }
    });
    if is_first == Ok(true) {
        let _turn = Turn;
        let next = || WAITING.with_borrow_mut(|waiting| waiting.as_mut()?.pop());
        while let Some(list) = next() {
            drop(list);
        }
    }
}

/// Ends the turn of this thread, also when what a hook owns panics as it is dropped.
struct Turn;

impl Drop for Turn {
    fn drop(&mut self) {
        // Dropped after the borrow has ended: it may lead to further lists.
        let rest = WAITING.take();
        drop(rest);
    }
}

#[derive(Default)]
struct HookList {
    state: Mutex<HookState>,
}

#[derive(Default)]
struct HookState {
    registered: u64,
    entries: Vec<Entry>,
}

struct Entry {
    id: u64,
    output: u32,
    hook: Arc<dyn Hook>,
}
