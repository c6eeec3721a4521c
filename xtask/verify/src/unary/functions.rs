//! The functions: each with a judge and the error that is promised.

use stratal_kernels::map::{Acos, Acosh, Asin, Asinh, Atan, Atanh, Cos, Cosh, Log, Sin, Sinh, Tan, UnaryFormula};

use super::backends::Backend;

/// All of them, in the order of the report. A function joins by a line here.
///
/// A judge is an f64 function of another origin than the formula, most from the platform's C library by way of `std`:
/// its errors are a millionth of an f32's ulp.
pub(crate) fn functions() -> Vec<Function> {
    use Symmetry::{Even, No, Odd};
    vec![
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

impl<F: UnaryFormula> Formula for F {
    fn apply(&self, backend: Backend, inputs: &[f32], outputs: &mut [f32]) {
        backend.apply(*self, inputs, outputs);
    }
}

pub(super) fn function(
    name: &'static str,
    formula: impl UnaryFormula,
    judge: fn(f64) -> f64,
    symmetry: Symmetry,
    promised: f64,
) -> Function {
    Function { name, formula: Box::new(formula), judge, symmetry, promised }
}
