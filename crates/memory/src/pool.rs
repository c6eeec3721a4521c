//! `Pool`: rents buffers from free lists of size classes, and takes them back.

mod lists;
mod state;

pub(crate) use state::{PoolRef, PoolState, PooledBlock, take_back};

use std::fmt;

use stratal_tensor_base::Device;

use crate::{
    AllocationError, BlockSource, Buffer, PoolUsage, SystemSource,
    sync::{OnceLock, PlainArc},
};

/// Rents buffers from free lists of size classes, and takes them back.
///
/// A buffer comes back when its last handle drops or it is released, and then waits in the free list of
/// its [`SizeClass`](crate::SizeClass); the next request of the class takes the one that came last. Idle
/// blocks are kept up to [`PoolOptions::max_idle_bytes`]; past that a block goes back to its source at
/// once. A warm rent and return performs no system call and no heap allocation.
///
/// A pool may be used from many threads, and nothing in it depends on how many or on timing. Buffers
/// outlive it: dropping the pool frees what is idle, and whatever comes back later.
///
/// ```
/// use stratal_memory::Pool;
///
/// let pool = Pool::new();
/// drop(pool.rent(1000)?);
/// drop(pool.rent(900)?);
/// let usage = pool.usage();
/// assert_eq!((usage.total.rents, usage.total.hits), (2, 1));
/// assert_eq!(usage.total.idle_bytes, 1024);
/// assert_eq!(pool.trim(), 1024);
/// # Ok::<(), stratal_memory::AllocationError>(())
/// ```
pub struct Pool {
    inner: PoolRef,
}

/// How a [`Pool`] is set up.
#[derive(Debug, Clone)]
pub struct PoolOptions {
    /// Where the memory lives.
    pub device: Device,
    /// How many bytes may wait in free lists, counted in bytes of their size classes. A block that
    /// reaches the cap exactly is kept. By default 2 GiB.
    pub max_idle_bytes: u64,
    /// Where blocks come from.
    pub source: PlainArc<dyn BlockSource>,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self { device: Device::Cpu, max_idle_bytes: 2 << 30, source: PlainArc::new(SystemSource) }
    }
}

impl Pool {
    /// A pool of host memory with the default options.
    pub fn new() -> Self {
        let options = PoolOptions::default();
        Self { inner: PoolState::open(options.source, options.max_idle_bytes) }
    }

    /// A pool with these options.
    ///
    /// # Errors
    ///
    /// [`AllocationError::UnsupportedDevice`] for any device but the host's memory.
    pub fn with_options(options: PoolOptions) -> Result<Self, AllocationError> {
        if !options.device.is_cpu() {
            return Err(AllocationError::UnsupportedDevice { device: options.device });
        }
        Ok(Self { inner: PoolState::open(options.source, options.max_idle_bytes) })
    }

    /// The pool that a process shares. It is made at first use and never torn down.
    ///
    /// # Errors
    ///
    /// [`AllocationError::UnsupportedDevice`] for any device but the host's memory.
    ///
    /// ```
    /// use stratal_memory::{AllocationError, Device, Pool};
    ///
    /// let buffer = Pool::shared(Device::Cpu)?.rent(256)?;
    /// assert!(matches!(
    ///     Pool::shared(Device::Cuda(0)),
    ///     Err(AllocationError::UnsupportedDevice { device: Device::Cuda(0) }),
    /// ));
    /// # Ok::<(), AllocationError>(())
    /// ```
    pub fn shared(device: Device) -> Result<&'static Self, AllocationError> {
        static SHARED: OnceLock<Pool> = OnceLock::new();
        if !device.is_cpu() {
            return Err(AllocationError::UnsupportedDevice { device });
        }
        Ok(SHARED.get_or_init(Self::new))
    }

    /// Rents a buffer of `length` bytes. What they hold is unspecified, though never undefined.
    ///
    /// # Errors
    ///
    /// [`AllocationError::TooLong`] past 2^31-1 bytes, [`AllocationError::OutOfMemory`] or
    /// [`AllocationError::ShortBlock`] if the source fails.
    #[inline]
    pub fn rent(&self, length: usize) -> Result<Buffer, AllocationError> {
        self.inner.rent(length, false)
    }

    /// Rents a buffer of `length` bytes that are all zero. Blocks fresh from the system are zero already.
    ///
    /// # Errors
    ///
    /// As [`rent`](Self::rent).
    pub fn rent_zeroed(&self, length: usize) -> Result<Buffer, AllocationError> {
        self.inner.rent(length, true)
    }

    /// Returns all idle blocks to their source, and says how many bytes that were, counted in bytes of
    /// their size classes.
    ///
    /// Memory of arenas that were dropped while a buffer of theirs was in use comes back here too, once
    /// it no longer is; if the pool itself is dropped before, it is kept until the process ends.
    pub fn trim(&self) -> u64 {
        self.inner.trim()
    }

    /// What was rented, how much of it was idle before, and how many bytes there are.
    pub fn usage(&self) -> PoolUsage {
        self.inner.usage()
    }

    /// How many blocks were given up because somebody wrote past the end of a buffer. Only checked
    /// builds find out.
    pub fn damage(&self) -> u64 {
        self.inner.damage()
    }

    /// How many bytes may wait in free lists.
    pub fn max_idle_bytes(&self) -> u64 {
        self.inner.max_idle_bytes()
    }

    pub(crate) fn inner(&self) -> PoolRef {
        self.inner
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.inner.close();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Pool")
            .field("max_idle_bytes", &self.max_idle_bytes())
            .field("usage", &self.usage().total)
            .field("damage", &self.damage())
            .finish()
    }
}
