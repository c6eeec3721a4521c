//! Checked builds: what new and returned memory is filled with, and the canary bytes after each buffer.
//!
//! On under debug assertions and by the feature `checked`; otherwise everything here folds to nothing.

use crate::{Alignment, Damage, Origin};

/// Whether this is a checked build. Models are, so that they see every access to the bytes.
pub const CHECKED: bool = cfg!(any(debug_assertions, feature = "checked", loom));

/// What new and returned memory holds: NaN to floats, -1 to integers.
pub(crate) const FILL: u8 = 0xFF;

/// What each canary byte holds.
pub(crate) const CANARY: u8 = 0xA5;

/// How many canary bytes follow a buffer's length.
pub(crate) const CANARY_LENGTH: usize = if CHECKED { 64 } else { 0 };

/// The bytes that a buffer of `length` takes up in an arena: whole cache lines, at least one, canaries
/// included. `None` if they cannot be counted.
#[inline]
pub(crate) fn arena_size(length: usize) -> Option<usize> {
    Alignment::CACHE_LINE.round_up(length.max(1).checked_add(CANARY_LENGTH)?)
}

/// Prepares memory for a buffer of `length` bytes at its start: fills those, unless they must stay
/// zeros, and plants the canaries.
#[inline]
pub(crate) fn prepare(memory: &mut [u8], length: usize, keeps_contents: bool) {
    let (buffer, rest) = memory.split_at_mut(length);
    if !keeps_contents {
        buffer.fill(FILL);
    }
    rest[..CANARY_LENGTH].fill(CANARY);
}

/// Checks the canaries behind a buffer of `length` bytes, and fills its memory if they are whole.
pub(crate) fn check(memory: &mut [u8], length: usize, origin: Origin) -> Result<(), Damage> {
    let (buffer, rest) = memory.split_at_mut(length);
    let canaries = &rest[..CANARY_LENGTH];
    if let Some(position) = canaries.iter().position(|&byte| byte != CANARY) {
        return Err(Damage { origin, length, first_bad_byte: length + position, found: canaries[position] });
    }
    buffer.fill(FILL);
    Ok(())
}

/// A damage that has no other way out, because it was found at a last drop: debug builds panic, unless
/// a panic is under way. It has been counted either way.
pub(crate) fn report_at_drop(damage: &Damage) {
    if cfg!(debug_assertions) && !std::thread::panicking() {
        panic!("{damage}");
    }
}
