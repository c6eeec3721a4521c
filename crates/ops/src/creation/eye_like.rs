//! `EyeLike`: ones on a diagonal.

use stratal_tensor::TensorError;
use stratal_tensor_base::DType;

use super::fill;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// Ones on a diagonal and zeros elsewhere, in the shape of a matrix.
#[derive(Debug, Clone, Copy, Default)]
pub struct EyeLike {
    /// The dtype of the result; that of the operand if there is none.
    pub dtype: Option<DType>,
    /// How many columns to the right of the main one the diagonal starts, or how many rows below it if negative: `k` in ONNX.
    /// One that lies outside of the matrix has no elements.
    pub diagonal: i64,
}

impl EyeLike {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "EyeLike",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["dtype", "k"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { dtype: node.dtype("dtype")?, diagonal: node.int_or("k", 0)? })),
    };
}

impl Operator for EyeLike {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = self.dtype.unwrap_or(inputs.required(0)?.dtype);
        let shape = inputs.shape_of_rank(0, 2)?;
        Ok(vec![Fact::new(dtype, SymbolicShape::new(shape.iter().cloned()))])
    }

    fn compute(&self, context: &Context<'_>, _inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        outputs.write(0, |result| {
            fill(context, 0_u8.into(), result)?;
            let mut diagonal =
                result.seen(|geometry| Ok::<_, TensorError>(geometry.diagonal(self.diagonal, 0, 1)?))?;
            fill(context, 1_u8.into(), &mut diagonal)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::Bool;

    use super::*;

    #[test]
    fn diagonals_start_anywhere() {
        let context = Context::new().unwrap();
        let x = Tensor::zeros(&[2, 3], DType::U8).unwrap();
        let eye =
            |diagonal| context.run(&EyeLike { dtype: None, diagonal }, &[Some(&x)]).unwrap()[0].to_vec::<u8>().unwrap();
        assert_eq!(eye(1), [0, 1, 0, 0, 0, 1]);
        assert_eq!(eye(-1), [0, 0, 0, 1, 0, 0]);
        assert_eq!(eye(3), [0; 6]);
        assert_eq!((eye(i64::MIN), eye(i64::MAX)), (vec![0; 6], vec![0; 6]));
        let truths = EyeLike { dtype: Some(DType::Bool), diagonal: 0 };
        let truths = context.run(&truths, &[Some(&x)]).unwrap()[0].to_vec::<Bool>().unwrap();
        assert_eq!(truths.iter().filter(|truth| truth.get()).count(), 2);
        let vector = Tensor::zeros(&[2], DType::U8).unwrap();
        let error = context.run(&EyeLike::default(), &[Some(&vector)]).unwrap_err();
        assert_eq!(error.to_string(), "EyeLike: input 0 has shape [2]: expected rank 2");
    }
}
