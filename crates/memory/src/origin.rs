//! `Origin`: where a buffer's bytes came from, and its name in messages.

use std::fmt;

/// Where a buffer's bytes came from, and its name in messages.
///
/// The numbers count what the program did, so they are the same on every run that does the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Rented from a pool.
    Pool {
        /// How many buffers and chunks the pool had rented before.
        rent: u64,
    },
    /// Allocated in an arena.
    Arena {
        /// How many buffers the arena had allocated since its reset.
        index: usize,
    },
    /// A value of a planned block.
    Planned {
        /// The value's number in the plan.
        value: usize,
    },
    /// The block that planned values are parts of.
    PlannedBlock,
    /// A vector that was handed over.
    Vector,
    /// A window of a mapped file.
    MappedFile {
        /// Where in the file it starts, in bytes.
        offset: u64,
    },
    /// Memory of somebody else.
    Foreign,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool { rent } => write!(formatter, "buffer {rent} of a pool"),
            Self::Arena { index } => write!(formatter, "buffer {index} of an arena"),
            Self::Planned { value } => write!(formatter, "planned value {value}"),
            Self::PlannedBlock => write!(formatter, "a planned block"),
            Self::Vector => write!(formatter, "an adopted vector"),
            Self::MappedFile { offset } => {
                write!(formatter, "the window at byte {offset} of a mapped file")
            }
            Self::Foreign => write!(formatter, "a foreign buffer"),
        }
    }
}
