//! `Activation`: the functions that recurrent operators apply to their gates.

use stratal_kernels::map::{self, Formula, Unary, UnaryFormula};
use stratal_kernels::simd::{Float, Simd};
use stratal_kernels::{AnyViewMut, Kernels};

use crate::elementwise::Softsign;
use crate::{Cause, Node, attribute};

/// A function that a recurrent operator applies to a gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Activation {
    /// `max(x, 0)`.
    Relu,
    /// `tanh(x)`.
    Tanh,
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// `alpha * x + beta`.
    Affine {
        /// The slope.
        alpha: f32,
        /// The value at 0.
        beta: f32,
    },
    /// `x`, or `alpha * x` below 0.
    LeakyRelu {
        /// The slope below 0.
        alpha: f32,
    },
    /// `x` from `alpha` on, 0 below.
    ThresholdedRelu {
        /// The threshold.
        alpha: f32,
    },
    /// `alpha * tanh(beta * x)`.
    ScaledTanh {
        /// The factor of the result.
        alpha: f32,
        /// The factor of the operand.
        beta: f32,
    },
    /// `alpha * x + beta`, at least 0 and at most 1.
    HardSigmoid {
        /// The slope.
        alpha: f32,
        /// The value at 0.
        beta: f32,
    },
    /// `x`, or `alpha * (exp(x) - 1)` below 0.
    Elu {
        /// The size of the limit toward negative infinity.
        alpha: f32,
    },
    /// `x / (1 + |x|)`.
    Softsign,
    /// `log(1 + exp(x))`.
    Softplus,
}

const NAMES: &str =
    "Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign or Softplus";

impl Activation {
    /// The list of activations of a node, with their numbers; empty if there is none. Each function takes as many numbers from
    /// the front of the two lists as it has; what is missing there is its default.
    pub(super) fn list(node: &Node<'_>) -> Result<Vec<Self>, Cause> {
        let numbers = |name| Ok::<_, Cause>(node.floats(name)?.unwrap_or_default().iter().copied());
        let (mut alphas, mut betas) = (numbers("activation_alpha")?, numbers("activation_beta")?);
        let names = node.strings("activations")?.unwrap_or_default();
        let activation = |name: &String| {
            let mut alpha = |default| alphas.next().unwrap_or(default);
            let mut beta = |default| betas.next().unwrap_or(default);
            Ok(match name.to_ascii_lowercase().as_str() {
                "relu" => Self::Relu,
                "tanh" => Self::Tanh,
                "sigmoid" => Self::Sigmoid,
                "affine" => Self::Affine { alpha: alpha(1.0), beta: beta(0.0) },
                "leakyrelu" => Self::LeakyRelu { alpha: alpha(0.01) },
                "thresholdedrelu" => Self::ThresholdedRelu { alpha: alpha(1.0) },
                "scaledtanh" => Self::ScaledTanh { alpha: alpha(1.0), beta: beta(1.0) },
                "hardsigmoid" => Self::HardSigmoid { alpha: alpha(0.2), beta: beta(0.5) },
                "elu" => Self::Elu { alpha: alpha(1.0) },
                "softsign" => Self::Softsign,
                "softplus" => Self::Softplus,
                _ => return Err(attribute("activations", format!("{name:?}"), NAMES)),
            })
        };
        names.iter().map(activation).collect()
    }

    /// Applies it in place.
    pub(super) fn apply(self, kernels: &dyn Kernels, x: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        let kernel: &dyn Unary = match &self {
            Self::Relu => &map::Relu,
            Self::Tanh => &map::Tanh,
            Self::Sigmoid => &map::Sigmoid,
            Self::Affine { alpha, beta } => &Formula(Affine { alpha: *alpha, beta: *beta }),
            Self::LeakyRelu { alpha } => &map::LeakyRelu { alpha: *alpha },
            Self::ThresholdedRelu { alpha } => &Formula(Thresholded { alpha: *alpha }),
            Self::ScaledTanh { alpha, beta } => &Formula(ScaledTanh { alpha: *alpha, beta: *beta }),
            Self::HardSigmoid { alpha, beta } => &map::HardSigmoid { alpha: *alpha, beta: *beta },
            Self::Elu { alpha } => &map::Elu { alpha: *alpha },
            Self::Softsign => &Formula(Softsign),
            Self::Softplus => &map::Softplus,
        };
        Ok(kernels.unary_in_place(kernel, x)?)
    }
}

/// `alpha * x + beta`.
#[derive(Debug, Clone, Copy)]
struct Affine {
    alpha: f32,
    beta: f32,
}

impl UnaryFormula for Affine {
    const NAME: &'static str = "affine";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        x * simd.f32(self.alpha) + simd.f32(self.beta)
    }

    fn f64(self, x: f64) -> f64 {
        x * f64::from(self.alpha) + f64::from(self.beta)
    }
}

/// `x` from `alpha` on, and NaN; 0 below.
#[derive(Debug, Clone, Copy)]
struct Thresholded {
    alpha: f32,
}

impl UnaryFormula for Thresholded {
    const NAME: &'static str = "thresholded_relu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        simd.select(x.lt(simd.f32(self.alpha)), simd.f32(0.0), x)
    }

    fn f64(self, x: f64) -> f64 {
        if x < f64::from(self.alpha) { 0.0 } else { x }
    }
}

/// `alpha * tanh(beta * x)`.
#[derive(Debug, Clone, Copy)]
struct ScaledTanh {
    alpha: f32,
    beta: f32,
}

impl UnaryFormula for ScaledTanh {
    const NAME: &'static str = "scaled_tanh";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        map::Tanh.f32(simd, x * simd.f32(self.beta)) * simd.f32(self.alpha)
    }

    fn f64(self, x: f64) -> f64 {
        map::Tanh.f64(x * f64::from(self.beta)) * f64::from(self.alpha)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, Context, write};

    fn list(names: &[&str], alphas: &[f32], betas: &[f32]) -> Result<Vec<Activation>, Cause> {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        let attributes = Attributes::new().with("activations", crate::Attribute::Strings(names));
        let attributes = attributes.with("activation_alpha", alphas.to_vec()).with("activation_beta", betas.to_vec());
        Activation::list(&Node { attributes: &attributes, inputs: 3, outputs: 1 })
    }

    #[test]
    fn each_takes_its_own_numbers() {
        let activations = list(&["Tanh", "LeakyRelu", "Affine", "HardSigmoid"], &[0.5, 2.0], &[3.0]).unwrap();
        let expected = [
            Activation::Tanh,
            Activation::LeakyRelu { alpha: 0.5 },
            Activation::Affine { alpha: 2.0, beta: 3.0 },
            Activation::HardSigmoid { alpha: 0.2, beta: 0.5 },
        ];
        assert_eq!(activations, expected);
        let error = list(&["Cosine"], &[], &[]).unwrap_err().to_string();
        assert_eq!(error, format!(r#"attribute activations is "Cosine": expected {NAMES}"#));
    }

    #[test]
    fn all_are_what_they_say() {
        let applied = |activation: Activation| {
            let x = Tensor::from_slice(&[-2.0_f64, 0.5, 1.0], &[3]).unwrap();
            write(&x, |x| activation.apply(Context::new().unwrap().kernels(), x)).unwrap();
            x.to_vec::<f64>().unwrap()
        };
        assert_eq!(applied(Activation::Affine { alpha: 2.0, beta: 1.0 }), [-3.0, 2.0, 3.0]);
        assert_eq!(applied(Activation::ThresholdedRelu { alpha: 1.0 }), [0.0, 0.0, 1.0]);
        assert_eq!(applied(Activation::LeakyRelu { alpha: 0.5 }), [-1.0, 0.5, 1.0]);
        assert_eq!(applied(Activation::Softsign), [-2.0 / 3.0, 0.5 / 1.5, 0.5]);
        let x = Tensor::scalar(f32::NEG_INFINITY).unwrap();
        write(&x, |x| Activation::Softsign.apply(Context::new().unwrap().kernels(), x)).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [-1.0]);
        assert_eq!(applied(Activation::Relu), [0.0, 0.5, 1.0]);
        assert_eq!(applied(Activation::HardSigmoid { alpha: 0.5, beta: 0.5 }), [0.0, 0.75, 1.0]);
        let scaled = applied(Activation::ScaledTanh { alpha: 3.0, beta: 0.5 });
        assert!((scaled[2] - 3.0 * 0.5_f64.tanh()).abs() < 1e-15);
    }
}
