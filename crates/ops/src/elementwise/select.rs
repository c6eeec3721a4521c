//! `Where`: elements of one operand or another.

use super::elements::{self, are_equal, truth};
use crate::operands::broadcast;
use crate::{Cause, Context, Definition, Elements, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Elements of the second operand where the first one is true, else of the third one, bit by bit. All operands broadcast.
#[derive(Debug, Clone, Copy, Default)]
pub struct Where;

impl Where {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Where",
        since: 16,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::TRUTHS,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Where {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, dtypes::TRUTHS)?;
        let dtype = inputs.dtype(1, dtypes::ALL)?;
        inputs.check_dtype(2, dtype)?;
        Ok(vec![Fact::new(dtype, inputs.broadcast()?).with_elements(chosen(inputs))])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (condition, then, otherwise) = (inputs.required(0)?, inputs.required(1)?, inputs.required(2)?);
        outputs.write(0, |result| {
            let shape = *result.shape();
            let then = broadcast(then, &shape)?;
            let otherwise = broadcast(otherwise, &shape)?;
            Ok::<_, Cause>(context.kernels().select(&broadcast(condition, &shape)?, &then, &otherwise, result)?)
        })
    }
}

/// The elements that are chosen. Where the condition is not known, both may be equal.
fn chosen(inputs: &Facts<'_>) -> Option<Elements> {
    let [condition, then, otherwise] = elements::broadcast(inputs)?;
    let choose = |((condition, then), otherwise): ((&Extent, &Extent), &Extent)| match truth(condition) {
        Some(true) => Some(then.clone()),
        Some(false) => Some(otherwise.clone()),
        None => are_equal(then, otherwise)?.then(|| then.clone()),
    };
    condition.into_iter().zip(then).zip(otherwise).map(choose).collect::<Option<_>>().map(Elements::Integers)
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{Bool, DType};

    use super::*;
    use crate::infer;

    #[test]
    fn all_operands_broadcast_and_bits_are_kept() {
        let truths = Tensor::from_slice(&[Bool::from_byte(7), Bool::FALSE], &[2, 1]).unwrap();
        let signaling = f32::from_bits(0x7f80_0001);
        let then = Tensor::from_slice(&[signaling, 2.0], &[2]).unwrap();
        let otherwise = Tensor::scalar(-0.0_f32).unwrap();
        let inputs = [Some(&truths), Some(&then), Some(&otherwise)];
        let result = Context::new().unwrap().run(&Where, &inputs).unwrap().remove(0);
        let bits: Vec<_> = result.to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect();
        assert_eq!(bits, [0x7f80_0001, 0x4000_0000, 0x8000_0000, 0x8000_0000]);
    }

    #[test]
    fn elements_of_shapes_are_chosen() {
        let facts = |condition: Vec<Extent>| {
            let condition = Fact::of_extents(DType::Bool, condition);
            let ones = Fact::of_extents(DType::I64, vec![1.into(), 1.into()]);
            let shape = Fact::of_extents(DType::I64, vec![Extent::symbol("batch"), 1.into()]);
            infer(&Where, "where", &[Some(&condition), Some(&ones), Some(&shape)]).unwrap().remove(0)
        };
        assert_eq!(format!("{:?}", facts(vec![0.into(), 1.into()]).integers().unwrap()), "[batch, 1]");
        // It does not matter between two that are equal.
        let unknown = Extent::symbol("truth");
        assert_eq!(format!("{:?}", facts(vec![0.into(), unknown.clone()]).integers().unwrap()), "[batch, 1]");
        assert_eq!(facts(vec![unknown]).elements, None);
    }

    #[test]
    fn dtypes_are_checked() {
        let (truth, float) = (Fact::new(DType::Bool, []), Fact::new(DType::F32, []));
        let error = infer(&Where, "where", &[Some(&truth), Some(&float), Some(&truth)]).unwrap_err();
        assert_eq!(error.to_string(), "Where: input 2 is bool: expected float32, as another input is");
        let error = infer(&Where, "where", &[Some(&float), Some(&float), Some(&float)]).unwrap_err();
        assert_eq!(error.to_string(), "Where: input 0 is float32: expected one of bool");
    }
}
