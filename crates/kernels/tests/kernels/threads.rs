//! Large problems: the same bits on any number of threads.

use std::sync::Arc;

use stratal_kernels::{Backend, Kernels, Threads};
use stratal_tensor_base::DType;

use crate::EMULATED;
use crate::array::Array;
use crate::backends::on_threads;
use crate::operations::{Form, OPERATIONS, Operation};
use crate::place::{Place, in_order};
use crate::runner::{check_with, random_operands};
use crate::values::Generator;

/// Above what one thread takes at a time, several times, and no multiple of anything.
const COUNT: i64 = 200_003;

/// Backends on one, two, three and eight threads. The reference has none.
fn on_many_threads() -> Vec<Arc<dyn Kernels>> {
    let pools: Vec<Threads> = [1, 2, 3, 8].into_iter().map(|threads| Threads::own(threads).unwrap()).collect();
    let vector_backends = Backend::available().into_iter().filter(|backend| *backend != Backend::Reference);
    vector_backends
        .flat_map(|backend| pools.iter().map(move |threads| on_threads(backend, threads.clone())).collect::<Vec<_>>())
        .chain([on_threads(Backend::best(), Threads::process())])
        .collect()
}

fn check_on_threads(is_wanted: fn(&Operation, &Form) -> bool, places: &[Place; 3], result: &Place) {
    let kernels = on_many_threads();
    for operation in OPERATIONS.iter() {
        for form in operation.forms().iter().filter(|form| is_wanted(operation, form)) {
            let places = &places[..form.operands.len()];
            let arrays = random_operands(operation, form, places, &mut Generator(5));
            let operands: Vec<(&Array, &Place)> = arrays.iter().zip(places).collect();
            check_with(kernels.iter().map(|kernels| &**kernels), operation, &operands, form.result, result);
        }
    }
}

#[test]
fn long_rows_on_threads() {
    let row = |before| Place::dense(&[COUNT], before);
    let is_wanted = |operation: &Operation, form: &Form| match operation.export {
        _ if EMULATED => matches!(operation.export, "Add" | "cast") && form.operands == [DType::F16],
        "cast" => matches!(form.operands[0], DType::F32 | DType::F16) && form.result.size() == 2,
        "Add" => true,
        _ => *form.operands.last().unwrap() == DType::F32,
    };
    check_on_threads(is_wanted, &[row(1), row(0), row(2)], &row(3));
}

/// Operands of which some are gathered and some read where they are, to a dense result in another order.
#[test]
fn strided_operands_on_threads() {
    let extents = [7, 151, 190];
    let channels_last = in_order(&extents, &[0, 2, 1], 1);
    let places = [
        Place::new(&extents, &[28_690, 190, 1], 0),
        Place::new(&extents, &[0, -1, -151], 1),
        Place::new(&extents, &channels_last, 2),
    ];
    check_on_threads(few, &places, &Place::new(&extents, &channels_last, 1));
}

/// Results that threads cannot divide into slices.
#[test]
fn strided_results_on_threads() {
    let extents = [401, 499];
    let places =
        [Place::new(&extents, &[499, 1], 0), Place::new(&extents, &[0, 1], 1), Place::new(&extents, &[-1, 401], 2)];
    check_on_threads(few, &places, &Place::new(&extents, &[503, 1], 1));
    check_on_threads(few, &places, &Place::new(&extents, &[-1, -401], 1));
}

/// Results of more than 8 MiB, where a backend may write past the caches.
#[test]
fn results_larger_than_the_caches() {
    let row = |before| Place::dense(&[1_048_613], before);
    let is_wanted = |operation: &Operation, form: &Form| {
        let is_large = form.result == DType::F64 && matches!(form.operands.last(), Some(DType::F64 | DType::F32));
        !EMULATED && is_large && matches!(operation.export, "Add" | "Neg" | "cast" | "copy")
    };
    check_on_threads(is_wanted, &[row(1), row(0), row(2)], &row(3));
}

/// A matrix that is copied transposed, some columns of it, and in reverse.
#[test]
fn large_transposed_copies() {
    let (rows, columns) = if EMULATED { (67, 131) } else { (1031, 517) };
    let is_wanted = |operation: &Operation, form: &Form| {
        operation.export == "copy" && matches!(form.result, DType::I8 | DType::F16 | DType::F32 | DType::I64)
    };
    for strides in [[1, rows], [1, rows + 3], [-1, rows], [2, 2 * rows]] {
        let place = Place::new(&[rows, columns], &strides, 1);
        let places = [place.clone(), place.clone(), place];
        check_on_threads(is_wanted, &places, &Place::dense(&[rows, columns], 2));
        check_on_threads(is_wanted, &places, &Place::new(&[rows, columns], &[columns + 5, 1], 2));
    }
}

fn few(operation: &Operation, form: &Form) -> bool {
    let is_wanted = matches!(operation.export, "Add" | "Sqrt" | "Remainder" | "Less" | "select" | "copy" | "And");
    let dtypes = if EMULATED { &[DType::F32][..] } else { &[DType::F32, DType::BF16, DType::U8, DType::I64] };
    is_wanted && dtypes.contains(form.operands.last().unwrap())
}

#[test]
fn pools_know_their_size_and_refuse_to_be_empty() {
    assert_eq!(Threads::own(0).unwrap_err().to_string(), "cannot start 0 threads");
    assert_eq!(Threads::calling().count(), 1);
    assert!(Threads::process().count() >= 1);
    for threads in [1, 2, 3, 8] {
        assert_eq!(Threads::own(threads).unwrap().count(), threads);
    }
}
