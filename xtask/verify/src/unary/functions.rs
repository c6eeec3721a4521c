//! The functions: each with a judge and the error that is promised.

use stratal_kernels::map::{
    Abs, Acos, Acosh, Asin, Asinh, Atan, Atanh, Ceil, Celu, Cos, Cosh, Elu, Erf, Exp, Floor, Gelu, GeluTanh,
    HardSigmoid, LeakyRelu, Log, Neg, Reciprocal, Relu, Round, Rsqrt, Selu, Sigmoid, Sign, Silu, Sin, Sinh, Softplus,
    Sqrt, Tan, Tanh, Trunc, Unary, UnaryFormula,
};

use super::backends::Backend;

/// All of them, in the order of the report. A function joins by a line here.
///
/// A judge is an f64 function of another origin than the formula, most from the platform's C library by way of `std`:
/// its errors are a millionth of an f32's ulp.
pub(crate) fn functions() -> Vec<Function> {
    use Symmetry::{Even, No, Odd};
    vec![
        function("abs", Abs, f64::abs, Even, 0.0),
        function("neg", Neg, |x| -x, Odd, 0.0),
        function("sign", Sign, sign, Odd, 0.0),
        function("floor", Floor, f64::floor, No, 0.0),
        function("ceil", Ceil, f64::ceil, No, 0.0),
        function("round", Round, f64::round_ties_even, Odd, 0.0),
        function("trunc", Trunc, f64::trunc, Odd, 0.0),
        function("sqrt", Sqrt, f64::sqrt, No, 0.5),
        function("rsqrt", Rsqrt, |x| 1.0 / x.sqrt(), No, 1.0),
        function("reciprocal", Reciprocal, |x| 1.0 / x, Odd, 0.5),
        function("relu", Relu, |x| if x < 0.0 { 0.0 } else { x }, No, 0.0),
        function("leaky_relu", LeakyRelu { alpha: 0.01 }, leaky_relu, No, 0.5),
        function("hard_sigmoid", HardSigmoid { alpha: 0.2, beta: 0.5 }, hard_sigmoid, No, 0.5),
        function("exp", Exp, f64::exp, No, 1.0),
        function("sigmoid", Sigmoid, sigmoid, No, 1.0),
        function("tanh", Tanh, f64::tanh, Odd, 1.0),
        function("erf", Erf, libm::erf, Odd, 1.0),
        function("gelu", Gelu, gelu, No, 1.01),
        function("gelu_tanh", GeluTanh, gelu_tanh, No, 1.0),
        function("silu", Silu, |x| if x == f64::NEG_INFINITY { -0.0 } else { x * sigmoid(x) }, No, 1.0),
        function("softplus", Softplus, softplus, No, 1.0),
        function("elu", Elu { alpha: 1.0 }, |x| if x < 0.0 { x.exp_m1() } else { x }, No, 1.0),
        function("celu", Celu { alpha: 1.0 }, |x| if x < 0.0 { x.exp_m1() } else { x }, No, 1.0),
        function("selu", Selu::default(), selu, No, 2.0),
        function("log", Log, f64::ln, No, 1.0),
        function("sin", Sin, f64::sin, Odd, 1.0),
        function("cos", Cos, f64::cos, Even, 1.0),
        function("tan", Tan, f64::tan, Odd, 1.0),
        function("asin", Asin, f64::asin, Odd, 0.501),
        function("acos", Acos, f64::acos, No, 0.501),
        function("atan", Atan, f64::atan, Odd, 1.0),
        function("sinh", Sinh, f64::sinh, Odd, 0.501),
        function("cosh", Cosh, f64::cosh, Even, 0.501),
        function("asinh", Asinh, f64::asinh, Odd, 0.501),
        function("acosh", Acosh, f64::acosh, No, 0.501),
        function("atanh", Atanh, f64::atanh, Odd, 0.501),
    ]
}

/// A function of one f32.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) formula: Box<dyn Formula>,
    /// The exact result, to f64.
    pub(crate) judge: fn(f64) -> f64,
    pub(crate) symmetry: Symmetry,
    /// The greatest error that is promised, in ulps of the result.
    pub(crate) promised: f64,
}

/// What the exact function is for a negative argument, given what it is for the positive one: one call of the judge for
/// both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symmetry {
    No,
    Odd,
    Even,
}

/// A formula of any type.
pub(crate) trait Formula: Send + Sync {
    /// Fills `outputs` with the results for `inputs` on a backend.
    fn apply(&self, backend: Backend, inputs: &[f32], outputs: &mut [f32]);
}

impl<F: UnaryFormula + Unary> Formula for F {
    fn apply(&self, backend: Backend, inputs: &[f32], outputs: &mut [f32]) {
        backend.apply(*self, inputs, outputs);
    }
}

pub(super) fn function(
    name: &'static str,
    formula: impl UnaryFormula + Unary,
    judge: fn(f64) -> f64,
    symmetry: Symmetry,
    promised: f64,
) -> Function {
    Function { name, formula: Box::new(formula), judge, symmetry, promised }
}

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

fn leaky_relu(x: f64) -> f64 {
    if x < 0.0 { x * f64::from(0.01_f32) } else { x }
}

fn hard_sigmoid(x: f64) -> f64 {
    // Both products and sums of f32 need more than f64's digits only where the result is far from them.
    x.mul_add(f64::from(0.2_f32), 0.5).clamp(0.0, 1.0)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Half of `x` times what the normal distribution leaves above `-x`, where nothing cancels.
fn gelu(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { -0.0 } else { 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) }
}

/// By the logistic function, `(1 + tanh u) / 2` being that of `2 u`, where nothing cancels.
fn gelu_tanh(x: f64) -> f64 {
    let inner = std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2 * (x + 0.044_715 * x * x * x);
    if x == f64::NEG_INFINITY { -0.0 } else { x * sigmoid(2.0 * inner) }
}

fn softplus(x: f64) -> f64 {
    if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() }
}

fn selu(x: f64) -> f64 {
    let (alpha, gamma) = (f64::from(1.673_263_2_f32), f64::from(1.050_701_f32));
    if x < 0.0 { gamma * alpha * x.exp_m1() } else { gamma * x }
}
