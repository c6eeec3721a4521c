//! `BatchNormalization`: channels normalised over the batch, or by statistics that are given.

use stratal_kernels::{AnyView, AnyViewMut, BatchNorm, Centre, Normalization};
use stratal_tensor::Tensor;

use super::precision::{common, compute_in, write_numbers};
use super::rows::{Statistics, along_channels, check_channels, normalize, reduced_shape};
use crate::operands::broadcast;
use crate::{
    Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes, read,
};

/// `(x - mean) / sqrt(variance + epsilon) * scale + bias`, with one of each for every channel, which the second axis counts.
///
/// Inputs are `x`, scale, bias, mean and variance. In training the mean and variance are those of the elements of `x` itself,
/// and the ones given are running averages: the second and third output are the next ones. The variance is that of the
/// population. `x` of rank 1 is a batch of one channel. Operands of several dtypes compute in f32, or f64 if one of them is.
#[derive(Debug, Clone, Copy)]
pub struct BatchNormalization {
    /// What is added to the variance.
    pub epsilon: f32,
    /// How much of the running averages is kept.
    pub momentum: f32,
    /// Whether mean and variance are found, and their running averages computed.
    pub training_mode: bool,
}

impl BatchNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "BatchNormalization",
        since: 15,
        inputs: 5..=5,
        outputs: 1..=3,
        attributes: &["epsilon", "momentum", "training_mode"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let training_mode = node.flag("training_mode", false)?;
            if !training_mode && node.outputs > 1 {
                return Err(Cause::OutputCount { least: 1, most: 1, given: node.outputs });
            }
            let (epsilon, momentum) = (node.float_or("epsilon", 1e-5)?, node.float_or("momentum", 0.9)?);
            Ok(Box::new(Self { epsilon, momentum, training_mode }))
        },
    };
}

impl Default for BatchNormalization {
    /// The attributes that a node has if it says nothing.
    fn default() -> Self {
        Self { epsilon: 1e-5, momentum: 0.9, training_mode: false }
    }
}

impl Operator for BatchNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape(0)?;
        let channels = match shape.extents() {
            [] => return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected: "rank 1 or more".into() }),
            [_] => Extent::from(1),
            [_, channels, ..] => channels.clone(),
        };
        for input in 1..5 {
            inputs.dtype(input, dtypes::FLOATS)?;
            check_channels(inputs, input, &channels)?;
        }
        // Scale and bias are of one dtype, so are mean and variance.
        inputs.check_dtype(2, inputs.required(1)?.dtype)?;
        let running = inputs.required(3)?.dtype;
        inputs.check_dtype(4, running)?;
        let mut facts = vec![Fact::new(dtype, shape.clone())];
        if self.training_mode {
            let average = Fact::new(running, SymbolicShape::new([channels]));
            facts.extend([average.clone(), average]);
        }
        Ok(facts)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let operands = [0, 1, 2, 3, 4].map(|input| inputs.get(input));
        let dtype = common(operands.iter().flatten().map(|operand| operand.dtype()));
        if !self.training_mode {
            return outputs.write(0, |result| {
                compute_in(dtype, context, operands, result, |operands, result| {
                    self.by_given(context, operands, result)
                })
            });
        }
        let x = inputs.required(0)?;
        let channel_axis = (x.shape().rank() > 1).then_some(1);
        let axes: Vec<_> = (0..x.shape().rank()).filter(|&axis| Some(axis) != channel_axis).collect();
        let normalization = Normalization { centre: Centre::Mean, axes: &axes, epsilon: self.epsilon };
        let shape = reduced_shape(x.shape(), |axis| Some(axis) != channel_axis)?;
        let statistics = Statistics {
            mean: Statistics::space(context, dtype, &shape, outputs.is_wanted(1))?,
            variance: Statistics::space(context, dtype, &shape, outputs.is_wanted(2))?,
            inverse_deviation: None,
        };
        outputs.write(0, |result| {
            let [x, scale, bias, ..] = operands;
            compute_in(dtype, context, [x, scale, bias], result, |operands, result| {
                let [Some(x), Some(scale), Some(bias)] = operands else { return Err(Cause::MissingInput { input: 0 }) };
                let rank = x.shape().rank();
                let (scale, bias) = (along_channels(scale, rank)?, along_channels(bias, rank)?);
                normalize(context, &normalization, x, [Some(&scale), Some(&bias)], result, &statistics)
            })
        })?;
        for (output, input, found) in [(1, 3, &statistics.mean), (2, 4, &statistics.variance)] {
            if let (Some(found), Some(running)) = (found, inputs.numbers(input)) {
                outputs.write(output, |result| self.write_running(context, &running, found, result))?;
            }
        }
        Ok(())
    }
}

impl BatchNormalization {
    /// Normalises by the mean and variance that are given.
    fn by_given(
        &self,
        context: &Context<'_>,
        operands: [Option<&AnyView<'_>>; 5],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), Cause> {
        let [Some(x), scale, bias, mean, variance] = operands else { return Err(Cause::MissingInput { input: 0 }) };
        let mut by = [*x; 4];
        for (input, (place, operand)) in by.iter_mut().zip([mean, variance, scale, bias]).enumerate() {
            let operand = along_channels(operand.ok_or(Cause::MissingInput { input })?, x.shape().rank())?;
            *place = broadcast(&operand, x.shape())?;
        }
        let [mean, variance, scale, bias] = &by;
        let batch = BatchNorm { epsilon: self.epsilon };
        Ok(context.kernels().batch_norm(batch, x, [mean, variance, scale, bias], result)?)
    }

    /// The next running averages, rounded once.
    fn write_running(
        &self,
        context: &Context<'_>,
        running: &[f64],
        found: &Tensor,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), Cause> {
        let found = read(found)?;
        let found = [Some(found.view()?)];
        let found = Inputs::new(&found).numbers(0).unwrap_or_default();
        let momentum = f64::from(self.momentum);
        let next = running.iter().zip(&found).map(|(running, found)| running * momentum + found * (1.0 - momentum));
        write_numbers(context, &next.collect::<Vec<_>>(), result)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::{DType, f16};

    use super::*;
    use crate::{Attributes, build, infer};

    fn vector(elements: &[f32]) -> Tensor {
        Tensor::from_slice(elements, &[elements.len() as i64]).unwrap()
    }

    #[test]
    fn running_averages_are_of_the_population() {
        let x = Tensor::from_slice(&[1.0_f32, 10.0, 3.0, 30.0], &[2, 2]).unwrap();
        let (one, zero) = (vector(&[1.0, 2.0]), vector(&[0.0, 5.0]));
        let (mean, variance) = (vector(&[4.0, 0.0]), vector(&[8.0, 0.0]));
        let operator = BatchNormalization { epsilon: 0.0, momentum: 0.25, training_mode: true };
        let inputs = [&x, &one, &zero, &mean, &variance].map(Some);
        let results = Context::new().unwrap().run(&operator, &inputs).unwrap();
        let results: Vec<Vec<f32>> = results.iter().map(|result| result.to_vec().unwrap()).collect();
        assert_eq!(results, [vec![-1.0, 3.0, 1.0, 7.0], vec![2.5, 15.0], vec![2.75, 75.0]]);
    }

    #[test]
    fn a_vector_is_a_batch_of_one_channel() {
        let x = vector(&[1.0, 5.0]);
        let [scale, bias, mean, variance] = [[2.0], [1.0], [3.0], [4.0]].map(|element| vector(&element));
        let inputs = [&x, &scale, &bias, &mean, &variance].map(Some);
        let given = BatchNormalization { epsilon: 0.0, ..BatchNormalization::default() };
        let context = Context::new().unwrap();
        assert_eq!(context.run(&given, &inputs).unwrap()[0].to_vec::<f32>().unwrap(), [-1.0, 3.0]);
        let training = BatchNormalization { training_mode: true, momentum: 0.0, ..given };
        let results = context.run(&training, &inputs).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [-1.0, 3.0]);
        assert_eq!(results[1].to_vec::<f32>().unwrap(), [3.0]);
    }

    #[test]
    fn halves_keep_statistics_of_more_bits() {
        let x = Tensor::from_slice(&[f16::from_f32(1000.0)], &[1, 1]).unwrap();
        let (scale, bias) = (vector(&[1.0]), vector(&[0.0]));
        // A mean that is no f16.
        let (mean, variance) = (vector(&[999.9]), vector(&[0.01]));
        let inputs = [&x, &scale, &bias, &mean, &variance].map(Some);
        let operator = BatchNormalization { epsilon: 0.0, ..BatchNormalization::default() };
        let result = Context::new().unwrap().run(&operator, &inputs).unwrap().remove(0);
        let expected = (1000.0_f32 - 999.9) * (1.0 / 0.01_f32.sqrt());
        assert_eq!(result.to_vec::<f16>().unwrap(), [f16::from_f32(expected)]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let x = Fact::new(DType::F32, [1, 3, 4]);
        let (three, two) = (Fact::new(DType::F32, [3]), Fact::new(DType::F32, [2]));
        let operator = BatchNormalization::default();
        let error = infer(&operator, "batch", &[&x, &three, &two, &three, &three].map(Some)).unwrap_err();
        let text = "BatchNormalization: input 2 has shape [2]: expected one element for each of 3 channels";
        assert_eq!(error.to_string(), text);
        let wide = Fact::new(DType::F64, [3]);
        let error = infer(&operator, "batch", &[&x, &three, &three, &three, &wide].map(Some)).unwrap_err();
        let text = "BatchNormalization: input 4 is float64: expected float32, as another input is";
        assert_eq!(error.to_string(), text);
        let error = build(ONNX, "BatchNormalization", &Attributes::new(), 5, 3).unwrap_err();
        assert_eq!(error.to_string(), "BatchNormalization: has 1 outputs, not 3");
    }
}
