//! Large problems: the same bits on any number of threads.

use std::sync::Arc;

use stratal_kernels::{Backend, Kernels, Threads};
use stratal_tensor_base::DType;

use super::calls::{CALLS, Case, Layout};
use crate::EMULATED;
use crate::backends::on_threads;
use crate::place::{Place, in_order};

fn on_many_threads() -> Vec<Arc<dyn Kernels>> {
    let pools: Vec<Threads> = [1, 2, 3].into_iter().map(|threads| Threads::own(threads).unwrap()).collect();
    let backends = [Backend::Scalar, Backend::best()];
    backends
        .into_iter()
        .flat_map(|backend| pools.iter().map(move |threads| on_threads(backend, threads.clone())).collect::<Vec<_>>())
        .collect()
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let kernels = on_many_threads();
    let problems: &[(&[i64], &[usize])] = match EMULATED {
        true => &[(&[3, 25_000], &[1])],
        // Many rows, few long ones, one, columns, columns with an axis outside, several axes.
        false => &[
            (&[700, 301], &[1]),
            (&[2, 200_003], &[1]),
            (&[400_001], &[0]),
            (&[300, 700], &[0]),
            (&[7, 200, 151], &[1]),
            (&[3, 401, 170], &[0, 2]),
        ],
    };
    for call in CALLS.iter().filter(|call| !call.is_minor()) {
        for (extents, axes) in problems {
            for dtype in [DType::F32, DType::BF16, DType::F64, DType::I32] {
                if !call.is_defined(dtype) || (dtype != DType::F32 && extents.len() == 3) {
                    continue;
                }
                let place = Place::dense(extents, 1);
                let others = Place::new(extents, &vec![1; extents.len()], 1);
                let case = Case { call, dtype, axes, places: [&place, &others], layout: Layout::Dense };
                case.check_with_plain(kernels.iter().map(|kernels| &**kernels), 7);
            }
        }
    }
}

/// Operands that are gathered, and results that threads cannot divide.
#[test]
fn strided_operands_and_results_on_threads() {
    let kernels = on_many_threads();
    let extents = if EMULATED { [3, 11, 41] } else { [5, 101, 211] };
    let place = Place::new(&extents, &in_order(&extents, &[2, 0, 1], 1), 1);
    for call in CALLS.iter().filter(|call| !call.is_minor() && call.is_defined(DType::F32)) {
        for axes in [&[1][..], &[0], &[1, 2]] {
            let layout = Layout::Sparse;
            let case = Case { call, dtype: DType::F32, axes, places: [&place, &place], layout };
            case.check_with_plain(kernels.iter().map(|kernels| &**kernels), 7);
        }
    }
}
