//! `DFT`: discrete Fourier transforms.

use stratal_kernels::AnyView;
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use super::fourier::{Complex, Fourier, complex_zeros};
use crate::operands::{unfit, zeros};
use crate::{
    Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes, read, write,
};

/// `sum(exp(-2 pi i k n / length) * x[n])` along an axis, or the inverse, `sum(exp(2 pi i k n / length) * x[k]) / length`.
///
/// The last axis of a complex operand holds the real and the imaginary part; a real one has an extent of 1 there. The second
/// input is the length: the operand is cut, or continued by zeros. The third input, or an attribute of old models, is the axis.
/// One-sided, real numbers give the first `length / 2 + 1` results alone, and the inverse makes real numbers of those; its
/// length is `2 * (extent - 1)` if nothing is said. Any length is transformed as such, in f64, and rounded once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dft {
    /// The axis, if it is no input; it may count from the end. The one before the last if nothing is said.
    pub axis: Option<i64>,
    /// Whether it is the inverse.
    pub inverse: bool,
    /// Whether only half of the spectrum is there, since it follows from real numbers.
    pub onesided: bool,
}

impl Dft {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "DFT",
        since: 20,
        inputs: 1..=3,
        outputs: 1..=1,
        attributes: &["axis", "inverse", "onesided"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            Ok(Box::new(Self {
                axis: node.int("axis")?,
                inverse: node.flag("inverse", false)?,
                onesided: node.flag("onesided", false)?,
            }))
        },
    };

    /// The axis, which is not the last one.
    fn axis(&self, given: Option<i64>, rank: usize) -> Result<usize, Cause> {
        let given = given.or(self.axis).unwrap_or(-2);
        let axis = axis(given, rank)?;
        if axis + 1 < rank {
            Ok(axis)
        } else {
            Err(Cause::Unfit(format!("axis {given} holds the parts of complex numbers")))
        }
    }

    /// The length, if nothing is said.
    fn own_length(&self, extent: &Extent) -> Result<Extent, Cause> {
        if self.inverse && self.onesided {
            // Of no elements there is no signal.
            return Ok(extent.subtract(&1.into())?.multiply(&2.into())?.maximum(&0.into())?);
        }
        Ok(extent.clone())
    }

    /// How many results there are along the axis.
    fn results(&self, length: &Extent) -> Result<Extent, Cause> {
        if self.onesided && !self.inverse {
            return Ok(length.divide_floor(&2.into())?.add(&1.into())?);
        }
        Ok(length.clone())
    }

    /// How many numbers a result has.
    fn parts(&self) -> i64 {
        if self.onesided && self.inverse { 1 } else { 2 }
    }
}

impl Operator for Dft {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1, 2]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let x = inputs.shape(0)?;
        let rank = x.rank();
        let unfit = |expected: &str| Cause::Shape { input: 0, shape: x.to_string(), expected: expected.into() };
        let parts = x.last().filter(|_| rank >= 2).ok_or_else(|| unfit("at least 2 axes"))?.known();
        match parts {
            Some(parts) if parts != 1 && parts != 2 => return Err(unfit("1 or 2 at the last axis")),
            Some(2) if self.onesided && !self.inverse => return Err(unfit("real numbers, 1 at the last axis")),
            Some(1) if self.onesided && self.inverse => return Err(unfit("complex numbers, 2 at the last axis")),
            _ => {}
        }
        let mut shape = x.clone();
        if let Some(last) = shape.extents_mut().last_mut() {
            *last = self.parts().into();
        }
        for input in [1, 2] {
            if inputs.get(input).is_some() {
                inputs.dtype(input, dtypes::INDICES)?;
            }
        }
        let given = inputs.integers(2).map(|axis| axis.first().copied().unwrap_or(-2));
        if inputs.get(2).is_some() && given.is_none() {
            // Any but the last axis may change.
            (0..rank - 1).for_each(|axis| shape.extents_mut()[axis] = inputs.unknown(&axis.to_string()));
            return Ok(vec![Fact::new(dtype, shape)]);
        }
        let axis = self.axis(given, rank)?;
        let length = match (inputs.get(1), inputs.get(1).and_then(|length| length.integers()?.first().cloned())) {
            (None, _) => self.own_length(&x[axis])?,
            (Some(_), Some(length)) => match length.known() {
                Some(length) if length < 1 => return Err(too_short(length)),
                _ => length,
            },
            (Some(_), None) => inputs.unknown("length"),
        };
        shape.extents_mut()[axis] = self.results(&length)?;
        Ok(vec![Fact::new(dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let rank = x.shape().rank();
        let axis = self.axis(inputs.integer(2)?, rank)?;
        let length = match inputs.integer(1)? {
            Some(length) if length < 1 => return Err(too_short(length)),
            Some(length) => length,
            None => self.own_length(&i64::from(x.shape().extents()[axis]).into())?.known().unwrap_or(0),
        };
        let length = usize::try_from(length).map_err(|_| too_short(length))?;
        let results = self.results(&(length as i64).into())?.known().unwrap_or(0);
        let mut shape: Vec<_> = x.shape().extents().iter().map(|&extent| i64::from(extent)).collect();
        (shape[axis], shape[rank - 1]) = (results, self.parts());
        let x = x.seen(|geometry| geometry.movedim(axis as i64, rank as i64 - 2))?;
        outputs.write_shaped(0, &Shape::new(&shape)?, |result| {
            // What a length asks for is far more than it takes to say: the memory of the result comes first.
            let transformed = self.rows(context, &x, length, results as usize)?;
            let mut result = result.seen(|geometry| Ok::<_, Cause>(geometry.movedim(axis as i64, rank as i64 - 2)?))?;
            Ok::<_, Cause>(context.kernels().cast(&read(&transformed)?.view()?, &mut result)?)
        })
    }
}

impl Dft {
    /// Transforms rows of `[.., extent, parts]`, in f64.
    fn rows(&self, context: &Context<'_>, x: &AnyView<'_>, length: usize, results: usize) -> Result<Tensor, Cause> {
        let x = context.converted(x, DType::F64)?;
        let extents = x.shape().extents();
        let (extent, parts) = (extents[extents.len() - 2] as usize, extents[extents.len() - 1] as usize);
        let mut shape: Vec<_> = extents.iter().map(|&extent| i64::from(extent)).collect();
        let rank = shape.len();
        (shape[rank - 2], shape[rank - 1]) = (results as i64, self.parts());
        let transformed = zeros(context, DType::F64, &Shape::new(&shape)?)?;
        if x.is_empty() || transformed.is_empty() {
            return Ok(transformed);
        }
        let fourier = Fourier::new(context, length)?;
        let (mut row, mut room) = (complex_zeros(length)?, fourier.room()?);
        let x = read(&x)?;
        let x = x.view()?.typed::<f64>();
        write(&transformed, |transformed| {
            let unfit = unfit(transformed.dtype(), transformed.shape());
            if let (Some(x), Some(mut transformed)) =
                (x.as_ref().and_then(|x| x.as_slice()), transformed.typed::<f64>())
                && let Some(transformed) = transformed.as_mut_slice()
            {
                let parts_of_result = self.parts() as usize;
                let rows = x.chunks_exact(extent * parts).zip(transformed.chunks_exact_mut(results * parts_of_result));
                for (x, result) in rows {
                    row.fill(Complex::ZERO);
                    for (row, x) in row.iter_mut().zip(x.chunks_exact(parts)) {
                        *row = Complex { re: x[0], im: x.get(1).copied().unwrap_or(0.0) };
                    }
                    if self.inverse {
                        if self.onesided {
                            complete(&mut row);
                        }
                        fourier.run_inverse(&mut row, &mut room);
                    } else {
                        fourier.run(&mut row, &mut room);
                    }
                    put(&row, result, parts_of_result);
                }
                return Ok(());
            }
            Err(unfit)
        })?;
        Ok(transformed)
    }
}

fn too_short(length: i64) -> Cause {
    Cause::Unfit(format!("cannot transform {length} elements: expected at least 1"))
}

/// Writes as many numbers as there is room for, with one or both of their parts.
pub(super) fn put(row: &[Complex], result: &mut [f64], parts: usize) {
    for (row, result) in row.iter().zip(result.chunks_exact_mut(parts)) {
        match result {
            [re, im] => (*re, *im) = (row.re, row.im),
            [re] => *re = row.re,
            _ => {}
        }
    }
}

/// The other half of a spectrum that belongs to real numbers. What belongs to no half has no imaginary part.
fn complete(row: &mut [Complex]) {
    let length = row.len();
    row[0].im = 0.0;
    if length.is_multiple_of(2) {
        row[length / 2].im = 0.0;
    }
    for k in length / 2 + 1..length {
        row[k] = row[length - k].conjugate();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SymbolicShape, infer};

    fn run(operator: Dft, x: &Tensor, length: Option<i64>) -> Vec<f32> {
        let length = length.map(|length| Tensor::from_slice(&[length], &[]).unwrap());
        let outputs = Context::new().unwrap().run(&operator, &[Some(x), length.as_ref()]).unwrap();
        outputs[0].to_vec().unwrap()
    }

    fn real(x: &[f32]) -> Tensor {
        Tensor::from_slice(x, &[x.len() as i64, 1]).unwrap()
    }

    #[test]
    fn lengths_cut_and_continue() {
        let x = real(&[1.0, 2.0, 3.0]);
        assert_eq!(run(Dft::default(), &x, Some(2)), [3.0, 0.0, -1.0, 0.0]);
        assert_eq!(run(Dft::default(), &x, Some(4)), [6.0, 0.0, -2.0, -2.0, 2.0, 0.0, -2.0, 2.0]);
    }

    #[test]
    fn four_hundred_elements_are_not_five_hundred() {
        let x: Vec<f32> = (0..400).map(|n| if n % 4 == 0 { 1.0 } else { 0.0 }).collect();
        let spectrum = run(Dft { onesided: true, ..Dft::default() }, &real(&x), None);
        let size = |k: usize| spectrum[2 * k].hypot(spectrum[2 * k + 1]);
        assert!((size(100) - 100.0).abs() < 1e-4 && (size(200) - 100.0).abs() < 1e-4);
        assert!((1..100).all(|k| size(k) < 1e-4));
    }

    #[test]
    fn halves_of_spectra_are_whole_signals() {
        for signal in [&[1.0_f32, -2.0, 4.0, 0.5][..], &[1.0, -2.0, 4.0, 0.5, 7.0]] {
            let half = run(Dft { onesided: true, ..Dft::default() }, &real(signal), None);
            assert_eq!(half.len(), (signal.len() / 2 + 1) * 2);
            let half = Tensor::from_slice(&half, &[half.len() as i64 / 2, 2]).unwrap();
            let back = Dft { onesided: true, inverse: true, axis: None };
            let back = run(back, &half, Some(signal.len() as i64));
            assert!(back.iter().zip(signal).all(|(a, b)| (a - b).abs() < 1e-6), "{back:?}");
        }
    }

    #[test]
    fn what_real_numbers_cannot_have_is_not_looked_at() {
        let operator = Dft { onesided: true, inverse: true, axis: None };
        let half = Tensor::from_slice(&[4.0_f32, f32::NAN, 0.0, 0.0, 4.0, f32::INFINITY], &[3, 2]).unwrap();
        assert_eq!(run(operator, &half, None), [2.0, 0.0, 2.0, 0.0]);
    }

    #[test]
    fn shapes_follow_without_data() {
        let x = Fact::new(DType::F32, SymbolicShape::new([2.into(), Extent::symbol("n"), 1.into()]));
        let shape = |operator: Dft, length: Option<&Fact>| {
            infer(&operator, "dft", &[Some(&x), length]).unwrap()[0].shape.as_ref().unwrap().to_string()
        };
        let half = Dft { onesided: true, ..Dft::default() };
        assert_eq!(shape(half, None), "[2, floor(n / 2) + 1, 2]");
        assert_eq!(shape(half, Some(&Fact::new(DType::I64, []))), "[2, floor(dft.length / 2) + 1, 2]");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let message = |operator: Dft, x: &[i64], length: i64, axis: i64| {
            let x = Fact::new(DType::F32, x.iter().map(|&x| x.into()).collect::<SymbolicShape>());
            let [length, axis] = [length, axis].map(|x| Fact::of_extents(DType::I64, vec![x.into()]));
            infer(&operator, "dft", &[Some(&x), Some(&length), Some(&axis)]).unwrap_err().to_string()
        };
        let half = Dft { onesided: true, ..Dft::default() };
        insta::assert_snapshot!([
            message(Dft::default(), &[4], 4, 0),
            message(Dft::default(), &[4, 3], 4, 0),
            message(Dft::default(), &[4, 2], 4, -1),
            message(Dft::default(), &[4, 2], 4, 3),
            message(Dft::default(), &[4, 2], 0, 0),
            message(half, &[4, 2], 4, 0),
            message(Dft { inverse: true, ..half }, &[4, 1], 4, 0),
        ].join("\n"), @r"
        DFT: input 0 has shape [4]: expected at least 2 axes
        DFT: input 0 has shape [4, 3]: expected 1 or 2 at the last axis
        DFT: axis -1 holds the parts of complex numbers
        DFT: axis 3 does not exist at rank 2
        DFT: cannot transform 0 elements: expected at least 1
        DFT: input 0 has shape [4, 2]: expected real numbers, 1 at the last axis
        DFT: input 0 has shape [4, 1]: expected complex numbers, 2 at the last axis
        ");
    }
}
