//! `STFT`: Fourier transforms of the frames of a signal.

use stratal_tensor_base::{DType, Shape};

use super::dft::put;
use super::fourier::{Complex, Fourier, complex_zeros};
use crate::operands::{unfit, zeros};
use crate::{
    Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes, read,
    write,
};

/// The discrete Fourier transforms of frames that follow each other by a step, each multiplied by a window first.
///
/// Signals have shape `[batch, length, 1]`, or `[batch, length, 2]` for complex numbers; the result is
/// `[batch, frames, bins, 2]`. Inputs are the signal, the step, a window and the length of frames; that is as long as the window
/// if nothing is said, or as the signal. Elements that fill no whole frame at the end are left out, and a signal shorter than a
/// frame has none. One-sided, there are the first `length / 2 + 1` bins alone. Everything is computed in f64 and rounded once.
#[derive(Debug, Clone, Copy)]
pub struct Stft {
    /// Whether only half of each spectrum is there, since it follows from real numbers.
    pub onesided: bool,
}

impl Stft {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "STFT",
        since: 17,
        inputs: 2..=4,
        outputs: 1..=1,
        attributes: &["onesided"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { onesided: node.flag("onesided", true)? })),
    };

    fn bins(&self, length: &Extent) -> Result<Extent, Cause> {
        Ok(if self.onesided { length.divide_floor(&2.into())?.add(&1.into())? } else { length.clone() })
    }
}

fn too_small(label: &str, number: i64) -> Cause {
    Cause::Unfit(format!("{label} is {number}: expected at least 1"))
}

fn other_window(window: &Extent, length: &Extent) -> Cause {
    Cause::Unfit(format!("a window of {window} elements does not fit frames of {length}"))
}

/// How many frames there are.
fn frames(signal: &Extent, length: &Extent, step: &Extent) -> Result<Extent, Cause> {
    Ok(signal.subtract(length)?.divide_floor(step)?.add(&1.into())?.maximum(&0.into())?)
}

impl Operator for Stft {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1, 3]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let signal = inputs.shape_of_rank(0, 3)?;
        let unfit = |expected: &str| Cause::Shape { input: 0, shape: signal.to_string(), expected: expected.into() };
        match signal[2].known() {
            Some(parts) if parts != 1 && parts != 2 => return Err(unfit("1 or 2 at the last axis")),
            Some(2) if self.onesided => {
                return Err(unfit("real numbers, 1 at the last axis, for one side of the spectrum"));
            }
            _ => {}
        }
        let number = |input: usize, label: &str| {
            inputs.dtype(input, dtypes::INDICES)?;
            let given = inputs.required(input)?.integers().and_then(|numbers| numbers.first().cloned());
            let number = given.unwrap_or_else(|| inputs.unknown(label));
            match number.known() {
                Some(number) if number < 1 => Err(too_small(label, number)),
                _ => Ok(number),
            }
        };
        let step = number(1, "frame_step")?;
        inputs.check_dtype(2, dtype)?;
        let window = inputs.get(2).map(|_| inputs.shape_of_rank(2, 1).map(|window| window[0].clone())).transpose()?;
        let length = match (inputs.get(3), window) {
            (Some(_), window) => {
                let length = number(3, "frame_length")?;
                if let Some(window) = window {
                    let is_other = window.known().zip(length.known()).is_some_and(|(window, length)| window != length);
                    if is_other {
                        return Err(other_window(&window, &length));
                    }
                }
                length
            }
            (None, Some(window)) => window,
            (None, None) => signal[1].clone(),
        };
        let frames = frames(&signal[1], &length, &step)?;
        Ok(vec![Fact::new(dtype, SymbolicShape::new([signal[0].clone(), frames, self.bins(&length)?, 2.into()]))])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let signal = inputs.required(0)?;
        let &[batch, extent, parts] = signal.shape().extents() else {
            return Err(unfit(signal.dtype(), signal.shape()));
        };
        let parts = parts as usize;
        let step = inputs.integer(1)?.unwrap_or(1);
        let window = inputs.numbers(2);
        let own = window.as_ref().map_or(i64::from(extent), |window| window.len() as i64);
        let given = inputs.integer(3)?;
        let length = given.unwrap_or(own);
        for (label, number) in [("frame_step", Some(step)), ("frame_length", given)] {
            if let Some(number) = number.filter(|number| *number < 1) {
                return Err(too_small(label, number));
            }
        }
        if window.as_ref().is_some_and(|window| window.len() as i64 != length) {
            return Err(other_window(&own.into(), &length.into()));
        }
        let count = frames(&i64::from(extent).into(), &length.into(), &step.into())?.known().unwrap_or(0);
        let bins = self.bins(&length.into())?.known().unwrap_or(0);
        let shape = Shape::new(&[batch.into(), count, bins, 2])?;
        let transformed = zeros(context, DType::F64, &shape)?;
        if length > 0 && !shape.is_empty() && parts > 0 {
            let signal = context.converted(signal, DType::F64)?;
            let signal = read(&signal)?;
            let signal = signal.view()?.typed::<f64>();
            let fourier = Fourier::new(context, length as usize)?;
            let (mut row, mut room) = (complex_zeros(length as usize)?, fourier.room()?);
            write(&transformed, |transformed| {
                let unfit = unfit(transformed.dtype(), transformed.shape());
                let (Some(signal), Some(mut transformed)) = (&signal, transformed.typed::<f64>()) else {
                    return Err(unfit);
                };
                let (Some(signal), Some(transformed)) = (signal.as_slice(), transformed.as_mut_slice()) else {
                    return Err(unfit);
                };
                for (index, result) in transformed.chunks_exact_mut(2 * bins as usize).enumerate() {
                    let (batch, frame) = (index / count as usize, index % count as usize);
                    let first = batch * extent as usize + frame * step as usize;
                    let elements = signal[first * parts..].chunks_exact(parts);
                    for (n, (row, x)) in row.iter_mut().zip(elements).enumerate() {
                        let factor = window.as_ref().map_or(1.0, |window| window[n]);
                        *row = Complex { re: x[0], im: x.get(1).copied().unwrap_or(0.0) }.scale(factor);
                    }
                    fourier.run(&mut row, &mut room);
                    put(&row, result, 2);
                }
                Ok::<_, Cause>(())
            })?;
        }
        outputs.write_shaped(0, &shape, |result| {
            Ok::<_, Cause>(context.kernels().cast(&read(&transformed)?.view()?, result)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::infer;

    fn run(operator: Stft, signal: &[f32], step: i64, window: Option<&[f32]>, length: Option<i64>) -> Tensor {
        let signal = Tensor::from_slice(signal, &[1, signal.len() as i64, 1]).unwrap();
        let scalar = |x: i64| Tensor::from_slice(&[x], &[]).unwrap();
        let window = window.map(|window| Tensor::from_slice(window, &[window.len() as i64]).unwrap());
        let (step, length) = (scalar(step), length.map(scalar));
        let inputs = [Some(&signal), Some(&step), window.as_ref(), length.as_ref()];
        Context::new().unwrap().run(&operator, &inputs).unwrap().remove(0)
    }

    #[test]
    fn frames_follow_by_a_step() {
        let all = Stft { onesided: false };
        let result = run(all, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, None, Some(2));
        assert_eq!(result.shape().extents(), [1, 2, 2, 2]);
        assert_eq!(result.to_vec::<f32>().unwrap(), [3.0, 0.0, -1.0, 0.0, 9.0, 0.0, -1.0, 0.0]);
        let windowed = run(all, &[1.0, 2.0, 3.0], 1, Some(&[2.0, 0.5]), None);
        assert_eq!(windowed.to_vec::<f32>().unwrap(), [3.0, 0.0, 1.0, 0.0, 5.5, 0.0, 2.5, 0.0]);
    }

    #[test]
    fn short_signals_have_no_frames() {
        let half = Stft { onesided: true };
        assert_eq!(run(half, &[1.0, 2.0], 1, None, Some(4)).shape().extents(), [1, 0, 3, 2]);
        // Without a length the signal is one frame.
        assert_eq!(run(half, &[1.0, 2.0, 3.0], 1, None, None).shape().extents(), [1, 1, 2, 2]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let message = |parts: i64, step: i64, window: i64, length: i64| {
            let [signal, window] = [vec![1, 8, parts], vec![window]]
                .map(|shape| Fact::new(DType::F32, shape.into_iter().map(Extent::from).collect::<SymbolicShape>()));
            let [step, length] = [step, length].map(|x| Fact::of_extents(DType::I64, vec![x.into()]));
            let inputs = [Some(&signal), Some(&step), Some(&window), Some(&length)];
            infer(&Stft { onesided: true }, "stft", &inputs).unwrap_err().to_string()
        };
        insta::assert_snapshot!([
            message(3, 1, 4, 4),
            message(2, 1, 4, 4),
            message(1, 0, 4, 4),
            message(1, 1, 4, 5),
            message(1, 1, 0, 0),
        ].join("\n"), @r"
        STFT: input 0 has shape [1, 8, 3]: expected 1 or 2 at the last axis
        STFT: input 0 has shape [1, 8, 2]: expected real numbers, 1 at the last axis, for one side of the spectrum
        STFT: frame_step is 0: expected at least 1
        STFT: a window of 4 elements does not fit frames of 5
        STFT: frame_length is 0: expected at least 1
        ");
    }
}
