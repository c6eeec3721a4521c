//! What `CumSum` and `CumProd` have in common.

use stratal_kernels::Scan;

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, axis, dtypes};

/// Implements an operator that accumulates: `operator!(CumSum, Accumulation::Sum)`.
macro_rules! operator {
    ($operator:ty, $accumulation:expr) => {
        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::reduction::cumulative::infer(inputs)
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let Self { exclusive, reverse } = *self;
                let scan = stratal_kernels::Scan { accumulation: $accumulation, exclusive, reverse };
                $crate::reduction::cumulative::compute(scan, context, inputs, outputs)
            }
        }
    };
}
pub(crate) use operator;

/// The definition of an operator that accumulates.
pub(crate) const fn definition(
    name: &'static str,
    since: u32,
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    Definition {
        domain: ONNX,
        name,
        since,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["exclusive", "reverse"],
        dtypes: dtypes::NUMBERS,
        build,
    }
}

/// The attributes of a node: exclusive, reverse.
pub(crate) fn attributes(node: &Node<'_>) -> Result<(bool, bool), Cause> {
    Ok((node.flag("exclusive", false)?, node.flag("reverse", false)?))
}

pub(crate) fn infer(inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
    let dtype = inputs.dtype(0, dtypes::NUMBERS)?;
    inputs.dtype(1, dtypes::INDICES)?;
    let shape = inputs.required(0)?.shape.clone();
    if let (Some(shape), Some([along])) = (&shape, inputs.integers(1).as_deref()) {
        axis(*along, shape.rank())?;
    }
    Ok(vec![Fact { dtype, shape, elements: None }])
}

pub(crate) fn compute(
    scan: Scan,
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let x = inputs.required(0)?;
    let along = inputs.integer(1)?.ok_or(Cause::MissingInput { input: 1 })?;
    let along = axis(along, x.shape().rank())?;
    outputs.write(0, |result| context.kernels().scan(scan, along, x, result))
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{DType, f16};

    use super::*;
    use crate::{CumProd, CumSum, infer};

    fn run(operator: &dyn Operator, x: &Tensor, axis: &Tensor) -> Result<Tensor, String> {
        let results = Context::new().unwrap().run(operator, &[Some(x), Some(axis)]);
        results.map(|mut results| results.remove(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn exclusive_and_reversed_rows() {
        let axis = Tensor::from_slice(&[0_i64], &[1]).unwrap();
        let short = Tensor::from_slice(&[1, 2], &[1, 2]).unwrap();
        let exclusive = CumSum { exclusive: true, reverse: false };
        assert_eq!(run(&exclusive, &short, &axis).unwrap().to_vec::<i32>().unwrap(), [0, 0]);
        let row = Tensor::from_slice(&[1, 2, 3], &[3]).unwrap();
        let both = CumSum { exclusive: true, reverse: true };
        assert_eq!(run(&both, &row, &axis).unwrap().to_vec::<i32>().unwrap(), [5, 3, 0]);
        let both = CumProd { exclusive: true, reverse: true };
        assert_eq!(run(&both, &row, &axis).unwrap().to_vec::<i32>().unwrap(), [6, 3, 1]);
    }

    #[test]
    fn integers_wrap_and_halves_are_summed_in_more() {
        let axis = Tensor::scalar(-1_i32).unwrap();
        let bytes = Tensor::from_slice(&[100_u8, 100, 100], &[3]).unwrap();
        assert_eq!(run(&CumSum::default(), &bytes, &axis).unwrap().to_vec::<u8>().unwrap(), [100, 200, 44]);
        let halves = Tensor::from_slice(&[f16::from_f32(1.0); 4096], &[4096]).unwrap();
        let sums = run(&CumSum::default(), &halves, &axis).unwrap().to_vec::<f16>().unwrap();
        assert_eq!(sums[4095], f16::from_f32(4096.0));
        let empty = Tensor::zeros(&[2, 0], DType::F32).unwrap();
        assert_eq!(run(&CumProd::default(), &empty, &axis).unwrap().shape().extents(), [2, 0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let x = Tensor::zeros(&[2], DType::F32).unwrap();
        let of = |axis: &Tensor| run(&CumSum::default(), &x, axis).unwrap_err();
        assert_eq!(of(&Tensor::scalar(1_i64).unwrap()), "CumSum: axis 1 does not exist at rank 1");
        assert_eq!(
            of(&Tensor::from_slice(&[0_i64, 0], &[2]).unwrap()),
            "CumSum: input 1 has shape [2]: expected a single element"
        );
        assert_eq!(of(&Tensor::scalar(0.0_f32).unwrap()), "CumSum: input 1 is float32: expected one of int32, int64");
        let (x, axis) = (Fact::new(DType::F32, [2]), Fact::of_extents(DType::I64, vec![(-2).into()]));
        let error = infer(&CumProd::default(), "product", &[Some(&x), Some(&axis)]).unwrap_err();
        assert_eq!(error.to_string(), "CumProd: axis -2 does not exist at rank 1");
    }
}
