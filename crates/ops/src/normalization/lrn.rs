//! `LRN`: local response normalisation.

use stratal_kernels::map::{BinaryFormula, Formula, Mul, Pow};
use stratal_kernels::pool::{Window, WindowAxis};
use stratal_kernels::simd::Simd;
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::{Geometry, Shape};

use super::precision::{compute_in, widened};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, attribute, dtypes, read, write};

/// `x / (bias + alpha * m)^beta`, where `m` is the sum of the squares in a window of neighbouring channels, divided by the
/// window's size.
///
/// `x` is `[N, C, ..]`. A window of even size reaches one channel further behind its element than before it; what is outside
/// counts as zero. Floats of 16 bits compute in f32 and are rounded once.
#[derive(Debug, Clone, Copy)]
pub struct LRN {
    /// The number of channels in a window.
    pub size: i64,
    /// What the mean square is multiplied by.
    pub alpha: f32,
    /// The power.
    pub beta: f32,
    /// What the mean square is added to.
    pub bias: f32,
}

impl LRN {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "LRN",
        since: 13,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["alpha", "beta", "bias", "size"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let size = node.needed("size", node.int("size")?)?;
            if size < 1 {
                return Err(attribute("size", size, "1 or more"));
            }
            let (alpha, beta) = (node.float_or("alpha", 1e-4)?, node.float_or("beta", 0.75)?);
            Ok(Box::new(Self { size, alpha, beta, bias: node.float_or("bias", 1.0)? }))
        },
    };
}

impl Operator for LRN {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape(0)?;
        if shape.rank() < 2 {
            return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected: "rank 2 or more".into() });
        }
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| {
            compute_in(widened(x.dtype()), context, [Some(x)], result, |operands, result| match operands {
                [Some(x)] if !x.shape().is_empty() => self.normalize(context, x, result),
                _ => Ok(()),
            })
        })
    }
}

impl LRN {
    fn normalize(&self, context: &Context<'_>, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        let [squares, means] = [context.scratch(x.dtype(), x.shape())?, context.scratch(x.dtype(), x.shape())?];
        write(&squares, |squares| context.kernels().binary(&Mul, x, x, squares))?;
        // A larger window sees all channels from everywhere too.
        let channels = x.shape().extent(1) as i64;
        let kernel = self.size.min(2 * channels + 1);
        let axis = WindowAxis { kernel, pad_begin: (kernel - 1) / 2, pad_end: kernel / 2, ..WindowAxis::default() };
        let window = Window { axes: vec![axis], ceil: false };
        {
            let squares = read(&squares)?;
            let squares = squares.view()?.seen(channels_last)?;
            write(&means, |means| {
                let mut means = means.seen(channels_last)?;
                Ok::<_, Cause>(context.kernels().average_pool(&window, true, &squares, &mut means)?)
            })?;
        }
        let alpha = f64::from(self.alpha) * (kernel as f64 / self.size as f64);
        let response = Response { alpha, beta: self.beta, bias: self.bias };
        Ok(context.kernels().binary(&Formula(response), x, &read(&means)?.view()?, result)?)
    }
}

/// Row-major images as rows of channels, one for each place: a window then moves along the last axis.
fn channels_last(geometry: &Geometry) -> Result<Geometry, Cause> {
    let extents: Vec<_> = geometry.shape().extents().iter().map(|&extent| i64::from(extent)).collect();
    let [images, channels, places @ ..] = extents.as_slice() else { return Ok(*geometry) };
    let rows = Shape::new(&[*images, *channels, places.iter().product()])?;
    let rows = geometry.try_reshape(&rows).ok_or_else(|| Cause::Unfit(format!("cannot see {geometry:?} as {rows}")))?;
    Ok(rows.transpose(1, 2)?)
}

/// What an element and the mean square around it come to.
#[derive(Debug, Clone, Copy)]
struct Response {
    alpha: f64,
    beta: f32,
    bias: f32,
}

impl BinaryFormula for Response {
    const NAME: &'static str = "lrn";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32, mean_square: S::F32) -> S::F32 {
        let base = simd.f32(self.bias) + simd.f32(self.alpha as f32) * mean_square;
        x / Pow.f32(simd, base, simd.f32(self.beta))
    }

    fn f64(self, x: f64, mean_square: f64) -> f64 {
        x / Pow.f64(f64::from(self.bias) + self.alpha * mean_square, self.beta.into())
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{DType, f16};

    use super::*;
    use crate::{Attributes, build, infer};

    fn run(size: i64, x: &Tensor) -> Tensor {
        let operator = LRN { size, alpha: size as f32, beta: 1.0, bias: 0.0 };
        Context::new().unwrap().run(&operator, &[Some(x)]).unwrap().remove(0)
    }

    #[test]
    fn windows_are_cut_off_at_the_channels_there_are() {
        let x = Tensor::from_slice(&[1.0_f32, 2.0, 4.0], &[1, 3]).unwrap();
        // With one neighbour before and one behind; with one behind; with all.
        assert_eq!(run(3, &x).to_vec::<f32>().unwrap(), [1.0 / 5.0, 2.0 / 21.0, 4.0 / 20.0]);
        assert_eq!(run(2, &x).to_vec::<f32>().unwrap(), [1.0 / 5.0, 2.0 / 20.0, 4.0 / 16.0]);
        assert_eq!(run(1, &x).to_vec::<f32>().unwrap(), [1.0, 0.5, 0.25]);
        let all = [1.0 / 21.0, 2.0 / 21.0, 4.0 / 21.0];
        for size in [5, 7, 64] {
            let result = run(size, &x).to_vec::<f32>().unwrap();
            assert!(result.iter().zip(all).all(|(x, y): (&f32, f32)| (x - y).abs() <= 1e-6 * y), "{size}: {result:?}");
        }
        run(1 << 62, &x);
    }

    #[test]
    fn squares_of_halves_do_not_overflow() {
        let x = Tensor::from_slice(&[f16::from_f32(1000.0)], &[1, 1, 1]).unwrap();
        assert_eq!(run(1, &x).to_vec::<f16>().unwrap(), [f16::from_f32(0.001)]);
        let empty = Tensor::zeros(&[2, 0, 3], DType::F32).unwrap();
        assert_eq!(run(3, &empty).shape().extents(), [2, 0, 3]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let operator = LRN { size: 1, alpha: 1.0, beta: 1.0, bias: 0.0 };
        let error = infer(&operator, "lrn", &[Some(&Fact::new(DType::F32, [3]))]).unwrap_err();
        assert_eq!(error.to_string(), "LRN: input 0 has shape [3]: expected rank 2 or more");
        let error = build(ONNX, "LRN", &Attributes::new().with("size", 0), 1, 1).unwrap_err();
        assert_eq!(error.to_string(), "LRN: attribute size is 0: expected 1 or more");
        let error = build(ONNX, "LRN", &Attributes::new(), 1, 1).unwrap_err();
        assert_eq!(error.to_string(), "LRN: attribute size is missing");
    }
}
