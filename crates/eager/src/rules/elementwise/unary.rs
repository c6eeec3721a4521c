//! What derivatives of operators of one operand have in common.

use stratal_kernels::map::{BinaryFormula, Formula};
use stratal_kernels::simd::{Float, Simd};
use stratal_ops::{read, write};
use stratal_tensor::TensorOptions;

use crate::derivative::Call;
use crate::engine::with_context;
use crate::{EagerError, Var};

/// Implements the derivative of an operator of one operand, of whose result each element depends on one element alone.
///
/// - `derivative!(Cos, input, |_, g, x| ...)`: the gradient, from that of the result and the operand. The operand is saved.
/// - `derivative!(Exp, output, |_, g, y| ...)`: the same from the result, which is saved.
/// - `derivative!(Swish, slope at input, |swish| ...)`: a [`Slope`] at the operand, or at the `output`.
/// - `derivative!(Floor, flat)`: zeros.
macro_rules! derivative {
    ($operator:ty, $saved:ident, $gradient:expr) => {
        $crate::rules::elementwise::unary::derivative!(@implement $operator, $saved, |operator: &$operator, call, at| {
            let gradient: fn(&$operator, &$crate::Var, &$crate::Var) -> Result<$crate::Var, $crate::EagerError> =
                $gradient;
            gradient(operator, &call.gradient()?, at)
        });
    };
    ($operator:ty, slope at $saved:ident, $slope:expr) => {
        $crate::rules::elementwise::unary::derivative!(@implement $operator, $saved, |operator: &$operator, call, at| {
            let slope: fn(&$operator) -> _ = $slope;
            $crate::rules::elementwise::unary::by_slope(slope(operator), call, at)
        });
    };
    ($operator:ty, flat) => {
        impl $crate::derivative::Derivative for $operator {
            fn backward(
                &self,
                call: &$crate::derivative::Call<'_>,
            ) -> Result<$crate::derivative::Gradients, $crate::EagerError> {
                Ok(call.zeros_like(0)?.into())
            }
        }
    };
    (@implement $operator:ty, $saved:ident, $gradient:expr) => {
        impl $crate::derivative::Derivative for $operator {
            fn saves(&self, _: &$crate::derivative::Need<'_>) -> $crate::derivative::Saves {
                $crate::derivative::Saves::$saved(0)
            }

            fn backward(
                &self,
                call: &$crate::derivative::Call<'_>,
            ) -> Result<$crate::derivative::Gradients, $crate::EagerError> {
                let gradient: fn(
                    &$operator,
                    &$crate::derivative::Call<'_>,
                    &$crate::Var,
                ) -> Result<$crate::Var, $crate::EagerError> = $gradient;
                Ok(gradient(self, call, &call.$saved(0)?)?.into())
            }
        }
    };
}
pub(in crate::rules) use derivative;

/// The slope of a function, in two ways: as a formula of a gradient and the place, which takes one pass over the elements, and
/// in recorded operations, which can be differentiated again.
pub(super) trait Slope: BinaryFormula {
    /// `gradient * slope(at)`.
    fn recorded(self, gradient: &Var, at: &Var) -> Result<Var, EagerError>;
}

/// The gradient of an operand from that of the result, by the slope at a saved place.
pub(super) fn by_slope(slope: impl Slope, call: &Call<'_>, at: &Var) -> Result<Var, EagerError> {
    times_slope(slope, call, &call.gradient()?, at)
}

/// A gradient times the slope at a place of the same shape: in one pass, unless it is to be differentiated itself.
pub(super) fn times_slope(slope: impl Slope, call: &Call<'_>, gradient: &Var, at: &Var) -> Result<Var, EagerError> {
    if call.creates_graph() { slope.recorded(gradient, at) } else { in_one_pass(slope, gradient, at) }
}

fn in_one_pass(formula: impl BinaryFormula, gradient: &Var, at: &Var) -> Result<Var, EagerError> {
    let product = TensorOptions::new(at.dtype()).empty_of(*at.shape())?;
    let (gradient, at) = (read(gradient.tensor())?, read(at.tensor())?);
    let (gradient, at) = (gradient.view()?, at.view()?);
    with_context(|context| {
        Ok(write(&product, |product| context.kernels().binary(&Formula(formula), &gradient, &at, product))?)
    })?;
    Ok(Var::constant(product))
}

/// Elements within a bound of zero. NaN stays NaN.
#[inline(always)]
pub(super) fn clamp<S: Simd>(simd: S, x: S::F32, bound: f64) -> S::F32 {
    // In this order of operands a NaN stays.
    simd.f32(bound as f32).min(simd.f32(-bound as f32).max(x))
}
