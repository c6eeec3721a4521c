//! Calls that cannot be done: which error, on every backend the same, and nothing written.

use std::collections::BTreeSet;
use std::fmt::Write;

use stratal_kernels::map::{Clip, Div, Modulo, Remainder};
use stratal_kernels::{Backend, KernelError, Kernels, Selection, Threads};
use stratal_tensor_base::{DType, Shape};

use crate::array::Array;
use crate::backends::{BACKENDS, reference};
use crate::operations::{Form, Kind, OPERATIONS, Operation};
use crate::place::Place;

/// Operands and a result by dtype and extents.
type Parts<'a> = [(DType, &'a [i64])];

/// The outcome on every backend, which must be one, and must write nothing.
fn outcome(operation: &Operation, operands: &Parts<'_>, result: (DType, &[i64])) -> Result<(), KernelError> {
    let places: Vec<Place> = operands.iter().map(|(_, extents)| Place::dense(extents, 1)).collect();
    let arrays: Vec<Array> =
        operands.iter().zip(&places).map(|((dtype, _), place)| Array::new(*dtype, vec![1; place.buffer])).collect();
    let views: Vec<_> = arrays.iter().zip(&places).map(|(array, place)| array.view(place)).collect();
    let place = Place::dense(result.1, 1);
    let attempt = |kernels: &dyn Kernels| {
        let canary = Array::canary(result.0, place.buffer);
        let mut target = canary.clone();
        let outcome = operation.run(kernels, &views, &mut target.view_mut(&place));
        assert!(outcome.is_ok() || target == canary, "{operation:?} wrote something on {}", kernels.backend());
        outcome
    };
    let expected = attempt(reference());
    for kernels in BACKENDS.iter() {
        assert_eq!(attempt(&**kernels), expected, "{operation:?} on {}", kernels.backend());
    }
    expected
}

/// The outcome in place on every backend.
fn outcome_in_place(operation: &Operation, operands: &Parts<'_>) -> Option<Result<(), KernelError>> {
    let places: Vec<Place> = operands.iter().map(|(_, extents)| Place::dense(extents, 1)).collect();
    let arrays: Vec<Array> =
        operands.iter().zip(&places).map(|((dtype, _), place)| Array::new(*dtype, vec![1; place.buffer])).collect();
    let others: Vec<_> = arrays.iter().zip(&places).skip(1).map(|(array, place)| array.view(place)).collect();
    let attempt = |kernels: &dyn Kernels| {
        let mut first = arrays[0].clone();
        let outcome = operation.run_in_place(kernels, &mut first.view_mut(&places[0]), &others);
        assert!(outcome == Some(Ok(())) || first == arrays[0], "{operation:?} wrote something");
        outcome
    };
    let expected = attempt(reference());
    for kernels in BACKENDS.iter() {
        assert_eq!(attempt(&**kernels), expected, "{operation:?} on {}", kernels.backend());
    }
    expected
}

const EXTENTS: &[i64] = &[2, 3];
/// Equal counts, a broadcast that was not expanded, another rank, nothing, a scalar.
const OTHER_EXTENTS: [&[i64]; 5] = [&[3, 2], &[1, 3], &[6], &[2, 0], &[]];

fn parts(form: &Form) -> Vec<(DType, &'static [i64])> {
    form.operands.iter().map(|dtype| (*dtype, EXTENTS)).collect()
}

#[test]
fn every_undefined_dtype_is_refused() {
    let mut refused = 0;
    for operation in OPERATIONS.iter() {
        let forms = operation.forms();
        for dtype in DType::ALL {
            let operands = forms[0].operands.len();
            if matches!(operation.kind, Kind::Select) || forms.iter().any(|form| form.operands[0] == dtype) {
                continue;
            }
            let result = if forms[0].result == DType::Bool { DType::Bool } else { dtype };
            let error = outcome(operation, &vec![(dtype, EXTENTS); operands], (result, EXTENTS)).unwrap_err();
            assert!(matches!(error, KernelError::DType { dtype: named, .. } if named == dtype), "{error:?}");
            if let Some(in_place) = outcome_in_place(operation, &vec![(dtype, EXTENTS); operands]) {
                assert_eq!(in_place, Err(error));
            }
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn every_wrong_dtype_is_refused_in_every_role() {
    for operation in OPERATIONS.iter() {
        for form in operation.forms() {
            for wrong in DType::ALL {
                for role in 1..form.operands.len() {
                    let mut operands = parts(&form);
                    if operands[role].0 == wrong {
                        continue;
                    }
                    operands[role].0 = wrong;
                    let error = outcome(operation, &operands, (form.result, EXTENTS)).unwrap_err();
                    assert!(matches!(error, KernelError::DTypeMismatch { .. }), "{operation:?} {error:?}");
                    if let Some(in_place) = outcome_in_place(operation, &operands) {
                        assert_eq!(in_place, Err(error));
                    }
                }
                if wrong != form.result && !matches!(operation.kind, Kind::Cast) {
                    let error = outcome(operation, &parts(&form), (wrong, EXTENTS)).unwrap_err();
                    let is_named = |expected: DType, found: DType| expected == form.result && found == wrong;
                    let named = matches!(error, KernelError::DTypeMismatch { expected, found, .. } if is_named(expected, found));
                    assert!(named, "{operation:?} {error:?}");
                }
            }
        }
    }
}

#[test]
fn a_condition_is_of_bool() {
    let select = Operation::of("select");
    for wrong in DType::ALL.into_iter().filter(|dtype| *dtype != DType::Bool) {
        let operands = [(wrong, EXTENTS), (DType::F32, EXTENTS), (DType::F32, EXTENTS)];
        let error = outcome(select, &operands, (DType::F32, EXTENTS)).unwrap_err();
        assert_eq!(error.to_string(), format!("where needs a condition of bool, found {wrong}"));
    }
}

#[test]
fn every_wrong_shape_is_refused_in_every_role() {
    for operation in OPERATIONS.iter() {
        for form in operation.forms() {
            for wrong in OTHER_EXTENTS {
                for role in 0..form.operands.len() {
                    let mut operands = parts(&form);
                    operands[role].1 = wrong;
                    let error = outcome(operation, &operands, (form.result, EXTENTS)).unwrap_err();
                    assert!(matches!(error, KernelError::ShapeMismatch { .. }), "{operation:?} {error:?}");
                    if role > 0
                        && let Some(in_place) = outcome_in_place(operation, &operands)
                    {
                        assert_eq!(in_place, Err(error));
                    }
                }
                let error = outcome(operation, &parts(&form), (form.result, wrong)).unwrap_err();
                let right = Shape::new(EXTENTS).unwrap();
                let other = Shape::new(wrong).unwrap();
                let named = matches!(error, KernelError::ShapeMismatch { role: "result", expected, found, .. } if expected == right && found == other);
                assert!(named, "{operation:?} {error:?}");
            }
        }
    }
}

/// One line for each kind of error an operation can give, in every role.
#[test]
fn errors_of_calls() {
    let mut lines = BTreeSet::new();
    let mut note = |outcome: Result<(), KernelError>| {
        lines.insert(outcome.unwrap_err().to_string());
    };
    let chief = ["Sqrt", "Not", "Add", "And", "Less", "IsNan", "select", "cast", "copy"];
    for operation in chief.map(Operation::of) {
        let form = operation.forms().into_iter().find(|form| form.operands.contains(&DType::F32));
        let form = form.unwrap_or_else(|| operation.forms().remove(1));
        for role in 0..form.operands.len() {
            let mut operands = parts(&form);
            operands[role].1 = &[1, 3];
            note(outcome(operation, &operands, (form.result, EXTENTS)));
            let mut operands = parts(&form);
            operands[role].0 = DType::I16;
            if role > 0 {
                note(outcome(operation, &operands, (form.result, EXTENTS)));
            }
        }
        note(outcome(operation, &parts(&form), (form.result, &[])));
        if !matches!(operation.kind, Kind::Cast) {
            note(outcome(operation, &parts(&form), (DType::F64, EXTENTS)));
        }
        for dtype in [DType::I32, DType::F16] {
            let result = if form.result == DType::Bool { DType::Bool } else { dtype };
            let same = vec![(dtype, EXTENTS); form.operands.len()];
            if operation.forms().iter().all(|form| form.operands[0] != dtype) {
                note(outcome(operation, &same, (result, EXTENTS)));
            }
        }
    }
    let mut text = String::new();
    for line in lines {
        writeln!(text, "{line}").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn errors_of_elements_and_selections() {
    let mut text = String::new();
    for (operation, dtype) in [(&Div as &dyn stratal_kernels::map::Binary, DType::I32), (&Remainder, DType::U8)] {
        let one = Array::new(dtype, [1]);
        let zero = Array::new(dtype, [0]);
        let error = reference().binary(operation, &one.row(), &zero.row(), &mut Array::canary(dtype, 1).row_mut());
        writeln!(text, "{}", error.unwrap_err()).unwrap();
    }
    let (one, zero) = (Array::new(DType::I64, [1]), Array::new(DType::I64, [0]));
    let error = reference().binary(&Modulo, &one.row(), &zero.row(), &mut Array::canary(DType::I64, 1).row_mut());
    writeln!(text, "{}", error.unwrap_err()).unwrap();
    writeln!(text, "{}", Threads::own(0).unwrap_err()).unwrap();
    writeln!(text, "{}", "AVX512".parse::<Backend>().unwrap_err()).unwrap();
    writeln!(text, "{}", "\u{1F980}".repeat(100).parse::<Backend>().unwrap_err()).unwrap();
    let lacking = if cfg!(target_arch = "x86_64") { Backend::Neon } else { Backend::Avx2 };
    let error = Selection::new().backend(lacking).kernels().unwrap_err();
    writeln!(text, "{}", error.to_string().replace(lacking.name(), "<lacking>")).unwrap();
    insta::assert_snapshot!(text);
}

/// Errors and kernels go between threads.
#[test]
fn what_is_shared_is_send_and_sync() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<KernelError>();
    is_shared::<Selection>();
    is_shared::<Threads>();
    is_shared::<std::sync::Arc<dyn Kernels>>();
    is_shared::<Clip>();
    is_shared::<Backend>();
}
