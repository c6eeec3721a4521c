//! Writing npy and npz files.

use std::{
    collections::HashSet,
    io::{BufWriter, Cursor, Seek, Write},
    path::Path,
};

use stratal_tensor::Tensor;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::NpyError;
use crate::{Error, Name, elements, replace};

/// Writes a tensor to a file as version 1.0 in row-major order; the file at `path`, should there be one, is replaced once all
/// is written.
///
/// # Errors
/// [`NpyError::NoSuchType`] for bfloat16, [`FileError::Write`](crate::FileError::Write),
/// [`TensorError`](stratal_tensor::TensorError) when the tensor cannot be read.
pub fn write(path: impl AsRef<Path>, tensor: &Tensor) -> Result<(), Error> {
    let header = header(tensor)?;
    replace::file(path.as_ref(), |file| array(tensor, &header, file))
}

/// The bytes that [`write()`] writes.
///
/// # Errors
/// As [`write()`], but for those of files.
pub fn to_vec(tensor: &Tensor) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    array(tensor, &header(tensor)?, &mut bytes)?;
    Ok(bytes)
}

/// Writes tensors to an archive, in the order given and not compressed, so that it can be mapped: each begins on a multiple of
/// 64 bytes.
///
/// # Errors
/// As [`write()`]; [`NpyError::RepeatedName`].
pub fn write_archive<'a>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>,
) -> Result<(), Error> {
    let members = members(tensors)?;
    replace::file(path.as_ref(), |file| archive(&members, file))
}

/// The bytes that [`write_archive`] writes.
///
/// # Errors
/// As [`write_archive`], but for those of files.
pub fn archive_to_vec<'a>(tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>) -> Result<Vec<u8>, Error> {
    let mut bytes = Cursor::new(Vec::new());
    archive(&members(tensors)?, &mut bytes)?;
    Ok(bytes.into_inner())
}

/// A tensor, its name and its header.
type Member<'a> = (&'a str, &'a Tensor, Vec<u8>);

fn members<'a>(tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>) -> Result<Vec<Member<'a>>, Error> {
    let mut names = HashSet::new();
    let mut members = Vec::new();
    for (name, tensor) in tensors {
        if !names.insert(name) {
            return Err(NpyError::RepeatedName { name: Name::new(name) }.into());
        }
        let in_member = |source: NpyError| Error::InFile { file: Name::new(name), source: Box::new(source.into()) };
        let header = header(tensor).map_err(in_member)?;
        members.push((name, tensor, header));
    }
    Ok(members)
}

fn archive(members: &[Member<'_>], target: &mut (impl Write + Seek)) -> Result<(), Error> {
    let of_archive = |error: zip::result::ZipError| replace::failed(error.into());
    let mut archive = ZipWriter::new(target);
    for (name, tensor, header) in members {
        // Above this, sizes need the fields of zip64.
        let is_large = tensor.count() as u64 * tensor.dtype().size() as u64 + 128 > u64::from(u32::MAX);
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .with_alignment(64)
            .large_file(is_large);
        archive.start_file(format!("{name}.npy"), options).map_err(of_archive)?;
        // Its sums are made a call at a time.
        let mut buffered = BufWriter::with_capacity(1 << 16, &mut archive);
        array(tensor, header, &mut buffered).map_err(|source| elements::of_tensor(name, source))?;
        buffered.flush().map_err(replace::failed)?;
    }
    archive.finish().map_err(of_archive)?;
    Ok(())
}

fn array(tensor: &Tensor, header: &[u8], target: &mut dyn Write) -> Result<(), Error> {
    target.write_all(header).map_err(replace::failed)?;
    elements::write(tensor, target)
}

/// All before the elements, a multiple of 64 bytes.
fn header(tensor: &Tensor) -> Result<Vec<u8>, NpyError> {
    let descr = tensor.dtype().numpy_name().ok_or(NpyError::NoSuchType(tensor.dtype()))?;
    let mut shape = String::new();
    for extent in tensor.shape().extents() {
        shape.push_str(&format!("{extent}, "));
    }
    // As Python writes tuples: (), (2,), (2, 3).
    let shape = match tensor.rank() {
        1 => shape.trim_end(),
        _ => shape.trim_end_matches(", "),
    };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    let before = 10;
    // A shape of eight axes has some hundred characters, so the length fits 16 bits.
    let length = (before + text.len() + 1).next_multiple_of(64) - before;
    text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(text.as_bytes());
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratal_tensor_base::DType;

    #[test]
    fn headers_are_as_numpy_writes_them() {
        let text = |extents: &[i64], dtype| {
            let header = header(&Tensor::zeros(extents, dtype).unwrap()).unwrap();
            assert!(header.len().is_multiple_of(64));
            String::from_utf8(header[10..].to_vec()).unwrap()
        };
        let expected = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        assert_eq!(text(&[2, 3], DType::F32), format!("{expected:117}\n"));
        assert!(text(&[], DType::Bool).starts_with("{'descr': '|b1', 'fortran_order': False, 'shape': (), }"));
        assert!(text(&[5], DType::I64).contains("'shape': (5,), }"));
    }
}
