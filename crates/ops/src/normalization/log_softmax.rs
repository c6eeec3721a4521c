//! `LogSoftmax`: logarithms of shares that add up to one.

use stratal_kernels::AnyViewMut;

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes};

/// The logarithm of [`Softmax`](crate::Softmax) along an axis, right where the share itself is too small for the dtype:
/// `x - m - log(sum(exp(x - m)))`, where `m` is the greatest element. A row of negative infinities is NaN.
#[derive(Debug, Clone, Copy)]
pub struct LogSoftmax {
    /// The axis; it may count from the end.
    pub axis: i64,
}

impl LogSoftmax {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "LogSoftmax",
        since: 13,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", -1)? })),
    };

    fn kernel(&self, rank: usize) -> Result<stratal_kernels::Softmax, Cause> {
        let softmax = stratal_kernels::Softmax::along(axis(self.axis, rank)?);
        Ok(stratal_kernels::Softmax { is_logarithm: true, ..softmax })
    }
}

impl Operator for LogSoftmax {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape(0)?;
        axis(self.axis, shape.rank())?;
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let kernel = self.kernel(x.shape().rank())?;
        outputs.write(0, |result| context.kernels().softmax(&kernel, x, result))
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        Ok(context.kernels().softmax_in_place(&self.kernel(x.shape().rank())?, x)?)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::write;

    #[test]
    fn shares_too_small_for_the_dtype() {
        let x = Tensor::from_slice(&[0.0_f32, -200.0], &[2]).unwrap();
        let context = Context::new().unwrap();
        let logarithms = context.run(&LogSoftmax { axis: 0 }, &[Some(&x)]).unwrap().remove(0);
        assert_eq!(logarithms.to_vec::<f32>().unwrap(), [0.0, -200.0]);
        write(&x, |x| LogSoftmax { axis: 0 }.compute_in_place(&context, 0, x, &Inputs::new(&[None]))).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [0.0, -200.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let run =
            |x: &Tensor| Context::new().unwrap().run(&LogSoftmax { axis: 1 }, &[Some(x)]).unwrap_err().to_string();
        assert_eq!(run(&Tensor::zeros(&[2], DType::F32).unwrap()), "LogSoftmax: axis 1 does not exist at rank 1");
    }
}
