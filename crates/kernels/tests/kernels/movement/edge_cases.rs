//! What others got wrong: small calls whose answers were worked out by hand, through every backend.

use stratal_kernels::movement::{ScatterReduction, Triangle};
use stratal_kernels::{AnyView, KernelError};
use stratal_tensor_base::{Bool, DType, Element, Geometry, Shape, bf16, f16};

use super::calls::{Call, Mode, Pattern};
use crate::array::{Array, view};
use crate::backends::BACKENDS;
use crate::place::Place;
use crate::values::nans;

/// Row-major elements with extents.
fn tensor<T: Element>(extents: &[i64], elements: &[T]) -> (Array, Place) {
    assert_eq!(elements.len() as i64, extents.iter().product::<i64>());
    (Array::of(elements), Place { buffer: elements.len(), ..Place::dense(extents, 0) })
}

/// What every backend gives, which must be one.
fn outcome<T: Element>(call: &Call, operands: &[(Array, Place)], extents: &[i64]) -> Result<Vec<T>, KernelError> {
    let views: Vec<AnyView<'_>> = operands.iter().map(|(array, place)| array.view(place)).collect();
    let place = Place::dense(extents, 0);
    let place = Place { buffer: place.count(), ..place };
    let mut outcomes = BACKENDS.iter().map(|kernels| {
        let canary = Array::canary(T::DTYPE, place.count());
        let mut result = canary.clone();
        let outcome = call.run(&**kernels, &views, &mut result.view_mut(&place));
        assert!(outcome.is_ok() || result == canary, "{call:?} wrote something on {}", kernels.backend());
        (outcome, result)
    });
    let first = outcomes.next().unwrap();
    for other in outcomes {
        assert_eq!(other, first, "{call:?}");
    }
    first.0.map(|()| first.1.to_vec())
}

/// Checks what every backend gives.
fn gives<T: Element>(call: &Call, operands: &[(Array, Place)], extents: &[i64], expected: &[T]) {
    assert_eq!(outcome::<T>(call, operands, extents).as_deref(), Ok(expected), "{call:?}");
}

fn pad(before: &[i64], after: &[i64], mode: Mode) -> Call {
    Call::Pad { before: before.to_vec(), after: after.to_vec(), mode }
}

const ZERO: Mode = Mode::Constant(Pattern(DType::I32, 0));

/// Repeating no times gives nothing, whatever the other axes.
#[test]
fn tiles_by_zero() {
    let x = [tensor(&[2, 2], &[1, 2, 3, 4])];
    gives::<i32>(&Call::Tile { repeats: vec![0, 2] }, &x, &[0, 4], &[]);
    let x = [tensor(&[2, 3, 4], &[0_u8; 24])];
    gives::<u8>(&Call::Tile { repeats: vec![1, 0, 2] }, &x, &[2, 0, 8], &[]);
    // Nothing repeated is nothing; a scalar has no axes to repeat.
    gives::<i32>(&Call::Tile { repeats: vec![3, 5] }, &[tensor::<i32>(&[2, 0], &[])], &[6, 0], &[]);
    gives(&Call::Tile { repeats: vec![] }, &[tensor(&[], &[7])], &[], &[7]);
}

/// Cutting, mirroring, and mirrors that would need more elements than there are.
#[test]
fn pads_that_cut_and_mirror() {
    gives(&pad(&[-1], &[2], ZERO), &[tensor(&[3], &[0, 1, 2])], &[4], &[1, 2, 0, 0]);
    let x = [tensor(&[3], &[1, 2, 3])];
    gives(&pad(&[2], &[2], Mode::Reflect), &x, &[7], &[3, 2, 1, 2, 3, 2, 1]);
    let error = outcome::<i32>(&pad(&[3], &[0], Mode::Reflect), &x, &[6]).unwrap_err();
    let expected = KernelError::Padding { operation: "pad", mode: "reflect", before: 3, after: 0, axis: 0, extent: 3 };
    assert_eq!(error, expected);
    // Cut first, and mirrored at what is the last element then.
    gives(&pad(&[-1], &[1], Mode::Reflect), &x, &[3], &[2, 3, 2]);
    gives(&pad(&[2], &[-2], ZERO), &x, &[3], &[0, 0, 1]);
    assert!(outcome::<i32>(&pad(&[-1], &[2], Mode::Reflect), &x, &[4]).is_err());
    gives(&pad(&[1], &[-1], Mode::Wrap), &x, &[3], &[2, 1, 2]);
    // One element mirrors nothing, and is an edge of any width.
    let one = [tensor(&[1], &[5])];
    assert!(outcome::<i32>(&pad(&[0], &[1], Mode::Reflect), &one, &[2]).is_err());
    gives(&pad(&[2], &[1], Mode::Edge), &one, &[4], &[5; 4]);
    gives(&pad(&[0], &[0], Mode::Reflect), &one, &[1], &[5]);
}

#[test]
fn pads_of_every_mode_at_corners() {
    let x = [tensor(&[2, 3], &[1, 2, 3, 4, 5, 6])];
    let (before, after) = ([1, 2], [1, 1]);
    let minus = Mode::Constant(Pattern(DType::I32, u64::from(-1_i32 as u32)));
    let at = |mode, expected: &[i32]| gives(&pad(&before, &after, mode), &x, &[4, 6], expected);
    at(minus, &[-1, -1, -1, -1, -1, -1, -1, -1, 1, 2, 3, -1, -1, -1, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1]);
    at(Mode::Edge, &[1, 1, 1, 2, 3, 3, 1, 1, 1, 2, 3, 3, 4, 4, 4, 5, 6, 6, 4, 4, 4, 5, 6, 6]);
    at(Mode::Reflect, &[6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2]);
    at(Mode::Wrap, &[5, 6, 4, 5, 6, 4, 2, 3, 1, 2, 3, 1, 5, 6, 4, 5, 6, 4, 2, 3, 1, 2, 3, 1]);
    // All cut off, and more than all.
    gives::<i32>(&pad(&[0, -1], &[0, -2], Mode::Edge), &x, &[2, 0], &[]);
    gives(&pad(&[0, -4], &[0, 2], ZERO), &x, &[2, 1], &[0, 0]);
    gives(&pad(&[0, 9], &[0, -9], ZERO), &x, &[2, 3], &[0; 6]);
    // Wrapping goes round as often as it must.
    gives(&pad(&[4], &[5], Mode::Wrap), &[tensor(&[2], &[1, 2])], &[11], &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]);
}

/// An axis of nothing has only the constant around it.
#[test]
fn pads_of_nothing() {
    let none = [tensor::<i32>(&[0, 2], &[])];
    gives(&pad(&[1, 0], &[1, 0], ZERO), &none, &[2, 2], &[0; 4]);
    for mode in [Mode::Edge, Mode::Wrap, Mode::Reflect] {
        assert!(outcome::<i32>(&pad(&[1, 0], &[0, 0], mode), &none, &[1, 2]).is_err());
        gives::<i32>(&pad(&[0, 1], &[0, 0], mode), &none, &[0, 3], &[]);
    }
    // What was cut to nothing is nothing.
    assert!(outcome::<i32>(&pad(&[-2], &[1], Mode::Edge), &[tensor(&[2], &[1, 2])], &[1]).is_err());
}

/// Indices that are empty, point into what is empty, or count from the end.
#[test]
fn tuples_of_coordinates_at_their_limits() {
    let nd = Call::GatherNd { batch_axes: 0 };
    let x = tensor(&[3, 2], &[0, 1, 2, 3, 4, 5]);
    gives(&nd, &[x, tensor(&[1, 1], &[-1_i64])], &[1, 2], &[4, 5]);
    gives::<i32>(&nd, &[tensor::<i32>(&[2, 0], &[]), tensor(&[1, 1], &[0_i64])], &[1, 0], &[]);
    let square = tensor(&[2, 2], &[1, 2, 3, 4]);
    gives::<i32>(&nd, &[square.clone(), tensor::<i64>(&[0, 1], &[])], &[0, 2], &[]);
    let error = outcome::<i32>(&nd, &[square.clone(), tensor(&[1, 2], &[-3_i64, 0])], &[1]).unwrap_err();
    assert_eq!(error, KernelError::Index { operation: "gather_nd", index: -3, axis: 0, extent: 2 });
    let error = outcome::<i32>(&nd, &[square.clone(), tensor(&[1, 2], &[1_i64, 2])], &[1]).unwrap_err();
    assert_eq!(error, KernelError::Index { operation: "gather_nd", index: 2, axis: 1, extent: 2 });
    // The same of slices and elements.
    let gather = Call::Gather { axis: 0 };
    gives::<i32>(&gather, &[tensor::<i32>(&[2, 0], &[]), tensor(&[1, 1], &[0_i64])], &[1, 1, 0], &[]);
    gives::<i32>(&gather, &[square.clone(), tensor::<i32>(&[0, 1], &[])], &[0, 1, 2], &[]);
    gives(&gather, &[square.clone(), tensor(&[], &[-1_i32])], &[2], &[3, 4]);
    let nothing = tensor::<i32>(&[0, 2], &[]);
    gives::<i32>(&gather, &[nothing.clone(), tensor::<i32>(&[0], &[])], &[0, 2], &[]);
    let error = outcome::<i32>(&gather, &[nothing, tensor(&[1], &[0_i32])], &[1, 2]).unwrap_err();
    assert_eq!(error, KernelError::Index { operation: "gather", index: 0, axis: 0, extent: 0 });
    // An index is wrong even where nothing would be read.
    let error = outcome::<i32>(&gather, &[tensor::<i32>(&[2, 0], &[]), tensor(&[1], &[2_i32])], &[1, 0]).unwrap_err();
    assert_eq!(error, KernelError::Index { operation: "gather", index: 2, axis: 0, extent: 2 });
    let elements = Call::GatherElements { axis: 1 };
    gives(&elements, &[square.clone(), tensor(&[2, 3], &[0_i64, -1, 1, -2, 1, 0])], &[2, 3], &[1, 2, 2, 3, 4, 3]);
    gives::<i32>(&elements, &[square, tensor::<i64>(&[0, 3], &[])], &[0, 3], &[]);
}

/// Indices at the ends of their own range.
#[test]
fn extreme_indices_are_refused_in_every_gather_and_scatter() {
    let x = tensor(&[2, 2], &[1, 2, 3, 4]);
    let none = ScatterReduction::None;
    for index in [i64::MIN, i64::MAX, -3, 2] {
        let one = tensor(&[1, 1], &[index]);
        let update = tensor(&[1, 1], &[9]);
        let is_named = |outcome: Result<Vec<i32>, KernelError>| matches!(outcome, Err(KernelError::Index { index: named, extent: 2, .. }) if named == index);
        assert!(is_named(outcome(&Call::Gather { axis: 1 }, &[x.clone(), one.clone()], &[2, 1, 1])));
        assert!(is_named(outcome(&Call::GatherElements { axis: 0 }, &[x.clone(), one.clone()], &[1, 1])));
        assert!(is_named(outcome(&Call::GatherNd { batch_axes: 0 }, &[x.clone(), one.clone()], &[1, 2])));
        let call = Call::ScatterElements { axis: 0, reduction: none };
        assert!(is_named(outcome(&call, &[x.clone(), one.clone(), update.clone()], &[2, 2])));
        let rows = tensor(&[1, 2], &[9, 9]);
        assert!(is_named(outcome(&Call::ScatterNd { reduction: none }, &[x.clone(), one.clone(), rows], &[2, 2])));
        if let Ok(index) = i32::try_from(index) {
            let one = tensor(&[1, 1], &[index]);
            assert!(is_named(outcome(&Call::Gather { axis: 1 }, &[x.clone(), one], &[2, 1, 1])));
        }
        // A row of one value has no index that is wrong.
        let call = Call::OneHot { depth: 2, axis: -1, values: [Pattern(DType::I32, 4), Pattern(DType::I32, 5)] };
        gives(&call, &[one], &[1, 1, 2], &[4, 4]);
    }
}

#[test]
fn parts_of_nothing_and_single_columns() {
    let call = Call::Concat { axis: 1 };
    // A column appended to nothing.
    gives(&call, &[tensor::<i32>(&[2, 0], &[]), tensor(&[2, 1], &[8, 9])], &[2, 1], &[8, 9]);
    gives::<i32>(&call, &[tensor::<i32>(&[0, 2], &[]), tensor::<i32>(&[0, 3], &[])], &[0, 5], &[]);
    gives(&call, &[tensor(&[1, 2], &[1, 2])], &[1, 2], &[1, 2]);
}

/// Slices are copies of sliced views: forwards, backwards and by strides of any size, whole and empty.
#[test]
fn slices_by_copies_of_views() {
    let x: Vec<i32> = (0..10).collect();
    let ten = Geometry::contiguous(Shape::new(&[10]).unwrap());
    type Slice<'a> = (Option<i64>, Option<i64>, i64, &'a [i32]);
    let cases: [Slice<'_>; 10] = [
        (Some(-1), Some(i64::MAX), -1, &[]),
        (Some(-1), Some(i64::MIN), -1, &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        (Some(9), Some(0), -1, &[9, 8, 7, 6, 5, 4, 3, 2, 1]),
        (Some(9), Some(0), -3, &[9, 6, 3]),
        (Some(0), Some(5), -1, &[]),
        (Some(100), Some(i64::MIN), -4, &[9, 5, 1]),
        (None, None, 1 << 62, &[0]),
        (None, None, -(1 << 62), &[9]),
        (Some(3), Some(3), 1, &[]),
        (Some(i64::MIN), Some(i64::MAX), 3, &[0, 3, 6, 9]),
    ];
    for (start, stop, step, expected) in cases {
        let slice = ten.slice(0, start, stop, step).unwrap();
        assert_eq!(slice.shape().count(), expected.len());
        for kernels in BACKENDS.iter() {
            let mut result = Array::canary(DType::I32, expected.len());
            let from = view(DType::I32, bytemuck::cast_slice(&x), slice);
            let place = Place { buffer: expected.len(), ..Place::dense(&[expected.len() as i64], 0) };
            kernels.copy(&from, &mut result.view_mut(&place)).unwrap();
            assert_eq!(result.to_vec::<i32>(), expected, "{start:?}..{stop:?} by {step} on {}", kernels.backend());
        }
    }
}

/// Repeated indices: the last update stands, sums take all, in the order of the updates.
#[test]
fn repeated_indices_of_scatters() {
    let x = tensor(&[3], &[1.0_f32, 2.0, 3.0]);
    let at = tensor(&[4], &[1_i64, -2, 1, 0]);
    // 2^24 + 1 + 1 stays 2^24 one by one, and would not be if the ones came first.
    let updates = tensor(&[4], &[16_777_214.0_f32, 1.0, 1.0, f32::NEG_INFINITY]);
    let run = |reduction, expected: &[f32]| {
        let call = Call::ScatterElements { axis: 0, reduction };
        gives(&call, &[x.clone(), at.clone(), updates.clone()], &[3], expected);
    };
    run(ScatterReduction::None, &[f32::NEG_INFINITY, 1.0, 3.0]);
    run(ScatterReduction::Add, &[f32::NEG_INFINITY, 16_777_216.0, 3.0]);
    run(ScatterReduction::Mul, &[f32::NEG_INFINITY, 33_554_428.0, 3.0]);
    run(ScatterReduction::Min, &[f32::NEG_INFINITY, 1.0, 3.0]);
    run(ScatterReduction::Max, &[1.0, 16_777_214.0, 3.0]);
    let rows = [tensor(&[2, 1], &[1_u8, 2]), tensor(&[3, 1], &[1_i32, 1, -1]), tensor(&[3, 1], &[100_u8, 100, 100])];
    gives(&Call::ScatterNd { reduction: ScatterReduction::Add }, &rows, &[2, 1], &[1_u8, 46]);
    gives(&Call::ScatterNd { reduction: ScatterReduction::Mul }, &rows, &[2, 1], &[1_u8, 128]);
}

/// A NaN of the element or of the update stays, in the least and in the greatest, alone and in long rows.
#[test]
fn nan_goes_through_the_least_and_the_greatest() {
    for width in [1, 3, 31, 32, 100] {
        let row = |value: f32| vec![value; width];
        let x = tensor(&[2, width as i64], &[row(f32::NAN), row(1.0)].concat());
        let updates = tensor(&[2, width as i64], &[row(5.0), row(f32::NAN)].concat());
        for reduction in [ScatterReduction::Min, ScatterReduction::Max] {
            let operands = [x.clone(), tensor(&[2, 1], &[0_i64, 1]), updates.clone()];
            let result = outcome_of_nan(&Call::ScatterNd { reduction }, &operands, &[2, width as i64]);
            assert!(result.iter().all(|element| element.is_nan()), "{reduction:?} of {width}");
        }
    }
}

fn outcome_of_nan(call: &Call, operands: &[(Array, Place)], extents: &[i64]) -> Vec<f32> {
    let views: Vec<AnyView<'_>> = operands.iter().map(|(array, place)| array.view(place)).collect();
    let place = Place::dense(extents, 0);
    let mut all = Vec::new();
    for kernels in BACKENDS.iter() {
        let mut result = Array::canary(DType::F32, place.buffer);
        call.run(&**kernels, &views, &mut result.view_mut(&place)).unwrap();
        all.extend(&result.to_vec::<f32>()[..place.count()]);
    }
    all
}

/// 16-bit floats are narrowed after each update: two small ones are both lost.
#[test]
fn sums_of_16_bit_floats_narrow_each_time() {
    let at = tensor(&[2], &[0_i64, 0]);
    let call = Call::ScatterElements { axis: 0, reduction: ScatterReduction::Add };
    let half = |x: f32| f16::from_f32(x);
    let operands = [tensor(&[1], &[half(2048.0)]), at.clone(), tensor(&[2], &[half(1.0), half(1.0)])];
    gives(&call, &operands, &[1], &[half(2048.0)]);
    let brain = |x: f32| bf16::from_f32(x);
    let operands = [tensor(&[1], &[brain(256.0)]), at, tensor(&[2], &[brain(1.0), brain(1.0)])];
    gives(&call, &operands, &[1], &[brain(256.0)]);
}

/// Moved elements keep their bits, those of signaling NaNs and of bools that are neither 0 nor 1.
#[test]
fn moved_elements_keep_their_bits() {
    for dtype in DType::ALL {
        let bits = if dtype.is_float() { nans(dtype) } else { vec![0x80, 0x7F, 2, 1, 0xFF, 0, 3, 5] };
        let x = Array::new(dtype, bits.iter().copied());
        let place = Place { buffer: 8, ..Place::dense(&[8], 0) };
        let order: Vec<i64> = vec![7, -8, 3, 3, 0, 1, -2, 5];
        let chosen: Vec<u64> = order.iter().map(|index| bits[index.rem_euclid(8) as usize]).collect();
        type Case = (Call, Vec<(Array, Place)>, Vec<u64>);
        let cases: [Case; 4] = [
            (Call::Concat { axis: 0 }, vec![], bits.clone()),
            (Call::Gather { axis: 0 }, vec![tensor(&[8], &order)], chosen.clone()),
            (Call::GatherElements { axis: 0 }, vec![tensor(&[8], &order)], chosen),
            (pad(&[1], &[-1], Mode::Constant(Pattern(dtype, bits[2]))), vec![], [&bits[2..3], &bits[..7]].concat()),
        ];
        for (call, others, expected) in &cases {
            let operands: Vec<(Array, Place)> =
                [(x.clone(), place.clone())].into_iter().chain(others.clone()).collect();
            let views: Vec<AnyView<'_>> = operands.iter().map(|(array, place)| array.view(place)).collect();
            for kernels in BACKENDS.iter() {
                let mut result = Array::canary(dtype, 8);
                call.run(&**kernels, &views, &mut result.view_mut(&place)).unwrap();
                assert_eq!(&result.patterns().collect::<Vec<_>>(), expected, "{call:?} of {dtype}");
            }
        }
    }
}

#[test]
fn elements_that_are_not_zero() {
    let x = tensor(&[2, 3], &[0.0_f32, -0.0, f32::NAN, 1e-45, 0.0, f32::INFINITY]);
    gives(&Call::NonZero, &[x], &[2, 3], &[0_i64, 1, 1, 2, 0, 2]);
    gives::<i64>(&Call::NonZero, &[tensor(&[], &[3_u8])], &[0, 1], &[]);
    gives::<i64>(&Call::NonZero, &[tensor::<f64>(&[3, 0], &[])], &[2, 0], &[]);
    gives(&Call::NonZero, &[tensor(&[2], &[Bool::from_byte(0), Bool::from_byte(0x80)])], &[1, 1], &[1_i64]);
    for kernels in BACKENDS.iter() {
        let (array, place) = tensor(&[3], &[f16::from_f32(-0.0), f16::NAN, f16::from_bits(1)]);
        assert_eq!(kernels.count_non_zero(&array.view(&place)), 2);
        let (array, place) = tensor(&[], &[i64::MIN]);
        assert_eq!(kernels.count_non_zero(&array.view(&place)), 1);
    }
}

#[test]
fn rows_of_one_value_and_triangles() {
    let values = [Pattern(DType::U8, 2), Pattern(DType::U8, 5)];
    let call = Call::OneHot { depth: 3, axis: 1, values };
    gives(&call, &[tensor(&[4], &[0_i64, -1, 3, -4])], &[4, 3], &[5_u8, 2, 2, 2, 2, 5, 2, 2, 2, 2, 2, 2]);
    let call = Call::OneHot { depth: 0, axis: 0, values };
    gives::<u8>(&call, &[tensor(&[2], &[0_i64, 1])], &[0, 2], &[]);
    let x = [tensor(&[2, 3], &[1, 2, 3, 4, 5, 6])];
    let at = |triangle, diagonal, expected: [i32; 6]| {
        gives(&Call::Triangular { triangle, diagonal }, &x, &[2, 3], &expected);
    };
    at(Triangle::Upper, 0, [1, 2, 3, 0, 5, 6]);
    at(Triangle::Upper, 1, [0, 2, 3, 0, 0, 6]);
    at(Triangle::Upper, i64::MAX, [0; 6]);
    at(Triangle::Upper, i64::MIN, [1, 2, 3, 4, 5, 6]);
    at(Triangle::Lower, 0, [1, 0, 0, 4, 5, 0]);
    at(Triangle::Lower, -1, [0, 0, 0, 4, 0, 0]);
    at(Triangle::Lower, i64::MAX, [1, 2, 3, 4, 5, 6]);
    at(Triangle::Lower, i64::MIN, [0; 6]);
}

#[test]
fn conditions_shorter_than_what_they_choose_from() {
    let x = [tensor(&[3, 2], &[1, 2, 3, 4, 5, 6]), tensor(&[2], &[Bool::FALSE, Bool::from_byte(9)])];
    gives(&Call::Compress { axis: Some(0) }, &x, &[1, 2], &[3, 4]);
    gives(&Call::Compress { axis: Some(1) }, &x, &[3, 1], &[2, 4, 6]);
    gives(&Call::Compress { axis: None }, &x, &[1], &[2]);
}

#[test]
fn sequences_reversed_to_their_lengths() {
    let x: Vec<i32> = (0..16).collect();
    let operands = [tensor(&[4, 4], &x), tensor(&[4], &[4_i64, 3, 0, 1])];
    let expected = [12, 9, 2, 3, 8, 5, 6, 7, 4, 1, 10, 11, 0, 13, 14, 15];
    gives(&Call::ReverseSequence { batch_axis: 1, time_axis: 0 }, &operands, &[4, 4], &expected);
}

/// The parts of an axis, an empty one among them, to results that lie anywhere; and those that do not make it up.
#[test]
fn splits() {
    let (x, place) = tensor(&[2, 5], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for kernels in BACKENDS.iter() {
        let places = [Place::new(&[2, 2], &[1, 2], 1), Place::dense(&[2, 0], 0), Place::dense(&[2, 3], 2)];
        let mut results: Vec<Array> = places.iter().map(|place| Array::canary(DType::I32, place.buffer)).collect();
        let canaries = results.clone();
        let mut split = |count: usize| {
            let mut views: Vec<_> =
                results.iter_mut().zip(&places).take(count).map(|(result, place)| result.view_mut(place)).collect();
            kernels.split(&x.view(&place), -1, &mut views)
        };
        let error = split(2).unwrap_err();
        assert_eq!(error, KernelError::Parts { operation: "split", sum: 2, axis: 1, extent: 5 });
        assert_eq!(split(3), Ok(()));
        let expected = [vec![0, 1, 5, 6], vec![], vec![2, 3, 4, 7, 8, 9]];
        for (((result, place), expected), mut whole) in results.iter().zip(&places).zip(expected).zip(canaries) {
            whole.scatter(&place.positions(), &Array::of::<i32>(&expected));
            assert_eq!(result, &whole, "{}", kernels.backend());
        }
    }
}
