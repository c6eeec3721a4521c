//! Queries that see nothing, and keys that nobody sees.

use stratal_eager::{EagerError, Var, apply};
use stratal_ops::Attention;
use stratal_tensor::Tensor;
use stratal_tensor::base::Bool;

fn gradient(var: &Var) -> Vec<f64> {
    var.gradient().map(|gradient| gradient.to_vec().unwrap()).unwrap_or_default()
}

#[test]
fn queries_that_see_no_key_have_no_gradient() -> Result<(), EagerError> {
    let queries = Var::leaf(&[1.0, 2.0], &[1, 1, 2, 1])?;
    let keys = Var::leaf(&[0.5, 0.5], &[1, 1, 2, 1])?;
    let values = Var::leaf(&[1.0, 3.0], &[1, 1, 2, 1])?;
    let truths = [true, true, false, false].map(Bool::from);
    let numbers = [0.0, 0.0, f64::NEG_INFINITY, f64::NEG_INFINITY];
    for mask in [Tensor::from_slice(&truths, &[2, 2])?, Tensor::from_slice(&numbers, &[2, 2])?] {
        for operand in [&queries, &keys, &values] {
            operand.clear_gradient();
        }
        let attended = queries.scaled_dot_product_attention(&keys, &values, Some(&mask.into()), false, None)?;
        assert_eq!(attended.to_vec::<f64>()?, [2.0, 0.0]);
        attended.sum(&[], false)?.backward()?;
        // The keys are equal, so that the first query does not matter; its shares of the values are halves.
        assert_eq!(gradient(&queries), [0.0, 0.0]);
        assert_eq!(gradient(&keys), [-0.5, 0.5]);
        assert_eq!(gradient(&values), [0.5, 0.5]);
    }
    Ok(())
}

#[test]
fn what_a_batch_does_not_have_reaches_no_gradient() -> Result<(), EagerError> {
    let queries = Var::leaf(&[1.0], &[1, 1, 1, 1])?;
    let keys = Var::leaf(&[0.5, 0.25, f64::NAN], &[1, 1, 3, 1])?;
    let values = Var::leaf(&[1.0, 3.0, f64::INFINITY], &[1, 1, 3, 1])?;
    let lengths = Var::from_slice(&[2_i64], &[1])?;
    let inputs = [Some(&queries), Some(&keys), Some(&values), None, None, None, Some(&lengths)];
    apply(&Attention::default(), &inputs)?.sum(&[], false)?.backward()?;
    assert!(gradient(&queries)[0].is_finite());
    assert_eq!((gradient(&keys)[2], gradient(&values)[2]), (0.0, 0.0));
    assert!(gradient(&keys).iter().chain(&gradient(&values)).all(|gradient| gradient.is_finite()));
    Ok(())
}

#[test]
fn four_axes_are_needed() -> Result<(), EagerError> {
    let x = Var::leaf(&[1.0, 2.0], &[1, 2, 1])?;
    let error = x.scaled_dot_product_attention(&x, &x, None, false, None).unwrap_err();
    assert_eq!(error.to_string(), "queries have shape [1, 2, 1]: expected 4 axes");
    Ok(())
}
