//! `State`: what an interrupted run had done, in a file that only the same run may continue.

use std::{
    fs,
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::ledger::Ledger;
use crate::tally::Tally;

/// Parts end many times a second; the file is written at most so often.
const INTERVAL: Duration = Duration::from_secs(1);

/// What makes results valid: the code that counted them, and what it was told to count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// A hash of the program's content.
    program: String,
    quick: bool,
    sweeps: Vec<String>,
}

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    identity: Identity,
    ledger: Ledger,
}

/// A ledger that is kept in a file while it is filled.
#[derive(Debug)]
pub(crate) struct State {
    path: PathBuf,
    content: Saved,
    last_write: Instant,
}

impl Identity {
    /// That of this program.
    pub(crate) fn new(quick: bool, sweeps: Vec<String>) -> Result<Self> {
        let path = std::env::current_exe().context("cannot find the running program")?;
        let program = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { program: hash(&program), quick, sweeps })
    }

    /// A name for the file: runs of different sweeps keep out of each other's way.
    pub(crate) fn file_name(&self) -> String {
        let extent = if self.quick { "quick" } else { "full" };
        format!("verify-state-{extent}-{}.json", hash(self.sweeps.join(" ").as_bytes()))
    }
}

impl State {
    /// Begins a run from nothing, in place of any earlier one.
    pub(crate) fn begin(path: PathBuf, identity: Identity) -> Result<Self> {
        let content = Saved { identity, ledger: Ledger::default() };
        let state = Self { path, content, last_write: Instant::now() };
        state.write()?;
        Ok(state)
    }

    /// Goes on with the run in the file; begins a new one when there is none.
    ///
    /// # Errors
    /// When the file belongs to another run, or cannot be read.
    pub(crate) fn resume(path: PathBuf, identity: Identity) -> Result<Self> {
        if !path.exists() {
            return Self::begin(path, identity);
        }
        let name = path.display();
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
        let content: Saved = serde_json::from_str(&text).with_context(|| format!("{name} is no saved state"))?;
        if content.identity.program != identity.program {
            bail!("{name} was left by another build of this program; run again without --resume");
        }
        if content.identity != identity {
            bail!("{name} was left by a run with other options; run again without --resume");
        }
        Ok(Self { path, content, last_write: Instant::now() })
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.content.ledger
    }

    /// Enters a finished part, and writes the file if it has not been written for a while.
    pub(crate) fn enter(&mut self, sweep: &str, part: u32, tallies: Vec<Tally>) -> Result<()> {
        self.content.ledger.enter(sweep, part, tallies);
        if self.last_write.elapsed() >= INTERVAL {
            self.write()?;
            self.last_write = Instant::now();
        }
        Ok(())
    }

    /// Ends the run, and with it the need for the file.
    pub(crate) fn finish(self) -> Result<Ledger> {
        match fs::remove_file(&self.path) {
            // Another run of the same sweeps may have ended first and taken the file with it.
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", self.path.display()))
            }
            _ => Ok(self.content.ledger),
        }
    }

    /// Writes a file beside the old one and then takes its place: an interruption leaves one or the other, whole.
    fn write(&self) -> Result<()> {
        let text = serde_json::to_string(&self.content)?;
        let draft = self.path.with_extension(format!("{}.draft", std::process::id()));
        replace(&self.path, &draft, &text).with_context(|| format!("cannot keep progress in {}", self.path.display()))
    }
}

fn replace(path: &Path, draft: &Path, text: &str) -> std::io::Result<()> {
    fs::write(draft, text)?;
    fs::rename(draft, path)
}

/// Two builds never agree by chance; nobody makes them agree on purpose.
fn hash(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path of its own for each test, free at the start.
    fn path(test: &str) -> PathBuf {
        let name = format!("stratal-verify-{}-{test}.json", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_file(&path);
        path
    }

    fn identity(program: &[u8], quick: bool) -> Identity {
        Identity { program: hash(program), quick, sweeps: vec!["cast-bool".to_owned()] }
    }

    #[test]
    fn an_interrupted_run_goes_on_where_it_was() {
        let path = path("round-trip");
        let tally = Tally { patterns: u64::MAX, mismatches: 3, ..Tally::default() };
        let mut state = State::begin(path.clone(), identity(b"program", true)).unwrap();
        state.last_write -= INTERVAL;
        state.enter("cast-bool", 5, vec![tally.clone()]).unwrap();
        // Too soon for another write: lost with the interruption.
        state.enter("cast-bool", 6, vec![tally.clone()]).unwrap();
        drop(state);

        let state = State::resume(path.clone(), identity(b"program", true)).unwrap();
        assert!(state.ledger().has("cast-bool", 5));
        assert!(!state.ledger().has("cast-bool", 6));
        assert_eq!(state.ledger().totals("cast-bool", 1), [tally]);
        state.finish().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn the_state_of_another_run_is_refused() {
        let path = path("stale");
        State::begin(path.clone(), identity(b"program", true)).unwrap();
        let refusal = |identity| State::resume(path.clone(), identity).unwrap_err().to_string();
        assert!(refusal(identity(b"changed", true)).contains("another build"));
        assert!(refusal(identity(b"program", false)).contains("other options"));
        fs::write(&path, "{").unwrap();
        assert!(refusal(identity(b"program", true)).contains("is no saved state"));
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn without_a_state_a_run_begins_from_nothing() {
        let path = path("none");
        let state = State::resume(path.clone(), identity(b"program", true)).unwrap();
        assert_eq!(*state.ledger(), Ledger::default());
        assert!(path.exists());
        state.finish().unwrap();
    }

    #[test]
    fn this_program_is_identified() {
        let first = Identity::new(true, vec![]).unwrap();
        assert_eq!(first, Identity::new(true, vec![]).unwrap());
        assert_ne!(first, Identity::new(false, vec![]).unwrap());
    }
}
