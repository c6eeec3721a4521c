//! `BorrowWord`: the one atomic word that says who may touch a buffer's bytes.
//!
//! ```text
//!   bit   31     30       29      28 ... 0
//!       +------+--------+--------+----------+
//!       | dead | writer | frozen | readers  |
//!       +------+--------+--------+----------+
//!
//!          read                  write
//!   n ------------> n+1     0 ------------> writer
//!     <------------           <------------
//!        end (-1)               end (:= 0)
//!
//!          release                    done             freeze
//!   0 ------------> dead + writer ------------> dead    n -------> n + frozen
//! ```
//!
//! Every transition is tried once and refused or done; nobody waits for anybody. Whether a handle is
//! stale and whether its bytes are borrowed change in one atomic step, so there is no moment between
//! checking and acting. There are no fences, which the thread sanitizer does not understand.
//!
//! The orderings, and what each is for:
//! - taking a borrow acquires, so that it sees what the last writer wrote, and ending one releases;
//! - ending a read releases too, so that the next writer, or whoever frees the bytes, comes after it;
//! - death acquires, so that freeing comes after every access; `done` releases and looking at a dead
//!   word acquires, so that the last look at the bytes comes before their next use.
//!
//! Weakening one of them makes a model in `tests/loom.rs` fail; `tests/mutants.rs` tries each.

use crate::sync::{AtomicU32, Ordering};

const DEAD: u32 = 1 << 31;
const WRITER: u32 = 1 << 30;
const FROZEN: u32 = 1 << 29;
const READERS: u32 = FROZEN - 1;

/// The one atomic word that says who may touch a buffer's bytes.
#[derive(Debug)]
pub(crate) struct BorrowWord(
    // Invariant: one of: readers alone; readers and FROZEN; WRITER alone; DEAD and WRITER (a release at
    // its last look); DEAD alone. DEAD and FROZEN never go away.
    AtomicU32,
);

/// Why a transition was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The lease has ended.
    Dead,
    /// The lease has ended, and whoever ended it still looks at the bytes.
    Dying,
    /// Somebody writes.
    Writer,
    /// This many read.
    Readers(u32),
    /// As many read as can be counted.
    Full,
    /// The bytes are read-only for good.
    Frozen,
}

/// The right to read the bytes, until dropped.
#[derive(Debug)]
pub(crate) struct ReadBorrow<'a> {
    word: &'a BorrowWord,
    // Frozen bytes are read without being counted.
    is_counted: bool,
}

/// The right to read and write the bytes, until dropped.
#[derive(Debug)]
pub(crate) struct WriteBorrow<'a> {
    word: &'a BorrowWord,
}

/// The right to do away with the bytes of a lease that has just ended; the word settles when dropped.
#[derive(Debug)]
pub(crate) struct Death<'a> {
    word: &'a BorrowWord,
}

impl BorrowWord {
    /// A living word that nobody has borrowed.
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Whether the lease has ended.
    #[inline]
    pub(crate) fn is_dead(&self) -> bool {
        self.0.load(Ordering::Relaxed) & DEAD != 0
    }

    /// Whether the bytes are read-only for good.
    #[inline]
    pub(crate) fn is_frozen(&self) -> bool {
        self.0.load(Ordering::Relaxed) & FROZEN != 0
    }

    /// What would be refused to a writer just now, for messages.
    pub(crate) fn state(&self) -> Option<Refusal> {
        let seen = self.0.load(Ordering::Relaxed);
        (seen != 0).then(|| refusal(seen))
    }

    /// Begins to read.
    #[inline]
    pub(crate) fn read(&self) -> Result<ReadBorrow<'_>, Refusal> {
        let mut seen = self.0.load(Ordering::Relaxed);
        loop {
            if seen & (DEAD | WRITER) != 0 {
                return Err(refusal(seen));
            }
            if seen & FROZEN != 0 {
                return self.read_frozen();
            }
            if seen == READERS {
                return Err(Refusal::Full);
            }
            // Adding first and taking it back on refusal would be shorter, but the passing count would
            // be lost in a writer's plain store, and would make releases fail at random.
            match self.0.compare_exchange_weak(seen, seen + 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    return Ok(ReadBorrow { word: self, is_counted: true });
                }
                Err(now) => seen = now,
            }
        }
    }

    /// Begins to write.
    #[inline]
    pub(crate) fn write(&self) -> Result<WriteBorrow<'_>, Refusal> {
        match self.0.compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(WriteBorrow { word: self }),
            Err(seen) => Err(refusal(seen)),
        }
    }

    /// Ends the lease. Of several callers at once exactly one is granted it, and the others are refused
    /// as dead.
    #[inline]
    pub(crate) fn kill(&self) -> Result<Death<'_>, Refusal> {
        match self.0.compare_exchange(0, DEAD | WRITER, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(Death { word: self }),
            Err(seen) => Err(refusal(seen)),
        }
    }

    /// Makes the bytes read-only for good. Readers may be at it; doing it again is no error.
    pub(crate) fn freeze(&self) -> Result<(), Refusal> {
        let mut seen = self.0.load(Ordering::Relaxed);
        loop {
            if seen & (DEAD | WRITER) != 0 {
                return Err(refusal(seen));
            }
            // Acquires like a reader, because the frozen handle reads without asking again. The last
            // writer's release reaches later readers through this step.
            match self.0.compare_exchange_weak(seen, seen | FROZEN, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Ok(()),
                Err(now) => seen = now,
            }
        }
    }

    /// Whether the lease has ended and whoever ended it is done with the bytes: everything it did comes
    /// before what the caller does next.
    pub(crate) fn is_settled(&self) -> bool {
        self.0.load(Ordering::Acquire) == DEAD
    }

    fn read_frozen(&self) -> Result<ReadBorrow<'_>, Refusal> {
        // Frozen is for good, so this load sees it too. It acquires what was written before freezing.
        self.0.load(Ordering::Acquire);
        Ok(ReadBorrow { word: self, is_counted: false })
    }
}

impl WriteBorrow<'_> {
    /// Ends the lease instead of the write.
    pub(crate) fn kill(self) {
        // Whoever sees this word dead leaves the bytes alone, so nothing needs to come before.
        self.word.0.store(DEAD, Ordering::Relaxed);
        std::mem::forget(self);
    }
}

impl Drop for ReadBorrow<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.is_counted {
            self.word.0.fetch_sub(1, Ordering::Release);
        }
    }
}

impl Drop for WriteBorrow<'_> {
    #[inline]
    fn drop(&mut self) {
        // A plain store will do: while WRITER is set every transition of others is refused.
        self.word.0.store(0, Ordering::Release);
    }
}

impl Drop for Death<'_> {
    #[inline]
    fn drop(&mut self) {
        self.word.0.store(DEAD, Ordering::Release);
    }
}

#[cold]
fn refusal(seen: u32) -> Refusal {
    if seen & DEAD != 0 {
        if seen & WRITER != 0 { Refusal::Dying } else { Refusal::Dead }
    } else if seen & WRITER != 0 {
        Refusal::Writer
    } else if seen & FROZEN != 0 {
        Refusal::Frozen
    } else {
        Refusal::Readers(seen & READERS)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// What each transition answers in each state, so that a change to one cell is a choice.
    #[test]
    fn every_transition_in_every_state() {
        type Case = (u32, Result<u32, Refusal>, Result<u32, Refusal>, Result<u32, Refusal>, Result<u32, Refusal>);
        use Refusal::{Dead, Dying, Frozen, Full, Readers, Writer};
        let cases: [Case; 9] = [
            // state, after read, after write, after kill, after freeze
            (0, Ok(1), Ok(WRITER), Ok(DEAD | WRITER), Ok(FROZEN)),
            (1, Ok(2), Err(Readers(1)), Err(Readers(1)), Ok(FROZEN | 1)),
            (
                READERS - 1,
                Ok(READERS),
                Err(Readers(READERS - 1)),
                Err(Readers(READERS - 1)),
                Ok(FROZEN | (READERS - 1)),
            ),
            (READERS, Err(Full), Err(Readers(READERS)), Err(Readers(READERS)), Ok(FROZEN | READERS)),
            (WRITER, Err(Writer), Err(Writer), Err(Writer), Err(Writer)),
            (FROZEN, Ok(FROZEN), Err(Frozen), Err(Frozen), Ok(FROZEN)),
            (FROZEN | 3, Ok(FROZEN | 3), Err(Frozen), Err(Frozen), Ok(FROZEN | 3)),
            (DEAD | WRITER, Err(Dying), Err(Dying), Err(Dying), Err(Dying)),
            (DEAD, Err(Dead), Err(Dead), Err(Dead), Err(Dead)),
        ];
        for (state, read, write, kill, freeze) in cases {
            let word = BorrowWord::new();
            let set = || word.0.store(state, Ordering::Relaxed);
            let get = || word.0.load(Ordering::Relaxed);
            set();
            let borrow = word.read();
            assert_eq!(borrow.as_ref().map(|_| get()).map_err(|&refusal| refusal), read, "read of {state:#x}");
            drop(borrow);
            assert_eq!(get(), state, "ending the read of {state:#x}");
            let borrow = word.write();
            assert_eq!(borrow.as_ref().map(|_| get()).map_err(|&refusal| refusal), write, "write of {state:#x}");
            drop(borrow);
            assert_eq!(get(), state, "ending the write of {state:#x}");
            let death = word.kill();
            assert_eq!(death.as_ref().map(|_| get()).map_err(|&refusal| refusal), kill, "kill of {state:#x}");
            let was_killed = death.is_ok();
            drop(death);
            assert_eq!(get(), if was_killed { DEAD } else { state });
            set();
            assert_eq!(word.freeze().map(|()| get()), freeze, "freeze of {state:#x}");
            set();
            assert_eq!(word.is_settled(), state == DEAD);
        }
    }
}
