//! `Usage`: what a pool has rented and holds, in all and per size class.

/// What was rented, and how many bytes there are.
///
/// Bytes are counted in bytes of size classes, whatever length was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Usage {
    /// How many blocks were rented: for buffers, chunks of arenas and planned blocks.
    pub rents: u64,
    /// How many of them were idle before, so that the source was not asked.
    pub hits: u64,
    /// The bytes that are rented now.
    pub live_bytes: u64,
    /// The bytes that wait in free lists now.
    pub idle_bytes: u64,
    /// The most bytes that were rented at one time.
    pub live_bytes_peak: u64,
}

/// What was rented from one size class, and how many bytes of it there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClassUsage {
    /// The bytes of one block.
    pub class_bytes: u64,
    /// What was rented, and how many bytes there are.
    pub usage: Usage,
}

/// What a pool has rented and holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PoolUsage {
    /// Over all classes.
    pub total: Usage,
    /// For each class that was ever rented from, in ascending order.
    pub classes: Vec<ClassUsage>,
}

impl Usage {
    #[inline]
    pub(crate) fn note_rent(&mut self, bytes: u64) {
        self.rents += 1;
        self.live_bytes += bytes;
        self.live_bytes_peak = self.live_bytes_peak.max(self.live_bytes);
    }

    #[inline]
    pub(crate) fn note_hit(&mut self, bytes: u64) {
        self.hits += 1;
        self.idle_bytes -= bytes;
        self.note_rent(bytes);
    }
}
