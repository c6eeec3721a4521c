//! `GradientSlot`: where the gradient of a leaf is collected, and how several are written at once.

use std::{
    fmt, mem,
    sync::{Arc, Mutex, MutexGuard},
};

use stratal_tensor::{
    Tensor,
    base::{DType, Shape},
};

use crate::{AutogradError, Place, check::check_gradient, hook::Hooks, lock::lock};

/// Where the gradient of a leaf is collected. Clones of a leaf share it; a view or a new leaf has its own.
///
/// A slot keeps tensors, never variables: a gradient that led back to a graph over its own leaf would keep itself
/// alive. Gradients of gradients come from [`Engine::grad`](crate::Engine::grad), which touches no slots.
///
/// The tensor may share its buffer with other gradients, since rules pass on what they got, and may have any strides.
/// So it is read, copied or replaced, but not written in place.
pub struct GradientSlot {
    shape: Shape,
    dtype: DType,
    state: Mutex<SlotState>,
    hooks: Hooks,
}

#[derive(Default)]
struct SlotState {
    gradient: Option<Tensor>,
    /// How often the gradient was changed, so that whoever computed a sum without the lock knows if it still fits.
    changes: u64,
}

impl GradientSlot {
    /// An empty slot for gradients of this shape and dtype.
    pub fn new(shape: Shape, dtype: DType) -> Self {
        Self { shape, dtype, state: Mutex::default(), hooks: Hooks::default() }
    }

    /// The shape of the leaf and of its gradient.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The dtype of the leaf and of its gradient.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The gradient, which stays.
    pub fn get(&self) -> Option<Tensor> {
        lock(&self.state).gradient.clone()
    }

    /// The gradient, which leaves the slot.
    pub fn take(&self) -> Option<Tensor> {
        self.put(None)
    }

    /// Empties the slot.
    pub fn clear(&self) {
        drop(self.take());
    }

    /// Puts another gradient in the place of the one there, which is returned.
    ///
    /// # Errors
    /// [`AutogradError::WrongShape`], [`AutogradError::WrongDType`] and [`AutogradError::BlockedGradient`] for one that
    /// does not fit the leaf. The slot keeps what it has.
    pub fn replace(&self, gradient: Tensor) -> Result<Option<Tensor>, AutogradError> {
        check_gradient(&gradient, &self.shape, self.dtype, Place::Leaf)?;
        Ok(self.put(Some(gradient)))
    }

    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    fn put(&self, gradient: Option<Tensor>) -> Option<Tensor> {
        let mut state = lock(&self.state);
        state.changes += 1;
        mem::replace(&mut state.gradient, gradient)
    }
}

impl fmt::Debug for GradientSlot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_gradient = lock(&self.state).gradient.is_some();
        formatter
            .debug_struct("GradientSlot")
            .field("dtype", &self.dtype)
            .field("shape", &self.shape)
            .field("has_gradient", &has_gradient)
            .field("hooks", &self.hooks.count())
            .finish()
    }
}

/// Adds one gradient to each slot, or to none if `add` fails.
///
/// Sums are computed without a lock, since `add` may do anything. Then all slots are locked and written, unless one has
/// changed meanwhile; its sum is computed again. Each slot occurs once.
pub(crate) fn commit(
    additions: &[(&Arc<GradientSlot>, Tensor)],
    mut add: impl FnMut(&Tensor, &Tensor) -> Result<Tensor, AutogradError>,
) -> Result<(), AutogradError> {
    let mut sums: Vec<Option<(u64, Tensor)>> = vec![None; additions.len()];
    let by_address = lock_order(additions);
    loop {
        for ((slot, gradient), sum) in additions.iter().zip(&mut sums).filter(|(_, sum)| sum.is_none()) {
            let (changes, before) = {
                let state = lock(&slot.state);
                (state.changes, state.gradient.clone())
            };
            let total = before.map_or_else(|| Ok(gradient.clone()), |before| add(&before, gradient))?;
            *sum = Some((changes, total));
        }
        if write_unless_changed(additions, &by_address, &mut sums) {
            return Ok(());
        }
    }
}

/// The order in which slots are locked: the same for any two commits that share slots, so that they never wait for each
/// other in a circle. Nothing else depends on addresses.
fn lock_order(additions: &[(&Arc<GradientSlot>, Tensor)]) -> Vec<usize> {
    let mut by_address: Vec<usize> = (0..additions.len()).collect();
    by_address.sort_by_key(|&index| Arc::as_ptr(additions[index].0).addr());
    by_address
}

/// Writes all sums at once if no slot has changed since they were computed. Otherwise forgets those that no longer fit.
fn write_unless_changed(
    additions: &[(&Arc<GradientSlot>, Tensor)],
    by_address: &[usize],
    sums: &mut [Option<(u64, Tensor)>],
) -> bool {
    // Dropped after the locks, as it may run the drop function of foreign memory.
    let mut outdated = Vec::new();
    let mut states: Vec<MutexGuard<'_, SlotState>> =
        by_address.iter().map(|&index| lock(&additions[index].0.state)).collect();
    for (&index, state) in by_address.iter().zip(&states) {
        if sums[index].as_ref().is_some_and(|(changes, _)| *changes != state.changes) {
            outdated.push(sums[index].take());
        }
    }
    let fits = outdated.is_empty();
    if fits {
        for (&index, state) in by_address.iter().zip(&mut states) {
            if let Some((_, sum)) = &mut sums[index] {
                state.changes += 1;
                // What was there goes out to the caller's list, to be dropped without the locks.
                match &mut state.gradient {
                    Some(gradient) => mem::swap(gradient, sum),
                    empty => *empty = Some(sum.clone()),
                }
            }
        }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_locked_in_one_order_however_they_are_listed() {
        let slots: Vec<_> = (0..20).map(|_| Arc::new(GradientSlot::new(Shape::SCALAR, DType::F32))).collect();
        let gradient = Tensor::scalar(1.0_f32).unwrap();
        let forth: Vec<_> = slots.iter().map(|slot| (slot, gradient.clone())).collect();
        let back: Vec<_> = forth.iter().rev().cloned().collect();
        let locked = |listed: &[(&Arc<GradientSlot>, Tensor)]| -> Vec<_> {
            lock_order(listed).into_iter().map(|index| Arc::as_ptr(listed[index].0)).collect()
        };
        assert_eq!(locked(&forth), locked(&back));
    }
}
