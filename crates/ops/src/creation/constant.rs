//! `Constant`: a tensor that is there.

use stratal_tensor::Tensor;

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, dtypes, read};

/// A tensor that is there. It is copied; who changes or releases the tensor changes or breaks the operator.
#[derive(Debug, Clone)]
pub struct Constant {
    /// The tensor.
    pub value: Tensor,
}

impl Constant {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Constant",
        since: 25,
        inputs: 0..=0,
        outputs: 1..=1,
        attributes: &[
            "value",
            "value_float",
            "value_floats",
            "value_int",
            "value_ints",
            "value_string",
            "value_strings",
        ],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { value: value(node)? })),
    };
}

/// The value of the only attribute.
fn value(node: &Node<'_>) -> Result<Tensor, Cause> {
    let mut names = node.attributes.names();
    let name = names.next().ok_or(Cause::MissingAttribute { name: "value" })?;
    if let Some(second) = names.next() {
        return Err(Cause::Unfit(format!("takes one value, not {name} and {second}")));
    }
    if let Some(tensor) = node.tensor("value")? {
        return Ok(tensor.clone());
    }
    if let Some(value) = node.int("value_int")? {
        return Ok(Tensor::scalar(value)?);
    }
    if let Some(value) = node.float("value_float")? {
        return Ok(Tensor::scalar(value)?);
    }
    if let Some(values) = node.ints("value_ints")? {
        return Ok(Tensor::from_slice(values, &[values.len() as i64])?);
    }
    if let Some(values) = node.floats("value_floats")? {
        return Ok(Tensor::from_slice(values, &[values.len() as i64])?);
    }
    Err(Cause::Unsupported { what: name.to_owned() })
}

impl Operator for Constant {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, _inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![Fact::of_view(&read(&self.value)?.view()?)])
    }

    fn compute(&self, context: &Context<'_>, _inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let value = read(&self.value)?;
        let value = value.view()?;
        outputs.write(0, |result| context.kernels().copy(&value, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attribute, Attributes, build, infer};

    fn constant(name: &str, value: impl Into<Attribute>) -> Result<Box<dyn Operator>, String> {
        build("", "Constant", &Attributes::new().with(name, value), 0, 1).map_err(|error| error.to_string())
    }

    #[test]
    fn each_attribute_is_a_value() {
        let context = Context::new().unwrap();
        let run = |operator: Box<dyn Operator>| context.run(&*operator, &[]).unwrap().remove(0).to_string();
        assert_eq!(run(constant("value_int", 7).unwrap()), Tensor::scalar(7_i64).unwrap().to_string());
        let floats = Tensor::from_slice(&[0.5_f32, 1.5], &[2]).unwrap().to_string();
        assert_eq!(run(constant("value_floats", vec![0.5, 1.5]).unwrap()), floats);
        assert_eq!(run(constant("value_float", 0.5).unwrap()), Tensor::scalar(0.5_f32).unwrap().to_string());
        let none = constant("value_ints", Vec::<i64>::new()).unwrap();
        assert_eq!(infer(&*none, "constant", &[]).unwrap()[0].known_integers(), Some(vec![]));
        let transposed = Tensor::from_slice(&[1_u8, 2, 3, 4], &[2, 2]).unwrap().t().unwrap();
        let transposed = constant("value", transposed).unwrap();
        assert_eq!(infer(&*transposed, "constant", &[]).unwrap()[0].known_integers(), Some(vec![1, 3, 2, 4]));
        assert_eq!(context.run(&*transposed, &[]).unwrap()[0].to_vec::<u8>().unwrap(), [1, 3, 2, 4]);
    }

    #[test]
    fn there_is_one_value() {
        let error = |attributes| build("", "Constant", &attributes, 0, 1).unwrap_err().to_string();
        assert_eq!(error(Attributes::new()), "Constant: attribute value is missing");
        let two = Attributes::new().with("value_int", 1).with("value_float", 1.0);
        assert_eq!(error(two), "Constant: takes one value, not value_float and value_int");
        assert_eq!(constant("value_string", "text").unwrap_err(), "Constant: is not supported with value_string");
        assert_eq!(
            constant("value_int", 0.5).unwrap_err(),
            "Constant: attribute value_int is 0.5: expected an integer"
        );
    }
}
