//! `CausalConvWithState`: a convolution along time that sees the past alone.

use stratal_kernels::convolution::{Convolution, ConvolutionAxis};
use stratal_kernels::map::Unary;
use stratal_kernels::{AnyView, Epilogue, map};
use stratal_tensor_base::{DType, Shape};

use crate::operands::with_number;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, read, write};

/// Convolves each channel of `[batch, channels, length]` with its own kernel, of `[channels, 1, size]`, over the elements up to
/// each place. What stands before the first one is the state `[batch, channels, size - 1]`, or zeros.
///
/// The second output is the state for what follows: the last `size - 1` elements of all, those of the old state included.
#[derive(Debug, Clone, Copy, Default)]
pub struct CausalConvWithState {
    /// Whether `x * sigmoid(x)` is applied at last.
    pub silu: bool,
}

/// What it is defined for.
const DTYPES: &[DType] = &[DType::F32, DType::F64, DType::F16, DType::BF16];

impl CausalConvWithState {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "CausalConvWithState",
        since: 27,
        inputs: 2..=4,
        outputs: 1..=2,
        attributes: &["activation"],
        dtypes: DTYPES,
        build: |node| {
            let words = [("none", false), ("silu", true), ("swish", true)];
            Ok(Box::new(Self { silu: node.word("activation", "none, silu or swish", &words)? }))
        },
    };
}

impl Operator for CausalConvWithState {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, DTYPES)?;
        inputs.check_dtypes(dtype)?;
        let (x, weights) = (inputs.shape_of_rank(0, 3)?, inputs.shape_of_rank(1, 3)?);
        let (batch, channels, size) = (x[0].clone(), x[1].clone(), weights[2].clone());
        inputs.check_shape(1, &SymbolicShape::new([channels.clone(), 1.into(), size.clone()]))?;
        if size.is(0) {
            let expected = "a kernel of at least one element".into();
            return Err(Cause::Shape { input: 1, shape: weights.to_string(), expected });
        }
        inputs.check_shape(2, &SymbolicShape::new([channels.clone()]))?;
        let state = SymbolicShape::new([batch, channels, size.subtract(&1.into())?]);
        inputs.check_shape(3, &state)?;
        Ok(vec![Fact::new(dtype, x.clone()), Fact::new(dtype, state)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let kernels = context.kernels();
        let (x, weights, bias) = (inputs.required(0)?, inputs.required(1)?, inputs.get(2));
        let (&[batch, channels, length], &[_, _, size]) = (x.shape().extents(), weights.shape().extents()) else {
            return Ok(());
        };
        let state = i64::from(size) - 1;
        let shape = Shape::new(&[batch.into(), channels.into(), state])?;
        let all =
            context.scratch(x.dtype(), &Shape::new(&[batch.into(), channels.into(), state + i64::from(length)])?)?;
        let join = |state: &AnyView<'_>| write(&all, |all| kernels.concat(&[*state, *x], 2, all));
        match inputs.get(3) {
            Some(state) => join(state)?,
            None => with_number(x.dtype(), 0.0, &shape, join)?,
        }
        let all = read(&all)?;
        let all = all.view()?;

        let convolution =
            Convolution { axes: vec![ConvolutionAxis::default()], groups: channels as usize, strategy: None };
        let bias = bias.map(|bias| bias.seen(|geometry| geometry.unsqueeze(1))).transpose()?;
        let activation = self.silu.then_some(&map::Silu as &dyn Unary);
        let epilogue = Epilogue { bias: bias.as_ref(), activation, ..Epilogue::default() };
        outputs.write(0, |result| {
            if result.shape().is_empty() {
                return Ok(());
            }
            kernels.convolve(&convolution, &all, weights, &epilogue, result)
        })?;
        let last = all.seen(|geometry| geometry.narrow(2, length.into(), state))?;
        outputs.write(1, |result| kernels.copy(&last, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::infer;

    #[test]
    fn in_parts_it_is_the_same() {
        let context = Context::new().unwrap();
        let x = Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[1, 1, 4]).unwrap();
        let weights = Tensor::from_slice(&[100.0_f32, 10.0, 1.0], &[1, 1, 3]).unwrap();
        let at_once = context.run(&CausalConvWithState::default(), &[Some(&x), Some(&weights)]).unwrap();
        assert_eq!(at_once[0].to_vec::<f32>().unwrap(), [1.0, 12.0, 123.0, 234.0]);
        assert_eq!(at_once[1].to_vec::<f32>().unwrap(), [3.0, 4.0]);

        let mut state = Tensor::from_slice(&[0.0_f32, 0.0], &[1, 1, 2]).unwrap();
        let mut parts = Vec::new();
        for part in [&[1.0_f32][..], &[2.0, 3.0, 4.0]] {
            let part = Tensor::from_slice(part, &[1, 1, part.len() as i64]).unwrap();
            let inputs = [Some(&part), Some(&weights), None, Some(&state)];
            let [result, next] = context.run(&CausalConvWithState::default(), &inputs).unwrap().try_into().unwrap();
            parts.extend(result.to_vec::<f32>().unwrap());
            state = next;
        }
        assert_eq!(parts, at_once[0].to_vec::<f32>().unwrap());
        assert_eq!(state.to_vec::<f32>().unwrap(), [3.0, 4.0]);
    }

    #[test]
    fn nothing_new_keeps_the_state() {
        let (x, state) = (Tensor::from_slice::<f32>(&[], &[1, 1, 0]).unwrap(), [5.0_f32, 6.0]);
        let (weights, state) =
            (Tensor::from_slice(&[1.0_f32; 3], &[1, 1, 3]).unwrap(), Tensor::from_slice(&state, &[1, 1, 2]).unwrap());
        let inputs = [Some(&x), Some(&weights), None, Some(&state)];
        let outputs = Context::new().unwrap().run(&CausalConvWithState::default(), &inputs).unwrap();
        assert_eq!(outputs[1].to_vec::<f32>().unwrap(), [5.0, 6.0]);
        assert!(outputs[0].is_empty());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let message = |weights: [i64; 3], state: [i64; 3]| {
            let [x, weights, state] = [[2, 3, 4], weights, state].map(|extents| Fact::new(DType::F32, extents));
            let inputs = [Some(&x), Some(&weights), None, Some(&state)];
            infer(&CausalConvWithState::default(), "conv", &inputs).unwrap_err().to_string()
        };
        insta::assert_snapshot!([
            message([4, 1, 2], [2, 3, 1]),
            message([3, 1, 0], [2, 3, 0]),
            message([3, 1, 2], [2, 3, 2]),
        ].join("\n"), @r"
        CausalConvWithState: input 1 has shape [4, 1, 2]: expected [3, 1, 2]
        CausalConvWithState: input 1 has shape [3, 1, 0]: expected a kernel of at least one element
        CausalConvWithState: input 3 has shape [2, 3, 2]: expected [2, 3, 1]
        ");
    }
}
