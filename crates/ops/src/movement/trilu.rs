//! `Trilu`: a triangle of each matrix.

use stratal_kernels::movement::Triangle;

use super::axes::check_single;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Keeps the elements of each matrix, in the last two axes, that are on one side of a diagonal, or on it; all others become
/// zero, whatever they are. The second input says how far right of the main diagonal that one is, 0 if there is none.
#[derive(Debug, Clone, Copy)]
pub struct Trilu {
    /// Which side is kept.
    pub triangle: Triangle,
}

impl Trilu {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Trilu",
        since: 14,
        inputs: 1..=2,
        outputs: 1..=1,
        attributes: &["upper"],
        dtypes: dtypes::ALL,
        build: |node| {
            let triangle = if node.flag("upper", true)? { Triangle::Upper } else { Triangle::Lower };
            Ok(Box::new(Self { triangle }))
        },
    };
}

impl Operator for Trilu {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        if shape.rank() < 2 {
            return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected: "rank 2 or more".into() });
        }
        check_single(inputs, 1, dtypes::INDICES)?;
        Ok(vec![Fact::new(x.dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let diagonal = inputs.integer(1)?.unwrap_or(0);
        outputs.write(0, |result| context.kernels().triangular(x, self.triangle, diagonal, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    #[test]
    fn diagonals_may_be_anywhere() {
        let x = Tensor::from_slice(&[f32::NAN, 2.0, 3.0, 4.0], &[2, 2]).unwrap();
        let context = Context::new().unwrap();
        for (triangle, diagonal, expected) in [
            (Triangle::Upper, 1, [0.0, 2.0, 0.0, 0.0]),
            (Triangle::Upper, i64::MAX, [0.0; 4]),
            (Triangle::Lower, i64::MIN, [0.0; 4]),
            (Triangle::Lower, -1, [0.0, 0.0, 3.0, 0.0]),
        ] {
            let diagonal = Tensor::scalar(diagonal).unwrap();
            let kept = context.run(&Trilu { triangle }, &[Some(&x), Some(&diagonal)]).unwrap();
            assert_eq!(kept[0].to_vec::<f32>().unwrap(), expected, "{triangle:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |x: Fact, diagonal: Fact| {
            let trilu = Trilu { triangle: Triangle::Upper };
            infer(&trilu, "node", &[Some(&x), Some(&diagonal)]).unwrap_err().to_string()
        };
        let (x, diagonal) = (Fact::new(DType::F32, [2, 3]), Fact::new(DType::I64, []));
        let vector = error(Fact::new(DType::F32, [3]), diagonal);
        assert_eq!(vector, "Trilu: input 0 has shape [3]: expected rank 2 or more");
        let two = error(x.clone(), Fact::new(DType::I64, [2]));
        assert_eq!(two, "Trilu: input 1 has shape [2]: expected a single element");
        assert!(error(x, Fact::new(DType::F32, [])).contains("input 1 is float32"));
    }
}
