//! The engine: all parts of all sweeps, on all threads.

use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::{progress, state::State};
use crate::sweep::{Part, Sweep};

/// A sweep, ready to be done, and its name.
pub(crate) struct Ready {
    pub(crate) name: String,
    pub(crate) sweep: Box<dyn Sweep>,
}

/// Counts every part that the state does not hold yet.
pub(crate) fn complete(sweeps: &[Ready], state: State) -> Result<State> {
    let (done, open): (Vec<_>, Vec<_>) = sweeps
        .iter()
        .flat_map(|ready| ready.sweep.parts().into_iter().map(move |part| (ready, part)))
        .partition(|(ready, part)| state.ledger().has(&ready.name, part.number));
    let bar = progress::bar(patterns(&done) + patterns(&open), patterns(&done));
    let state = Mutex::new(state);
    // Small parts come last in the list and even out the ends of the threads' work.
    open.into_par_iter().with_max_len(1).try_for_each(|(ready, part)| count(ready, part, &state, &bar))?;
    bar.finish_and_clear();
    // A panic in a thread has ended the run before this line.
    Ok(state.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn count(ready: &Ready, part: Part, state: &Mutex<State>, bar: &ProgressBar) -> Result<()> {
    bar.set_message(ready.name.clone());
    let tallies = ready.sweep.count(part.number);
    bar.inc(part.patterns);
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    state.enter(&ready.name, part.number, tallies)
}

fn patterns(parts: &[(&Ready, Part)]) -> u64 {
    parts.iter().map(|(_, part)| part.patterns).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        run::{ledger::Ledger, state::Identity},
        sweep::Row,
        tally::Tally,
    };

    /// Each part says that it was counted now.
    struct Counting;

    impl Sweep for Counting {
        fn rows(&self) -> Vec<Row> {
            vec![]
        }

        fn parts(&self) -> Vec<Part> {
            (0..4).map(|number| Part { number, patterns: 1 }).collect()
        }

        fn count(&self, part: u32) -> Vec<Tally> {
            vec![counted(part.into())]
        }
    }

    fn counted(patterns: u64) -> Tally {
        Tally { patterns, ..Tally::default() }
    }

    #[test]
    fn parts_in_the_state_are_not_counted_again() {
        let ready = Ready { name: "counting".to_owned(), sweep: Box::new(Counting) };
        let path = std::env::temp_dir().join(format!("stratal-verify-{}-engine.json", std::process::id()));
        let mut state = State::begin(path, Identity::new(true, vec![]).unwrap()).unwrap();
        state.enter("counting", 2, vec![counted(1000)]).unwrap();
        let ledger: Ledger = complete(&[ready], state).unwrap().finish().unwrap();
        assert_eq!(ledger.parts("counting"), 4);
        assert_eq!(ledger.totals("counting", 1)[0].patterns, 1 + 1000 + 3);
    }
}
