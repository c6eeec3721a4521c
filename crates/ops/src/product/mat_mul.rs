//! `MatMul`: products of matrices.

use stratal_kernels::Epilogue;

use super::{product_shape, sides, with_matrix};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Multiplies the matrices in the last two axes; those before broadcast. A vector is a row on the left and a column on the
/// right, and that axis is not there in the product.
///
/// Integers wrap. Zero times infinity is NaN, and a product of depth 0 is zero.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatMul;

impl MatMul {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "MatMul",
        since: 13,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::WITH_PRODUCTS,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for MatMul {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::WITH_PRODUCTS)?;
        inputs.check_dtypes(dtype)?;
        Ok(vec![Fact::new(dtype, product_shape(inputs.shape(0)?, inputs.shape(1)?)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (a, b) = (inputs.required(0)?, inputs.required(1)?);
        outputs.write(0, |result| {
            let [left, right] = sides(a, b)?;
            let mut product = with_matrix(result, a, b)?;
            Ok::<_, Cause>(context.kernels().matmul(&left, &right, &Epilogue::default(), &mut product)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn vectors_and_empty_depths() {
        let context = Context::new().unwrap();
        let product = |a: &Tensor, b: &Tensor| context.run(&MatMul, &[Some(a), Some(b)]).unwrap().remove(0);
        let vector = Tensor::from_slice(&[1, 2], &[2]).unwrap();
        let matrices = Tensor::from_slice(&[1, 2, 3, 4, 5, 6, 7, i32::MAX], &[2, 2, 2]).unwrap();
        assert_eq!(product(&vector, &vector).to_vec::<i32>().unwrap(), [5]);
        let rows = product(&vector, &matrices);
        assert_eq!((rows.shape().extents(), rows.to_vec::<i32>().unwrap()), (&[2, 2][..], vec![7, 10, 19, 4]));
        let columns = product(&matrices, &vector);
        assert_eq!((columns.shape().extents(), columns.to_vec::<i32>().unwrap()), (&[2, 2][..], vec![5, 11, 17, 5]));
        let (a, b) = (Tensor::from_slice(&[0.0_f32; 0], &[2, 0]), Tensor::from_slice(&[0.0_f32; 0], &[0, 3]));
        assert_eq!(product(&a.unwrap(), &b.unwrap()).to_vec::<f32>().unwrap(), [0.0; 6]);
        let (zero, infinity) = (Tensor::from_slice(&[0.0_f32], &[1]), Tensor::from_slice(&[f32::INFINITY], &[1]));
        assert!(product(&zero.unwrap(), &infinity.unwrap()).to_vec::<f32>().unwrap()[0].is_nan());
    }
}
