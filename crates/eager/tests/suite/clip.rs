//! Clipping, by norm and by value: what is at the bound, beyond all bounds, and no number.

use stratal_eager::{Parameters, Var, clip_gradient_norm, clip_gradient_value, gradient_norm};
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

/// Parameters with these gradients; one more has none.
fn parameters(gradients: &[&[f64]]) -> Parameters {
    let mut parameters = Parameters::new();
    for (place, gradient) in gradients.iter().enumerate() {
        let var = Var::leaf(&vec![0.0_f64; gradient.len()], &[gradient.len() as i64]).unwrap();
        var.set_gradient(Tensor::from_slice(gradient, &[gradient.len() as i64]).unwrap()).unwrap();
        parameters.add(format!("p{place}"), var).unwrap();
    }
    parameters.add("without", Var::leaf(&[1.0_f64], &[1]).unwrap()).unwrap();
    parameters
}

fn gradients(parameters: &Parameters) -> Vec<f64> {
    let gradients = parameters.iter().filter_map(|(_, parameter)| parameter.gradient());
    gradients.flat_map(|gradient| gradient.to_vec::<f64>().unwrap()).collect()
}

#[test]
fn the_norm_is_that_of_all_gradients_together() {
    let all = parameters(&[&[3.0, 0.0], &[-4.0], &[], &[12.0]]);
    assert_eq!(gradient_norm(&all).unwrap(), 13.0);
    assert_eq!(clip_gradient_norm(&all, 13.0).unwrap(), 13.0);
    assert_eq!(gradients(&all), [3.0, 0.0, -4.0, 12.0]);
    assert_eq!(clip_gradient_norm(&all, 6.5).unwrap(), 13.0);
    assert_eq!(gradients(&all), [1.5, 0.0, -2.0, 6.0]);
    assert_eq!(clip_gradient_norm(&all, f64::INFINITY).unwrap(), 6.5);
    assert_eq!(gradients(&all), [1.5, 0.0, -2.0, 6.0]);
    assert_eq!(clip_gradient_norm(&all, 0.0).unwrap(), 6.5);
    assert_eq!(gradients(&all), [0.0, 0.0, 0.0, 0.0]);
    assert_eq!(clip_gradient_norm(&all, 1.0).unwrap(), 0.0);
    // Nothing at all.
    assert_eq!(gradient_norm(&Parameters::new()).unwrap(), 0.0);
    assert_eq!(clip_gradient_norm(&parameters(&[]), 1.0).unwrap(), 0.0);
    assert!(all.get("without").unwrap().gradient().is_none());
}

#[test]
fn narrow_floats_have_wide_norms() {
    for (dtype, element, norm) in
        [(DType::F16, 60000.0, 120_000.0), (DType::F32, 1e30, 2e30), (DType::BF16, 1e38, 2e38)]
    {
        let gradient = Tensor::full(&[4], element, dtype).unwrap();
        let var = Var::parameter(Tensor::zeros(&[4], dtype).unwrap()).unwrap();
        let exact: f64 = gradient.cast(DType::F64).unwrap().item(&[0]).unwrap();
        var.set_gradient(gradient).unwrap();
        let mut parameters = Parameters::new();
        parameters.add("x", var.clone()).unwrap();
        assert_eq!(clip_gradient_norm(&parameters, 1.0).unwrap(), 2.0 * exact);
        assert!((2.0 * exact / norm - 1.0).abs() < 0.01);
        let clipped = var.gradient().unwrap();
        assert_eq!(clipped.dtype(), dtype);
        for found in clipped.cast(DType::F64).unwrap().to_vec::<f64>().unwrap() {
            assert!((found - 0.5).abs() < 0.01, "{dtype}: {found}");
        }
    }
}

#[test]
fn a_norm_that_is_no_number_changes_nothing() {
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
    for (strange, norm) in [(f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY), (f64::NAN, f64::NAN)] {
        let all = parameters(&[&[3.0], &[strange, 1.0]]);
        let found = clip_gradient_norm(&all, 1.0).unwrap();
        assert!(found == norm || found.is_nan() && norm.is_nan());
        assert!(same(&gradients(&all), &[3.0, strange, 1.0]));
        // A value is clipped; NaN is not.
        clip_gradient_value(&all, 2.0).unwrap();
        let clipped = if strange.is_nan() { strange } else { strange.clamp(-2.0, 2.0) };
        assert!(same(&gradients(&all), &[2.0, clipped, 1.0]), "{:?}", gradients(&all));
    }
}

#[test]
fn values_are_brought_between_bounds() {
    let all = parameters(&[&[3.0, -0.5], &[-4.0], &[]]);
    clip_gradient_value(&all, f64::INFINITY).unwrap();
    assert_eq!(gradients(&all), [3.0, -0.5, -4.0]);
    clip_gradient_value(&all, 1.0).unwrap();
    assert_eq!(gradients(&all), [1.0, -0.5, -1.0]);
    clip_gradient_value(&all, 0.0).unwrap();
    assert_eq!(gradients(&all), [0.0, 0.0, 0.0]);
}

#[test]
fn bounds_that_are_none_are_refused() {
    let all = parameters(&[&[3.0]]);
    for bound in [-1.0, f64::NAN, f64::NEG_INFINITY, -f64::MIN_POSITIVE] {
        let text = format!("cannot clip gradients to {bound}");
        assert_eq!(clip_gradient_norm(&all, bound).unwrap_err().to_string(), text);
        assert_eq!(clip_gradient_value(&all, bound).unwrap_err().to_string(), text);
        assert_eq!(gradients(&all), [3.0]);
    }
}

/// The gradient of a sum is one element that is seen everywhere, and two leaves may have the same.
#[test]
fn gradients_that_share_memory_are_clipped_once() {
    let mut parameters = Parameters::new();
    let a = parameters.add("a", Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap()).unwrap();
    let b = parameters.add("b", Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap()).unwrap();
    (&a + &b).sum(&[], false).unwrap().backward().unwrap();
    let before = a.gradient().unwrap();
    assert_eq!(clip_gradient_norm(&parameters, 1.0).unwrap(), 2.0);
    assert_eq!(gradients(&parameters), [0.5; 4]);
    assert_eq!(before.to_vec::<f64>().unwrap(), [1.0, 1.0]);
}
