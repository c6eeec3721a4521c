//! Normalising numbers whose variance vanishes beside their mean, or whose squares overflow.

use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::every_way::{gives, gives_nearly, plain, run, tensor, typed};

/// What a row becomes, computed in f64, with an epsilon that matters beside its variance only if it is small.
fn normalised(row: &[f64], epsilon: f64) -> Vec<f64> {
    let count = row.len() as f64;
    let mean = row.iter().sum::<f64>() / count;
    let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    row.iter().map(|x| (x - mean) / (variance + epsilon).sqrt()).collect()
}

/// Normalises a row by each operator that subtracts the mean, with a scale of 1 and no bias.
fn check(dtype: DType, row: &[f64], expected: &[f64]) {
    let length = row.len() as i64;
    let (ones, one) = (typed(dtype, &vec![1.0; row.len()], &[length]), typed(dtype, &[1.0], &[1]));
    let zero = Tensor::zeros(&[1], dtype).unwrap();
    let flat = typed(dtype, row, &[1, length]);
    gives_nearly("LayerNormalization", &plain().with("epsilon", 1e-5), &[&flat, &ones], expected, 2e-6);
    let image = typed(dtype, row, &[1, 1, length]);
    gives_nearly("InstanceNormalization", &plain(), &[&image, &one, &zero], expected, 2e-6);
    gives_nearly("GroupNormalization", &plain().with("num_groups", 1), &[&image, &one, &zero], expected, 2e-6);
    let image = typed(dtype, row, &[1, 1, 1, length]);
    // It has another epsilon, or none.
    gives_nearly("MeanVarianceNormalization", &plain(), &[&image], expected, 2e-5);
}

#[test]
fn a_small_variance_beside_a_large_mean_is_right() {
    for dtype in [DType::F32, DType::F64] {
        for start in [0.0, 40_000.0, 80_000.0, 4_000_000.0] {
            let row: Vec<_> = (0..4).map(|i| start + f64::from(i)).collect();
            let expected = normalised(&row, 1e-5);
            assert!((expected[0] + 1.341_635).abs() < 1e-6 && (expected[2] - 0.447_212).abs() < 1e-6);
            check(dtype, &row, &expected);
        }
        check(dtype, &[1234.0; 256], &[0.0; 256]);
        check(dtype, &[-0.1; 300], &[0.0; 300]);
    }
}

#[test]
fn the_variance_of_large_numbers_does_not_overflow() {
    for row in [[1e30, 2e30, 3e30, 4e30], [-3e38, 3e38, -3e38, 3e38], [1e25, -1e25, 0.0, 2e25]] {
        check(DType::F32, &row, &normalised(&row, 0.0));
    }
    let rows: Vec<_> = (0..70).map(|i| f64::from(i % 9) * 1e29).collect();
    check(DType::F32, &rows, &normalised(&rows, 0.0));
    let (x, ones) = (tensor(&[1e30_f32, -1e30, 1e30, 1e30], &[1, 4]), tensor(&[1.0_f32; 4], &[4]));
    gives_nearly("RMSNormalization", &plain(), &[&x, &ones], &[1.0, -1.0, 1.0, 1.0], 2e-7);
}

/// Rows beside one that overflows keep the bits that they have alone.
#[test]
fn a_row_that_overflows_changes_no_other() {
    let ordinary = [0.3_f32, 1.7, -2.9, 5.1];
    let ones = tensor(&[1.0_f32; 4], &[4]);
    let alone = run("LayerNormalization", &plain(), &[&tensor(&ordinary, &[1, 4]), &ones]).remove(0);
    let both: Vec<_> = ordinary.into_iter().chain([1e30, 2e30, 3e30, 4e30]).collect();
    let both = run("LayerNormalization", &plain(), &[&tensor(&both, &[2, 4]), &ones]).remove(0);
    assert_eq!(both.to_vec::<f32>().unwrap()[..4], alone.to_vec::<f32>().unwrap());
}

#[test]
fn infinity_and_nan_in_a_row_make_it_nan() {
    let ones = tensor(&[1.0_f32; 3], &[3]);
    for odd in [f32::INFINITY, f32::NAN] {
        let nan = tensor(&[f32::NAN; 3], &[1, 3]);
        gives("LayerNormalization", &plain(), &[&tensor(&[1.0, odd, 2.0], &[1, 3]), &ones], &nan);
    }
}
