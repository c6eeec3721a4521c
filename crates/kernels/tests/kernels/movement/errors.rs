//! Calls that cannot be done: which error, on every backend the same, and nothing written.

use std::fmt::Write;

use stratal_kernels::movement::{PadMode, Padding};
use stratal_kernels::movement::{
    ScatterReduction, Triangle, concat_shape, gather_nd_shape, gather_shape, one_hot_shape, pad_shape, tile_shape,
};
use stratal_kernels::{AnyViewMut, KernelError};
use stratal_tensor_base::{DType, Scalar, Shape, ShapeError};

use super::calls::{Call, Mode, Pattern};
use crate::EMULATED;
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::place::Place;
use crate::values::Generator;

/// An operand or a result by dtype, extents and bits of all its elements.
type Part<'a> = (DType, &'a [i64], u64);

/// The error on every backend, which must be one, and must write nothing, in place neither.
fn refusal(call: &Call, operands: &[Part<'_>], (dtype, extents): (DType, &[i64])) -> KernelError {
    let places: Vec<Place> = operands.iter().map(|(_, extents, _)| Place::dense(extents, 1)).collect();
    let arrays: Vec<Array> = operands
        .iter()
        .zip(&places)
        .map(|((dtype, _, bits), place)| Array::new(*dtype, vec![*bits; place.buffer]))
        .collect();
    let views: Vec<_> = arrays.iter().zip(&places).map(|(array, place)| array.view(place)).collect();
    let place = Place::dense(extents, 1);
    let mut errors: Vec<KernelError> = Vec::new();
    for kernels in BACKENDS.iter() {
        let canary = Array::canary(dtype, place.buffer);
        let mut result = canary.clone();
        let outcome = call.run(&**kernels, &views, &mut result.view_mut(&place));
        assert_eq!(result, canary, "{call:?} wrote something on {}", kernels.backend());
        errors.push(outcome.expect_err(&format!("{call:?} of {operands:?} to {extents:?} on {}", kernels.backend())));
    }
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors[0]
}

const F32: DType = DType::F32;
const I64: DType = DType::I64;
const NONE: ScatterReduction = ScatterReduction::None;

fn pad(before: &[i64], after: &[i64], mode: Mode) -> Call {
    Call::Pad { before: before.to_vec(), after: after.to_vec(), mode }
}

/// Every kind of error of every operation, in the words that people read.
#[test]
fn errors_of_movement() {
    let mut text = String::new();
    let mut note = |call: Call, operands: &[Part<'_>], result: (DType, &[i64])| {
        writeln!(text, "{}", refusal(&call, operands, result)).unwrap();
    };
    let x: Part<'_> = (F32, &[2, 3], 1);
    let like_x: (DType, &[i64]) = (F32, &[2, 3]);
    let one = Mode::Constant(Pattern(F32, 1));

    note(Call::Concat { axis: 0 }, &[], like_x);
    note(Call::Concat { axis: 2 }, &[x], like_x);
    note(Call::Concat { axis: 0 }, &[(F32, &[], 1)], (F32, &[]));
    note(Call::Concat { axis: 1 }, &[x, (F32, &[3, 3], 1)], (F32, &[2, 6]));
    note(Call::Concat { axis: 1 }, &[x, (F32, &[2], 1)], (F32, &[2, 6]));
    note(Call::Concat { axis: 1 }, &[x, (I64, &[2, 3], 1)], (F32, &[2, 6]));
    note(Call::Concat { axis: 1 }, &[x, x], (F32, &[2, 5]));
    note(Call::Concat { axis: -3 }, &[x, x], (F32, &[2, 6]));

    note(Call::Tile { repeats: vec![2] }, &[x], like_x);
    note(Call::Tile { repeats: vec![2, -1] }, &[x], like_x);
    note(Call::Tile { repeats: vec![i64::MAX, 2] }, &[x], like_x);
    note(Call::Tile { repeats: vec![1 << 20, 1 << 20] }, &[x], like_x);
    note(Call::Tile { repeats: vec![2, 1] }, &[x], like_x);
    note(Call::Tile { repeats: vec![1, 1] }, &[x], (I64, &[2, 3]));

    note(pad(&[1], &[1, 1], one), &[x], like_x);
    note(pad(&[1, 1], &[1, 1, 1], one), &[x], like_x);
    note(pad(&[2, 0], &[0, 0], Mode::Reflect), &[x], (F32, &[4, 3]));
    note(pad(&[0, -2], &[0, 1], Mode::Reflect), &[x], like_x);
    note(pad(&[1, 0], &[0, 0], Mode::Edge), &[(F32, &[0, 3], 1)], (F32, &[1, 3]));
    note(pad(&[0, -4], &[0, 2], Mode::Wrap), &[x], (F32, &[2, 1]));
    note(pad(&[-3, 0], &[0, 0], one), &[x], like_x);
    note(pad(&[i64::MAX, 0], &[i64::MAX, 0], one), &[x], like_x);
    note(pad(&[i64::MIN, 0], &[i64::MIN, 0], Mode::Edge), &[x], like_x);
    note(pad(&[0, 0], &[0, 0], Mode::Constant(Pattern(I64, 1))), &[x], like_x);
    note(pad(&[0, 1], &[0, 0], one), &[x], like_x);

    let indices: Part<'_> = (I64, &[4], 1);
    note(Call::Gather { axis: 5 }, &[x, indices], (F32, &[2, 4]));
    note(Call::Gather { axis: 0 }, &[(F32, &[], 1), indices], (F32, &[4]));
    note(Call::Gather { axis: 1 }, &[x, (DType::U8, &[4], 1)], (F32, &[2, 4]));
    note(Call::Gather { axis: 1 }, &[x, (I64, &[4], 3)], (F32, &[2, 4]));
    note(Call::Gather { axis: 1 }, &[x, (DType::I32, &[4], 0x8000_0000)], (F32, &[2, 4]));
    note(Call::Gather { axis: 1 }, &[x, indices], (F32, &[2, 5]));
    note(Call::Gather { axis: 1 }, &[x, indices], (I64, &[2, 4]));
    note(Call::Gather { axis: 0 }, &[(F32, &[1, 1, 1, 1, 1], 1), (I64, &[1, 1, 1, 1, 1], 0)], (F32, &[1]));

    let elements: Part<'_> = (I64, &[2, 2], 0);
    note(Call::GatherElements { axis: -3 }, &[x, elements], (F32, &[2, 2]));
    note(Call::GatherElements { axis: 1 }, &[x, indices], (F32, &[4]));
    note(Call::GatherElements { axis: 1 }, &[x, (I64, &[3, 2], 0)], (F32, &[3, 2]));
    note(Call::GatherElements { axis: 1 }, &[x, (F32, &[2, 2], 0)], (F32, &[2, 2]));
    note(Call::GatherElements { axis: 1 }, &[x, (I64, &[2, 2], u64::MAX - 3)], (F32, &[2, 2]));
    note(Call::GatherElements { axis: 1 }, &[x, elements], (F32, &[2, 3]));

    note(Call::GatherNd { batch_axes: 0 }, &[x, (I64, &[], 0)], (F32, &[]));
    note(Call::GatherNd { batch_axes: 0 }, &[x, (I64, &[1, 3], 0)], (F32, &[1]));
    note(Call::GatherNd { batch_axes: 0 }, &[x, (I64, &[1, 0], 0)], (F32, &[1, 2, 3]));
    note(Call::GatherNd { batch_axes: 2 }, &[x, (I64, &[2, 3, 1], 0)], (F32, &[2, 3]));
    note(Call::GatherNd { batch_axes: usize::MAX }, &[x, (I64, &[2, 3, 1], 0)], (F32, &[2, 3]));
    note(Call::GatherNd { batch_axes: 1 }, &[x, (I64, &[4, 1], 0)], (F32, &[4]));
    note(Call::GatherNd { batch_axes: 1 }, &[x, (I64, &[2, 1], 3)], (F32, &[2]));
    note(Call::GatherNd { batch_axes: 0 }, &[x, (DType::I16, &[2, 1], 0)], (F32, &[2, 3]));
    note(Call::GatherNd { batch_axes: 0 }, &[x, (I64, &[2, 1], 0)], (F32, &[2]));

    let scatter = |axis, reduction| Call::ScatterElements { axis, reduction };
    let updates: Part<'_> = (F32, &[2, 2], 1);
    note(scatter(2, NONE), &[x, elements, updates], like_x);
    note(scatter(0, NONE), &[x, elements, (F32, &[2, 1], 1)], like_x);
    note(scatter(0, NONE), &[x, elements, (I64, &[2, 2], 1)], like_x);
    note(scatter(0, NONE), &[x, (I64, &[2, 4], 0), (F32, &[2, 4], 1)], like_x);
    note(scatter(0, NONE), &[x, (I64, &[2, 2], 2), updates], like_x);
    note(scatter(0, NONE), &[x, elements, updates], (F32, &[3, 2]));
    note(scatter(0, NONE), &[x, elements, updates], (DType::I32, &[2, 3]));
    let truths: [Part<'_>; 3] = [(DType::Bool, &[2, 3], 1), elements, (DType::Bool, &[2, 2], 1)];
    note(scatter(0, ScatterReduction::Max), &truths, (DType::Bool, &[2, 3]));
    let scatter = |reduction| Call::ScatterNd { reduction };
    note(scatter(NONE), &[x, (I64, &[1, 3], 0), (F32, &[1], 1)], like_x);
    note(scatter(NONE), &[x, (I64, &[1, 1], 0), (F32, &[1], 1)], like_x);
    note(scatter(NONE), &[x, (I64, &[1, 2], 2), (F32, &[1], 1)], like_x);
    note(scatter(NONE), &[x, (I64, &[1, 1], 0), (F32, &[1, 3], 1)], (F32, &[3, 2]));
    let truths: [Part<'_>; 3] = [(DType::Bool, &[2], 1), (I64, &[1, 1], 0), (DType::Bool, &[1], 1)];
    note(scatter(ScatterReduction::Add), &truths, (DType::Bool, &[2]));

    let values = [Pattern(F32, 0), Pattern(F32, 1)];
    let one_hot = |depth, axis, values| Call::OneHot { depth, axis, values };
    note(one_hot(3, 2, values), &[indices], (F32, &[4, 3]));
    note(one_hot(-1, 1, values), &[indices], (F32, &[4, 3]));
    note(one_hot(i64::MAX, 1, values), &[indices], (F32, &[4, 3]));
    note(one_hot(1 << 30, 1, values), &[indices], (F32, &[4, 3]));
    note(one_hot(3, i64::MIN, values), &[indices], (F32, &[4, 3]));
    note(one_hot(3, 1, values), &[(F32, &[4], 0)], (F32, &[4, 3]));
    note(one_hot(3, 1, values), &[indices], (I64, &[4, 3]));
    note(one_hot(3, 1, [Pattern(F32, 0), Pattern(I64, 0)]), &[indices], (F32, &[4, 3]));
    note(one_hot(3, 1, values), &[indices], (F32, &[3, 4]));

    let upper = Call::Triangular { triangle: Triangle::Upper, diagonal: 0 };
    note(upper.clone(), &[(F32, &[3], 1)], (F32, &[3]));
    note(upper, &[x], (F32, &[3, 2]));
    note(Call::NonZero, &[x], (I64, &[2, 5]));
    note(Call::NonZero, &[x], (DType::I32, &[2, 6]));

    let truths: Part<'_> = (DType::Bool, &[2], 1);
    note(Call::Compress { axis: Some(2) }, &[x, truths], like_x);
    note(Call::Compress { axis: Some(0) }, &[x, (DType::Bool, &[3], 1)], like_x);
    note(Call::Compress { axis: None }, &[x, (DType::Bool, &[7], 1)], (F32, &[6]));
    note(Call::Compress { axis: Some(0) }, &[x, (DType::U8, &[2], 1)], like_x);
    note(Call::Compress { axis: Some(0) }, &[x, (DType::Bool, &[2, 1], 1)], like_x);
    note(Call::Compress { axis: Some(0) }, &[x, truths], (F32, &[1, 3]));

    let reverse = |batch_axis, time_axis| Call::ReverseSequence { batch_axis, time_axis };
    note(reverse(0, 2), &[x, (I64, &[2], 1)], like_x);
    note(reverse(1, -1), &[x, (I64, &[3], 1)], like_x);
    note(reverse(0, 1), &[x, (I64, &[3], 1)], like_x);
    note(reverse(0, 1), &[x, (F32, &[2], 1)], like_x);
    note(reverse(0, 1), &[x, (I64, &[2], 4)], like_x);
    note(reverse(0, 1), &[x, (I64, &[2], u64::MAX)], like_x);
    note(reverse(0, 1), &[x, (I64, &[2], 1)], (F32, &[3, 2]));
    insta::assert_snapshot!(text);
}

/// An error found at the last index leaves what comes before as it was, in place too.
#[test]
fn nothing_is_written_when_the_last_index_is_wrong() {
    let rows = Place::dense(&[100, 3], 1);
    let x = Array::new(F32, vec![1; rows.buffer]);
    let place = Place::dense(&[100, 1], 0);
    let mut numbers = vec![5_u64; place.buffer];
    numbers[99] = 100;
    let indices = Array::new(I64, numbers);
    for kernels in BACKENDS.iter() {
        let error = |outcome: Result<(), KernelError>| {
            assert!(matches!(outcome, Err(KernelError::Index { index: 100, axis: 0, extent: 100, .. })), "{outcome:?}");
        };
        let mut target = x.clone();
        let (rows_of_x, at) = (x.view(&rows), indices.view(&place));
        error(kernels.scatter_nd_in_place(&mut target.view_mut(&rows), &at, &rows_of_x, NONE));
        let column = Array::new(F32, vec![2; 101]);
        let updates = column.view(&place);
        error(kernels.scatter_elements_in_place(&mut target.view_mut(&rows), &at, &updates, 0, NONE));
        assert_eq!(target, x);
        let result = Place::dense(&[100, 1, 3], 0);
        let mut target = Array::canary(F32, result.buffer);
        error(kernels.gather(&rows_of_x, &at, 0, &mut target.view_mut(&result)));
        error(kernels.gather_elements(&rows_of_x, &at, 0, &mut target.view_mut(&place)));
        assert_eq!(target, Array::canary(F32, result.buffer));
    }
}

/// Parts of a split that are of another kind.
#[test]
fn results_of_splits_are_checked() {
    let place = Place::dense(&[2, 3], 0);
    let x = Array::new(F32, vec![1; place.buffer]);
    for kernels in BACKENDS.iter() {
        let refused = |axis: i64, parts: &[(DType, &[i64])]| {
            let places: Vec<Place> = parts.iter().map(|(_, extents)| Place::dense(extents, 0)).collect();
            let canaries = parts.iter().zip(&places).map(|((dtype, _), place)| Array::canary(*dtype, place.buffer));
            let mut results: Vec<Array> = canaries.collect();
            let before = results.clone();
            let mut views: Vec<AnyViewMut<'_>> =
                results.iter_mut().zip(&places).map(|(result, place)| result.view_mut(place)).collect();
            let error = kernels.split(&x.view(&place), axis, &mut views).unwrap_err();
            assert_eq!(results, before);
            error.to_string()
        };
        assert_eq!(refused(2, &[]), "split: axis 2 is out of range for rank 2");
        assert_eq!(refused(0, &[]), "split: parts of 0 in all do not make up axis 0 of extent 2");
        let parts: [(DType, &[i64]); 2] = [(F32, &[2, 3]), (F32, &[2, 1])];
        assert_eq!(refused(1, &parts), "split: parts of 4 in all do not make up axis 1 of extent 3");
        let parts: [(DType, &[i64]); 2] = [(F32, &[2, 2]), (F32, &[1, 1])];
        assert_eq!(refused(1, &parts), "split needs a result of shape [2, 1], found [1, 1]");
        assert_eq!(refused(1, &[(I64, &[2, 3])]), "split needs a result of float32, found int64");
        assert_eq!(refused(0, &[(F32, &[])]), "split needs a result of shape [0, 3], found []");
    }
}

/// Numbers of any size as attributes: an error or a shape within the limits, never a trap.
#[test]
fn shapes_of_hostile_attributes() {
    let generator = &mut Generator(11);
    let any = |generator: &mut Generator| match generator.below(8) {
        0 => i64::MAX - generator.below(3) as i64,
        1 => i64::MIN + generator.below(3) as i64,
        2 => generator.next() as i64,
        3 => (1 << 31) - generator.below(3) as i64,
        _ => generator.below(9) as i64 - 4,
    };
    let shapes: [&[i64]; 7] = [&[], &[0], &[3], &[2, 3], &[0, 100_000, 100_000], &[2_147_483_647], &[1; 8]];
    let mut kept = 0;
    for _ in 0..if EMULATED { 2_000 } else { 50_000 } {
        let x = Shape::new(shapes[generator.below(7)]).unwrap();
        let other = Shape::new(shapes[generator.below(7)]).unwrap();
        let list = |generator: &mut Generator| (0..x.rank()).map(|_| any(generator)).collect::<Vec<_>>();
        let (first, second) = (list(generator), list(generator));
        let mode = [PadMode::Constant(Scalar::F32(0.0)), PadMode::Reflect, PadMode::Edge, PadMode::Wrap];
        let padding = Padding { before: &first, after: &second, mode: mode[generator.below(4)] };
        let outcomes = [
            concat_shape([x, other], any(generator)),
            tile_shape(&x, &first),
            pad_shape(&x, &padding),
            gather_shape(&x, &other, any(generator)),
            gather_nd_shape(&x, &other, any(generator) as usize),
            one_hot_shape(&other, any(generator), any(generator)),
        ];
        kept += outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    }
    assert!(kept > 1000, "{kept}");
    // A sum of extents beyond the limit, whose elements would be none.
    let wide = Shape::new(&[2_147_483_647]).unwrap();
    let error = concat_shape([wide, wide], 0).unwrap_err();
    let expected = ShapeError::ExtentTooLarge { axis: 0, extent: 4_294_967_294 };
    assert_eq!(error, KernelError::Shape(expected));
}
