//! Threads: the only user of rayon, and how a problem is divided.
//!
//! Where a problem is cut depends on its size alone, never on the number of threads, so that every result has the same
//! bits on one thread and on many. Small problems stay on the calling thread: waking another costs more than they do.
//! Idle threads sleep; rayon's workers look for work for a few microseconds before they do.

use std::fmt;
use std::sync::Arc;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::KernelError;

/// The threads that kernels may use: those of the process, a pool of one's own, or only the calling one.
#[derive(Clone, Default)]
pub struct Threads(Kind);

#[derive(Clone, Default)]
enum Kind {
    /// The calling thread alone.
    Calling,
    /// Rayon's pool of the process, as many as the machine has cores unless `RAYON_NUM_THREADS` says otherwise.
    #[default]
    Process,
    /// A pool of its own.
    Own(Arc<ThreadPool>),
}

impl Threads {
    /// Only the thread that calls.
    pub const fn calling() -> Self {
        Self(Kind::Calling)
    }

    /// The pool that all of the process shares; for calls from a thread of another rayon pool, that pool.
    pub const fn process() -> Self {
        Self(Kind::Process)
    }

    /// A pool of so many threads; one means the calling thread.
    ///
    /// # Errors
    /// [`KernelError::Threads`] for no threads, and when the system cannot start them.
    pub fn own(threads: usize) -> Result<Self, KernelError> {
        match threads {
            0 => Err(KernelError::Threads { threads }),
            1 => Ok(Self::calling()),
            _ => rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(|index| format!("stratal-{index}"))
                .build()
                .map(|pool| Self(Kind::Own(Arc::new(pool))))
                .map_err(|_| KernelError::Threads { threads }),
        }
    }

    /// How many threads work at once.
    pub fn count(&self) -> usize {
        match &self.0 {
            Kind::Calling => 1,
            Kind::Process => rayon::current_num_threads(),
            Kind::Own(pool) => pool.current_num_threads(),
        }
    }

    /// Does the work on chunks of a slice, each with the position of its first element. All but the last have
    /// `chunk` elements.
    pub(crate) fn for_each_chunk<T: Send>(&self, slice: &mut [T], chunk: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        if slice.len() <= chunk {
            return work(0, slice);
        }
        let on_many = |slice: &mut [T]| {
            slice.par_chunks_mut(chunk).enumerate().for_each(|(index, part)| work(index * chunk, part));
        };
        match &self.0 {
            Kind::Process if rayon::current_num_threads() > 1 => on_many(slice),
            Kind::Own(pool) => pool.install(|| on_many(slice)),
            Kind::Process | Kind::Calling => {
                slice.chunks_mut(chunk).enumerate().for_each(|(index, part)| work(index * chunk, part));
            }
        }
    }

    /// Does the work once for each number below `count`, in any order, on many threads if `in_parallel`.
    ///
    /// No number comes twice: `Grid::for_each` hands out exclusive parts of a slice by number.
    pub(crate) fn for_each_index(&self, count: usize, in_parallel: bool, work: impl Fn(usize) + Sync) {
        match &self.0 {
            Kind::Process if in_parallel && count > 1 && rayon::current_num_threads() > 1 => {
                (0..count).into_par_iter().for_each(&work);
            }
            Kind::Own(pool) if in_parallel && count > 1 => pool.install(|| (0..count).into_par_iter().for_each(&work)),
            Kind::Process | Kind::Calling | Kind::Own(_) => (0..count).for_each(&work),
        }
    }

    /// Does the work on chunks of two slices that are divided alike, each pair with its number. The slices have equally many
    /// chunks, each of its own size.
    pub(crate) fn for_each_chunk_of_two<A: Send, B: Send>(
        &self,
        (a, chunk_of_a): (&mut [A], usize),
        (b, chunk_of_b): (&mut [B], usize),
        work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
    ) {
        if a.len() <= chunk_of_a {
            return work(0, a, b);
        }
        let on_many = |a: &mut [A], b: &mut [B]| {
            let parts = a.par_chunks_mut(chunk_of_a).zip(b.par_chunks_mut(chunk_of_b));
            parts.enumerate().for_each(|(index, (a, b))| work(index, a, b));
        };
        match &self.0 {
            Kind::Process if rayon::current_num_threads() > 1 => on_many(a, b),
            Kind::Own(pool) => pool.install(|| on_many(a, b)),
            Kind::Process | Kind::Calling => {
                let parts = a.chunks_mut(chunk_of_a).zip(b.chunks_mut(chunk_of_b));
                parts.enumerate().for_each(|(index, (a, b))| work(index, a, b));
            }
        }
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Calling => formatter.write_str("Threads::calling"),
            Kind::Process => formatter.write_str("Threads::process"),
            Kind::Own(pool) => write!(formatter, "Threads::own({})", pool.current_num_threads()),
        }
    }
}
