//! What operators that draw random numbers have in common.

use std::ops::Range;

use stratal_kernels::AnyViewMut;
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use crate::{Cause, Context, Extent, Fact, Facts, Node, SymbolicShape, dtypes, read};

/// The seed attribute of ONNX, which is a float: one that is whole and not negative is the seed of the generator, any other
/// one seeds it by the bits that it has as a double.
pub(crate) fn seed(node: &Node<'_>) -> Result<Option<u64>, Cause> {
    Ok(node.float("seed")?.map(|seed| {
        let is_whole = seed >= 0.0 && seed.fract() == 0.0;
        if is_whole { seed as u64 } else { f64::from(seed).to_bits() }
    }))
}

/// Scratch space with numbers from the uniform distribution, as of [`Tensor::fill_uniform`].
pub(crate) fn uniform(
    context: &Context<'_>,
    shape: &Shape,
    dtype: DType,
    range: Range<f64>,
    seed: u64,
) -> Result<Tensor, Cause> {
    let numbers = context.scratch(dtype, shape)?;
    numbers.fill_uniform(range.start, range.end, seed)?;
    Ok(numbers)
}

/// Writes numbers from the uniform distribution.
pub(crate) fn write_uniform(
    context: &Context<'_>,
    range: Range<f64>,
    seed: Option<u64>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let seed = seed.unwrap_or_else(|| context.next_seed());
    let numbers = uniform(context, result.shape(), result.dtype(), range, seed)?;
    Ok(context.kernels().copy(&read(&numbers)?.view()?, result)?)
}

/// Writes numbers from a normal distribution, as of [`Tensor::fill_normal`].
pub(crate) fn write_normal(
    context: &Context<'_>,
    mean: f64,
    deviation: f64,
    seed: Option<u64>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let seed = seed.unwrap_or_else(|| context.next_seed());
    let numbers = context.scratch(result.dtype(), result.shape())?;
    numbers.fill_normal(mean, deviation, seed)?;
    Ok(context.kernels().copy(&read(&numbers)?.view()?, result)?)
}

/// The dtype of random numbers.
pub(crate) fn float_dtype(node: &Node<'_>) -> Result<Option<DType>, Cause> {
    let dtype = node.dtype("dtype")?;
    match dtype.filter(|dtype| !dtype.is_float()) {
        Some(dtype) => Err(crate::attribute("dtype", dtype, "a dtype of floats")),
        None => Ok(dtype),
    }
}

/// The shape attribute.
pub(crate) fn shape(node: &Node<'_>) -> Result<Vec<i64>, Cause> {
    let shape = node.needed("shape", node.ints("shape")?)?;
    Shape::new(shape)?;
    Ok(shape.to_vec())
}

/// What is known of an output of a shape that an attribute gives.
pub(crate) fn fact_of_shape(dtype: DType, shape: &[i64]) -> Fact {
    Fact::new(dtype, shape.iter().copied().map(Extent::from).collect::<SymbolicShape>())
}

/// What is known of random numbers in the shape of an input, and in its dtype unless there is another one.
pub(crate) fn fact_like(inputs: &Facts<'_>, dtype: Option<DType>) -> Result<Fact, Cause> {
    let dtype = dtype.map_or_else(|| inputs.dtype(0, dtypes::FLOATS), Ok)?;
    Ok(Fact { dtype, shape: inputs.required(0)?.shape.clone(), elements: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, RandomNormal, RandomUniform, RandomUniformLike, build};

    fn seed_of(value: f32) -> Option<u64> {
        let attributes = Attributes::new().with("seed", value);
        seed(&Node { attributes: &attributes, inputs: 0, outputs: 1 }).unwrap()
    }

    #[test]
    fn seeds_are_values_or_bits() {
        assert_eq!(seed_of(42.0), Some(42));
        assert_eq!(seed_of(0.0), Some(0));
        assert_ne!(seed_of(0.25), seed_of(0.5));
        assert_ne!(seed_of(-1.0), seed_of(-2.0));
        assert_ne!(seed_of(f32::INFINITY), seed_of(f32::NAN));
    }

    #[test]
    fn numbers_are_those_of_the_tensor() {
        let context = Context::new().unwrap();
        let expected = Tensor::empty(&[3, 5], DType::F32).unwrap();
        let uniform = RandomUniform { shape: vec![3, 5], dtype: DType::F32, low: -1.0, high: 2.0, seed: Some(9) };
        expected.fill_uniform(-1.0, 2.0, 9).unwrap();
        let numbers = context.run(&uniform, &[]).unwrap().remove(0);
        assert_eq!(numbers.to_vec::<f32>().unwrap(), expected.to_vec::<f32>().unwrap());
        let normal = RandomNormal { shape: vec![3, 5], dtype: DType::F32, mean: 1.0, deviation: 0.5, seed: Some(9) };
        expected.fill_normal(1.0, 0.5, 9).unwrap();
        let numbers = context.run(&normal, &[]).unwrap().remove(0);
        assert_eq!(numbers.to_vec::<f32>().unwrap(), expected.to_vec::<f32>().unwrap());
    }

    #[test]
    fn without_a_seed_each_use_differs_and_contexts_repeat() {
        let like = RandomUniformLike { dtype: None, low: 0.0, high: 1.0, seed: None };
        let x = Tensor::zeros(&[4], DType::F64).unwrap();
        let draw = |context: &Context<'_>| context.run(&like, &[Some(&x)]).unwrap().remove(0).to_vec::<f64>().unwrap();
        let context = Context::new().unwrap().seed(3);
        let first = draw(&context);
        assert_ne!(first, draw(&context));
        assert_eq!(first, draw(&Context::new().unwrap().seed(3)));
    }

    #[test]
    fn what_cannot_be_drawn_is_an_error() {
        let error = |attributes| build("", "RandomNormal", &attributes, 0, 1).unwrap_err().to_string();
        assert_eq!(error(Attributes::new()), "RandomNormal: attribute shape is missing");
        let integers = Attributes::new().with("shape", vec![2]).with("dtype", 7);
        assert_eq!(error(integers), "RandomNormal: attribute dtype is int64: expected a dtype of floats");
        assert_eq!(error(Attributes::new().with("shape", vec![-2])), "RandomNormal: extent -2 of axis 0 is negative");
        let context = Context::new().unwrap();
        let like = RandomUniformLike { dtype: None, low: 0.0, high: 1.0, seed: None };
        let x = Tensor::zeros(&[4], DType::I32).unwrap();
        let expected = "RandomUniformLike: input 0 is int32: expected one of float32, float64, float16, bfloat16";
        assert_eq!(context.run(&like, &[Some(&x)]).unwrap_err().to_string(), expected);
        let uniform = RandomUniform { shape: vec![1], dtype: DType::F32, low: 2.0, high: 1.0, seed: None };
        let error = context.run(&uniform, &[]).unwrap_err().to_string();
        assert!(error.starts_with("RandomUniform: ") && error.contains('2'), "{error}");
    }
}
