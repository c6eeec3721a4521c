//! `AveragePool`: the average of each window.

use super::Windows;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// The average of each window.
///
/// The divisor is the number of elements of the window that lie within the image, or with `count_padding` within the image and
/// its padding; what a window has beyond the padding, since the number of windows was rounded up, never counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AveragePool {
    /// The windows.
    pub windows: Windows,
    /// Whether elements of the padding count.
    pub count_padding: bool,
}

impl AveragePool {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "AveragePool",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let count_padding = node.flag("count_include_pad", false)?;
            Ok(Box::new(Self { windows: Windows::of_node(node)?, count_padding }))
        },
    };
}

impl Operator for AveragePool {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        Ok(vec![Fact::new(dtype, self.windows.infer(inputs.shape(0)?)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let window = self.windows.on(x.shape())?;
        outputs.write(0, |result| context.kernels().average_pool(&window, self.count_padding, x, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, build};

    fn pooled(x: &Tensor, attributes: &Attributes) -> Vec<f32> {
        let pool = build("", "AveragePool", attributes, 1, 1).unwrap();
        Context::new().unwrap().run(&*pool, &[Some(x)]).unwrap()[0].to_vec().unwrap()
    }

    #[test]
    fn padding_counts_but_not_what_lies_beyond() {
        let elements: Vec<f32> = (1..=16).map(|x| x as f32).collect();
        let x = Tensor::from_slice(&elements, &[1, 1, 4, 4]).unwrap();
        let attributes = Attributes::new()
            .with("kernel_shape", vec![3, 3])
            .with("strides", vec![2, 2])
            .with("pads", vec![1; 4])
            .with("ceil_mode", 1)
            .with("count_include_pad", 1);
        let ninths = [14.0, 30.0, 12.0, 57.0, 99.0, 36.0].map(|sum| sum / 9.0);
        assert_eq!(pooled(&x, &attributes)[..2], ninths[..2]);
        // The last window of a row has six elements within image and padding.
        assert_eq!(pooled(&x, &attributes)[2], 2.0);
        assert_eq!(pooled(&x, &attributes)[6..], [4.5, 7.5, 4.0]);
    }

    #[test]
    fn a_window_that_would_begin_behind_the_image_is_dropped() {
        let x = Tensor::ones(&[1, 1, 8, 8], stratal_tensor_base::DType::F32).unwrap();
        let attributes =
            Attributes::new().with("kernel_shape", vec![3, 3]).with("strides", vec![3, 4]).with("ceil_mode", 1);
        assert_eq!(pooled(&x, &attributes), [1.0; 6]);
    }

    #[test]
    fn padding_is_given_in_one_way() {
        let both = Attributes::new().with("kernel_shape", vec![2]).with("auto_pad", "VALID").with("pads", vec![1, 0]);
        let fault = build("", "AveragePool", &both, 1, 1).unwrap_err();
        assert_eq!(fault.to_string(), "AveragePool: attribute pads is [1, 0]: expected none beside auto_pad");
    }
}
