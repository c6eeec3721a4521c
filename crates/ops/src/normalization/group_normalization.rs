//! `GroupNormalization`: groups of channels, each normalised by itself.

use stratal_kernels::{AnyView, AnyViewMut, Centre, Normalization};
use stratal_tensor_base::{DType, Geometry, Shape};

use super::precision::{common, compute_in, stash_dtype};
use super::rows::{Statistics, along_channels, check_channels, normalize};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, attribute, dtypes};

/// Normalises each group of channels of each image to mean 0 and variance 1, then multiplies by a scale and adds a bias, one
/// of each for every channel.
///
/// Inputs are `x` of `[N, C, ..]`, scale and bias of `[C]`. Floats of 16 bits compute in f32 and are rounded once, those of 64
/// bits in f64 whatever `stash_dtype` says.
#[derive(Debug, Clone, Copy)]
pub struct GroupNormalization {
    /// The number of groups, which divides that of channels.
    pub num_groups: i64,
    /// What is added to the variance.
    pub epsilon: f32,
    /// The dtype to normalise in: f64 makes a difference.
    pub stash_dtype: DType,
}

impl GroupNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "GroupNormalization",
        since: 21,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &["epsilon", "num_groups", "stash_type"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let num_groups = node.needed("num_groups", node.int("num_groups")?)?;
            if num_groups < 1 {
                return Err(attribute("num_groups", num_groups, "1 or more"));
            }
            let epsilon = node.float_or("epsilon", 1e-5)?;
            Ok(Box::new(Self { num_groups, epsilon, stash_dtype: stash_dtype(node)? }))
        },
    };
}

impl Operator for GroupNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        let shape = inputs.shape(0)?;
        let unfit = |expected| Cause::Shape { input: 0, shape: shape.to_string(), expected };
        let [_, channels, ..] = shape.extents() else { return Err(unfit("rank 2 or more".into())) };
        if channels.known().is_some_and(|channels| channels.checked_rem(self.num_groups) != Some(0)) {
            return Err(unfit(format!("channels of axis 1 that make {} groups", self.num_groups)));
        }
        (1..3).try_for_each(|input| check_channels(inputs, input, channels))?;
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let operands = [0, 1, 2].map(|input| inputs.get(input));
        let stash = Some(self.stash_dtype).filter(|&stash| stash == DType::F64);
        let dtype = common(operands.iter().flatten().map(|operand| operand.dtype()).chain(stash));
        outputs.write(0, |result| {
            compute_in(dtype, context, operands, result, |operands, result| self.groups(context, operands, result))
        })
    }
}

impl GroupNormalization {
    fn groups(
        &self,
        context: &Context<'_>,
        operands: [Option<&AnyView<'_>>; 3],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), Cause> {
        let [Some(x), scale, bias] = operands else { return Err(Cause::MissingInput { input: 0 }) };
        let x = x.seen(|geometry| self.grouped(geometry, 1))?;
        let mut result = result.seen(|geometry| self.grouped(geometry, 1))?;
        let rank = x.shape().rank();
        // Behind the two axes of groups and channels stand as many as in `x`.
        let [scale, bias] = [scale, bias].map(|view| view.map(|view| self.of_channels(view, rank - 1)).transpose());
        let (scale, bias) = (scale?, bias?);
        let axes: Vec<_> = (2..rank).collect();
        let normalization = Normalization { centre: Centre::Mean, axes: &axes, epsilon: self.epsilon };
        let by = [scale.as_ref(), bias.as_ref()];
        normalize(context, &normalization, &x, by, &mut result, &Statistics::default())
    }

    /// One element for each channel, as what broadcasts to a grouped tensor, which has one axis more than `rank`.
    fn of_channels<'a>(&self, channels: &AnyView<'a>, rank: usize) -> Result<AnyView<'a>, Cause> {
        along_channels(&channels.seen(|geometry| self.grouped(geometry, 0))?, rank)
    }

    /// An axis of channels as two, of groups and of the channels of each.
    fn grouped(&self, geometry: &Geometry, axis: usize) -> Result<Geometry, Cause> {
        let shape = *geometry.shape();
        let mut extents: Vec<_> = shape.extents().iter().map(|&extent| i64::from(extent)).collect();
        let channels = extents[axis];
        extents[axis] = channels.checked_div(self.num_groups).unwrap_or_default();
        extents.insert(axis, self.num_groups);
        let unfit = || Cause::Unfit(format!("{channels} channels do not make {} groups", self.num_groups));
        geometry.try_reshape(&Shape::new(&extents)?).ok_or_else(unfit)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use super::*;
    use crate::{Attributes, build, infer};

    #[test]
    fn channels_that_lie_apart() {
        // Channels are the last axis in memory.
        let x = Tensor::from_slice(&[1.0_f32, 3.0, 10.0, 30.0, 1.0, 3.0, 10.0, 30.0], &[1, 2, 4]).unwrap();
        let x = x.transpose(1, 2).unwrap();
        let scale = Tensor::from_slice(&[1.0_f32, 10.0, 1.0, 1.0], &[4]).unwrap();
        let bias = Tensor::from_slice(&[0.0_f32, 0.0, 0.0, 5.0], &[4]).unwrap();
        let operator = GroupNormalization { num_groups: 2, epsilon: 0.0, stash_dtype: DType::F32 };
        let result = Context::new().unwrap().run(&operator, &[&x, &scale, &bias].map(Some)).unwrap().remove(0);
        assert_eq!(result.to_vec::<f32>().unwrap(), [-1.0, -1.0, 10.0, 10.0, -1.0, -1.0, 6.0, 6.0]);
    }

    #[test]
    fn stages_of_other_dtypes() {
        let half = |x: f32| f16::from_f32(x);
        let x = Tensor::from_slice(&[half(-60000.0), half(60000.0)], &[1, 2]).unwrap();
        let (scale, bias) = (Tensor::ones(&[2], DType::F16).unwrap(), Tensor::zeros(&[2], DType::F16).unwrap());
        for stash_dtype in [DType::F32, DType::F64, DType::F16] {
            let operator = GroupNormalization { num_groups: 1, epsilon: 1e-5, stash_dtype };
            let result = Context::new().unwrap().run(&operator, &[&x, &scale, &bias].map(Some)).unwrap().remove(0);
            assert_eq!(result.to_vec::<f16>().unwrap(), [half(-1.0), half(1.0)], "{stash_dtype}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let (x, channels) = (Fact::new(DType::F32, [1, 4, 2]), Fact::new(DType::F32, [4]));
        let operator = GroupNormalization { num_groups: 3, epsilon: 1e-5, stash_dtype: DType::F32 };
        let error = infer(&operator, "group", &[&x, &channels, &channels].map(Some)).unwrap_err();
        let text = "GroupNormalization: input 0 has shape [1, 4, 2]: expected channels of axis 1 that make 3 groups";
        assert_eq!(error.to_string(), text);
        let of = |name: &str, value: i64| {
            let attributes = Attributes::new().with("num_groups", 1).with(name, value);
            build(ONNX, "GroupNormalization", &attributes, 3, 1).unwrap_err().to_string()
        };
        assert_eq!(of("num_groups", 0), "GroupNormalization: attribute num_groups is 0: expected 1 or more");
        let text = "GroupNormalization: attribute stash_type is 7: expected 1, 10, 11 or 16: a float dtype";
        assert_eq!(of("stash_type", 7), text);
    }
}
