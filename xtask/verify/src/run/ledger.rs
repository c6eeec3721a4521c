//! `Ledger`: the counts of every part that is done.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::tally::Tally;

/// By sweep and number of the part: a tally for each row of the sweep.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    sweeps: BTreeMap<String, BTreeMap<u32, Vec<Tally>>>,
}

impl Ledger {
    pub(crate) fn enter(&mut self, sweep: &str, part: u32, tallies: Vec<Tally>) {
        self.sweeps.entry(sweep.to_owned()).or_default().insert(part, tallies);
    }

    pub(crate) fn has(&self, sweep: &str, part: u32) -> bool {
        self.sweeps.get(sweep).is_some_and(|parts| parts.contains_key(&part))
    }

    /// How many parts of a sweep are done.
    pub(crate) fn parts(&self, sweep: &str) -> usize {
        self.sweeps.get(sweep).map_or(0, BTreeMap::len)
    }

    /// The sums over all parts of a sweep, in the order of the parts, whichever was done first.
    pub(crate) fn totals(&self, sweep: &str, rows: usize) -> Vec<Tally> {
        let mut totals = vec![Tally::default(); rows];
        for tallies in self.sweeps.get(sweep).into_iter().flat_map(BTreeMap::values) {
            for (total, tally) in totals.iter_mut().zip(tallies) {
                total.absorb(tally);
            }
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Mismatch;

    #[test]
    fn totals_do_not_depend_on_the_order_of_work() {
        let tally = |input: &str| {
            let mut tally = Tally { patterns: 10, ..Tally::default() };
            tally.mismatch(|| Mismatch { input: input.to_owned(), got: String::new(), expected: String::new() });
            tally
        };
        let mut ledger = Ledger::default();
        ledger.enter("sweep", 7, vec![tally("second")]);
        ledger.enter("sweep", 1, vec![tally("first")]);
        let [total] = &ledger.totals("sweep", 1)[..] else { unreachable!() };
        assert_eq!((total.patterns, total.mismatches), (20, 2));
        assert_eq!(total.first[0].input, "first");
        assert_eq!(ledger.totals("other", 2), [Tally::default(), Tally::default()]);
    }
}
