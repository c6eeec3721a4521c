//! Problems of Fourier transforms.

use stratal_ops::{Dft, Stft};
use stratal_tensor::Tensor;

use super::problem::{Problem, numbers, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    let plain = Dft::default();
    // Real and complex numbers, odd and even lengths, cut and continued.
    for (extent, length) in [(4, None), (5, None), (5, Some(3)), (3, Some(6)), (1, None), (0, None)] {
        for inverse in [false, true] {
            for parts in [1, 2] {
                problems.push(dft(Dft { inverse, ..plain }, &[2, extent, parts], length, None));
            }
        }
        problems.push(dft(Dft { onesided: true, ..plain }, &[2, extent, 1], length, None));
        problems.push(dft(Dft { onesided: true, inverse: true, ..plain }, &[2, extent, 2], length, None));
    }
    // Other axes, by an attribute or an input.
    problems.push(dft(Dft { axis: Some(0), ..plain }, &[3, 2, 2], Some(4), None));
    problems.push(dft(plain, &[3, 2, 1], None, Some(-3)));
    problems.push(dft(Dft { onesided: true, inverse: true, ..plain }, &[2, 3, 1, 2], Some(5), Some(1)));
    problems.push(dft(plain, &[0, 3, 2], None, None));

    // Frames that overlap, leave gaps, and leave a rest.
    for (onesided, parts) in [(true, 1), (false, 1), (false, 2)] {
        for (step, length) in [(1, 3), (2, 3), (3, 2)] {
            problems.push(stft(onesided, &[2, 6, parts], step, true, None, length));
            problems.push(stft(onesided, &[1, 6, parts], step, false, Some(length), length));
        }
    }
    problems.push(stft(true, &[1, 4, 1], 1, true, Some(2), 2));
    problems.push(stft(true, &[2, 4, 1], 1, false, None, 4));
    problems.push(stft(true, &[1, 2, 1], 1, true, None, 3));
    problems.push(stft(true, &[0, 4, 1], 1, true, None, 2));
}

fn scalar(number: i64) -> Tensor {
    Tensor::scalar(number).unwrap()
}

fn dft(operator: Dft, shape: &[i64], length: Option<i64>, axis: Option<i64>) -> Problem {
    Problem::with_missing(operator, [Some(numbers(shape)), length.map(scalar), axis.map(scalar)])
}

fn stft(onesided: bool, shape: &[i64], step: i64, has_window: bool, given: Option<i64>, length: i64) -> Problem {
    let window = has_window.then(|| spread_from(1, &[length], 0.2, 1.2));
    Problem::with_missing(Stft { onesided }, [Some(numbers(shape)), Some(scalar(step)), window, given.map(scalar)])
}
