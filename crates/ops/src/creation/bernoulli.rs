//! `Bernoulli`: ones and zeros with given probabilities.

use stratal_kernels::map::Less;
use stratal_tensor_base::DType;

use super::random::{seed, uniform};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes, read, write};

/// One for each element with the probability that the element is, else zero.
///
/// It is one where the next number of [`fill_uniform`](stratal_tensor::Tensor::fill_uniform) from 0 to 1 is below the
/// element. An element that is no probability is an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bernoulli {
    /// The dtype of the result; that of the operand if there is none.
    pub dtype: Option<DType>,
    /// What the generator starts from. Without one each use takes another one from the context. ONNX's attribute is a float:
    /// a whole one is the seed, any other one seeds by its bits.
    pub seed: Option<u64>,
}

impl Bernoulli {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Bernoulli",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["dtype", "seed"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { dtype: node.dtype("dtype")?, seed: seed(node)? })),
    };
}

impl Operator for Bernoulli {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.required(0)?.shape.clone();
        Ok(vec![Fact { dtype: self.dtype.unwrap_or(dtype), shape, elements: None }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let probabilities = context.converted(x, DType::F64)?;
        if let Some(&value) = probabilities.data::<f64>()?.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            let expected = "a probability from 0 to 1".into();
            return Err(Cause::Element { input: 0, value: value.into(), expected });
        }
        let seed = self.seed.unwrap_or_else(|| context.next_seed());
        let numbers = uniform(context, x.shape(), DType::F64, 0.0..1.0, seed)?;
        let truths = context.scratch(DType::Bool, x.shape())?;
        write(&truths, |truths| {
            let (numbers, probabilities) = (read(&numbers)?, read(&probabilities)?);
            Ok::<_, Cause>(context.kernels().compare(&Less, &numbers.view()?, &probabilities.view()?, truths)?)
        })?;
        let truths = read(&truths)?;
        let truths = truths.view()?;
        outputs.write(0, |result| context.kernels().cast(&truths, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::Bool;

    use super::*;

    #[test]
    fn ends_are_certain() {
        let context = Context::new().unwrap();
        let bernoulli = Bernoulli { dtype: Some(DType::Bool), seed: None };
        let certain = Tensor::from_slice(&[1.0_f32, 0.0].repeat(500), &[1000]).unwrap();
        let truths = context.run(&bernoulli, &[Some(&certain)]).unwrap().remove(0).to_vec::<Bool>().unwrap();
        assert!(truths.chunks(2).all(|pair| pair[0].get() && !pair[1].get()));
        let quarter = Tensor::full(&[10_000], 0.25, DType::F16).unwrap();
        let ones = context.run(&Bernoulli { dtype: Some(DType::I32), seed: Some(1) }, &[Some(&quarter)]).unwrap();
        let sum: i32 = ones[0].to_vec::<i32>().unwrap().iter().sum();
        assert!((2350..2650).contains(&sum), "{sum}");
    }

    #[test]
    fn what_is_no_probability_is_an_error() {
        let context = Context::new().unwrap();
        for (p, text) in [(1.5, "1.5"), (-0.25, "-0.25"), (f32::NAN, "NaN")] {
            let x = Tensor::from_slice(&[0.5, p], &[2]).unwrap();
            let error = context.run(&Bernoulli::default(), &[Some(&x)]).unwrap_err();
            let expected = format!("Bernoulli: input 0 holds {text}: expected a probability from 0 to 1");
            assert_eq!(error.to_string(), expected);
        }
    }
}
