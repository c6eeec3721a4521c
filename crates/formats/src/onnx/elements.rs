//! The elements of a tensor, wherever its message has them.

use stratal_tensor::{Tensor, TensorOptions};
use stratal_tensor_base::{Bool, DType, Shape, bf16, f16};

use super::{
    RawData, TensorFields, TensorProblem, TensorProto,
    external::{ExternalFiles, Location},
};
use crate::FileError;

/// What is said of a tensor before its elements are looked at.
pub(super) fn dtype_and_shape(tensor: &TensorProto) -> Result<(DType, Shape), TensorProblem> {
    let dtype = DType::from_onnx(tensor.fields.data_type().into())?;
    let shape = Shape::new(&tensor.fields.dims)?;
    shape.bytes(dtype)?;
    Ok((dtype, shape))
}

/// The tensor of a message. Bytes in other files are found through `files`.
pub(super) fn read(tensor: &TensorProto, files: Option<&ExternalFiles>) -> Result<Tensor, TensorProblem> {
    let (dtype, shape) = dtype_and_shape(tensor)?;
    match elements_of(tensor)? {
        Elements::Raw(raw_data) => raw(raw_data, dtype, shape),
        Elements::Field(field) => from_field(&tensor.fields, field, dtype, shape),
        Elements::External => external(tensor, dtype, shape, files),
        Elements::None if shape.is_empty() => Ok(TensorOptions::new(dtype).empty_of(shape)?),
        Elements::None => Err(wrong_bytes(0, dtype, shape)),
    }
}

/// Whether the elements are in raw bytes or another file, and nothing else is said.
pub(super) fn is_in_one_place(tensor: &TensorProto) -> bool {
    matches!(elements_of(tensor), Ok(Elements::Raw(_) | Elements::External))
}

/// Where the elements of a message are.
enum Elements<'a> {
    Raw(&'a RawData),
    Field(&'static str),
    External,
    None,
}

fn elements_of(tensor: &TensorProto) -> Result<Elements<'_>, TensorProblem> {
    if tensor.fields.segment.is_some() {
        return Err(TensorProblem::Segment);
    }
    let raw_data = tensor.raw_data.as_ref().filter(|raw_data| !raw_data.is_empty());
    let typed = only_field(&tensor.fields, raw_data.is_some())?;
    match (tensor.fields.data_location(), raw_data, typed) {
        (0, Some(raw_data), _) => Ok(Elements::Raw(raw_data)),
        (0, None, Some(field)) => Ok(Elements::Field(field)),
        (0, None, None) => Ok(Elements::None),
        (1, None, None) => Ok(Elements::External),
        (1, _, typed) => Err(TensorProblem::TwoPlaces { first: typed.unwrap_or("raw_data"), second: "another file" }),
        (location, ..) => Err(TensorProblem::UnknownLocation { location }),
    }
}

/// The one field that has elements, if any has.
fn only_field(fields: &TensorFields, is_raw: bool) -> Result<Option<&'static str>, TensorProblem> {
    let counts = [
        ("float_data", fields.float_data.len()),
        ("int32_data", fields.int32_data.len()),
        ("string_data", fields.string_data.len()),
        ("int64_data", fields.int64_data.len()),
        ("double_data", fields.double_data.len()),
        ("uint64_data", fields.uint64_data.len()),
    ];
    let mut filled = counts.into_iter().filter(|(_, count)| *count > 0).map(|(field, _)| field);
    let first = filled.next();
    match (first, filled.next().or(is_raw.then_some("raw_data"))) {
        (Some(first), Some(second)) => Err(TensorProblem::TwoPlaces { first, second }),
        _ => Ok(first),
    }
}

fn external(
    tensor: &TensorProto,
    dtype: DType,
    shape: Shape,
    files: Option<&ExternalFiles>,
) -> Result<Tensor, TensorProblem> {
    let location = Location::of(tensor)?;
    let no_folder = || FileError::NoFolder { path: location.path.into() };
    let file = files.ok_or_else(no_folder)?.open(location.path)?;
    let needed = shape.bytes(dtype)? as u64;
    match location.length {
        Some(length) if length != needed => Err(wrong_bytes(length, dtype, shape)),
        _ => Ok(file.tensor(dtype, shape, location.offset)?),
    }
}

fn raw(raw_data: &RawData, dtype: DType, shape: Shape) -> Result<Tensor, TensorProblem> {
    if raw_data.len() != shape.bytes(dtype)? as u64 {
        return Err(wrong_bytes(raw_data.len(), dtype, shape));
    }
    if let Some((file, range)) = raw_data.in_file() {
        return Ok(file.tensor(dtype, shape, range.start)?);
    }
    let bytes = raw_data.in_memory().map(|bytes| &bytes[..]).unwrap_or_default();
    of_bytes(bytes, dtype, shape)
}

/// A tensor of its own memory. The bytes were counted.
fn of_bytes(bytes: &[u8], dtype: DType, shape: Shape) -> Result<Tensor, TensorProblem> {
    let tensor = TensorOptions::new(dtype).empty_of(shape)?;
    let mut target = tensor.buffer().write().map_err(stratal_tensor::TensorError::from)?;
    match target.get_mut(..bytes.len()) {
        Some(target) if bytes.len() == shape.count() * dtype.size() => target.copy_from_slice(bytes),
        _ => return Err(wrong_bytes(bytes.len() as u64, dtype, shape)),
    }
    drop(target);
    Ok(tensor)
}

#[cold]
fn wrong_bytes(bytes: u64, dtype: DType, shape: Shape) -> TensorProblem {
    TensorProblem::WrongBytes { bytes, needed: (shape.count() * dtype.size()) as u64, shape, dtype }
}

/// Elements that are numbers of a message, each of which may be wider than its dtype.
fn from_field(fields: &TensorFields, field: &'static str, dtype: DType, shape: Shape) -> Result<Tensor, TensorProblem> {
    let (int32s, uint64s) = (&fields.int32_data[..], &fields.uint64_data[..]);
    let (belongs, count) = match dtype {
        DType::F32 => ("float_data", fields.float_data.len()),
        DType::F64 => ("double_data", fields.double_data.len()),
        DType::I64 => ("int64_data", fields.int64_data.len()),
        DType::U32 | DType::U64 => ("uint64_data", uint64s.len()),
        DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::I32 | DType::Bool | DType::F16 | DType::BF16 => {
            ("int32_data", int32s.len())
        }
    };
    if belongs != field {
        return Err(TensorProblem::WrongField { dtype, field });
    }
    if count != shape.count() {
        return Err(TensorProblem::WrongCount { elements: count, field, shape });
    }
    let extents: Vec<i64> = shape.extents().iter().copied().map(i64::from).collect();
    let extents = &extents[..];
    Ok(match dtype {
        DType::F32 => Tensor::from_slice(&fields.float_data, extents)?,
        DType::F64 => Tensor::from_slice(&fields.double_data, extents)?,
        DType::I64 => Tensor::from_slice(&fields.int64_data, extents)?,
        DType::U64 => Tensor::from_slice(uint64s, extents)?,
        DType::U32 => Tensor::from_vec(narrow::<_, u32>(uint64s, dtype)?, extents)?,
        DType::I32 => Tensor::from_slice(int32s, extents)?,
        DType::I8 => Tensor::from_vec(narrow::<_, i8>(int32s, dtype)?, extents)?,
        DType::U8 => Tensor::from_vec(narrow::<_, u8>(int32s, dtype)?, extents)?,
        DType::I16 => Tensor::from_vec(narrow::<_, i16>(int32s, dtype)?, extents)?,
        DType::U16 => Tensor::from_vec(narrow::<_, u16>(int32s, dtype)?, extents)?,
        DType::Bool => Tensor::from_vec(int32s.iter().map(|&truth| Bool::from(truth != 0)).collect(), extents)?,
        // The bits of 16-bit floats, each as an integer.
        DType::F16 => {
            let bits = narrow::<_, u16>(int32s, dtype)?;
            Tensor::from_vec(bits.into_iter().map(f16::from_bits).collect(), extents)?
        }
        DType::BF16 => {
            let bits = narrow::<_, u16>(int32s, dtype)?;
            Tensor::from_vec(bits.into_iter().map(bf16::from_bits).collect(), extents)?
        }
    })
}

/// Wider integers as what they are meant to be.
fn narrow<Wide: Copy + Into<i128>, Narrow: TryFrom<Wide>>(
    wide: &[Wide],
    dtype: DType,
) -> Result<Vec<Narrow>, TensorProblem> {
    let one = |(index, &value): (usize, &Wide)| {
        Narrow::try_from(value).map_err(|_| TensorProblem::OutOfRange { index, value: value.into(), dtype })
    };
    wide.iter().enumerate().map(one).collect()
}
