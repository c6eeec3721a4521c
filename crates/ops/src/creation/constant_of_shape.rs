//! `ConstantOfShape`: one value in a shape that an operand gives.

use stratal_tensor_base::{Bool, DType, Scalar, match_dtype};

use super::fill;
use crate::{
    Cause, Context, Definition, Elements, Fact, Facts, Inputs, MAX_FACT_ELEMENTS, Node, ONNX, Operator, Outputs,
    SymbolicShape, attribute, dtypes,
};

/// One value in the shape that a vector of extents gives.
#[derive(Debug, Clone, Copy)]
pub struct ConstantOfShape {
    /// The value, whose dtype is that of the result.
    pub value: Scalar,
}

impl Default for ConstantOfShape {
    fn default() -> Self {
        Self { value: 0_f32.into() }
    }
}

impl ConstantOfShape {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "ConstantOfShape",
        since: 25,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["value"],
        dtypes: dtypes::INDICES,
        build: |node| Ok(Box::new(Self { value: value(node)? })),
    };
}

fn value(node: &Node<'_>) -> Result<Scalar, Cause> {
    let Some(tensor) = node.tensor("value")? else { return Ok(ConstantOfShape::default().value) };
    let first = match_dtype!(tensor.dtype(), T => tensor.to_vec::<T>()?.first().copied().map(Scalar::from));
    first.filter(|_| tensor.count() == 1).ok_or_else(|| {
        let what = format!("a tensor of {} {}", tensor.dtype(), tensor.shape());
        attribute("value", what, "a tensor of a single element")
    })
}

impl Operator for ConstantOfShape {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, dtypes::INDICES)?;
        let dtype = self.value.dtype();
        let Some(extents) = inputs.required(0)?.integers() else {
            let shape = inputs.vector_length(0)?.map(|rank| inputs.unknown_shape(rank));
            return Ok(vec![Fact { dtype, shape, elements: None }]);
        };
        inputs.vector_length(0)?;
        if let Some(negative) = extents.iter().filter_map(|extent| extent.known()).find(|&extent| extent < 0) {
            let expected = "extents that are not negative".into();
            return Err(Cause::Element { input: 0, value: negative.into(), expected });
        }
        let shape = SymbolicShape::new(extents.iter().cloned());
        let count = shape.count()?.known().and_then(|count| usize::try_from(count).ok());
        let elements = count.filter(|&count| count <= MAX_FACT_ELEMENTS).and_then(|count| self.elements(count));
        Ok(vec![Fact::new(dtype, shape).with_elements(elements)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let extents = inputs.integers(0)?.unwrap_or_default();
        let shape = stratal_tensor_base::Shape::new(&extents)?;
        outputs.write_shaped(0, &shape, |result| fill(context, self.value, result))
    }
}

impl ConstantOfShape {
    fn elements(&self, count: usize) -> Option<Elements> {
        Some(match (self.value.dtype(), self.value.get::<Bool>()) {
            (dtype, _) if dtype.is_float() => Elements::Floats(vec![self.value.cast(); count]),
            (_, Some(truth)) => Elements::Integers(vec![i64::from(truth.get()).into(); count]),
            (DType::U64, _) => Elements::Integers(vec![self.value.try_cast::<i64>().ok()?.into(); count]),
            _ => Elements::Integers(vec![self.value.cast::<i64>().into(); count]),
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, Extent, build, infer};

    #[test]
    fn shapes_follow_from_elements() {
        let operator = ConstantOfShape { value: 7_i64.into() };
        let fact = |shape: Fact| infer(&operator, "fill", &[Some(&shape)]).unwrap().remove(0);
        let symbolic = fact(Fact::of_extents(DType::I64, vec![Extent::symbol("batch"), 3.into()]));
        assert_eq!(symbolic.shape.unwrap().to_string(), "[batch, 3]");
        assert_eq!(fact(Fact::of_extents(DType::I64, vec![2.into()])).known_integers(), Some(vec![7, 7]));
        let unknown = fact(Fact::new(DType::I64, [2]));
        assert_eq!(unknown.shape.unwrap().to_string(), "[fill.0, fill.1]");
        assert_eq!(fact(Fact::new(DType::I64, SymbolicShape::new([Extent::symbol("rank")]))).shape, None);
        // Nothing is allocated for a shape.
        let huge = fact(Fact::of_extents(DType::I64, vec![(1_i64 << 31).into(), (1_i64 << 31).into()]));
        assert_eq!(huge.elements, None);
    }

    #[test]
    fn values_keep_their_bits() {
        let shape = Tensor::from_slice(&[2_i64], &[1]).unwrap();
        let value = ConstantOfShape { value: f32::from_bits(0x7f80_0001).into() };
        let result = Context::new().unwrap().run(&value, &[Some(&shape)]).unwrap().remove(0);
        assert!(result.to_vec::<f32>().unwrap().iter().all(|value| value.to_bits() == 0x7f80_0001));
        let scalar = Tensor::zeros(&[0], DType::I64).unwrap();
        let result = Context::new().unwrap().run(&ConstantOfShape::default(), &[Some(&scalar)]).unwrap().remove(0);
        assert_eq!((result.rank(), result.item::<f32>(&[]).unwrap()), (0, 0.0));
    }

    #[test]
    fn what_is_no_shape_is_an_error() {
        let context = Context::new().unwrap();
        let error = |extents: &[i64]| {
            let shape = Tensor::from_slice(extents, &[extents.len() as i64]).unwrap();
            context.run(&ConstantOfShape::default(), &[Some(&shape)]).unwrap_err().to_string()
        };
        assert_eq!(error(&[2, -1]), "ConstantOfShape: input 0 holds -1: expected extents that are not negative");
        let matrix = Tensor::zeros(&[1, 2], DType::I64).unwrap();
        let rank = context.run(&ConstantOfShape::default(), &[Some(&matrix)]).unwrap_err().to_string();
        assert_eq!(rank, "ConstantOfShape: input 0 has shape [1, 2]: expected rank 1");
        assert!(error(&[1 << 40]).starts_with("ConstantOfShape: "));
        assert!(error(&[i64::MAX, i64::MAX]).contains("overflows"));
        let two = Attributes::new().with("value", Tensor::zeros(&[2], DType::F32).unwrap());
        let error = build("", "ConstantOfShape", &two, 1, 1).unwrap_err().to_string();
        let expected = "attribute value is a tensor of float32 [2]: expected a tensor of a single element";
        assert_eq!(error, format!("ConstantOfShape: {expected}"));
    }
}
