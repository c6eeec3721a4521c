//! Calls that cannot be done: which error, on every backend the same, and nothing written.

use std::fmt::Write;

use stratal_kernels::reduce::{All, ArgReduction, LogSum, Mean, Reduction, Sum};
use stratal_kernels::{
    AnyView, AnyViewMut, BatchNorm, Centre, KernelError, Kernels, Normalization, Saved, Scan, Softmax,
};
use stratal_tensor_base::DType;

use crate::array::Array;
use crate::backends::BACKENDS;
use crate::place::Place;

type Part<'a> = (DType, &'a [i64]);

/// The error on every backend, which must be one, and must leave the results as they were.
fn error(
    operands: &[Part<'_>],
    results: &[Part<'_>],
    call: impl Fn(&dyn Kernels, &[AnyView<'_>], &mut [AnyViewMut<'_>]) -> Result<(), KernelError>,
) -> String {
    let places: Vec<Place> = operands.iter().map(|(_, extents)| Place::dense(extents, 1)).collect();
    let arrays: Vec<Array> =
        operands.iter().zip(&places).map(|((dtype, _), place)| Array::new(*dtype, vec![1; place.buffer])).collect();
    let views: Vec<_> = arrays.iter().zip(&places).map(|(array, place)| array.view(place)).collect();
    let targets: Vec<Place> = results.iter().map(|(_, extents)| Place::dense(extents, 1)).collect();
    let canaries: Vec<Array> =
        results.iter().zip(&targets).map(|((dtype, _), place)| Array::canary(*dtype, place.buffer)).collect();
    let errors: Vec<KernelError> = BACKENDS
        .iter()
        .map(|kernels| {
            let mut found = canaries.clone();
            let mut views_mut: Vec<_> =
                found.iter_mut().zip(&targets).map(|(array, place)| array.view_mut(place)).collect();
            let error = call(&**kernels, &views, &mut views_mut).unwrap_err();
            assert_eq!(found, canaries, "{error} on {kernels:?}");
            error
        })
        .collect();
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors[0].to_string()
}

const F32: DType = DType::F32;
const EXTENTS: &[i64] = &[2, 3];

#[test]
fn errors_of_calls() {
    let mut text = String::new();
    let mut note = |line: String| writeln!(text, "{line}").unwrap();

    let reduce = |operation: &dyn Reduction, x: Part<'_>, result: Part<'_>| {
        error(&[x], &[result], |kernels, x, result| kernels.reduce(operation, &x[0], &mut result[0]))
    };
    note(reduce(&Sum, (DType::Bool, EXTENTS), (DType::Bool, &[2, 1])));
    note(reduce(&LogSum, (DType::I32, EXTENTS), (DType::I32, &[2, 1])));
    note(reduce(&All, (F32, EXTENTS), (F32, &[2, 1])));
    note(reduce(&Sum, (F32, EXTENTS), (DType::F64, &[2, 1])));
    note(reduce(&Sum, (F32, EXTENTS), (F32, &[2])));
    note(reduce(&Sum, (F32, EXTENTS), (F32, &[2, 2])));
    note(reduce(&Sum, (F32, EXTENTS), (F32, &[2, 0])));
    note(reduce(&Sum, (F32, &[2, 0]), (F32, &[0, 1])));
    note(reduce(&Mean, (DType::I32, &[2, 0]), (DType::I32, &[2, 1])));

    let arg = |axis, x: Part<'_>, result: Part<'_>| {
        error(&[x], &[result], |kernels, x, result| kernels.arg_reduce(ArgReduction::MAX, axis, &x[0], &mut result[0]))
    };
    note(arg(0, (DType::Bool, EXTENTS), (DType::I64, &[1, 3])));
    note(arg(2, (F32, EXTENTS), (DType::I64, &[1, 3])));
    note(arg(0, (F32, EXTENTS), (DType::F32, &[1, 3])));
    note(arg(0, (F32, EXTENTS), (DType::I64, &[2, 1])));
    note(arg(1, (F32, &[2, 0]), (DType::I32, &[2, 1])));

    let scan = |axis, x: Part<'_>, result: Part<'_>| {
        error(&[x], &[result], |kernels, x, result| kernels.scan(Scan::SUM, axis, &x[0], &mut result[0]))
    };
    note(scan(0, (DType::Bool, EXTENTS), (DType::Bool, EXTENTS)));
    note(scan(0, (F32, &[]), (F32, &[])));
    note(scan(0, (F32, EXTENTS), (DType::I32, EXTENTS)));
    note(scan(0, (F32, EXTENTS), (F32, &[3, 2])));

    let softmax = |axis, x: Part<'_>, result: Part<'_>| {
        error(&[x], &[result], |kernels, x, result| kernels.softmax(&Softmax::along(axis), &x[0], &mut result[0]))
    };
    note(softmax(0, (DType::I8, EXTENTS), (DType::I8, EXTENTS)));
    note(softmax(5, (F32, EXTENTS), (F32, EXTENTS)));
    note(softmax(0, (F32, EXTENTS), (DType::F16, EXTENTS)));
    note(softmax(0, (F32, EXTENTS), (F32, &[2, 1])));
    note(error(&[], &[(F32, EXTENTS)], |kernels, _, x| {
        kernels.softmax_in_place(&Softmax { is_logarithm: true, ..Softmax::along(2) }, &mut x[0])
    }));
    note(error(&[], &[(DType::U8, EXTENTS)], |kernels, _, x| kernels.softmax_in_place(&Softmax::along(0), &mut x[0])));
    insta::assert_snapshot!(text);
}

#[test]
fn errors_of_normalisations() {
    let mut text = String::new();
    let mut note = |line: String| writeln!(text, "{line}").unwrap();
    let normalize = |centre, axes: &[usize], operands: [Part<'_>; 3], results: [Part<'_>; 5]| {
        error(&operands, &results, |kernels, operands, results| {
            let [result, normalized, mean, variance, inverse_deviation] = results else { panic!("five results") };
            let operation = Normalization { centre, axes, epsilon: 1e-5 };
            let saved = Saved {
                normalized: Some(normalized),
                mean: Some(mean),
                variance: Some(variance),
                inverse_deviation: Some(inverse_deviation),
            };
            kernels.normalize(&operation, &operands[0], Some(&operands[1]), Some(&operands[2]), result, saved)
        })
    };
    let operands = [(DType::F16, EXTENTS); 3];
    let row: &[i64] = &[2, 1];
    let results = [(DType::F16, EXTENTS), (F32, EXTENTS), (F32, row), (F32, row), (F32, row)];
    note(normalize(Centre::Zero, &[1], [(DType::I32, EXTENTS); 3], results));
    note(normalize(Centre::Mean, &[1, 2], operands, results));
    for role in 1..3 {
        let mut wrong = operands;
        wrong[role] = (F32, EXTENTS);
        note(normalize(Centre::Mean, &[1], wrong, results));
        wrong[role] = (DType::F16, &[1, 3]);
        note(normalize(Centre::Mean, &[1], wrong, results));
    }
    for role in 0..5 {
        let mut wrong = results;
        wrong[role].0 = DType::BF16;
        note(normalize(Centre::Mean, &[1], operands, wrong));
        wrong = results;
        wrong[role].1 = &[1, 3];
        note(normalize(Centre::Mean, &[1], operands, wrong));
    }

    let batch = |operands: [Part<'_>; 5], result: Part<'_>| {
        error(&operands, &[result], |kernels, operands, results| {
            let [x, mean, variance, scale, bias] = operands else { panic!("five operands") };
            kernels.batch_norm(BatchNorm { epsilon: 0.0 }, x, [mean, variance, scale, bias], &mut results[0])
        })
    };
    note(batch([(DType::I64, EXTENTS); 5], (DType::I64, EXTENTS)));
    for role in 1..5 {
        let mut wrong = [(F32, EXTENTS); 5];
        wrong[role].0 = DType::F64;
        note(batch(wrong, (F32, EXTENTS)));
        wrong[role] = (F32, &[2, 1]);
        note(batch(wrong, (F32, EXTENTS)));
    }
    note(batch([(F32, EXTENTS); 5], (F32, &[6])));
    insta::assert_snapshot!(text);
}
