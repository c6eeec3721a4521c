//! Who owns the bytes, and until when.

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

/// The most bytes that one buffer may hold: 2^31-1.
pub const LENGTH_MAX: usize = 0x7FFF_FFFF;
