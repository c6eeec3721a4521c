//! Who owns the bytes, and until when.
//!
//! A [`Buffer`] is a shared handle to one stretch of bytes; what the bytes mean is not this crate's
//! subject. Handles are shared, access is borrowed: [`Buffer::read`] and [`Buffer::write`] return guards,
//! many readers or one writer at a time, and a conflict is an error value. Here is one buffer with two
//! handles and a guard:
//!
//! ```text
//!   Buffer ----.      Header (counted, outlives every handle)
//!   Buffer ----+--->  +------------------------------------------+
//!     ^               | word        dead | writer | frozen | n   |  one atomic word: who may
//!     |               | version     how often it was opened      |  touch the bytes
//!   ReadGuard         | generation  which lease this is          |
//!   (borrows the      | region      address and length  ---------+--.
//!    handle, counts   | storage     what keeps the bytes alive   |  |
//!    in the word)     +------------------|-----------------------+  |
//!                                        | owned; taken out once    |
//!                                        v                          v
//!                     Block, on a 64-byte boundary    +----------------------+- - - - - -+
//!                     (or part of an arena's chunk,   | length bytes         | canaries  |
//!                      a vector, a mapping, ...)      +----------------------+- - - - - -+
//! ```
//!
//! - The bytes go back when the last handle drops, or at once on [`Buffer::release`]. The header stays, so
//!   a handle that was left behind knows that it is stale: *dead* and *borrowed* are parts of one word and
//!   change in one step.
//! - [`Pool`] rents buffers from free lists of size classes; [`Arena`] bumps them out of chunks for one
//!   run; [`PlannedBlock`] and [`Frame`] split one block by offsets that were planned ahead.
//! - [`Buffer::from_vec`] takes over vectors, [`MappedFile`] maps files, [`Buffer::from_foreign`] wraps
//!   what somebody else owns.
//! - [`Buffer::freeze`] makes bytes read-only for good; reading them needs no guard then.
//! - Bytes are always initialised, if unspecified. Checked builds (the feature `checked`, and debug builds)
//!   fill them and plant canaries behind each buffer, so that a kernel which wrote past the end is found.
//!
//! ```
//! use stratal_memory::{Arena, Pool, access};
//!
//! let pool = Pool::new();
//! let weights = pool.rent(8)?;
//! weights.write_as::<f32>()?.copy_from_slice(&[2.0, 3.0]);
//! let weights = weights.freeze()?;
//!
//! let mut arena = Arena::new(&pool);
//! for run in 1..=2 {
//!     let input = arena.alloc(8)?;
//!     input.write_as::<f32>()?.fill(run as f32);
//!     let output = arena.alloc(8)?;
//!     {
//!         let (output, [input, weights]) = access(&output, [&input, weights.buffer()])?;
//!         let (mut output, input, weights) =
//!             (output.typed::<f32>()?, input.typed::<f32>()?, weights.typed::<f32>()?);
//!         for ((output, input), weight) in output.iter_mut().zip(&*input).zip(&*weights) {
//!             *output = input * weight;
//!         }
//!     }
//!     assert_eq!(output.read_as::<f32>()?[1], 3.0 * run as f32);
//!     arena.reset()?;
//!     assert!(output.is_stale());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where unsafe code lives, what each file promises and which tool checks it is told in `docs/unsafe.md`.

mod access;
mod alignment;
mod arena;
mod block;
mod buffer;
mod checked;
mod counted;
mod error;
mod foreign;
mod frame;
mod frozen;
mod guard;
mod header;
mod leases;
mod lot;
mod mapped;
mod origin;
mod planned;
mod pool;
mod region;
mod size_class;
mod source;
mod storage;
mod sync;
mod usage;
mod vector;
mod word;

pub use access::access;
pub use alignment::Alignment;
pub use arena::Arena;
pub use block::Block;
pub use buffer::Buffer;
pub use checked::CHECKED;
pub use error::{AccessError, AllocationError, Damage, MapError, PlanError, ReleaseError, ResetError};
pub use frame::{Frame, Inputs};
pub use frozen::FrozenBuffer;
pub use guard::{ReadGuard, WriteGuard};
pub use mapped::MappedFile;
pub use origin::Origin;
pub use planned::PlannedBlock;
pub use pool::{Pool, PoolOptions};
pub use size_class::SizeClass;
pub use source::{BlockSource, FaultySource, SystemSource};
pub use stratal_tensor_base::Device;
pub use usage::{ClassUsage, PoolUsage, Usage};

#[cfg(target_endian = "big")]
compile_error!("stratal stores elements little-endian and does not support big-endian targets yet");

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The most bytes that one buffer may hold: 2^31-1.
pub const LENGTH_MAX: usize = 0x7FFF_FFFF;
