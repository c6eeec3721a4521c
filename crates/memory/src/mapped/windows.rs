//! `Windows`: which parts of a writable mapping are in use.

use std::collections::BTreeMap;

/// Which parts of a writable mapping are in use. No two of them share a byte.
#[derive(Debug, Default)]
pub(super) struct Windows {
    // Offset to length, without the empty windows, which share no byte with any.
    live: BTreeMap<usize, usize>,
}

impl Windows {
    /// Adds a part, or returns where the live one starts that it shares a byte with.
    pub(super) fn add(&mut self, offset: usize, length: usize) -> Result<(), usize> {
        if length == 0 {
            return Ok(());
        }
        // Live parts are apart, so only the last that starts before this one's end can reach into it.
        let before_end = self.live.range(..offset + length).next_back();
        if let Some((&live_offset, &live_length)) = before_end
            && live_offset + live_length > offset
        {
            return Err(live_offset);
        }
        self.live.insert(offset, length);
        Ok(())
    }

    /// Removes a part that was added.
    pub(super) fn remove(&mut self, offset: usize, length: usize) {
        if length > 0 {
            self.live.remove(&offset);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_refused_exactly_when_it_shares_a_byte() {
        let parts = || (0..5_usize).flat_map(|start| (start..5).map(move |end| start..end));
        for first in parts() {
            for second in parts() {
                let mut windows = Windows::default();
                windows.add(first.start, first.len()).unwrap();
                let is_shared = first.clone().any(|byte| second.contains(&byte));
                let added = windows.add(second.start, second.len());
                assert_eq!(added.is_err(), is_shared, "{first:?} {second:?}");
                windows.remove(first.start, first.len());
                if added.is_err() {
                    windows.add(second.start, second.len()).unwrap();
                }
            }
        }
    }
}
