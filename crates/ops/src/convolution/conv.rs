//! `Conv`: convolutions.

use stratal_kernels::Epilogue;

use super::{Filter, by_channel, check_bias};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Convolves images of shape (batch, channels, ...), with one to three axes after the channels, with weights of shape (output
/// channels, channels of a group, ...), and adds a number for each output channel if a third input gives them.
///
/// Padding is zeros, which are multiplied like any element: zero times infinity is NaN.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conv {
    /// How the weights slide over the images.
    pub filter: Filter,
}

impl Conv {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Conv",
        since: 22,
        inputs: 2..=3,
        outputs: 1..=1,
        attributes: &["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { filter: Filter::of_node(node)? })),
    };
}

impl Operator for Conv {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        let shape = self.filter.infer(inputs, [0, 1])?;
        check_bias(inputs, 2, &shape[1])?;
        Ok(vec![Fact::new(dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, weights) = (inputs.required(0)?, inputs.required(1)?);
        let convolution = self.filter.on(x.shape(), weights.shape())?;
        let bias = inputs.get(2).map(|bias| by_channel(bias, x.shape().rank())).transpose()?;
        let epilogue = Epilogue { bias: bias.as_ref(), ..Epilogue::default() };
        outputs.write(0, |result| context.kernels().convolve(&convolution, x, weights, &epilogue, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Attributes, Extent, Sliding, SymbolicShape, build, infer};

    fn convolved(extent: i64, kernel: i64, attributes: &Attributes) -> Vec<f32> {
        let x = Tensor::arange(1, extent + 1, 1, DType::F32).unwrap().reshape(&[1, 1, extent]).unwrap();
        let weights = Tensor::ones(&[1, 1, kernel], DType::F32).unwrap();
        let conv = build("", "Conv", attributes, 2, 1).unwrap();
        Context::new().unwrap().run(&*conv, &[Some(&x), Some(&weights)]).unwrap()[0].to_vec().unwrap()
    }

    #[test]
    fn padding_that_follows_is_longer_at_the_end_named() {
        assert_eq!(convolved(5, 4, &Attributes::new().with("auto_pad", "SAME_LOWER")), [3.0, 6.0, 10.0, 14.0, 12.0]);
        assert_eq!(convolved(5, 4, &Attributes::new().with("auto_pad", "SAME_UPPER")), [6.0, 10.0, 14.0, 12.0, 9.0]);
        // Windows that do not reach each other need no padding, and none is cut off.
        let sparse = Attributes::new().with("auto_pad", "SAME_UPPER").with("strides", vec![3]);
        assert_eq!(convolved(5, 1, &sparse), [1.0, 4.0]);
        // Around nothing there is none.
        let auto = crate::SlidingPadding::Auto(stratal_kernels::pool::AutoPad::SameUpper);
        let same =
            Conv { filter: Filter { sliding: Sliding { padding: auto, ..Sliding::default() }, ..Filter::default() } };
        assert!(fact([1, 1, 0], [1, 1, 1], &same).is_err());
    }

    fn fact(x: impl Into<SymbolicShape>, weights: impl Into<SymbolicShape>, conv: &Conv) -> Result<String, String> {
        let [x, weights] = [Fact::new(DType::F32, x.into()), Fact::new(DType::F32, weights.into())];
        let facts = infer(conv, "conv", &[Some(&x), Some(&weights)]).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    fn strided(pads: [i64; 4]) -> Conv {
        let padding = crate::SlidingPadding::Explicit(pads.to_vec());
        let sliding = Sliding { strides: vec![2, 2], padding, ..Sliding::default() };
        Conv { filter: Filter { sliding, ..Filter::default() } }
    }

    #[test]
    fn extents_follow_from_what_is_known() {
        assert_eq!(fact([1, 1, 7, 5], [1, 1, 3, 3], &strided([1, 0, 1, 0])).unwrap(), "[1, 1, 4, 2]");
        let unknown = SymbolicShape::new(["batch", "channels", "height", "width"].map(Extent::symbol));
        assert_eq!(
            fact(unknown.clone(), [64, 3, 7, 7], &strided([3; 4])).unwrap(),
            "[batch, 64, floor((height - 1) / 2) + 1, floor((width - 1) / 2) + 1]"
        );
        let weights = SymbolicShape::new([8.into(), 3.into(), Extent::symbol("k"), 3.into()]);
        assert_eq!(fact([1, 3, 9, 9], weights, &Conv::default()).unwrap(), "[1, 8, -k + 10, 7]");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let unknown = SymbolicShape::new([Extent::symbol("batch"), 3.into(), Extent::symbol("height"), 8.into()]);
        let grouped = Conv { filter: Filter { groups: 2, ..Filter::default() } };
        let kernel = Conv { filter: Filter { extents: vec![5, 5], ..Filter::default() } };
        let fault =
            |x: &SymbolicShape, weights: SymbolicShape, conv: &Conv| fact(x.clone(), weights, conv).unwrap_err();
        insta::assert_snapshot!(
            [
                fault(&unknown, [8, 4, 3, 3].into(), &Conv::default()),
                fault(&unknown, [8, 3, 3, 9].into(), &Conv::default()),
                fault(&unknown, [8, 3, 3].into(), &Conv::default()),
                fault(&unknown, [8, 3, 3, 3].into(), &grouped),
                fault(&unknown, [8, 3, 3, 3].into(), &kernel),
                fault(&unknown, [8, 3, 3, 3].into(), &Conv { filter: Filter { groups: 0, ..Filter::default() } }),
                fault(&[1, 3].into(), [8, 3].into(), &Conv::default()),
            ]
            .join("\n")
        );
        let [x, weights, bias] = [vec![1, 3, 8], vec![4, 3, 3], vec![3]].map(|extents: Vec<i64>| {
            Fact::new(DType::F32, extents.into_iter().map(Extent::from).collect::<SymbolicShape>())
        });
        let error = infer(&Conv::default(), "conv", &[Some(&x), Some(&weights), Some(&bias)]).unwrap_err();
        assert_eq!(error.to_string(), "Conv: input 2 has shape [3]: expected a number for each of 4 channels");
    }
}
