//! Tensors of protobuf messages as arrays of JSON.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use stratal_tensor_base::{Bool, CastFromAny, DType, Element, Scalar, Shape, bf16, f16, match_dtype};

use crate::case::{Array, Number};
use crate::message::{self, Tensor};

/// The tensor in a file.
pub(super) fn read(path: &Path) -> Result<Array> {
    array(&message::read(path)?).with_context(|| format!("{} holds no proper tensor", path.display()))
}

pub(super) fn array(tensor: &Tensor) -> Result<Array> {
    let dtype = DType::from_onnx(tensor.dtype.into())?;
    let shape = Shape::new(&tensor.shape)?;
    let elements = match &tensor.raw {
        Some(bytes) => match_dtype!(dtype, T => from_bytes::<T>(bytes))?,
        None => from_fields(dtype, tensor)?,
    };
    ensure!(elements.len() == shape.count(), "{} elements do not fill the shape {shape}", elements.len());
    let elements = elements.into_iter().map(number).collect();
    Ok(Array { dtype: dtype.name().to_owned(), shape: tensor.shape.clone(), elements })
}

/// An element as JSON has it: a float by the fewest digits that tell it from its neighbours.
pub(super) fn number(element: Scalar) -> Number {
    if let Some(truth) = element.get::<Bool>() {
        return Number::Truth(truth.into());
    }
    if !element.dtype().is_float() {
        return element.try_cast().map_or_else(|_| Number::Unsigned(element.cast()), Number::Signed);
    }
    let float: f64 = element.cast();
    if float.is_nan() {
        return Number::Special("NaN".into());
    }
    if float.is_infinite() {
        return Number::Special(float.to_string());
    }
    let short = element.cast::<f32>().to_string().parse().unwrap_or(float);
    let is_same = match element.dtype() {
        DType::F64 => short.to_bits() == float.to_bits(),
        _ => (short as f32).to_bits() == element.cast::<f32>().to_bits(),
    };
    Number::Float(if is_same { short } else { float })
}

/// Little-endian elements, one after the other.
fn from_bytes<T: Element>(bytes: &[u8]) -> Result<Vec<Scalar>> {
    let chunks = bytes.chunks_exact(size_of::<T>());
    ensure!(chunks.remainder().is_empty(), "{} bytes are no whole number of elements", bytes.len());
    Ok(chunks.map(|chunk| bytemuck::pod_read_unaligned::<T>(chunk).into()).collect())
}

fn from_fields(dtype: DType, tensor: &Tensor) -> Result<Vec<Scalar>> {
    match dtype {
        DType::F32 => Ok(tensor.f32s.iter().map(|&x| x.into()).collect()),
        DType::F64 => Ok(tensor.f64s.iter().map(|&x| x.into()).collect()),
        DType::I64 => Ok(tensor.i64s.iter().map(|&x| x.into()).collect()),
        DType::U64 => Ok(tensor.u64s.iter().map(|&x| x.into()).collect()),
        DType::U32 => narrow::<u32>(tensor.u64s.iter().map(|&x| x.into())),
        DType::I32 => Ok(tensor.i32s.iter().map(|&x| x.into()).collect()),
        DType::I16 => narrow::<i16>(tensor.i32s.iter().map(|&x| x.into())),
        DType::I8 => narrow::<i8>(tensor.i32s.iter().map(|&x| x.into())),
        DType::U16 => narrow::<u16>(tensor.i32s.iter().map(|&x| x.into())),
        DType::U8 => narrow::<u8>(tensor.i32s.iter().map(|&x| x.into())),
        DType::Bool => Ok(tensor.i32s.iter().map(|&x| Bool::from(x != 0).into()).collect()),
        DType::F16 => patterns(tensor).map(|bits| Ok(f16::from_bits(bits?).into())).collect(),
        DType::BF16 => patterns(tensor).map(|bits| Ok(bf16::from_bits(bits?).into())).collect(),
    }
}

/// Wider integers as what they are meant to be.
fn narrow<T: Element + CastFromAny>(elements: impl Iterator<Item = Scalar>) -> Result<Vec<Scalar>> {
    elements.map(|element| Ok(element.try_cast::<T>()?.into())).collect()
}

/// The bits of 16-bit floats.
fn patterns(tensor: &Tensor) -> impl Iterator<Item = Result<u16>> {
    tensor.i32s.iter().map(|&x| u16::try_from(x).ok().with_context(|| format!("{x} is no pattern of 16 bits")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tensor: &Tensor) -> String {
        array(tensor).map_or_else(|error| format!("{error:#}"), |array| serde_json::to_string(&array).unwrap())
    }

    fn tensor(dtype: DType, shape: &[i64]) -> Tensor {
        Tensor { dtype: dtype.onnx_code(), shape: shape.to_vec(), ..Tensor::default() }
    }

    fn raw(dtype: DType, shape: &[i64], bytes: &[u8]) -> Tensor {
        Tensor { raw: Some(bytes.to_vec()), ..tensor(dtype, shape) }
    }

    #[test]
    fn elements_are_read_from_bytes_and_from_the_field_of_their_dtype() {
        let expected = r#"{"dtype":"int16","shape":[2],"elements":[-2,513]}"#;
        assert_eq!(text(&raw(DType::I16, &[2], &[0xfe, 0xff, 1, 2])), expected);
        assert_eq!(text(&Tensor { i32s: vec![-2, 513], ..tensor(DType::I16, &[2]) }), expected);
        let expected = r#"{"dtype":"float16","shape":[],"elements":[-1.5]}"#;
        assert_eq!(text(&raw(DType::F16, &[], &[0x00, 0xbe])), expected);
        assert_eq!(text(&Tensor { i32s: vec![0xbe00], ..tensor(DType::F16, &[]) }), expected);
        let expected = r#"{"dtype":"bool","shape":[2],"elements":[false,true]}"#;
        assert_eq!(text(&raw(DType::Bool, &[2], &[0, 1])), expected);
        assert_eq!(text(&Tensor { i32s: vec![0, 1], ..tensor(DType::Bool, &[2]) }), expected);
    }

    #[test]
    fn numbers_are_short_and_exact() {
        assert_eq!(serde_json::to_string(&number(0.1_f32.into())).unwrap(), "0.1");
        assert_eq!(serde_json::to_string(&number(f64::from(0.1_f32).into())).unwrap(), "0.10000000149011612");
        assert_eq!(serde_json::to_string(&number((-0.0_f32).into())).unwrap(), "-0.0");
        assert_eq!(serde_json::to_string(&number(u64::MAX.into())).unwrap(), "18446744073709551615");
        assert_eq!(serde_json::to_string(&number(f32::NEG_INFINITY.into())).unwrap(), r#""-inf""#);
        let floats = [f32::MIN_POSITIVE, f32::MAX, f32::from_bits(1), 1.0 / 3.0, 16_777_216.0];
        let array = array(&Tensor { f32s: floats.to_vec(), ..tensor(DType::F32, &[5]) }).unwrap();
        let read: Array = serde_json::from_str(&serde_json::to_string(&array).unwrap()).unwrap();
        assert_eq!(read.tensor().to_vec::<f32>().unwrap(), floats);
    }

    #[test]
    fn malformed_tensors_are_errors_that_name_the_values() {
        assert_eq!(text(&raw(DType::I16, &[1], &[1, 2, 3])), "3 bytes are no whole number of elements");
        assert_eq!(text(&raw(DType::U8, &[2], &[1, 2, 3])), "3 elements do not fill the shape [2]");
        assert_eq!(text(&Tensor { i32s: vec![-1], ..tensor(DType::F16, &[1]) }), "-1 is no pattern of 16 bits");
        let error = text(&Tensor { i32s: vec![300], ..tensor(DType::U8, &[1]) });
        assert!(error.contains("300") && error.contains("uint8"), "{error}");
        let error = text(&Tensor { dtype: 17, ..Tensor::default() });
        assert!(error.contains("17"), "{error}");
        let error = text(&tensor(DType::F32, &[-1]));
        assert!(error.contains("-1"), "{error}");
    }
}
