//! The elements of tensors on their way out: row-major, little-endian.

use std::io::Write;

use stratal_tensor::{Tensor, TensorError};
use stratal_tensor_base::DType;

use crate::{Error, Name, replace, weights::WeightsError};

/// Writes the elements of a tensor in row-major order, whatever its strides.
pub(crate) fn write(tensor: &Tensor, target: &mut dyn Write) -> Result<(), Error> {
    with_bytes(tensor, |bytes| match tensor.dtype() {
        DType::Bool => bytes.chunks(8192).try_for_each(|part| target.write_all(&truths(part))),
        _ => target.write_all(bytes),
    })?
    .map_err(replace::failed)
}

/// The elements of a tensor in row-major order, whatever its strides.
pub(crate) fn to_vec(tensor: &Tensor) -> Result<Vec<u8>, TensorError> {
    with_bytes(tensor, |bytes| match tensor.dtype() {
        DType::Bool => truths(bytes),
        _ => bytes.to_vec(),
    })
}

/// In memory any byte but zero is true, in files one is.
fn truths(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| u8::from(*byte != 0)).collect()
}

/// Lends the bytes of a tensor's elements in row-major order.
fn with_bytes<R>(tensor: &Tensor, then: impl FnOnce(&[u8]) -> R) -> Result<R, TensorError> {
    let tensor = tensor.contiguous()?;
    let start = tensor.offset() * tensor.dtype().size();
    let length = tensor.count() * tensor.dtype().size();
    let bytes = tensor.buffer().read()?;
    // A tensor without elements may have its offset at the end of its buffer.
    Ok(then(if length == 0 { &[] } else { &bytes[start..start + length] }))
}

/// The error of a tensor, naming it. Errors of the file stay what they are.
pub(crate) fn of_tensor(name: &str, source: Error) -> Error {
    match source {
        Error::Tensor(_) => WeightsError::Tensor { name: Name::new(name), source: source.into() }.into(),
        other => other,
    }
}
