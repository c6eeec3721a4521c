//! Losses of nothing.

use stratal_eager::{EagerError, Var, apply};
use stratal_ops::{LossReduction, NegativeLogLikelihoodLoss, Operator, SoftmaxCrossEntropyLoss};

/// A mean over no samples is NaN whatever the weights, of which none had a part in it: their gradient is 0. (Central differences
/// would say NaN.)
#[test]
fn weights_of_no_samples_have_no_gradient() -> Result<(), EagerError> {
    fn check(operator: &(impl Operator + Clone), expected: f64) -> Result<(), EagerError> {
        let scores = Var::leaf::<f64>(&[], &[0, 3])?;
        let weights = Var::leaf(&[0.5, 1.0, 2.0], &[3])?;
        let classes = Var::from_slice::<i64>(&[], &[0])?;
        let loss = apply(operator, &[Some(&scores), Some(&classes), Some(&weights)])?;
        let found = loss.item()?;
        assert!(found == expected || found.is_nan() && expected.is_nan(), "{operator:?}: {found}");
        loss.backward()?;
        assert_eq!(weights.gradient().unwrap().to_vec::<f64>()?, [0.0; 3], "{operator:?}");
        assert_eq!(scores.gradient().unwrap().shape().extents(), [0, 3], "{operator:?}");
        Ok(())
    }
    for (reduction, expected) in [(LossReduction::Mean, f64::NAN), (LossReduction::Sum, 0.0)] {
        check(&NegativeLogLikelihoodLoss { reduction, ignore_index: None }, expected)?;
        check(&SoftmaxCrossEntropyLoss { reduction, ignore_index: None }, expected)?;
    }
    Ok(())
}
