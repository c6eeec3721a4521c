//! `Pow`: `g * p * x^(p - 1)` for the base, and `g * y * log(x)` for the exponent.

use stratal_ops::{And, Pow};
use stratal_tensor_base::DType;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

impl Derivative for Pow {
    fn saves(&self, need: &Need<'_>) -> Saves {
        let operands = Saves::inputs([0, 1]);
        if need.input(1) { operands.and_output(0) } else { operands }
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, x, p) = (call.gradient()?, call.input(0)?, call.input(1)?);
        let base = call.wanted_summed(0, || {
            if p.tensor().count() == 1 && !call.needs(1) {
                return by_number(call, &gradient, &x, p.item()?);
            }
            gradient.mul(&slope_by_base(&x, &p, call.needs(1))?)
        })?;
        let exponent =
            call.wanted_summed(1, || gradient.mul(&call.output(0)?)?.mul(&safe_log(&x, &p)?)?.cast(call.dtype(1)))?;
        Ok([base, exponent].into())
    }
}

/// The gradient of the base, of a power that is a number.
fn by_number(call: &Call<'_>, gradient: &Var, x: &Var, power: f64) -> Result<Var, EagerError> {
    if power == 0.0 {
        call.zeros_like_output(0)
    } else if power == 1.0 {
        Ok(gradient.clone())
    } else if power == 2.0 {
        gradient.mul(&x.mul(2.0)?)
    } else {
        gradient.mul(&x.pow(power - 1.0)?.mul(power)?)
    }
}

/// `p * x^(p - 1)`, which is 0 where `p` is, also where the power is infinite.
fn slope_by_base(x: &Var, p: &Var, p_varies: bool) -> Result<Var, EagerError> {
    // Integers without a sign have nothing below 0.
    let p = if p.dtype().is_float() { p.clone() } else { p.cast(DType::I64)? };
    let mut is_constant = p.equal(0.0)?;
    if p_varies {
        // How the slope changes with the exponent matters as well, and only a base of 0 makes the power infinite.
        is_constant = apply(&And, &[Some(&is_constant), Some(&x.equal(0.0)?)])?;
    }
    let one_less = is_constant.select_by(&p.number(0.0)?, &p.sub(1.0)?)?;
    x.pow(&one_less)?.mul(&p.cast(x.dtype())?)
}

/// `log(x)`, but 0 where a power of 0 does not change with its exponent.
fn safe_log(x: &Var, p: &Var) -> Result<Var, EagerError> {
    let is_constant = apply(&And, &[Some(&x.equal(0.0)?), Some(&p.greater_or_equal(0.0)?)])?;
    is_constant.select_by(&x.number(1.0)?, x)?.log()
}
