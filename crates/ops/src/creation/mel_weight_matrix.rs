//! `MelWeightMatrix`: what frequencies count in bands of the mel scale.

use std::f64::consts::LN_10;

use stratal_kernels::map::{Exp, Log, UnaryFormula};
use stratal_tensor_base::{DType, Shape};

use super::window::{dtype, known_size, size, write_numbers};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// A matrix that makes bands of the mel scale of a spectrum: a row for each frequency of the spectrum, a column for each band.
///
/// Operands are the number of bands, the length of the Fourier transform, the sample rate, and the lowest and the highest
/// frequency. The mel of a frequency `f` is `2595 log10(1 + f / 700)`. Bands are triangles whose corners are at equal distances
/// of mels, each at the next frequency of the spectrum below; they are 1 at their middle. What lies beyond the spectrum is cut
/// off. Computed in f64.
#[derive(Debug, Clone, Copy)]
pub struct MelWeightMatrix {
    /// The dtype, one of numbers.
    pub dtype: DType,
}

impl MelWeightMatrix {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "MelWeightMatrix",
        since: 17,
        inputs: 5..=5,
        outputs: 1..=1,
        attributes: &["output_datatype"],
        dtypes: dtypes::INDICES,
        build: |node| Ok(Box::new(Self { dtype: dtype(node)? })),
    };
}

impl Operator for MelWeightMatrix {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[0, 1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        for input in 0..3 {
            inputs.dtype(input, dtypes::INDICES)?;
        }
        for input in 3..5 {
            inputs.dtype(input, dtypes::FLOATS)?;
        }
        let bands = size(inputs, 0)?.unwrap_or_else(|| inputs.unknown("bands"));
        let bins = match size(inputs, 1)? {
            Some(length) => length.divide_floor(&2.into())?.add(&1.into())?,
            None => inputs.unknown("bins"),
        };
        Ok(vec![Fact::new(self.dtype, SymbolicShape::new([bins, bands]))])
    }

    fn compute(&self, _context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (bands, length) = (known_size(inputs, 0)?, known_size(inputs, 1)?);
        let shape = Shape::new(&[length / 2 + 1, bands])?;
        outputs.write_shaped(0, &shape, |result| {
            // As many as the result has columns: its memory is there by now.
            let corners = corners(inputs, bands, length)?;
            let bands = bands as usize;
            write_numbers(result, |position| {
                let (bin, band) = ((position / bands) as f64, position % bands);
                weight(bin, [corners[band], corners[band + 1], corners[band + 2]])
            })
        })
    }
}

/// The frequencies, counted as the rows are, at which triangles start, have their middle, and end.
fn corners(inputs: &Inputs<'_>, bands: i64, length: i64) -> Result<Vec<f64>, Cause> {
    let rate = inputs.integer(2)?.ok_or(Cause::MissingInput { input: 2 })?;
    if rate <= 0 {
        return Err(Cause::Element { input: 2, value: rate.into(), expected: "a sample rate above zero".into() });
    }
    let (lowest, highest) = (mel(inputs, 3)?, mel(inputs, 4)?);
    if highest < lowest {
        let value = inputs.scalar(4)?.ok_or(Cause::MissingInput { input: 4 })?;
        return Err(Cause::Element {
            input: 4,
            value,
            expected: "a frequency that is not below the lowest one".into(),
        });
    }
    let step = (highest - lowest) / (bands + 2) as f64;
    let corner = |index: i64| {
        let frequency = 700.0 * (Exp.f64((lowest + step * index as f64) * (LN_10 / 2595.0)) - 1.0);
        ((length + 1) as f64 * frequency / rate as f64).floor()
    };
    Ok((0..bands + 2).map(corner).collect())
}

/// The mel of a frequency.
fn mel(inputs: &Inputs<'_>, input: usize) -> Result<f64, Cause> {
    let value = inputs.scalar(input)?.ok_or(Cause::MissingInput { input })?;
    let frequency: f64 = value.cast();
    if !(frequency >= 0.0 && frequency.is_finite()) {
        return Err(Cause::Element { input, value, expected: "a finite frequency that is not negative".into() });
    }
    Ok(2595.0 * Log.f64(1.0 + frequency / 700.0) / LN_10)
}

/// What a frequency counts in a triangle.
fn weight(bin: f64, [start, middle, end]: [f64; 3]) -> f64 {
    if bin == middle {
        1.0
    } else if start <= bin && bin < middle {
        (bin - start) / (middle - start)
    } else if middle < bin && bin < end {
        (end - bin) / (end - middle)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Extent, infer};

    fn matrix(bands: i64, length: i64, rate: i64, lowest: f32, highest: f32) -> Result<Vec<f32>, String> {
        let integers = [bands, length, rate].map(|value| Tensor::scalar(value).unwrap());
        let floats = [lowest, highest].map(|value| Tensor::scalar(value).unwrap());
        let inputs: Vec<_> = integers.iter().chain(&floats).map(Some).collect();
        let result = Context::new().unwrap().run(&MelWeightMatrix { dtype: DType::F32 }, &inputs);
        Ok(result.map_err(|error| error.to_string())?[0].to_vec().unwrap())
    }

    #[test]
    fn triangles_rise_and_fall() {
        let weights = matrix(1, 16, 16, 0.0, 6.0).unwrap();
        // Corners at 0, 2 and 4 of 9 rows.
        assert_eq!(weights, [0.0, 0.5, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(matrix(0, 4, 16, 0.0, 6.0).unwrap(), []);
        // Bands beyond the spectrum.
        assert_eq!(matrix(2, 2, 4, 100.0, 200.0).unwrap(), [0.0; 4]);
    }

    #[test]
    fn operands_are_checked() {
        let expected = "MelWeightMatrix: input 2 holds 0: expected a sample rate above zero";
        assert_eq!(matrix(1, 16, 0, 0.0, 6.0).unwrap_err(), expected);
        let expected = "MelWeightMatrix: input 3 holds -1: expected a finite frequency that is not negative";
        assert_eq!(matrix(1, 16, 16, -1.0, 6.0).unwrap_err(), expected);
        let expected = "MelWeightMatrix: input 4 holds 2: expected a frequency that is not below the lowest one";
        assert_eq!(matrix(1, 16, 16, 3.0, 2.0).unwrap_err(), expected);
        assert!(matrix(1, 16, 16, 0.0, f32::NAN).is_err() && matrix(-1, 16, 16, 0.0, 6.0).is_err());
        assert!(matrix(i64::MAX, i64::MAX, 16, 0.0, 6.0).is_err());
    }

    #[test]
    fn rows_follow_from_the_length() {
        let number = |extent: Extent| Fact::of_extents(DType::I64, vec![extent]);
        let (rate, edge) = (Fact::new(DType::I64, []), Fact::new(DType::F32, []));
        let (bands, length) = (number(80.into()), number(Extent::symbol("n")));
        let inputs = [Some(&bands), Some(&length), Some(&rate), Some(&edge), Some(&edge)];
        let facts = infer(&MelWeightMatrix { dtype: DType::F32 }, "mel", &inputs).unwrap();
        assert_eq!(facts[0].shape.as_ref().unwrap().to_string(), "[floor(n / 2) + 1, 80]");
    }
}
