//! Ties, zeros and values without a slope along axes; and losses at their ends.

use stratal_eager::loss::{self, CrossEntropy, LossReduction};
use stratal_eager::{EagerError, Var};

/// The gradient of the sum of what a function makes of a vector.
fn gradient(x: &[f64], of: impl Fn(&Var) -> Result<Var, EagerError>) -> Vec<f64> {
    let x = Var::leaf(x, &[x.len() as i64]).unwrap();
    of(&x).unwrap().sum(&[], false).unwrap().backward().unwrap();
    x.gradient().unwrap().to_vec().unwrap()
}

/// C2 (burn#5141): nothing is divided by an element.
#[test]
fn zeros_in_running_products() {
    assert_eq!(gradient(&[2.0, 0.0, 3.0, 4.0], |x| x.cumulative_product(0)), [1.0, 32.0, 0.0, 0.0]);
    assert_eq!(gradient(&[0.0, 2.0, 0.0, 4.0], |x| x.cumulative_product(0)), [3.0, 0.0, 0.0, 0.0]);
    assert_eq!(gradient(&[2.0, 0.0, 3.0], |x| x.product(&[], false)), [0.0, 6.0, 0.0]);
    assert_eq!(gradient(&[0.0, 0.0, 3.0], |x| x.product(&[], false)), [0.0; 3]);
}

/// C10: the first of equal elements was picked, and gets all of it. So does the first NaN.
#[test]
fn ties_of_extreme_elements() {
    assert_eq!(gradient(&[3.0, 3.0, 1.0], |x| x.max(&[], false)), [1.0, 0.0, 0.0]);
    assert_eq!(gradient(&[3.0, 1.0, 1.0], |x| x.min(&[0], true)), [0.0, 1.0, 0.0]);
    assert_eq!(gradient(&[3.0, f64::NAN, f64::NAN], |x| x.max(&[], false)), [0.0, 1.0, 0.0]);
    assert_eq!(gradient(&[f64::NEG_INFINITY; 2], |x| x.max(&[], false)), [1.0, 0.0]);
    let along_both = gradient(&[1.0, 5.0, 5.0, 2.0], |x| x.reshape(&[2, 2])?.max(&[0, 1], false));
    assert_eq!(along_both, [0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn norms_without_a_slope() {
    assert_eq!(gradient(&[0.0, 0.0], |x| x.norm(&[], false)), [0.0, 0.0]);
    assert_eq!(gradient(&[0.0, -2.0], |x| x.l1_norm(&[], false)), [0.0, -1.0]);
    assert_eq!(gradient(&[4.0, 4.0], |x| x.standard_deviation(&[], 1.0, false)), [0.0, 0.0]);
    assert_eq!(gradient(&[1.0, 3.0], |x| x.variance(&[], 1.0, false)), [-2.0, 2.0]);
    assert_eq!(gradient(&[f64::NEG_INFINITY; 2], |x| x.log_sum_exp(&[], false)), [0.0, 0.0]);
    assert_eq!(gradient(&[f64::NEG_INFINITY, 1.0], |x| x.log_sum_exp(&[], false)), [0.0, 1.0]);
}

#[test]
fn samples_that_do_not_count_have_no_gradient() {
    let scores = Var::leaf(&[0.0_f64, 0.0, f64::NAN, 1.0], &[2, 2]).unwrap();
    let classes = Var::from_slice(&[1_i64, -1], &[2]).unwrap();
    let options = CrossEntropy { ignore_index: Some(-1), ..CrossEntropy::default() };
    loss::cross_entropy(&scores, &classes, options).unwrap().backward().unwrap();
    assert_eq!(scores.gradient().unwrap().to_vec::<f64>().unwrap(), [0.5, -0.5, 0.0, 0.0]);
}

#[test]
fn losses_at_their_ends() {
    let zero = |x: &Var| Var::full(&[x.shape().count() as i64], 0.0, x.dtype());
    let entropy = |x: &Var| loss::bce_with_logits(x, &zero(x)?, LossReduction::Sum);
    assert_eq!(gradient(&[1000.0, -1000.0, 0.0], entropy), [1.0, 0.0, 0.5]);
    let huber = |x: &Var| loss::huber(x, &zero(x)?, 2.0, LossReduction::Sum);
    assert_eq!(gradient(&[-5.0, -1.0, 0.0, 2.0, 7.0], huber), [-2.0, -1.0, 0.0, 2.0, 2.0]);
    assert_eq!(gradient(&[-5.0, 1.0], |x| loss::mse(x, &zero(x)?, LossReduction::Mean)), [-5.0, 1.0]);
}

#[test]
fn smoothed_labels() {
    let scores = || Var::leaf(&[1.0_f64, 3.0], &[1, 2]).unwrap();
    let classes = Var::from_slice(&[0_i64], &[1]).unwrap();
    let of = |label_smoothing| {
        let options = CrossEntropy { label_smoothing, ..CrossEntropy::default() };
        loss::cross_entropy(&scores(), &classes, options).unwrap().item().unwrap()
    };
    // All of the weight spread over the classes is the mean of the losses of each.
    let other = of(0.0) - 2.0;
    assert!((of(0.5) - (0.75 * of(0.0) + 0.25 * other)).abs() < 1e-12);
}
