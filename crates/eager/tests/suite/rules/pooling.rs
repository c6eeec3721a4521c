//! Problems of pooling.

use stratal_kernels::pool::AutoPad;
use stratal_ops as ops;
use stratal_ops::{Sliding, SlidingPadding, StorageOrder, Windows};
use stratal_tensor::Tensor;

use super::problem::{Problem, numbers};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (shape, windows) in windows() {
        for count_padding in [false, true] {
            problems.push(Problem::new(ops::AveragePool { windows: windows.clone(), count_padding }, [numbers(shape)]));
        }
        for storage_order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
            problems.push(Problem::new(ops::MaxPool { windows: windows.clone(), storage_order }, [numbers(shape)]));
        }
        for power in 1..=4 {
            problems.push(Problem::new(ops::LpPool { windows: windows.clone(), power }, [numbers(shape)]));
        }
    }
    let windows = Windows::of_kernel([2]);
    let max = ops::MaxPool { windows, storage_order: StorageOrder::RowMajor };
    problems.push(Problem::new(max, [numbers(&[1, 2, 4])]).outputs(2));
    global(problems);
    unpooled(problems);
    regions(problems);
}

fn global(problems: &mut Vec<Problem>) {
    for shape in [&[2, 2, 3][..], &[1, 2, 2, 3], &[1, 1, 2, 1, 2], &[0, 2, 3], &[2, 0, 2, 2]] {
        problems.push(Problem::new(ops::GlobalAveragePool, [numbers(shape)]));
        problems.push(Problem::new(ops::GlobalMaxPool, [numbers(shape)]));
        for power in 1..=4 {
            problems.push(Problem::new(ops::GlobalLpPool { power }, [numbers(shape)]));
        }
    }
    problems.push(Problem::new(ops::GlobalAveragePool, [numbers(&[2, 1, 0])]));
    problems.push(Problem::new(ops::GlobalMaxPool, [numbers(&[2, 1, 0])]));
}

fn unpooled(problems: &mut Vec<Problem>) {
    let unpool = |kernel: &[i64], strides: &[i64], pads: &[i64]| ops::MaxUnpool {
        kernel: kernel.to_vec(),
        strides: strides.to_vec(),
        pads: pads.to_vec(),
    };
    let tensor = |elements: &[i64], shape: &[i64]| Tensor::from_slice(elements, shape).unwrap();
    let plain = || [numbers(&[1, 2, 2]), tensor(&[0, 3, 5, 6], &[1, 2, 2])];
    problems.push(Problem::new(unpool(&[2], &[2], &[]), plain()));
    problems.push(Problem::new(unpool(&[2], &[2], &[]), plain().into_iter().chain([tensor(&[1, 2, 5], &[3])])));
    // One place for two elements: the last one stays.
    let again = tensor(&[2, 0, 2, 5], &[1, 1, 2, 2]);
    problems.push(Problem::new(unpool(&[2, 2], &[2, 2], &[0, 1, 0, 0]), [numbers(&[1, 1, 2, 2]), again]));
    let indices = Tensor::from_slice(&[1_i32, 4], &[1, 1, 2]).unwrap();
    problems.push(Problem::new(unpool(&[3], &[2], &[]), [numbers(&[1, 1, 2]), indices]));
}

fn regions(problems: &mut Vec<Problem>) {
    let regions = [0.0, 0.1, 0.1, 3.2, 2.9, 1.0, 1.2, 0.2, 2.1, 2.2, 1.0, 2.1, 2.1, 9.2, 8.8_f64];
    let regions = Tensor::from_slice(&regions, &[3, 5]).unwrap();
    // The number of an image is exact: it cannot be moved, as central differences would.
    let pool = ops::MaxRoiPool { parts: [2, 2], spatial_scale: 1.0 };
    problems.push(Problem::new(pool, [numbers(&[2, 2, 4, 4]), regions]).constant(1));
    let none = Tensor::from_slice::<f64>(&[], &[0, 5]).unwrap();
    problems.push(Problem::new(pool, [numbers(&[1, 1, 2, 2]), none]).constant(1));
}

/// Windows, and shapes of images.
fn windows() -> Vec<(&'static [i64], Windows)> {
    let sliding = |kernel: &[i64], strides: &[i64], dilations: &[i64], pads: &[i64], ceil| Windows {
        kernel: kernel.to_vec(),
        sliding: Sliding {
            strides: strides.to_vec(),
            dilations: dilations.to_vec(),
            padding: SlidingPadding::Explicit(pads.to_vec()),
        },
        ceil,
    };
    let auto = |kernel: &[i64], strides: &[i64], padding| Windows {
        kernel: kernel.to_vec(),
        sliding: Sliding { strides: strides.to_vec(), padding: SlidingPadding::Auto(padding), ..Sliding::default() },
        ceil: false,
    };
    vec![
        (&[2, 1, 5], sliding(&[2], &[], &[], &[], false)),
        // A tail that no window reaches, and windows apart.
        (&[1, 2, 5], sliding(&[2], &[2], &[], &[], false)),
        (&[1, 1, 7], sliding(&[2], &[3], &[], &[], false)),
        (&[1, 1, 8], sliding(&[3], &[2], &[2], &[1, 2], true)),
        (&[1, 2, 4, 4], sliding(&[2, 2], &[2, 2], &[], &[], false)),
        (&[1, 1, 4, 5], sliding(&[3, 2], &[2, 1], &[], &[1, 0, 1, 1], false)),
        // Each axis has its dilation.
        (&[1, 1, 4, 5], sliding(&[2, 2], &[], &[1, 2], &[], false)),
        (&[1, 1, 5, 4], sliding(&[3, 3], &[2, 3], &[2, 1], &[2, 1, 1, 0], true)),
        (&[1, 1, 3, 4], auto(&[2, 3], &[2, 2], AutoPad::SameUpper)),
        (&[1, 1, 4, 3], auto(&[2, 3], &[1, 2], AutoPad::SameLower)),
        (&[1, 1, 3, 2, 3], sliding(&[2, 1, 2], &[1, 1, 2], &[], &[1, 0, 0, 0, 0, 1], false)),
        (&[0, 2, 3], sliding(&[2], &[], &[], &[], false)),
    ]
}
