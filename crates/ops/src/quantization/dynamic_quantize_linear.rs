//! `DynamicQuantizeLinear`: numbers as bytes, by a scale and a zero point of their own.

use stratal_kernels::{AnyView, AnyViewMut, map, reduce};
use stratal_tensor::View;
use stratal_tensor_base::{DType, Geometry, Shape};

use super::linear::round_into;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, write};

/// Numbers as bytes: `round(x / scale) + zero point`, where the bytes just hold all numbers, and 0.
///
/// The outputs are the bytes, the scale, and the zero point. The scale of zeros, and of no numbers, is 0 (that of ONNX Runtime
/// is 1), and their bytes are 0. One NaN makes the scale NaN, and all bytes 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct DynamicQuantizeLinear;

impl DynamicQuantizeLinear {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "DynamicQuantizeLinear",
        since: 11,
        inputs: 1..=1,
        outputs: 3..=3,
        attributes: &[],
        dtypes: F32,
        build: |_| Ok(Box::new(Self)),
    };
}

/// What is quantised.
const F32: &[DType] = &[DType::F32];

/// How numbers are quantised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) scale: f32,
    pub(crate) zero_point: u8,
}

impl Range {
    /// Of the least and the greatest number.
    fn new(least: f32, greatest: f32) -> Self {
        // NaN must stay NaN.
        let least = if least > 0.0 { 0.0 } else { least };
        let greatest = if greatest < 0.0 { 0.0 } else { greatest };
        let span = greatest - least;
        let scale = if span.is_infinite() {
            // Of numbers of both signs the span may be beyond f32, where the scale is not.
            ((f64::from(greatest) - f64::from(least)) / 255.0) as f32
        } else {
            span / 255.0
        };
        Self { scale, zero_point: (0.0 - least / scale).round_ties_even() as u8 }
    }

    /// Of all elements.
    pub(crate) fn of(context: &Context<'_>, x: &AnyView<'_>) -> Result<Self, Cause> {
        if x.shape().is_empty() {
            return Ok(Self::new(0.0, 0.0));
        }
        let extreme = |reduction: &dyn reduce::Reduction| {
            let shape = Shape::new(&vec![1; x.shape().rank()])?;
            let extreme = context.scratch(DType::F32, &shape)?;
            write(&extreme, |extreme| context.kernels().reduce(reduction, x, extreme))?;
            Ok::<_, Cause>(extreme.to_vec::<f32>()?[0])
        };
        Ok(Self::new(extreme(&reduce::Min)?, extreme(&reduce::Max)?))
    }

    /// Quantises numbers.
    pub(crate) fn quantize(
        self,
        context: &Context<'_>,
        x: &AnyView<'_>,
        bytes: &mut AnyViewMut<'_>,
    ) -> Result<(), Cause> {
        let quotients = context.converted(x, DType::F32)?;
        let everywhere = Geometry::contiguous(Shape::SCALAR).broadcast_to(x.shape())?;
        let (scale, zero_point) = ([self.scale], [f32::from(self.zero_point)]);
        let (scale, zero_point) = (View::new(&scale, everywhere)?.into(), View::new(&zero_point, everywhere)?.into());
        write(&quotients, |quotients| context.kernels().binary_in_place(&map::Div, quotients, &scale))?;
        round_into(context, &quotients, Some(&zero_point), bytes)
    }
}

impl Operator for DynamicQuantizeLinear {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, F32)?;
        let bytes = Fact { dtype: DType::U8, shape: inputs.required(0)?.shape.clone(), elements: None };
        Ok(vec![bytes, Fact::new(DType::F32, []), Fact::new(DType::U8, [])])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let range = Range::of(context, x)?;
        outputs.write(0, |bytes| range.quantize(context, x, bytes))?;
        outputs.write(1, |scale| {
            if let Some(mut scale) = scale.typed::<f32>() {
                scale.set(&[], range.scale)?;
            }
            Ok::<_, Cause>(())
        })?;
        outputs.write(2, |zero_point| {
            if let Some(mut zero_point) = zero_point.typed::<u8>() {
                zero_point.set(&[], range.zero_point)?;
            }
            Ok::<_, Cause>(())
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    fn quantized(x: &[f32]) -> (Vec<u8>, f32, u8) {
        let x = Tensor::from_slice(x, &[x.len() as i64]).unwrap();
        let outputs = Context::new().unwrap().run(&DynamicQuantizeLinear, &[Some(&x)]).unwrap();
        (outputs[0].to_vec().unwrap(), outputs[1].to_vec().unwrap()[0], outputs[2].to_vec().unwrap()[0])
    }

    #[test]
    fn zero_is_within_the_range() {
        let (bytes, scale, zero_point) = quantized(&[-1.0, -2.1, -1.3, -2.5, -3.34, -4.0]);
        assert_eq!((bytes, scale, zero_point), (vec![191, 121, 172, 96, 42, 0], 4.0 / 255.0, 255));
        assert_eq!(quantized(&[2.0, 255.0]), (vec![2, 255], 1.0, 0));
    }

    #[test]
    fn zeros_nothing_and_nan() {
        assert_eq!(quantized(&[0.0, -0.0]), (vec![0, 0], 0.0, 0));
        assert_eq!(quantized(&[]), (vec![], 0.0, 0));
        let (bytes, scale, zero_point) = quantized(&[1.0, f32::NAN]);
        assert!(scale.is_nan());
        assert_eq!((bytes, zero_point), (vec![0, 0], 0));
    }

    #[test]
    fn spans_beyond_f32_have_scales() {
        let (bytes, scale, zero_point) = quantized(&[-3e38, 3e38, 0.0]);
        assert_eq!((bytes, scale, zero_point), (vec![0, 255, 128], (6e38 / 255.0) as f32, 128));
        assert_eq!(quantized(&[f32::INFINITY, 1.0]), (vec![0, 0], f32::INFINITY, 0));
    }
}
