//! Hooks: functions that see a gradient once it is complete, and may replace it.

use std::{
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
