//! `Hardmax`: one at the greatest element.

use stratal_kernels::reduce::ArgReduction;
use stratal_tensor_base::{DType, Scalar, match_dtype};

use super::rows::reduced_shape;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes, read, write};

/// One at the first of the greatest elements along an axis, zero elsewhere. The first NaN counts as the greatest.
#[derive(Debug, Clone, Copy)]
pub struct Hardmax {
    /// The axis; it may count from the end.
    pub axis: i64,
}

impl Hardmax {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Hardmax",
        since: 13,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", -1)? })),
    };
}

impl Operator for Hardmax {
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
        let along = axis(self.axis, x.shape().rank())?;
        if x.shape().is_empty() {
            // An axis without elements has no greatest one.
            return outputs.write(0, |_| Ok::<_, Cause>(()));
        }
        let places = context.scratch(DType::I64, &reduced_shape(x.shape(), |axis| axis == along)?)?;
        write(&places, |places| context.kernels().arg_reduce(ArgReduction::MAX, along, x, places))?;
        let places = read(&places)?;
        let along = along as i64;
        let places = places.view()?.seen(|geometry| geometry.squeeze(&[along]))?;
        let depth = i64::from(x.shape().extents()[along as usize]);
        let values =
            match_dtype!(x.dtype(), T => [0, 1].map(|value: u8| Scalar::from(Scalar::from(value).cast::<T>())));
        outputs.write(0, |result| context.kernels().one_hot(&places, depth, along, values, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use super::*;

    #[test]
    fn ties_nan_and_empty_rows() {
        let context = Context::new().unwrap();
        let run = |x: &Tensor, axis: i64| context.run(&Hardmax { axis }, &[Some(x)]).unwrap().remove(0);
        let x = Tensor::from_slice(&[3.0_f32, 3.0, 1.0, 9.0, f32::NAN, f32::NAN], &[2, 3]).unwrap();
        assert_eq!(run(&x, -1).to_vec::<f32>().unwrap(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let x = Tensor::from_slice(&[1.0, 2.0, 3.0, -4.0].map(f16::from_f32), &[2, 2]).unwrap();
        assert_eq!(run(&x, 0).to_vec::<f16>().unwrap(), [0.0, 1.0, 1.0, 0.0].map(f16::from_f32));
        let empty = Tensor::zeros(&[2, 0], DType::F32).unwrap();
        assert_eq!(run(&empty, 1).shape().extents(), [2, 0]);
    }
}
