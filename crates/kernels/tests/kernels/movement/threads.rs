//! Problems large enough for several threads, for rows of every length, and for results past the caches: the bits of the
//! reference on any number of threads.

use std::sync::{Arc, LazyLock};

use stratal_kernels::movement::Triangle;
use stratal_kernels::{Backend, Kernels, Threads};
use stratal_tensor_base::DType;

use super::calls::{Call, Mode, Pattern};
use super::runner::{Operand, check_with_reference};
use crate::EMULATED;
use crate::array::Array;
use crate::backends::on_threads;
use crate::place::{Place, in_order};
use crate::values::{Generator, mixed};

/// Backends on one, two and three threads.
fn on_many_threads() -> Vec<Arc<dyn Kernels>> {
    let pools: Vec<Threads> = [1, 2, 3].into_iter().map(|threads| Threads::own(threads).unwrap()).collect();
    let vector_backends = Backend::available().into_iter().filter(|backend| *backend != Backend::Reference);
    vector_backends
        .flat_map(|backend| pools.iter().map(move |threads| on_threads(backend, threads.clone())).collect::<Vec<_>>())
        .collect()
}

fn check(call: &Call, operands: &[Operand], dtype: DType, places: &[Place]) {
    static KERNELS: LazyLock<Vec<Arc<dyn Kernels>>> = LazyLock::new(on_many_threads);
    check_with_reference(call, operands, (dtype, places), &KERNELS);
}

/// A result without gaps, one with axes in another order, one with gaps, and one in reverse.
fn places(extents: &[i64]) -> Vec<Place> {
    let order: Vec<usize> = (0..extents.len()).rev().collect();
    let dense = Place::dense(extents, 3);
    let reversed: Vec<i64> = dense.strides.iter().map(|stride| -stride).collect();
    let with_gaps: Vec<i64> = extents.iter().map(|extent| extent + 1).collect();
    vec![
        Place::new(extents, &in_order(extents, &order, 1), 1),
        Place::new(extents, &in_order(&with_gaps, &(0..extents.len()).collect::<Vec<_>>(), 1), 2),
        Place::new(extents, &reversed, 0),
        dense,
    ]
}

fn dense(dtype: DType, extents: &[i64], seed: u64) -> Operand {
    let place = Place::dense(extents, 1);
    (mixed(dtype, place.buffer, &mut Generator(seed)), place)
}

/// The same elements with the axes in memory from the last to the first.
fn transposed(dtype: DType, extents: &[i64], seed: u64) -> Operand {
    let order: Vec<usize> = (0..extents.len()).rev().collect();
    let place = Place::new(extents, &in_order(extents, &order, 1), 2);
    (mixed(dtype, place.buffer, &mut Generator(seed)), place)
}

fn indices(dtype: DType, extents: &[i64], limit: i64) -> Operand {
    let place = Place::dense(extents, 1);
    let generator = &mut Generator(limit as u64);
    let mask = if dtype == DType::I32 { 0xFFFF_FFFF } else { u64::MAX };
    let number = |_| (generator.below(2 * limit as usize) as i64 - limit) as u64 & mask;
    (Array::new(dtype, (0..place.buffer).map(number).collect::<Vec<_>>()), place)
}

/// Full size, or less of an outer axis under emulation.
fn many(count: i64) -> i64 {
    if EMULATED { count / 16 + 1 } else { count }
}

#[test]
fn parts_along_every_axis() {
    for (dtype, outer) in [(DType::F32, many(47)), (DType::U8, many(61)), (DType::F64, 2)] {
        for axis in 0..3 {
            let part = |extent: i64| {
                let mut extents = [outer, 53, 71];
                extents[axis] = extent;
                extents
            };
            let parts = [
                dense(dtype, &part(17), 1),
                dense(dtype, &part(0), 2),
                transposed(dtype, &part(1), 3),
                dense(dtype, &part(30), 4),
                transposed(dtype, &part(41), 5),
            ];
            check(&Call::Concat { axis: axis as i64 }, &parts, dtype, &places(&part(89)));
        }
    }
}

#[test]
fn one_long_row_of_parts() {
    let parts: Vec<Operand> = [70_001, 3, 0, 99_999].map(|extent| dense(DType::I16, &[many(extent)], 7)).into();
    let total = parts.iter().map(|(_, place)| place.extents[0]).sum();
    check(&Call::Concat { axis: 0 }, &parts, DType::I16, &places(&[total]));
}

#[test]
fn images_padded_in_every_mode() {
    let value = |dtype| Pattern(dtype, 0x7F80_0001_7FA0_0001 & (u64::MAX >> (64 - 8 * DType::size(dtype))));
    for dtype in [DType::F32, DType::U8, DType::I64] {
        for mode in [Mode::Constant(value(dtype)), Mode::Reflect, Mode::Edge, Mode::Wrap] {
            let channels_first = Call::Pad { before: vec![0, 0, 3, 1], after: vec![0, 0, -2, 5], mode };
            let extents = [2, many(13), 31, 90];
            check(&channels_first, &[dense(dtype, &extents, 1)], dtype, &places(&[2, many(13), 32, 96]));
            let channels_last = Call::Pad { before: vec![0, 2, 4, 0], after: vec![0, 1, -1, 0], mode };
            check(&channels_last, &[dense(dtype, &[2, many(40), 90, 5], 2)], dtype, &places(&[2, many(40) + 3, 93, 5]));
            check(&channels_last, &[transposed(dtype, &[2, 3, 90, 5], 2)], dtype, &places(&[2, 6, 93, 5]));
            let row = Call::Pad { before: vec![1000], after: vec![2000], mode };
            check(&row, &[dense(dtype, &[many(100_003)], 3)], dtype, &places(&[many(100_003) + 3000]));
        }
    }
}

#[test]
fn tiles_of_every_size() {
    let cases: [(&[i64], &[i64]); 8] = [
        (&[1], &[150_001]),
        (&[3], &[50_001]),
        (&[700], &[203]),
        (&[7000], &[23]),
        (&[50, 1], &[3, 1001]),
        (&[1, 1001], &[150, 2]),
        (&[40, 5, 60], &[2, 3, 4]),
        (&[300, 2, 1], &[1, 50, 7]),
    ];
    for (extents, repeats) in cases {
        let mut repeats = repeats.to_vec();
        if EMULATED {
            repeats.iter_mut().for_each(|repeat| *repeat = (*repeat / 16).max(1));
        }
        let result: Vec<i64> = extents.iter().zip(&repeats).map(|(extent, repeat)| extent * repeat).collect();
        for dtype in [DType::F32, DType::U8, DType::F16, DType::I64] {
            let call = Call::Tile { repeats: repeats.clone() };
            check(&call, &[dense(dtype, extents, 1)], dtype, &places(&result));
            check(&call, &[transposed(dtype, extents, 2)], dtype, &places(&result)[2..]);
        }
    }
}

#[test]
fn slices_elements_and_tuples_gathered() {
    for (dtype, of_indices) in [(DType::F32, DType::I64), (DType::F16, DType::I32), (DType::U8, DType::I64)] {
        for width in [1, 5, 300] {
            let rows = indices(of_indices, &[many(401), 7], 90);
            let table = dense(dtype, &[90, width], 1);
            check(&Call::Gather { axis: 0 }, &[table, rows.clone()], dtype, &places(&[many(401), 7, width]));
            let columns = transposed(dtype, &[width, 90], 2);
            check(&Call::Gather { axis: 1 }, &[columns, rows], dtype, &places(&[width, many(401), 7]));
        }
        for axis in 0..2 {
            let x = dense(dtype, &[301, 311], 3);
            let places = places(&[many(300), 310]);
            check(&Call::GatherElements { axis }, &[x, indices(of_indices, &[many(300), 310], 301)], dtype, &places);
        }
        let x = dense(dtype, &[5, 60, 70, 3], 4);
        let tuples = indices(of_indices, &[5, many(4001), 2], 60);
        let call = Call::GatherNd { batch_axes: 1 };
        check(&call, &[x, tuples], dtype, &places(&[5, many(4001), 3]));
    }
}

#[test]
fn scattered_rows_and_elements() {
    for dtype in [DType::F32, DType::BF16, DType::U8, DType::F64] {
        for reduction in super::cases::REDUCTIONS {
            let x = dense(dtype, &[40, 41, 50], 1);
            let tuples = indices(DType::I64, &[many(90), 1], 40);
            let updates = dense(dtype, &[many(90), 41, 50], 2);
            let call = Call::ScatterNd { reduction };
            check(&call, &[x.clone(), tuples, updates], dtype, &places(&[40, 41, 50])[2..]);
            let elements = indices(DType::I32, &[40, 700, 5], 41);
            let call = Call::ScatterElements { axis: 1, reduction };
            // Indices may be longer than the operand along their axis.
            let updates = dense(dtype, &[40, 700, 5], 3);
            check(&call, &[x, elements, updates], dtype, &places(&[40, 41, 50])[2..]);
        }
    }
}

#[test]
fn triangles_rows_of_one_value_and_what_is_chosen() {
    for dtype in [DType::F32, DType::U8] {
        for triangle in [Triangle::Upper, Triangle::Lower] {
            let extents = [3, many(211), 190];
            for diagonal in [-50, 0, 170] {
                let call = Call::Triangular { triangle, diagonal };
                check(&call, &[dense(dtype, &extents, 1)], dtype, &places(&extents));
            }
        }
        for axis in 0..2 {
            let depth = 67;
            let call = Call::OneHot { depth, axis, values: [Pattern(dtype, 1), Pattern(dtype, 9)] };
            let extents = if axis == 0 { [depth, many(3001)] } else { [many(3001), depth] };
            check(&call, &[indices(DType::I64, &[many(3001)], depth + 2)], dtype, &places(&extents));
        }
        let x = dense(dtype, &[many(3001), 67], 2);
        let (truths, place) = dense(DType::Bool, &[many(3001)], 3);
        let chosen = place.positions().iter().filter(|position| truths.get(**position) != 0).count() as i64;
        check(&Call::Compress { axis: Some(0) }, &[x, (truths, place)], dtype, &places(&[chosen, 67]));
    }
}

/// Rows long and short in results of more than 8 MiB, which may go past the caches, from every start within a word.
#[test]
fn results_larger_than_the_caches() {
    if EMULATED {
        return;
    }
    for (dtype, count, before) in [(DType::F32, 1_100_000, 1), (DType::U8, 4_300_000, 3), (DType::U8, 4_300_000, 1)] {
        let result = |extents: &[i64]| [Place::dense(extents, before)];
        let halves = [dense(dtype, &[1, count], 1), dense(dtype, &[1, count], 2)];
        check(&Call::Concat { axis: 0 }, &halves, dtype, &result(&[2, count]));
        let columns = count / 1000;
        let halves = [dense(dtype, &[1000, columns], 1), dense(dtype, &[1000, columns - 3], 2)];
        check(&Call::Concat { axis: 1 }, &halves, dtype, &result(&[1000, 2 * columns - 3]));
        let rows = indices(DType::I64, &[2000], 50);
        check(&Call::Gather { axis: 0 }, &[dense(dtype, &[50, columns], 3), rows], dtype, &result(&[2000, columns]));
        let mode = Mode::Constant(Pattern(dtype, 5));
        let call = Call::Pad { before: vec![1, 3], after: vec![1, 2], mode };
        check(&call, &[dense(dtype, &[2000, columns], 4)], dtype, &result(&[2002, columns + 5]));
        let call = Call::Tile { repeats: vec![2, 1] };
        check(&call, &[dense(dtype, &[1000, columns], 5)], dtype, &result(&[2000, columns]));
    }
}
