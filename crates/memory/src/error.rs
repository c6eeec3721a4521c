//! The errors of this crate: one enum a subject, each naming the values involved.

use stratal_tensor_base::Device;

use crate::{LENGTH_MAX, Origin, word::Refusal};

/// Memory that could not be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllocationError {
    /// The request passes what one buffer may hold.
    #[error("a buffer of {length} bytes passes the limit of {LENGTH_MAX}")]
    TooLong {
        /// The bytes asked for.
        length: usize,
    },
    /// The block source has no such block.
    #[error("no memory for a buffer of {length} bytes (a block of {block_size})")]
    OutOfMemory {
        /// The bytes asked for.
        length: usize,
        /// The bytes of the block that serves them.
        block_size: u64,
    },
    /// The block source gave less than it was asked for.
    #[error("the block source gave {given} bytes where {block_size} were asked for")]
    ShortBlock {
        /// The bytes of the block asked for.
        block_size: u64,
        /// The bytes of the block given.
        given: usize,
    },
    /// Memory of this device can be named but not had.
    #[error("unsupported device {device}: only \"cpu\" memory can be allocated")]
    UnsupportedDevice {
        /// The device asked for.
        device: Device,
    },
}

/// An access that was refused. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The buffer was released or its arena reset: the handle is of the past.
    #[error("stale handle of {origin}, {length} bytes: it is of generation {generation}, the buffer now of {current}")]
    Stale {
        /// The buffer.
        origin: Origin,
        /// The buffer's bytes.
        length: usize,
        /// The generation the handle was made in.
        generation: u64,
        /// The buffer's generation now.
        current: u64,
    },
    /// Somebody holds the write guard. Borrows are of whole buffers: several windows of one buffer
    /// conflict when one of them is written.
    #[error("{origin}, {length} bytes, is being written; guards are of the whole buffer, whatever part is used")]
    BeingWritten {
        /// The buffer.
        origin: Origin,
        /// The buffer's bytes.
        length: usize,
    },
    /// Somebody holds read guards, so it cannot be written. Borrows are of whole buffers: several
    /// windows of one buffer conflict when one of them is written.
    #[error(
        "{origin}, {length} bytes, is being read by {readers}; guards are of the whole buffer, whatever part is used"
    )]
    BeingRead {
        /// The buffer.
        origin: Origin,
        /// The buffer's bytes.
        length: usize,
        /// How many read guards live.
        readers: u32,
    },
    /// As many read guards live as can be counted.
    #[error("{origin} has as many readers as can be counted")]
    TooManyReaders {
        /// The buffer.
        origin: Origin,
    },
    /// The memory cannot be written.
    #[error("{origin}, {length} bytes, is read-only memory")]
    ReadOnly {
        /// The buffer.
        origin: Origin,
        /// The buffer's bytes.
        length: usize,
    },
    /// The buffer was frozen: it is read-only for good.
    #[error("{origin}, {length} bytes, is frozen")]
    Frozen {
        /// The buffer.
        origin: Origin,
        /// The buffer's bytes.
        length: usize,
    },
    /// The output of an operation is also one of its inputs.
    #[error("the output, {origin}, is also input {input}; work in place under its one write guard")]
    OutputIsInput {
        /// The buffer.
        origin: Origin,
        /// The position among the inputs.
        input: usize,
    },
    /// The bytes are not a whole number of elements.
    #[error("{length} bytes are no whole number of elements of {element_size} bytes")]
    Ragged {
        /// The buffer's bytes.
        length: usize,
        /// The bytes of an element.
        element_size: usize,
    },
    /// The bytes start where an element may not.
    #[error("the bytes are not aligned to {alignment}, as their elements must be")]
    Misaligned {
        /// The element's alignment in bytes.
        alignment: usize,
    },
}

/// A release that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Refused, and nothing has changed: already released or reset (stale), in use, or frozen.
    #[error("cannot release: {0}")]
    Refused(#[source] AccessError),
    /// Released, and found damaged; the memory is never used again.
    #[error("released, but {0}")]
    Damaged(#[source] Damage),
}

/// A reset of an arena that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResetError {
    /// Refused, and nothing has changed: a buffer is in use or frozen.
    #[error("cannot reset: {0}")]
    Refused(#[source] AccessError),
    /// Reset, but at least one buffer was found damaged; the memory of all is given up and never used
    /// again.
    #[error("reset, but {0}")]
    Damaged(#[source] Damage),
}

/// Somebody wrote past the end of a buffer: the canary bytes that follow it have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{origin}, {length} bytes, was written past its end: byte {first_bad_byte} is {found:#04x}, not {expected:#04x}",
    expected = crate::checked::CANARY
)]
#[non_exhaustive]
pub struct Damage {
    /// The buffer.
    pub origin: Origin,
    /// The buffer's bytes.
    pub length: usize,
    /// The offset from the buffer's start of the first byte that changed; not below `length`.
    pub first_bad_byte: usize,
    /// What that byte holds now.
    pub found: u8,
}

/// A file that could not be mapped, or a window of one that could not be given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The system refused.
    #[error("cannot map the file: {0}")]
    System(#[from] std::io::Error),
    /// A window passes what one buffer may hold.
    #[error("a window of {length} bytes passes the limit of {LENGTH_MAX}")]
    TooLong {
        /// The bytes asked for.
        length: u64,
    },
    /// A window passes the end of the file.
    #[error("a window of {length} bytes at {offset} passes the end of a file of {file_length}")]
    OutOfBounds {
        /// Where the window starts.
        offset: u64,
        /// The bytes asked for.
        length: u64,
        /// The file's bytes.
        file_length: u64,
    },
    /// A writable window shares bytes with one that is alive.
    #[error(
        "a window of {length} bytes at {offset} shares bytes with a live one at {live_offset}; windows of a copy-on-write mapping may not overlap"
    )]
    Overlap {
        /// Where the window starts.
        offset: u64,
        /// The bytes asked for.
        length: u64,
        /// Where the live window starts.
        live_offset: u64,
    },
}

/// A planned block that was used against its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The block itself could not be had.
    #[error(transparent)]
    Allocation(#[from] AllocationError),
    /// A range passes the end of the block.
    #[error("{length} bytes at {offset} pass the end of a block of {block_length}")]
    OutOfBounds {
        /// Where the range starts.
        offset: usize,
        /// The range's bytes.
        length: usize,
        /// The block's bytes.
        block_length: usize,
    },
    /// A planned value does not start on a 64-byte boundary.
    #[error("planned value {value} starts at {offset}, which is no multiple of 64")]
    Misaligned {
        /// The value.
        value: usize,
        /// Where it starts.
        offset: usize,
    },
    /// An output shares bytes with another output or with an input.
    #[error("an output of {output_length} bytes at {output_offset} shares bytes with the {length} bytes at {offset}")]
    OutputOverlap {
        /// Where the output starts.
        output_offset: usize,
        /// The output's bytes.
        output_length: usize,
        /// Where the other range starts.
        offset: usize,
        /// The other range's bytes.
        length: usize,
    },
    /// A value's bytes are still those of a value that somebody holds.
    #[error("planned value {value} would take the bytes of value {live}, which is alive")]
    Overlap {
        /// The value asked for.
        value: usize,
        /// The value that lives.
        live: usize,
    },
    /// The whole block was asked for while a planned value is alive.
    #[error("the block cannot be used as a whole: value {live} is alive")]
    ValueAlive {
        /// The value that lives.
        live: usize,
    },
    /// There is no such value in the plan.
    #[error("no value {value} in a plan of {count}")]
    NoSuchValue {
        /// The value asked for.
        value: usize,
        /// How many values the plan has.
        count: usize,
    },
}

/// What an error message says of a buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) origin: Origin,
    pub(crate) length: usize,
    pub(crate) generation: u64,
}

impl Subject {
    /// The error for a transition that the buffer's borrow word refused.
    #[cold]
    pub(crate) fn refused(self, refusal: Refusal) -> AccessError {
        let Self { origin, length, generation } = self;
        match refusal {
            Refusal::Dead | Refusal::Dying => {
                AccessError::Stale { origin, length, generation, current: generation + 1 }
            }
            Refusal::Writer => AccessError::BeingWritten { origin, length },
            Refusal::Readers(readers) => AccessError::BeingRead { origin, length, readers },
            Refusal::Full => AccessError::TooManyReaders { origin },
            Refusal::Frozen => AccessError::Frozen { origin, length },
        }
    }
}
