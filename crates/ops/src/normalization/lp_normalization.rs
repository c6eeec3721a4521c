//! `LpNormalization`: rows of norm 1.

use stratal_kernels::map::{BinaryFormula, Formula};
use stratal_kernels::reduce::{L1Norm, L2Norm, Reduction};
use stratal_kernels::simd::{Float, Simd};
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::DType;

use super::precision::{compute_in, widened};
use super::rows::reduced_shape;
use crate::operands::broadcast;
use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, attribute, axis, dtypes, read, write,
};

/// Divides the elements along an axis by their norm. A row of zeros stays.
///
/// Floats of 16 bits compute in f32 and are rounded once. Where a norm in f32 is not finite or so small that squares are lost,
/// all is computed in f64: so rows of values like 1e30 and 1e-30 have a result.
#[derive(Debug, Clone, Copy)]
pub struct LpNormalization {
    /// The axis; it may count from the end.
    pub axis: i64,
    /// The norm.
    pub norm: Norm,
}

/// The size of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// The sum of magnitudes.
    L1,
    /// The root of the sum of squares.
    L2,
}

impl LpNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "LpNormalization",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["axis", "p"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let norm = match node.int_or("p", 2)? {
                1 => Norm::L1,
                2 => Norm::L2,
                other => return Err(attribute("p", other, "1 or 2")),
            };
            Ok(Box::new(Self { axis: node.int_or("axis", -1)?, norm }))
        },
    };
}

impl Operator for LpNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape(0)?;
        axis(self.axis, shape.rank())?;
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| self.divide(context, widened(x.dtype()), x, result))
    }
}

impl LpNormalization {
    /// Divides by norms that are computed in a dtype, or in f64 if they leave that one.
    fn divide(
        &self,
        context: &Context<'_>,
        dtype: DType,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), Cause> {
        let along = axis(self.axis, x.shape().rank())?;
        let kernel: &dyn Reduction = match self.norm {
            Norm::L1 => &L1Norm,
            Norm::L2 => &L2Norm,
        };
        let norms = context.scratch(dtype, &reduced_shape(x.shape(), |axis| axis == along)?)?;
        let mut leaves = false;
        compute_in(dtype, context, [Some(x)], result, |operands, result| {
            let [Some(x)] = operands else { return Err(Cause::MissingInput { input: 0 }) };
            write(&norms, |norms| context.kernels().reduce(kernel, x, norms))?;
            let norms = read(&norms)?;
            let norms = norms.view()?;
            leaves = norms.typed::<f32>().is_some_and(|norms| norms.iter().any(|norm| self.leaves(norm)));
            if leaves {
                return Ok(());
            }
            Ok(context.kernels().binary(&Formula(Share), x, &broadcast(&norms, x.shape())?, result)?)
        })?;
        if leaves { self.divide(context, DType::F64, x, result) } else { Ok(()) }
    }

    /// Whether an f32 is not the norm, or not exactly enough.
    const fn leaves(&self, norm: f32) -> bool {
        norm == f32::INFINITY || (matches!(self.norm, Norm::L2) && norm < 1e-15)
    }
}

/// The share of an element in a norm.
#[derive(Debug, Clone, Copy)]
struct Share;

impl BinaryFormula for Share {
    const NAME: &'static str = "lp_normalization";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32, norm: S::F32) -> S::F32 {
        let zero = simd.f32(0.0);
        simd.select(norm.eq(zero), zero, x / norm)
    }

    fn f64(self, x: f64, norm: f64) -> f64 {
        if norm == 0.0 { 0.0 } else { x / norm }
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use super::*;
    use crate::{Attributes, build};

    fn run(norm: Norm, x: &Tensor) -> Tensor {
        Context::new().unwrap().run(&LpNormalization { axis: -1, norm }, &[Some(x)]).unwrap().remove(0)
    }

    #[test]
    fn rows_of_zeros_stay() {
        let x = Tensor::from_slice(&[0.0_f32, -0.0, 3.0, -4.0], &[2, 2]).unwrap();
        assert_eq!(run(Norm::L2, &x).to_vec::<f32>().unwrap(), [0.0, 0.0, 0.6, -0.8]);
        assert_eq!(run(Norm::L1, &x).to_vec::<f32>().unwrap(), [0.0, 0.0, 3.0 / 7.0, -4.0 / 7.0]);
        let empty = Tensor::zeros(&[2, 0], DType::F32).unwrap();
        assert_eq!(run(Norm::L2, &empty).shape().extents(), [2, 0]);
    }

    #[test]
    fn norms_beyond_the_dtype() {
        for size in [1e30_f32, 1e-30, 1e-21] {
            let x = Tensor::from_slice(&[3.0 * size, -4.0 * size, f32::NAN, 1.0], &[2, 2]).unwrap();
            let result = run(Norm::L2, &x).to_vec::<f32>().unwrap();
            assert!((result[0] - 0.6).abs() <= f32::EPSILON && (result[1] + 0.8).abs() <= f32::EPSILON, "{result:?}");
            assert!(result[2].is_nan() && result[3].is_nan());
        }
        let x = Tensor::from_slice(&[f32::MAX, -f32::MAX], &[2]).unwrap();
        assert_eq!(run(Norm::L1, &x).to_vec::<f32>().unwrap(), [0.5, -0.5]);
        let x = Tensor::from_slice(&[60000.0, -60000.0].map(f16::from_f32), &[2]).unwrap();
        assert_eq!(run(Norm::L1, &x).to_vec::<f16>().unwrap(), [0.5, -0.5].map(f16::from_f32));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = build(ONNX, "LpNormalization", &Attributes::new().with("p", 3), 1, 1).unwrap_err();
        assert_eq!(error.to_string(), "LpNormalization: attribute p is 3: expected 1 or 2");
    }
}
