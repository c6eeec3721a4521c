//! How far results are from exact ones: sums of f32 against exact integers of 1/2^k or sums in f64, within stated bounds.

use stratal_kernels::reduce::{L2Norm, LogSumExp, Mean, Prod, Reduction, Sum, SumSquare};
use stratal_kernels::{Centre, Normalization, Saved, Softmax};
use stratal_tensor_base::DType;

use crate::array::Array;
use crate::backends::reference;
use crate::values::Generator;

/// What one rounding to f32 is off by, relatively, at most.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// The additions that an element goes through, at most: in its block, of the four, of blocks, of lanes.
fn additions(length: usize) -> f64 {
    let blocks = length.div_ceil(1024).next_power_of_two().trailing_zeros();
    f64::from(16 + 2 + blocks + 4)
}

/// The bound on the relative error of that many roundings in a row.
fn bound(length: usize) -> f64 {
    let roundings = additions(length) * ROUNDING;
    roundings / (1.0 - roundings)
}

fn reduce(operation: &dyn Reduction, row: &[f32]) -> f64 {
    let mut result = Array::canary(DType::F32, 1);
    reference().reduce(operation, &Array::of(row).row(), &mut result.row_mut()).unwrap();
    result.to_vec::<f32>()[0].into()
}

/// Rows of f32 that are hard to add: of all magnitudes, large ones that cancel, one large among many small.
fn rows() -> Vec<Vec<f32>> {
    let mut generator = Generator(11);
    let mut rows = Vec::new();
    for length in [1, 7, 16, 64, 65, 1000, 1024, 1025, 4096, 10_000, 100_000] {
        let unit = |generator: &mut Generator| generator.below(1 << 24) as f32 / (1 << 24) as f32;
        rows.push((0..length).map(|_| unit(&mut generator)).collect());
        rows.push((0..length).map(|_| unit(&mut generator) - 0.5).collect());
        rows.push((0..length).map(|_| 1e30 * (unit(&mut generator) - 0.5)).collect());
        let magnitude = |generator: &mut Generator| 2_f32.powi(generator.below(40) as i32 - 20);
        rows.push((0..length).map(|_| unit(&mut generator) * magnitude(&mut generator)).collect());
        rows.push((0..length).map(|index| if index % 2 == 0 { 1e8 } else { -1e8 } + unit(&mut generator)).collect());
        let mut spike: Vec<f32> = (0..length).map(|_| unit(&mut generator)).collect();
        spike[length / 3] = 16_777_216.0;
        rows.push(spike);
    }
    rows
}

/// The sum in f64, compensated: exact to far more digits than are compared.
fn exact(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for x in terms {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    sum + lost
}

#[test]
fn sums_and_means_are_within_their_bound() {
    for row in rows() {
        let length = row.len();
        let sum = exact(row.iter().map(|x| f64::from(*x)));
        let magnitudes = exact(row.iter().map(|x| f64::from(x.abs())));
        let error = (reduce(&Sum, &row) - sum).abs();
        assert!(error <= bound(length) * magnitudes, "{error:e} of {magnitudes:e}, {length}");
        let error = (reduce(&Mean, &row) - sum / length as f64).abs();
        let allowed = bound(length) * magnitudes / length as f64 + ROUNDING * (sum / length as f64).abs();
        assert!(error <= allowed * (1.0 + ROUNDING), "{error:e} of {allowed:e}, {length}");
    }
}

#[test]
fn sums_of_squares_and_norms_are_within_their_bound() {
    for row in rows().into_iter().filter(|row| row.iter().all(|x| x.abs() < 1e15)) {
        let length = row.len();
        let squares = exact(row.iter().map(|x| f64::from(*x) * f64::from(*x)));
        let error = (reduce(&SumSquare, &row) - squares).abs() / squares;
        assert!(error <= bound(length) + 2.0 * ROUNDING, "{error:e}, {length}");
        let error = (reduce(&L2Norm, &row) / squares.sqrt() - 1.0).abs();
        assert!(error <= bound(length) / 2.0 + 3.0 * ROUNDING, "{error:e}, {length}");
    }
}

#[test]
fn products_are_within_a_rounding_for_each_element() {
    let mut generator = Generator(3);
    for length in [2, 30, 1000, 5000] {
        let row: Vec<f32> =
            (0..length).map(|_| 0.99 + generator.below(1 << 16) as f32 / (1 << 16) as f32 / 50.0).collect();
        let exact: f64 = row.iter().map(|x| f64::from(*x)).product();
        let error = (reduce(&Prod, &row) / exact - 1.0).abs();
        assert!(error <= length as f64 * ROUNDING, "{error:e}, {length}");
    }
}

#[test]
fn logarithms_of_sums_of_exponentials_are_within_their_bound() {
    let mut generator = Generator(5);
    for length in [1, 2, 17, 1000, 5000] {
        for spread in [0.1, 10.0, 80.0] {
            let row: Vec<f32> = (0..length).map(|_| spread * (generator.below(4001) as f32 / 2000.0 - 1.0)).collect();
            let greatest = row.iter().fold(f32::MIN, |a, b| a.max(*b));
            let terms = row.iter().map(|x| f64::from(*x - greatest).exp());
            let result = f64::from(greatest) + exact(terms).ln();
            let error = (reduce(&LogSumExp, &row) - result).abs();
            // Of the sum, as an absolute error; of the logarithm; of the result.
            let logarithm = (result - f64::from(greatest)).abs();
            let allowed = bound(length) + 3.0 * ROUNDING + 2.0 * ROUNDING * (logarithm + result.abs());
            assert!(error <= allowed, "{error:e} instead of {allowed:e}, {length}, {spread}");
        }
    }
}

#[test]
fn softmax_is_within_its_bound() {
    let mut generator = Generator(7);
    for length in [2_usize, 17, 1000, 5000] {
        for spread in [0.1, 10.0, 60.0] {
            let row: Vec<f32> = (0..length).map(|_| spread * (generator.below(4001) as f32 / 2000.0 - 1.0)).collect();
            let greatest = row.iter().fold(f32::MIN, |a, b| a.max(*b));
            let power = |x: &f32| (f64::from(*x) - f64::from(greatest)).exp();
            let sum = exact(row.iter().map(power));
            for is_logarithm in [false, true] {
                let mut result = Array::canary(DType::F32, length);
                let operation = Softmax { is_logarithm, ..Softmax::along(0) };
                reference().softmax(&operation, &Array::of(&row).row(), &mut result.row_mut()).unwrap();
                for (found, x) in result.to_vec::<f32>().iter().zip(&row) {
                    let distance = f64::from(greatest) - f64::from(*x);
                    if is_logarithm {
                        let expected = -distance - sum.ln();
                        let allowed =
                            bound(length) + 3.0 * ROUNDING + ROUNDING * (distance + 2.0 * sum.ln() + expected.abs());
                        let error = (f64::from(*found) - expected).abs();
                        assert!(error <= allowed, "{error:e} instead of {allowed:e}, {length}, {spread}");
                    } else if power(x) > 1e-30 {
                        let expected = power(x) / sum;
                        let allowed = bound(length) + (distance + 8.0) * ROUNDING;
                        let error = (f64::from(*found) / expected - 1.0).abs();
                        assert!(error <= allowed, "{error:e} instead of {allowed:e}, {length}, {spread}");
                    }
                }
            }
        }
    }
}

#[test]
fn normalised_rows_are_within_their_bound() {
    let mut generator = Generator(9);
    for length in [2_usize, 16, 768, 5000] {
        for offset in [0.0_f32, 3.0, 1000.0] {
            let row: Vec<f32> = (0..length).map(|_| offset + generator.below(20_001) as f32 / 10_000.0 - 1.0).collect();
            let mean = exact(row.iter().map(|x| f64::from(*x))) / length as f64;
            let variance = exact(row.iter().map(|x| (f64::from(*x) - mean).powi(2))) / length as f64;
            let mut result = Array::canary(DType::F32, length);
            let operation = Normalization { centre: Centre::Mean, axes: &[0], epsilon: 1e-5 };
            let x = Array::of(&row);
            reference().normalize(&operation, &x.row(), None, None, &mut result.row_mut(), Saved::default()).unwrap();
            let deviation = (variance + f64::from(1e-5_f32)).sqrt();
            // The mean's error, in deviations, moves all elements; twice that, squared, adds to the variance.
            let of_mean = (bound(length) + ROUNDING) * (f64::from(offset) + 1.0) / deviation;
            for (found, x) in result.to_vec::<f32>().iter().zip(&row) {
                let expected = (f64::from(*x) - mean) / deviation;
                let allowed = of_mean + expected.abs() * (bound(length) + of_mean * of_mean + 6.0 * ROUNDING);
                let error = (f64::from(*found) - expected).abs();
                assert!(error <= allowed, "{error:e} instead of {allowed:e}, {length}, {offset}");
            }
        }
    }
}
