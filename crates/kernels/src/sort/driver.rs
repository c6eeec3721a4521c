//! Rows of keys with indices, sorted or selected.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{Element, Geometry};

use crate::AnyView;
use crate::ordered::{Ordered, match_ordered};
use crate::parallel::Threads;

/// Elements that one thread takes at a time, about.
const GRAIN: usize = 16 * 1024;

/// What is wanted of each row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    /// How many elements.
    pub(crate) count: usize,
    /// Whether the largest come first.
    pub(crate) descending: bool,
    /// Whether they stand in order, else in the order of indices.
    pub(crate) sorted: bool,
}

/// Chosen elements and their indices along the last axis of a geometry, rows without gaps one after another.
pub(crate) fn run(
    x: &AnyView<'_>,
    rows: &Geometry,
    order: Order,
    threads: &Threads,
    values: &mut [u8],
    indices: &mut [i64],
) {
    let dtype = x.dtype();
    match_ordered!(dtype, T => {
        let values: &mut [T] = cast_slice_mut(values);
        if dtype.size() == 8 {
            divide::<T, u128>(cast_slice(x.bytes()), rows, order, threads, values, indices);
        } else {
            divide::<T, u64>(cast_slice(x.bytes()), rows, order, threads, values, indices);
        }
    });
}

fn divide<T: Packed<P>, P: Copy + Ord + Send + Sync>(
    x: &[T],
    rows: &Geometry,
    order: Order,
    threads: &Threads,
    values: &mut [T],
    indices: &mut [i64],
) {
    let rank = rows.shape().rank();
    let extent = rows.shape().extent(rank - 1);
    let stride = rows.strides()[rank - 1] as isize;
    if values.is_empty() {
        return;
    }
    // An index of 0 exists, since there are results.
    let starts: Vec<usize> = rows.select(-1, 0).into_iter().flat_map(|starts| starts.offsets()).collect();
    let chunk = (GRAIN / extent).max(1) * order.count;
    threads.for_each_chunk_of_two((values, chunk), (indices, chunk), |part, values, indices| {
        let mut packed: Vec<P> = Vec::new();
        let rows = values.chunks_exact_mut(order.count).zip(indices.chunks_exact_mut(order.count));
        for ((values, indices), start) in rows.zip(&starts[part * chunk / order.count..]) {
            let element = |index: usize| x[start.wrapping_add_signed(stride * index as isize)];
            let keys = (0..extent).map(|index| element(index).pack(index as u32, order.descending));
            select(keys, order, extent, &mut packed);
            if !order.sorted {
                packed.sort_unstable_by_key(|packed| T::index(*packed));
            }
            for ((value, place), packed) in values.iter_mut().zip(indices).zip(&packed) {
                let index = T::index(*packed) as usize;
                (*value, *place) = (element(index), index as i64);
            }
        }
    });
}

/// Leaves the smallest of the integers in the list, in the order wanted.
fn select<P: Copy + Ord>(mut all: impl Iterator<Item = P>, order: Order, extent: usize, list: &mut Vec<P>) {
    let count = order.count;
    list.clear();
    if count.saturating_mul(4) >= extent {
        list.extend(all);
        if count < extent {
            list.select_nth_unstable(count - 1);
            list.truncate(count);
        }
    } else {
        // Room for as many candidates as are thinned out at once.
        let most = (2 * count).max(64);
        list.extend(all.by_ref().take(most));
        let mut worst = thin_out(list, count);
        for packed in all {
            if packed < worst {
                list.push(packed);
                if list.len() == most {
                    worst = thin_out(list, count);
                }
            }
        }
        thin_out(list, count);
    }
    if order.sorted {
        list.sort_unstable();
    }
}

/// Keeps the smallest, and gives the largest of those.
fn thin_out<P: Copy + Ord>(list: &mut Vec<P>, count: usize) -> P {
    let worst = *list.select_nth_unstable(count - 1).1;
    list.truncate(count);
    worst
}

/// An element's key and index in one integer.
trait Packed<P>: Element {
    /// Integers of ascending keys, or descending ones; of equal keys those of ascending indices.
    fn pack(self, index: u32, descending: bool) -> P;

    /// The index.
    fn index(packed: P) -> u32;
}

impl<T: Ordered> Packed<u64> for T
where
    T::Key: Biased,
{
    #[inline(always)]
    fn pack(self, index: u32, descending: bool) -> u64 {
        let key = self.key().biased() as u32;
        let key = if descending { !key } else { key };
        u64::from(key) << 32 | u64::from(index)
    }

    #[inline(always)]
    fn index(packed: u64) -> u32 {
        packed as u32
    }
}

impl<T: Ordered> Packed<u128> for T
where
    T::Key: Biased,
{
    #[inline(always)]
    fn pack(self, index: u32, descending: bool) -> u128 {
        let key = self.key().biased();
        let key = if descending { !key } else { key };
        u128::from(key) << 32 | u128::from(index)
    }

    #[inline(always)]
    fn index(packed: u128) -> u32 {
        packed as u32
    }
}

/// Integers as unsigned ones of the same order. Those of up to 32 bits stay below 2^32.
trait Biased {
    fn biased(self) -> u64;
}

macro_rules! biased {
    ($($type:ty, $unsigned:ty, $bias:expr;)*) => {$(
        impl Biased for $type {
            #[inline(always)]
            fn biased(self) -> u64 {
                ((self as $unsigned) ^ $bias).into()
            }
        }
    )*};
}

biased! {
    u8, u8, 0;
    u16, u16, 0;
    u32, u32, 0;
    u64, u64, 0;
    i8, u8, 1 << 7;
    i16, u16, 1 << 15;
    i32, u32, 1 << 31;
    i64, u64, 1 << 63;
}
