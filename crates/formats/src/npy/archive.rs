//! npz: arrays in a zip archive.

use std::{
    io::{BufReader, Read as _, Seek as _, SeekFrom},
    sync::Arc,
};

use zip::{CompressionMethod, ZipArchive};

use super::{
    Header, NpyError,
    array::{Deflated, check_inflation, inflate},
    weight,
};
use crate::{
    Error, FileReader, Limits, ModelFile, Name,
    weights::{Format, Place, Weight, Weights},
};

/// How long the header of a compressed member may be: this, or so many times as long as the member.
const HEADER_MIN: u64 = 1 << 10;
const HEADER_INFLATION: u64 = 16;

/// A member of the archive, before its own header is looked at.
struct Member {
    name: String,
    start: u64,
    stored_bytes: u64,
    bytes: u64,
    checksum: u32,
    is_deflated: bool,
}

/// The arrays of an npz file, under the names of its members without their `.npy`.
///
/// # Errors
/// [`NpyError`], in an [`Error::InFile`] that names the member where it is about one.
pub fn weights_of_archive(file: ModelFile, limits: &Limits) -> Result<Weights, Error> {
    let mut archive = ZipArchive::new(BufReader::new(file.reader())).map_err(|error| malformed(&error))?;
    if archive.len() as u64 > limits.tensors {
        let (count, limit) = (archive.len() as u64, limits.tensors);
        return Err(NpyError::Limit { what: "members", count, limit }.into());
    }
    if archive.has_duplicate_names() {
        return Err(NpyError::Shared { what: "a name" }.into());
    }
    if archive.has_overlapping_entries().map_err(|error| malformed(&error))? {
        return Err(NpyError::Shared { what: "bytes" }.into());
    }
    let mut weights = Vec::new();
    for index in 0..archive.len() {
        let Some(member) = member(&mut archive, index, file.len())? else { continue };
        let in_member = |source: Error| Error::InFile { file: Name::new(&member.name), source: source.into() };
        weights.push(array(&file, &member, limits).map_err(in_member)?);
    }
    Ok(Weights::new(Format::Npz, vec![file], weights, Vec::new())?)
}

/// What the archive says of a member; nothing for a folder.
fn member(
    archive: &mut ZipArchive<BufReader<FileReader>>,
    index: usize,
    file_length: u64,
) -> Result<Option<Member>, NpyError> {
    let entry = archive.by_index_raw(index).map_err(|error| malformed(&error))?;
    if entry.is_dir() {
        return Ok(None);
    }
    let name = entry.name().map_err(|error| malformed(&error))?.into_owned();
    let unsupported = |how: &str| NpyError::UnsupportedMember { member: Name::new(&name), how: Name::new(how) };
    if entry.encrypted() {
        return Err(unsupported("encrypted"));
    }
    let is_deflated = match entry.compression() {
        CompressionMethod::Stored => false,
        CompressionMethod::Deflated => true,
        other => return Err(unsupported(&format!("compressed by {other}"))),
    };
    let (stored_bytes, bytes, checksum) = (entry.compressed_size(), entry.size(), entry.crc32());
    let start =
        entry.data_start().filter(|start| start.checked_add(stored_bytes).is_some_and(|end| end <= file_length));
    let Some(start) = start else {
        return Err(NpyError::Archive { reason: Name::new(&format!("member {name:?} passes the end of the file")) });
    };
    if !is_deflated && stored_bytes != bytes {
        let reason = format!("member {name:?} is stored in {stored_bytes} bytes and has {bytes}");
        return Err(NpyError::Archive { reason: Name::new(&reason) });
    }
    Ok(Some(Member { name, start, stored_bytes, bytes, checksum, is_deflated }))
}

/// What the member's own header says.
fn array(file: &ModelFile, member: &Member, limits: &Limits) -> Result<Weight, Error> {
    let Some(name) = member.name.strip_suffix(".npy") else {
        return Err(NpyError::NotAnArray { member: Name::new(&member.name) }.into());
    };
    if name.len() as u64 > limits.name_bytes {
        let (count, limit) = (name.len() as u64, limits.name_bytes);
        return Err(NpyError::Limit { what: "bytes of name", count, limit }.into());
    }
    let range = member.start..member.start + member.stored_bytes;
    let header = match member.is_deflated {
        true => {
            check_inflation(name, member.stored_bytes, member.bytes)?;
            let mut inflated = inflate(file, range.clone()).map_err(|error| super::header::damaged(&error))?;
            // Nothing else is kept that a compressed byte can make a thousand of. Numbers and names do not shrink so much.
            let header_bytes = limits.header_bytes.min(HEADER_MIN.max(HEADER_INFLATION * member.stored_bytes));
            Header::read(&mut (&mut inflated).take(member.bytes), &Limits { header_bytes, ..*limits })?
        }
        false => {
            let mut reader = file.reader();
            reader.seek(SeekFrom::Start(range.start)).map_err(|error| super::header::damaged(&error))?;
            Header::read(&mut reader.take(member.stored_bytes), limits)?
        }
    };
    let data_bytes = member.bytes.checked_sub(header.data_start).ok_or(NpyError::HeaderCutOff)?;
    let of_file: Arc<str> = member.name.as_str().into();
    if member.is_deflated {
        let deflated = Deflated { data_bytes, checksum: member.checksum };
        return Ok(weight(name, header, Place::new(Some(of_file), range).compressed(), Some(deflated))?);
    }
    let place = Place::new(Some(of_file), range.start + header.data_start..range.end);
    Ok(weight(name, header, place, None)?)
}

fn malformed(error: &zip::result::ZipError) -> NpyError {
    NpyError::Archive { reason: Name::new(&error.to_string()) }
}
