//! `Range`: numbers at equal distances.

use stratal_kernels::AnyViewMut;
use stratal_tensor_base::{DType, Scalar, Shape, bf16, f16};

use super::fill::fill_with;
use crate::{
    Cause, Context, Definition, Elements, Extent, ExtentError, Fact, Facts, Inputs, MAX_FACT_ELEMENTS, ONNX, Operator,
    Outputs, SymbolicShape, attribute,
};

/// Numbers from a start toward a limit, which is not reached, by a step: three operands of a single element.
///
/// Floats are counted and computed in f64, each of them anew from the start, and rounded to the dtype once. A step
/// of zero is an error, and so are more numbers than a tensor holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Range;

impl Range {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Range",
        since: 27,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &["stash_type"],
        dtypes: DTYPES,
        build: |node| match node.dtype_or("stash_type", DType::F32)? {
            // Doubles are at least as exact.
            DType::F32 | DType::F64 => Ok(Box::new(Self)),
            other => Err(attribute("stash_type", other, "float32 or float64")),
        },
    };
}

const DTYPES: &[DType] =
    &[DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::I16, DType::I32, DType::I64];

impl Operator for Range {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[0, 1, 2]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, DTYPES)?;
        inputs.check_dtypes(dtype)?;
        for input in 0..3 {
            let Some(shape) = inputs.required(input)?.shape.as_ref() else { continue };
            if shape.count()?.known().is_some_and(|count| count != 1) {
                return Err(Cause::Shape { input, shape: shape.to_string(), expected: "a single element".into() });
            }
        }
        let fact = if dtype.is_float() { floats(inputs, dtype)? } else { integers(inputs, dtype)? };
        Ok(vec![fact.unwrap_or_else(|| Fact::new(dtype, SymbolicShape::new([inputs.unknown("count")])))])
    }

    fn compute(&self, _context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let start = inputs.required(0)?;
        if start.dtype().is_float() {
            let [start, limit, step] = operands(inputs, Scalar::cast::<f64>)?;
            let shape = Shape::new(&[count_floats(start, limit, step)?])?;
            return outputs.write_shaped(0, &shape, |result| write_floats(start, step, result));
        }
        let [start, limit, step] = operands(inputs, Scalar::cast::<i64>)?;
        let shape = Shape::new(&[count_integers(start, limit, step)?])?;
        outputs.write_shaped(0, &shape, |result| write_integers(start, step, result))
    }
}

/// The start, the limit and the step.
fn operands<T>(inputs: &Inputs<'_>, number: impl Fn(Scalar) -> T) -> Result<[T; 3], Cause> {
    let operand = |input| Ok::<_, Cause>(number(inputs.scalar(input)?.ok_or(Cause::MissingInput { input })?));
    Ok([operand(0)?, operand(1)?, operand(2)?])
}

/// What is known of floats from known operands.
fn floats(inputs: &Facts<'_>, dtype: DType) -> Result<Option<Fact>, Cause> {
    let operand = |input| inputs.get(input)?.known_numbers()?.first().copied();
    let (Some(start), Some(limit), Some(step)) = (operand(0), operand(1), operand(2)) else { return Ok(None) };
    let count = count_floats(start, limit, step)?;
    let elements = (count <= MAX_FACT_ELEMENTS as i64)
        .then(|| (0..count).map(|position| rounded(float(start, step, position as usize), dtype)).collect());
    Ok(Some(Fact::new(dtype, [count]).with_elements(elements.map(Elements::Floats))))
}

/// What is known of integers from operands that may be symbols.
fn integers(inputs: &Facts<'_>, dtype: DType) -> Result<Option<Fact>, Cause> {
    let operand = |input| inputs.get(input)?.integers()?.first();
    let Some(step) = operand(2) else { return Ok(None) };
    if let Some(zero) = step.known().filter(|&step| step == 0) {
        return Err(zero_step(zero));
    }
    let (Some(start), Some(limit)) = (operand(0), operand(1)) else { return Ok(None) };
    let count = match (start.known(), limit.known(), step.known()) {
        (Some(start), Some(limit), Some(step)) => count_integers(start, limit, step)?.into(),
        // Whether the quotient can be expressed does not matter: an unknown number of elements is as true.
        _ => match count_extents(start, limit, step) {
            Ok(count) => count,
            Err(_) => return Ok(None),
        },
    };
    let element = |position: i64| start.add(&step.multiply(&position.into())?);
    let elements = count
        .known()
        .filter(|&count| count <= MAX_FACT_ELEMENTS as i64)
        .and_then(|count| (0..count).map(element).collect::<Result<_, _>>().ok());
    let shape = SymbolicShape::new([count]);
    Ok(Some(Fact::new(dtype, shape).with_elements(elements.map(Elements::Integers))))
}

fn count_extents(start: &Extent, limit: &Extent, step: &Extent) -> Result<Extent, ExtentError> {
    limit.subtract(start)?.divide_ceil(step)?.larger(&0.into())
}

fn count_integers(start: i64, limit: i64, step: i64) -> Result<i64, Cause> {
    if step == 0 {
        return Err(zero_step(step));
    }
    let (distance, step) = (i128::from(limit) - i128::from(start), i128::from(step));
    let count = if step > 0 { distance } else { -distance }.max(0).unsigned_abs().div_ceil(step.unsigned_abs());
    i64::try_from(count).map_err(|_| ExtentError::Overflow.into())
}

/// The number of floats, which are counted in f64: all shorter ones have an exact difference there, or nearly so.
fn count_floats(start: f64, limit: f64, step: f64) -> Result<i64, Cause> {
    if step == 0.0 {
        return Err(zero_step(step));
    }
    let count = ((limit - start) / step).ceil();
    if count.is_nan() || !start.is_finite() || count >= i64::MAX as f64 {
        return Err(Cause::Unfit(format!("cannot count from {start} to {limit} by {step}")));
    }
    Ok(count.max(0.0) as i64)
}

fn zero_step(value: impl Into<Scalar>) -> Cause {
    Cause::Element { input: 2, value: value.into(), expected: "a step that is not zero".into() }
}

/// An element, before it is rounded to the dtype.
fn float(start: f64, step: f64, position: usize) -> f64 {
    step.mul_add(position as f64, start)
}

/// A number of a dtype of floats.
fn rounded(value: f64, dtype: DType) -> f64 {
    let value = Scalar::from(value);
    match dtype {
        DType::F32 => value.cast::<f32>().into(),
        DType::F16 => Scalar::from(value.cast::<f16>()).cast(),
        DType::BF16 => Scalar::from(value.cast::<bf16>()).cast(),
        _ => value.cast(),
    }
}

fn write_floats(start: f64, step: f64, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    let number = |position| Scalar::from(float(start, step, position));
    match result.dtype() {
        DType::F32 => fill_with(result, |position| number(position).cast::<f32>()),
        DType::F16 => fill_with(result, |position| number(position).cast::<f16>()),
        DType::BF16 => fill_with(result, |position| number(position).cast::<bf16>()),
        _ => fill_with(result, |position| number(position).cast::<f64>()),
    }
}

/// All elements lie between the start and the limit, so none wraps.
fn write_integers(start: i64, step: i64, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    let number = |position: usize| start.wrapping_add(step.wrapping_mul(position as i64));
    match result.dtype() {
        DType::I8 => fill_with(result, |position| number(position) as i8),
        DType::I16 => fill_with(result, |position| number(position) as i16),
        DType::I32 => fill_with(result, |position| number(position) as i32),
        _ => fill_with(result, number),
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::Element;

    use super::*;
    use crate::infer;

    fn range<T: Element>(start: T, limit: T, step: T) -> Result<Vec<T>, String> {
        let operands = [start, limit, step].map(|value| Tensor::scalar(value).unwrap());
        let inputs: Vec<_> = operands.iter().map(Some).collect();
        let result = Context::new().unwrap().run(&Range, &inputs).map_err(|error| error.to_string())?;
        Ok(result[0].to_vec().unwrap())
    }

    fn extent(start: impl Into<Extent>, limit: impl Into<Extent>, step: impl Into<Extent>) -> Result<Fact, String> {
        let operand = |extent| Fact::of_extents(DType::I64, vec![extent]);
        let operands = [operand(start.into()), operand(limit.into()), operand(step.into())];
        let inputs: Vec<_> = operands.iter().map(Some).collect();
        infer(&Range, "range", &inputs).map(|mut facts| facts.remove(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn steps_have_any_sign() {
        assert_eq!(range(10_i32, 0, -3).unwrap(), [10, 7, 4, 1]);
        assert_eq!(range(0_i64, 5, -1).unwrap(), []);
        assert_eq!(range(i64::MIN, i64::MAX, i64::MAX).unwrap(), [i64::MIN, -1, i64::MAX - 1]);
        assert_eq!(range(i16::MIN, i16::MAX, 30_000).unwrap(), [-32_768, -2_768, 27_232]);
        assert_eq!(range(1.0_f32, -1.0, -0.75).unwrap(), [1.0, 0.25, -0.5]);
        assert_eq!(range(0.0_f32, f32::NEG_INFINITY, 1.0).unwrap(), []);
        // Each is computed anew: a sum of tenths would be off by then.
        assert_eq!(range(0.0_f64, 10.0, 0.1).unwrap()[99], 99.0 * 0.1);
        // And rounded once.
        assert_eq!(range(0.3_f64, 1.0, 0.1).unwrap()[3], 0.6);
    }

    #[test]
    fn what_cannot_be_counted_is_an_error() {
        assert_eq!(range(0_i32, 5, 0).unwrap_err(), "Range: input 2 holds 0: expected a step that is not zero");
        assert_eq!(range(0.0_f32, 5.0, -0.0).unwrap_err(), "Range: input 2 holds -0: expected a step that is not zero");
        assert_eq!(range(0.0_f32, f32::INFINITY, 1.0).unwrap_err(), "Range: cannot count from 0 to inf by 1");
        assert!(range(f32::NAN, 1.0, 1.0).is_err() && range(0.0, 1.0, f32::NAN).is_err());
        assert!(range(f32::INFINITY, 1.0, -1.0).is_err() && range(0.0, f64::MAX, 1e-300).is_err());
        assert!(range(0_i64, i64::MAX, 1).unwrap_err().starts_with("Range: "));
        assert_eq!(range(i64::MIN, i64::MAX, 1).unwrap_err(), "Range: an extent overflows 64 bits");
        let pair = Fact::new(DType::I64, [2]);
        let error = infer(&Range, "range", &[Some(&pair), Some(&pair), Some(&pair)]).unwrap_err();
        assert_eq!(error.to_string(), "Range: input 0 has shape [2]: expected a single element");
    }

    #[test]
    fn counts_follow_from_elements() {
        let seq = Extent::symbol("seq");
        let shape = |fact: Fact| fact.shape.unwrap().to_string();
        assert_eq!(shape(extent(0, seq.clone(), 1).unwrap()), "[seq]");
        assert_eq!(shape(extent(1, seq.clone(), 1).unwrap()), "[max(0, seq - 1)]");
        let past = Extent::symbol("past");
        let cached = extent(past.clone(), past.add(&seq).unwrap(), 1).unwrap();
        assert_eq!(shape(cached), "[seq]");
        let next = extent(past.clone(), past.add(&2.into()).unwrap(), 1).unwrap();
        assert_eq!(format!("{:?}", next.integers().unwrap()), "[past, past + 1]");
        assert_eq!(shape(extent(0, 10, seq).unwrap()), "[max(0, -floor(-10 / seq))]");
        // Nothing is allocated for a long one.
        let long = extent(0, 100_000_000, 1).unwrap();
        assert_eq!((long.elements.clone(), shape(long)), (None, "[100000000]".into()));
        assert!(extent(0, past, 0).is_err());
        let unknown = Fact::new(DType::F32, []);
        let facts = infer(&Range, "range", &[Some(&unknown), Some(&unknown), Some(&unknown)]).unwrap();
        assert_eq!(facts[0].shape.as_ref().unwrap().to_string(), "[range.count]");
    }
}
