//! Operators that work element by element, at their special points.

use stratal_eager::{GradOptions, Var, apply, apply_outputs, grad, no_grad};
use stratal_ops::{self as ops, GeluApproximation, Operator};
use stratal_tensor::Tensor;
use stratal_tensor::base::{Bool, DType, bf16, f16};

const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// The gradients of the sum of an operator's result, of one operand or several, as f64.
fn gradients(
    operator: &(impl Operator + Clone),
    operands: &[&[f64]],
    dtype: DType,
    create_graph: bool,
) -> Vec<Vec<f64>> {
    let leaf = |elements: &&[f64]| {
        let tensor = Tensor::from_slice(elements, &[elements.len() as i64]).unwrap().cast(dtype).unwrap();
        Var::parameter(tensor).unwrap()
    };
    let leaves: Vec<Var> = operands.iter().map(leaf).collect();
    let inputs: Vec<_> = leaves.iter().map(Some).collect();
    let sum = apply(operator, &inputs).unwrap().sum(&[], false).unwrap();
    let options = GradOptions { create_graph, ..GradOptions::default() };
    let found = grad(&[&sum], &leaves.iter().collect::<Vec<_>>(), options).unwrap();
    found.iter().map(|gradient| gradient.cast(DType::F64).unwrap().to_vec().unwrap()).collect()
}

/// Asserts what the gradients of one operand are: by the short way and the recorded one, in all dtypes.
#[track_caller]
fn assert_slopes(operator: &(impl Operator + Clone), expected: &[(f64, f64)]) {
    let x: Vec<f64> = expected.iter().map(|(x, _)| *x).collect();
    for (dtype, tolerance) in [(DType::F64, 1e-12), (DType::F32, 1e-6), (DType::F16, 2e-3), (DType::BF16, 2e-2)] {
        for create_graph in [false, true] {
            let found = gradients(operator, &[&x], dtype, create_graph).remove(0);
            for (&(x, expected), found) in expected.iter().zip(found) {
                // A number that the dtype does not hold is another one.
                if dtype == DType::F16 && x.is_finite() && x.abs() > 65_504.0 {
                    continue;
                }
                let is_close = found == expected
                    || (found - expected).abs() <= tolerance * expected.abs().max(1.0)
                    || found.is_nan() && expected.is_nan();
                assert!(is_close, "{operator:?} at {x} in {dtype}: {found} instead of {expected}, {create_graph}");
            }
        }
    }
}

#[test]
fn straight_activations_choose_a_side() {
    // What is NaN lies on no flat side.
    assert_slopes(
        &ops::Relu,
        &[
            (-INFINITY, 0.0),
            (-1e30, 0.0),
            (-1.0, 0.0),
            (-0.0, 0.0),
            (0.0, 0.0),
            (1.0, 1.0),
            (1e30, 1.0),
            (INFINITY, 1.0),
            (NAN, 1.0),
        ],
    );
    assert_slopes(
        &ops::Abs,
        &[(-INFINITY, -1.0), (-2.0, -1.0), (-0.0, 0.0), (0.0, 0.0), (2.0, 1.0), (INFINITY, 1.0), (NAN, NAN)],
    );
    let leaky = ops::LeakyRelu { alpha: 0.25 };
    assert_slopes(&leaky, &[(-INFINITY, 0.25), (-1e30, 0.25), (-0.0, 1.0), (0.0, 1.0), (INFINITY, 1.0), (NAN, 1.0)]);
    let thresholded = ops::ThresholdedRelu { threshold: 1.0 };
    assert_slopes(&thresholded, &[(-INFINITY, 0.0), (1.0, 0.0), (1.5, 1.0), (INFINITY, 1.0), (NAN, 1.0)]);
    let shrink = ops::Shrink { bias: 0.5, threshold: 1.0 };
    assert_slopes(
        &shrink,
        &[(-INFINITY, 1.0), (-1.5, 1.0), (-1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (1.5, 1.0), (INFINITY, 1.0), (NAN, 1.0)],
    );
    let hard = ops::HardSigmoid { alpha: 0.25, beta: 0.5 };
    assert_slopes(
        &hard,
        &[(-INFINITY, 0.0), (-2.0, 0.0), (-1.0, 0.25), (0.0, 0.25), (2.0, 0.0), (INFINITY, 0.0), (NAN, 0.25)],
    );
    assert_slopes(
        &ops::HardSwish,
        &[
            (-INFINITY, 0.0),
            (-3.0, 0.0),
            (-1.5, 0.0),
            (0.0, 0.5),
            (1.5, 1.0),
            (3.0, 1.0),
            (1e30, 1.0),
            (INFINITY, 1.0),
            (NAN, NAN),
        ],
    );
}

#[test]
fn curved_activations_have_their_limits_far_from_zero() {
    /// From 0 to 1, with the slope at 0.
    fn from_zero_to_one(at_zero: f64, at_nan: f64) -> Vec<(f64, f64)> {
        let far = [100.0, 1000.0, 60_000.0, 1e30, INFINITY];
        let mut slopes: Vec<_> = far.iter().flat_map(|&far| [(-far, 0.0), (far, 1.0)]).collect();
        slopes.extend([(0.0, at_zero), (-0.0, at_zero), (NAN, at_nan)]);
        slopes
    }
    assert_slopes(&ops::Elu { alpha: 0.5 }, &from_zero_to_one(1.0, 1.0));
    assert_slopes(&ops::Celu { alpha: 2.0 }, &from_zero_to_one(1.0, 1.0));
    assert_slopes(&ops::Selu { alpha: 1.5, gamma: 1.0 }, &from_zero_to_one(1.0, 1.0));
    assert_slopes(&ops::Swish { alpha: 1.0 }, &from_zero_to_one(0.5, NAN));
    assert_slopes(&ops::Swish { alpha: 3.0 }, &from_zero_to_one(0.5, NAN));
    assert_slopes(&ops::QuickGelu { alpha: 1.702 }, &from_zero_to_one(0.5, NAN));
    assert_slopes(&ops::Gelu { approximation: GeluApproximation::None }, &from_zero_to_one(0.5, NAN));
    assert_slopes(&ops::Gelu { approximation: GeluApproximation::Tanh }, &from_zero_to_one(0.5, NAN));
    assert_slopes(&ops::MicrosoftGelu, &from_zero_to_one(0.5, NAN));
    assert_slopes(&ops::FastGelu, &from_zero_to_one(0.5, NAN));
    assert_slopes(&ops::Mish, &from_zero_to_one(0.6, NAN));
    assert_slopes(&ops::Softplus, &from_zero_to_one(0.5, NAN));
}

#[test]
fn curved_functions_become_flat_far_from_zero() {
    fn flat(at_zero: f64) -> Vec<(f64, f64)> {
        let far = [1000.0, 60_000.0, 1e30, INFINITY];
        let mut slopes: Vec<_> = far.iter().flat_map(|&far| [(-far, 0.0), (far, 0.0)]).collect();
        slopes.extend([(0.0, at_zero), (-0.0, at_zero), (NAN, NAN)]);
        slopes
    }
    assert_slopes(&ops::Sigmoid, &flat(0.25));
    assert_slopes(&ops::Tanh, &flat(1.0));
    assert_slopes(&ops::Erf, &flat(std::f64::consts::FRAC_2_SQRT_PI));
    let rational = |at_thousand: f64| {
        let far = [1e30, INFINITY];
        let mut slopes: Vec<_> = far.iter().flat_map(|&far| [(-far, 0.0), (far, 0.0)]).collect();
        slopes.extend([(0.0, 1.0), (NAN, NAN), (1000.0, at_thousand), (-1000.0, at_thousand)]);
        slopes
    };
    assert_slopes(&ops::Softsign, &rational(1.0 / (1001.0 * 1001.0)));
    assert_slopes(&ops::Atan, &rational(1.0 / 1_000_001.0));
    assert_slopes(&ops::Asinh, &rational(1_000_001.0_f64.sqrt().recip()));
    for alpha in [0.5, 1.0] {
        assert_slopes(&ops::Elu { alpha }, &[(-1.0, f64::from(alpha) * (-1.0_f64).exp())]);
    }
}

#[test]
fn a_negative_tail_keeps_its_digits() {
    // x·φ(x) + Φ(x), from tables of Φ.
    let gelu = ops::Gelu { approximation: GeluApproximation::None };
    let found = gradients(&gelu, &[&[-5.0, -3.0]], DType::F32, false).remove(0);
    for (found, expected) in found.iter().zip([-7.146_948_1e-6, -1.194_568_9e-2]) {
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} instead of {expected}");
    }
}

#[test]
fn roots_logarithms_and_quotients_are_steep_at_zero() {
    assert_slopes(&ops::Sqrt, &[(0.0, INFINITY), (4.0, 0.25), (INFINITY, 0.0), (-1.0, NAN), (NAN, NAN)]);
    assert_slopes(&ops::Log, &[(0.0, INFINITY), (4.0, 0.25), (INFINITY, 0.0), (NAN, NAN)]);
    assert_slopes(&ops::Reciprocal, &[(0.0, -INFINITY), (2.0, -0.25), (INFINITY, 0.0), (NAN, NAN)]);
    assert_slopes(&ops::Exp, &[(-INFINITY, 0.0), (0.0, 1.0), (INFINITY, INFINITY), (NAN, NAN)]);
    assert_slopes(&ops::Asin, &[(-1.0, INFINITY), (0.0, 1.0), (1.0, INFINITY)]);
    assert_slopes(&ops::Acos, &[(-1.0, -INFINITY), (0.0, -1.0), (1.0, -INFINITY)]);
    assert_slopes(&ops::Acosh, &[(1.0, INFINITY), (1e30, 0.0), (INFINITY, 0.0)]);
    assert_slopes(&ops::Atanh, &[(-1.0, INFINITY), (0.0, 1.0), (1.0, INFINITY)]);
}

#[test]
fn steps_are_flat_everywhere() {
    let points: Vec<_> = [-INFINITY, -1.5, -1.0, 0.0, 0.5, 1.0, INFINITY, NAN].map(|x| (x, 0.0)).into();
    assert_slopes(&ops::Ceil, &points);
    assert_slopes(&ops::Floor, &points);
    assert_slopes(&ops::Round, &points);
    assert_slopes(&ops::Sign, &points);
}

#[test]
fn powers_of_zero() {
    for (power, at_zero, at_two) in
        [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (2.0, 0.0, 4.0), (3.0, 0.0, 12.0), (0.5, INFINITY, 0.125_f64.sqrt())]
    {
        // As a number, as one exponent, and as one for each base.
        for exponents in [None, Some(&[1_i64][..]), Some(&[2])] {
            for dtype in [DType::F64, DType::F32] {
                let base = Var::parameter(Tensor::from_slice(&[0.0, 2.0], &[2]).unwrap().cast(dtype).unwrap()).unwrap();
                let powers = match exponents {
                    None => base.pow(power).unwrap(),
                    Some(shape) => base.pow(&Var::full(shape, power, dtype).unwrap()).unwrap(),
                };
                powers.sum(&[], false).unwrap().backward().unwrap();
                let found = base.gradient().unwrap().cast(DType::F64).unwrap().to_vec::<f64>().unwrap();
                assert_eq!(found[0], at_zero, "power {power}, {exponents:?}");
                assert!((found[1] - at_two).abs() < 1e-6, "power {power}, {exponents:?}: {found:?}");
            }
        }
    }
    // Where both change: that of the exponent is 0 where powers of 0 do not change.
    let operands: [&[f64]; 2] = [&[0.0, 0.0, 1.0, 2.0, INFINITY], &[2.0, 0.0, 5.0, 1.0, 1.0]];
    for create_graph in [false, true] {
        let found = gradients(&ops::Pow, &operands, DType::F64, create_graph);
        assert_eq!(found[0], [0.0, 0.0, 5.0, 1.0, 1.0]);
        assert_eq!(found[1], [0.0, 0.0, 0.0, 2.0 * 2.0_f64.ln(), INFINITY]);
    }
    // A base that is no number counts for nothing in the power of 0.
    let nothing = Var::leaf(&[NAN], &[1]).unwrap();
    nothing.pow(0.0).unwrap().backward().unwrap();
    assert_eq!(nothing.gradient().unwrap().to_vec::<f64>().unwrap(), [0.0]);
    // The logarithm of a negative base is none.
    let found = gradients(&ops::Pow, &[&[-2.0], &[3.0]], DType::F64, false);
    assert_eq!(found[0], [12.0]);
    assert!(found[1][0].is_nan());
}

#[test]
fn ties_are_shared() {
    for create_graph in [false, true] {
        let greatest = |operands: &[&[f64]]| gradients(&ops::Max, operands, DType::F64, create_graph);
        let least = |operands: &[&[f64]]| gradients(&ops::Min, operands, DType::F64, create_graph);
        let two: [&[f64]; 2] = [&[3.0, 1.0, -0.0, INFINITY], &[3.0, 2.0, 0.0, INFINITY]];
        assert_eq!(greatest(&two), [[0.5, 0.0, 0.5, 0.5], [0.5, 1.0, 0.5, 0.5]]);
        assert_eq!(least(&two), [[0.5, 1.0, 0.5, 0.5], [0.5, 0.0, 0.5, 0.5]]);
        let three: [&[f64]; 3] = [&[6.0, 1.0], &[6.0, 6.0], &[6.0, 6.0]];
        let third = 1.0 / 3.0;
        assert_eq!(greatest(&three), [[third, 0.0], [third, 0.5], [third, 0.5]]);
        assert_eq!(least(&three), [[third, 1.0], [third, 0.0], [third, 0.0]]);
        // No operand has lost against NaN.
        assert_eq!(greatest(&[&[NAN, 1.0], &[1.0, NAN]]), [[0.5, 0.5], [0.5, 0.5]]);
    }
    // One variable on both sides has both halves.
    let x = Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap();
    x.maximum(&x).unwrap().sum(&[], false).unwrap().backward().unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [1.0, 1.0]);
}

#[test]
fn limits_belong_to_the_band() {
    let x = || Var::leaf(&[-INFINITY, -2.0, -1.0, 0.0, 1.0, 2.0, INFINITY, NAN], &[8]).unwrap();
    let slopes = |low: f64, high: f64| {
        let x = x();
        let (low, high) = (Var::leaf(&[low], &[]).unwrap(), Var::leaf(&[high], &[1]).unwrap());
        let clipped = apply(&ops::Clip, &[Some(&x), Some(&low), Some(&high)]).unwrap();
        clipped.sum(&[], false).unwrap().backward().unwrap();
        [&x, &low, &high].map(|var| var.gradient().unwrap().to_vec::<f64>().unwrap())
    };
    let [of_x, of_low, of_high] = slopes(-1.0, 1.0);
    assert_eq!(of_x, [0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!((of_low, of_high), (vec![2.0], vec![2.0]));
    // Of crossed limits the upper one wins, but not against NaN.
    let [of_x, of_low, of_high] = slopes(1.0, -1.0);
    assert_eq!(of_x, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!((of_low, of_high), (vec![0.0], vec![7.0]));
    // A limit that is NaN cuts nothing.
    let [of_x, of_low, of_high] = slopes(NAN, 1.0);
    assert_eq!(of_x, [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!((of_low, of_high), (vec![0.0], vec![2.0]));
}

#[test]
fn zero_does_not_meet_infinity_where_nothing_was_chosen() {
    for create_graph in [false, true] {
        // The slope of a rectifier sees no positive operand, and a positive operand no slope.
        let found = gradients(
            &ops::PRelu,
            &[&[INFINITY, -INFINITY, 2.0, -2.0], &[0.5, 0.5, INFINITY, 0.5]],
            DType::F64,
            create_graph,
        );
        assert_eq!(found[0], [1.0, 0.5, 1.0, 0.5]);
        assert_eq!(found[1], [0.0, -INFINITY, 0.0, -2.0]);
    }
    // An infinite gradient stays where the element was chosen.
    let x = Var::leaf(&[-1.0_f64, 1.0], &[2]).unwrap();
    x.relu().unwrap().backward_from(&Var::from_slice(&[INFINITY, INFINITY], &[2]).unwrap()).unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [0.0, INFINITY]);
    let condition = Var::from_slice(&[Bool::TRUE, Bool::FALSE], &[2]).unwrap();
    let (a, b) = (Var::leaf(&[1.0_f64, 1.0], &[2]).unwrap(), Var::leaf(&[INFINITY, 1.0], &[2]).unwrap());
    let chosen = condition.select_by(&a, &b).unwrap();
    chosen.backward_from(&Var::from_slice(&[INFINITY, 2.0], &[2]).unwrap()).unwrap();
    assert_eq!(a.gradient().unwrap().to_vec::<f64>().unwrap(), [INFINITY, 0.0]);
    assert_eq!(b.gradient().unwrap().to_vec::<f64>().unwrap(), [0.0, 2.0]);
}

#[test]
fn gradients_of_gradients_are_no_spurious_nan() {
    #[track_caller]
    fn assert_curvature(operator: &(impl Operator + Clone), at: f64, expected: f64) {
        let x = Var::leaf(&[at], &[]).unwrap();
        let y = apply(operator, &[Some(&x)]).unwrap();
        let slope = grad(&[&y], &[&x], GradOptions { create_graph: true, ..Default::default() }).unwrap().remove(0);
        let options = GradOptions { allow_unreachable: true, ..Default::default() };
        let curvature = if slope.requires_grad() {
            grad(&[&slope], &[&x], options).unwrap().remove(0).item().unwrap()
        } else {
            0.0
        };
        assert!((curvature - expected).abs() < 1e-12, "{operator:?} at {at}: {curvature} instead of {expected}");
    }
    let gelu = ops::Gelu { approximation: GeluApproximation::None };
    let gelu_tanh = ops::Gelu { approximation: GeluApproximation::Tanh };
    for far in [-INFINITY, -1e300, -1000.0, 1000.0, 1e300, INFINITY] {
        assert_curvature(&ops::Relu, far, 0.0);
        assert_curvature(&ops::LeakyRelu { alpha: 0.1 }, far, 0.0);
        assert_curvature(&ops::Elu { alpha: 1.5 }, far, 0.0);
        assert_curvature(&ops::Celu { alpha: 1.5 }, far, 0.0);
        assert_curvature(&ops::Selu { alpha: 1.5, gamma: 1.05 }, far, 0.0);
        assert_curvature(&ops::Swish { alpha: 1.5 }, far, 0.0);
        assert_curvature(&ops::Sigmoid, far, 0.0);
        assert_curvature(&ops::Tanh, far, 0.0);
        assert_curvature(&ops::Softplus, far, 0.0);
        assert_curvature(&ops::Mish, far, 0.0);
        assert_curvature(&ops::HardSwish, far, 0.0);
        assert_curvature(&ops::HardSigmoid { alpha: 0.2, beta: 0.5 }, far, 0.0);
        assert_curvature(&gelu, far, 0.0);
        assert_curvature(&gelu_tanh, far, 0.0);
    }
    for far in [-INFINITY, -1e300, 1e300, INFINITY] {
        assert_curvature(&ops::Softsign, far, 0.0);
    }
    assert_curvature(&ops::Relu, 0.0, 0.0);
    assert_curvature(&ops::Abs, 0.0, 0.0);
    assert_curvature(&ops::Swish { alpha: 1.0 }, 0.0, 0.5);
    assert_curvature(&gelu, 0.0, 2.0 * (0.5 * std::f64::consts::FRAC_1_SQRT_2 * std::f64::consts::FRAC_2_SQRT_PI));
    assert_curvature(&ops::Elu { alpha: 1.0 }, 100.0, 0.0);
    for (power, expected) in [(0.0, 0.0), (1.0, 0.0), (2.0, 2.0), (3.0, 0.0)] {
        let x = Var::leaf(&[0.0_f64], &[]).unwrap();
        let options = GradOptions { create_graph: true, allow_unreachable: true, ..Default::default() };
        let slope = grad(&[&x.pow(power).unwrap()], &[&x], options).unwrap().remove(0);
        let curvature = if slope.requires_grad() {
            grad(&[&slope], &[&x], GradOptions::default()).unwrap().remove(0).item().unwrap()
        } else {
            0.0
        };
        assert_eq!(curvature, expected, "power {power}");
    }
}

#[test]
fn dropout_goes_back_by_the_mask_of_its_way_forward() {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        let x = Var::parameter(Tensor::full(&[64], 2.0, dtype).unwrap()).unwrap();
        let ratio = Var::full(&[], 0.25, DType::F32).unwrap();
        let training = Var::from_slice(&[Bool::TRUE], &[]).unwrap();
        let dropout = ops::Dropout { seed: Some(5) };
        let outputs = apply_outputs(&dropout, &[Some(&x), Some(&ratio), Some(&training)], 2).unwrap();
        outputs[0].sum(&[], false).unwrap().backward().unwrap();
        let as_numbers = |tensor: &Tensor| tensor.cast(DType::F64).unwrap().to_vec::<f64>().unwrap();
        let (y, gradient) = (as_numbers(outputs[0].tensor()), as_numbers(&x.gradient().unwrap()));
        let mask = as_numbers(outputs[1].tensor());
        assert!(mask.contains(&0.0) && mask.contains(&1.0));
        for ((y, gradient), kept) in y.iter().zip(&gradient).zip(&mask) {
            assert!(
                (gradient - kept / 0.75).abs() < 1e-2 && (y - 2.0 * gradient).abs() < 2e-2,
                "{y} {gradient} {kept}"
            );
        }
    }
    // Without a mask that anybody asked for it is kept all the same; what is dropped has no gradient, infinite or not.
    let x = Var::leaf(&[f32::INFINITY; 32], &[32]).unwrap();
    let training = Var::from_slice(&[Bool::TRUE], &[]).unwrap();
    let y = apply(&ops::Dropout { seed: Some(5) }, &[Some(&x), None, Some(&training)]).unwrap();
    y.sum(&[], false).unwrap().backward().unwrap();
    let gradient = x.gradient().unwrap().to_vec::<f32>().unwrap();
    let y = y.to_vec::<f32>().unwrap();
    assert!(gradient.iter().zip(&y).all(|(gradient, y)| *gradient == if y.is_nan() { 0.0 } else { 2.0 }));
}

#[test]
fn powers_of_mixed_dtypes_have_gradients_of_each() {
    let base = Var::leaf(&[2.0_f32, 3.0], &[2]).unwrap();
    let exponent = Var::leaf(&[3.0_f64], &[]).unwrap();
    base.pow(&exponent).unwrap().sum(&[], false).unwrap().backward().unwrap();
    assert_eq!(base.gradient().unwrap().to_vec::<f32>().unwrap(), [12.0, 27.0]);
    let found = exponent.gradient().unwrap().to_vec::<f64>().unwrap()[0];
    assert!((found - (8.0 * 2.0_f64.ln() + 27.0 * 3.0_f64.ln())).abs() < 1e-5);
}

#[test]
fn casts_go_back_to_the_dtype_that_they_came_from() {
    let x = Var::leaf(&[f16::from_f32(1.5)], &[1]).unwrap();
    let like = Var::leaf(&[1.0_f64], &[]).unwrap();
    let y = apply(&ops::CastLike, &[Some(&x), Some(&like)]).unwrap();
    assert_eq!(y.dtype(), DType::F64);
    y.mul(4.0).unwrap().sum(&[], false).unwrap().backward().unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f16>().unwrap(), [f16::from_f32(4.0)]);
    let y = x.cast(DType::BF16).unwrap();
    assert_eq!(y.to_vec::<bf16>().unwrap(), [bf16::from_f32(1.5)]);
    // To integers there is no way back.
    assert!(!x.cast(DType::I32).unwrap().requires_grad());
}

#[test]
fn nothing_goes_back_where_nothing_is_recorded() {
    let x = Var::leaf(&[1.0_f32], &[1]).unwrap();
    let y = no_grad(|| x.relu()).unwrap();
    assert!(!y.requires_grad());
}
