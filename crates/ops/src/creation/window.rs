//! What windows of cosines have in common.

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::{Cos, UnaryFormula};
use stratal_tensor_base::{DType, Scalar, Shape, match_dtype};

use super::fill::fill_with;
use crate::{
    Cause, Definition, Extent, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, SymbolicShape, attribute, dtypes,
};

/// Declares a window `a - b cos x + c cos 2x`: its name, the text of its page, and the three constants.
macro_rules! window {
    ($window:ident, $name:literal, $(#[doc = $doc:literal])+ $constants:expr) => {
        $(#[doc = $doc])+
        ///
        /// The operand is the number of elements. One that is periodic has its first element once more behind its end, where one
        /// that is symmetric has its last. A symmetric one of a single element is 1. Computed in f64.
        #[derive(Debug, Clone, Copy)]
        pub struct $window {
            /// Whether it is periodic, not symmetric.
            pub periodic: bool,
            /// The dtype, one of numbers. On the way to integers elements are rounded toward zero.
            pub dtype: stratal_tensor_base::DType,
        }

        impl $window {
            /// What is known of it.
            pub const DEFINITION: $crate::Definition = $crate::creation::window::definition($name, |node| {
                let dtype = $crate::creation::window::dtype(node)?;
                Ok(Box::new(Self { periodic: node.flag("periodic", true)?, dtype }))
            });
        }

        impl $crate::Operator for $window {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn shape_inputs(&self) -> &'static [usize] {
                &[0]
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::creation::window::infer(self.dtype, inputs)
            }

            fn compute(
                &self,
                _context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                $crate::creation::window::compute($constants, self.periodic, inputs, outputs)
            }
        }
    };
}
pub(crate) use window;

pub(crate) const fn definition(
    name: &'static str,
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    let attributes = &["output_datatype", "periodic"];
    Definition {
        domain: ONNX,
        name,
        since: 17,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes,
        dtypes: dtypes::INDICES,
        build,
    }
}

/// The dtype of a result.
pub(crate) fn dtype(node: &Node<'_>) -> Result<DType, Cause> {
    let dtype = node.dtype_or("output_datatype", DType::F32)?;
    if dtype == DType::Bool { Err(attribute("output_datatype", dtype, "a dtype of numbers")) } else { Ok(dtype) }
}

pub(crate) fn infer(dtype: DType, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
    inputs.dtype(0, dtypes::INDICES)?;
    let size = size(inputs, 0)?.unwrap_or_else(|| inputs.unknown("size"));
    Ok(vec![Fact::new(dtype, SymbolicShape::new([size]))])
}

/// The number of something that an input gives, if it is known.
pub(crate) fn size(inputs: &Facts<'_>, input: usize) -> Result<Option<Extent>, Cause> {
    let fact = inputs.required(input)?;
    if let Some(shape) = &fact.shape
        && shape.count()?.known().is_some_and(|count| count != 1)
    {
        return Err(Cause::Shape { input, shape: shape.to_string(), expected: "a single element".into() });
    }
    let Some(size) = fact.integers().and_then(<[Extent]>::first) else { return Ok(None) };
    match size.known() {
        Some(negative @ ..0) => Err(negative_size(input, negative)),
        _ => Ok(Some(size.clone())),
    }
}

/// [`size`] of data.
pub(crate) fn known_size(inputs: &Inputs<'_>, input: usize) -> Result<i64, Cause> {
    match inputs.integer(input)?.ok_or(Cause::MissingInput { input })? {
        negative @ ..0 => Err(negative_size(input, negative)),
        size => Ok(size),
    }
}

fn negative_size(input: usize, value: i64) -> Cause {
    Cause::Element { input, value: value.into(), expected: "no negative number".into() }
}

pub(crate) fn compute(
    constants: [f64; 3],
    periodic: bool,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let size = known_size(inputs, 0)?;
    let shape = Shape::new(&[size])?;
    let period = if periodic { size } else { size - 1 };
    outputs.write_shaped(0, &shape, |result| write_numbers(result, |position| element(constants, position, period)))
}

/// Writes a function of the position, converted to the result's dtype.
pub(crate) fn write_numbers(result: &mut AnyViewMut<'_>, number: impl Fn(usize) -> f64) -> Result<(), Cause> {
    match_dtype!(result.dtype(), T => fill_with::<T>(result, |position| Scalar::from(number(position)).cast()))
}

fn element([a, b, c]: [f64; 3], position: usize, period: i64) -> f64 {
    if period == 0 {
        return 1.0;
    }
    let angle = std::f64::consts::TAU * (position as f64 / period as f64);
    a - b * Cos.f64(angle) + c * Cos.f64(2.0 * angle)
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{BlackmanWindow, Context, HammingWindow, HannWindow, infer};

    fn window(operator: &dyn Operator, size: i64) -> Result<Vec<f64>, String> {
        let size = Tensor::scalar(size).unwrap();
        let result = Context::new().unwrap().run(operator, &[Some(&size)]).map_err(|error| error.to_string())?;
        Ok(result[0].to_vec().unwrap())
    }

    #[test]
    fn windows_end_where_they_should() {
        let hann = |periodic| HannWindow { periodic, dtype: DType::F64 };
        let near = |result: &[f64], expected: &[f64]| {
            assert_eq!(result.len(), expected.len());
            assert!(result.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{result:?} {expected:?}");
        };
        near(&window(&hann(true), 4).unwrap(), &[0.0, 0.5, 1.0, 0.5]);
        near(&window(&hann(false), 5).unwrap(), &[0.0, 0.5, 1.0, 0.5, 0.0]);
        near(&window(&hann(true), 1).unwrap(), &[0.0]);
        near(&window(&hann(false), 1).unwrap(), &[1.0]);
        near(&window(&hann(true), 0).unwrap(), &[]);
        near(&window(&hann(false), 0).unwrap(), &[]);
        let low = 25.0 / 46.0 - 21.0 / 46.0;
        near(&window(&HammingWindow { periodic: false, dtype: DType::F64 }, 3).unwrap(), &[low, 1.0, low]);
        near(&window(&BlackmanWindow { periodic: false, dtype: DType::F64 }, 3).unwrap(), &[0.0, 1.0, 0.0]);
    }

    #[test]
    fn sizes_are_checked_and_may_be_symbols() {
        let hann = HannWindow { periodic: true, dtype: DType::F32 };
        let error = window(&hann, -3).unwrap_err();
        assert_eq!(error, "HannWindow: input 0 holds -3: expected no negative number");
        assert!(window(&hann, i64::MAX).unwrap_err().starts_with("HannWindow: "));
        let size = Fact::of_extents(DType::I64, vec![Extent::symbol("frame")]);
        let facts = infer(&hann, "window", &[Some(&size)]).unwrap();
        assert_eq!(facts[0].shape.as_ref().unwrap().to_string(), "[frame]");
        let unknown = Fact::new(DType::I64, []);
        let facts = infer(&hann, "window", &[Some(&unknown)]).unwrap();
        assert_eq!(facts[0].shape.as_ref().unwrap().to_string(), "[window.size]");
    }
}
