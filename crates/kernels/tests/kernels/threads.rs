//! Large problems: the same bits on any number of threads.

use std::sync::Arc;

use stratal_kernels::{Backend, Kernels, Threads, map};
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
pub(crate) fn on_many_threads() -> Vec<Arc<dyn Kernels>> {
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

/// The same with elements smaller than the words that go past the caches, from every start within a word, and with lengths
/// whose last piece ends before the next cache line begins.
#[test]
fn large_results_of_small_elements_at_every_start() {
    let count = if EMULATED { 1 << 10 } else { 8 << 20 };
    let kernels = on_many_threads();
    for (start, more) in [(0, 61), (1, 0), (1, 4), (1, 132), (2, 2), (2, 8), (3, 4), (3, 12), (3, 77)] {
        let bytes = (0..count + more).map(|position| (position * 7 / 3) & 0xFF);
        let inverted = bytes.clone().map(|byte| byte ^ 0xFF);
        check_large(&kernels, &map::Not, &Array::new(DType::U8, bytes), inverted, start);

        // Normal numbers, so that only their sign changes.
        let halves = (0..count / 2 + more).map(|position| position % 0x7000 + 0x400);
        let negated = halves.clone().map(|half| half ^ 0x8000);
        check_large(&kernels, &map::Neg, &Array::new(DType::F16, halves), negated, start);
    }
}

fn check_large(
    kernels: &[Arc<dyn Kernels>],
    operation: &dyn map::Unary,
    x: &Array,
    expected: impl Iterator<Item = u64>,
    start: usize,
) {
    let place = Place::dense(&[x.count() as i64], start as i64);
    let canary = Array::canary(x.dtype, place.buffer);
    let mut whole = canary.clone();
    expected.enumerate().for_each(|(position, pattern)| whole.set(start + position, pattern));
    for kernels in kernels {
        let mut found = canary.clone();
        kernels.unary(operation, &x.row(), &mut found.view_mut(&place)).unwrap();
        assert!(found == whole, "{} of {} elements on {kernels:?} from {start}", operation.name(), x.count());
    }
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

/// Pools within pools: a pool calls kernels on itself, on another, and on that of the process.
#[test]
fn kernels_called_from_threads_of_pools() {
    let pool = Threads::own(2).unwrap();
    let x = Array::new(DType::I32, 0..COUNT as u64);
    let outer = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for threads in [pool, Threads::process(), Threads::calling()] {
        let kernels = on_threads(Backend::best(), threads);
        let once = || {
            let mut result = Array::canary(DType::I32, x.count());
            kernels.unary(&map::Abs, &x.row(), &mut result.row_mut()).unwrap();
            result == x
        };
        let results = outer.install(|| rayon::join(|| rayon::join(once, once), || rayon::join(once, once)));
        assert_eq!(results, ((true, true), (true, true)), "{kernels:?}");
    }
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
