//! npy and npz: arrays of NumPy, single and in an archive.
//!
//! ```text
//!   6 bytes    "\x93NUMPY"
//!   2 bytes    version: 1.0, 2.0 or 3.0
//!   2 or 4     length of the header, little-endian (4 since version 2)
//!   header     {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//!   elements   in row-major or column-major order, little- or big-endian
//! ```
//!
//! An npz file is a zip archive of such files, whose members may be compressed. Arrays in column-major order become strided
//! views, big-endian elements are converted. Of compressed members the checksum is checked; of stored ones it is not, since
//! that would read all of a mapped file.

mod archive;
mod array;
mod header;
mod literal;
mod write;

use std::sync::Arc;

use crate::{
    Error, Limits, ModelFile, Name,
    weights::{Form, Format, Place, Weight, Weights},
};

pub use self::archive::weights_of_archive;
pub use self::header::{ByteOrder, Header};
pub use self::write::{archive_to_vec, to_vec, write, write_archive};

/// Why a file is no npy or npz file, or none that is supported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The file does not begin as one.
    #[error("the file does not begin with \"\\x93NUMPY\"")]
    NoMagic,
    /// A version that came later.
    #[error("version {major}.{minor} of npy is none of 1.0, 2.0 and 3.0")]
    UnknownVersion {
        /// The first number.
        major: u8,
        /// The second.
        minor: u8,
    },
    /// The header ends too soon.
    #[error("the file ends within its header")]
    HeaderCutOff,
    /// Something passes a limit.
    #[error("{count} {what} are above the limit of {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// The header is not the dictionary that it should be.
    #[error("the header is malformed at byte {position}: {reason}")]
    Malformed {
        /// The byte of the header.
        position: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// The file has another number of elements than the header says.
    #[error("{element_type} {extents:?} do not have the {bytes} bytes that follow the header")]
    WrongLength {
        /// The type string.
        element_type: Name,
        /// The extents.
        extents: Box<[u64]>,
        /// The bytes behind the header.
        bytes: u64,
    },
    /// The archive is malformed.
    #[error("the archive is malformed: {reason}")]
    Archive {
        /// What is wrong.
        reason: Name,
    },
    /// Members of the archive share bytes or names.
    #[error("members of the archive share {what}")]
    Shared {
        /// What they share.
        what: &'static str,
    },
    /// A member is no array.
    #[error("member {member} of the archive is no array: its name does not end in \".npy\"")]
    NotAnArray {
        /// The member.
        member: Name,
    },
    /// A member is compressed or encrypted in a way that is not supported.
    #[error("member {member} of the archive is {how}, which is not supported")]
    UnsupportedMember {
        /// The member.
        member: Name,
        /// The way.
        how: Name,
    },
    /// A compressed member does not hold what the archive says.
    #[error("the compressed bytes are damaged: {reason}")]
    Damaged {
        /// What is wrong.
        reason: Name,
    },
    /// NumPy has no such type.
    #[error("NumPy has no type for {0}; convert it")]
    NoSuchType(stratal_tensor_base::DType),
    /// One name for two arrays.
    #[error("two arrays are named {name}")]
    RepeatedName {
        /// The name.
        name: Name,
    },
}

/// The name of the one array of an npy file, which has none: the one that NumPy gives the first unnamed array of an archive.
pub const UNNAMED: &str = "arr_0";

/// The array of an npy file, under the name [`UNNAMED`].
///
/// # Errors
/// [`FileError`](crate::FileError) when the header cannot be read, [`NpyError`] when it is wrong. Bytes behind the array are
/// refused: they would be lost in silence.
pub fn weights(file: ModelFile, limits: &Limits) -> Result<Weights, Error> {
    let header = Header::read(&mut file.reader(), limits)?;
    let range = header.data_start..file.len();
    let place = Place::new(None, range);
    let weight = weight(UNNAMED, header, place, None)?;
    Ok(Weights::new(Format::Npy, vec![file], vec![weight], Vec::new())?)
}

/// What is known of an array whose elements, compressed or not, are at a place.
fn weight(name: &str, header: Header, place: Place, deflated: Option<array::Deflated>) -> Result<Weight, NpyError> {
    let bytes = deflated.as_ref().map_or(place.bytes(), |deflated| deflated.data_bytes);
    header.check_length(bytes)?;
    let (element_type, extents) = (header.element_type.clone(), header.extents.clone());
    let is_plain = deflated.is_none() && header.is_plain();
    let form = if is_plain { Form::Plain } else { Form::Special(Arc::new(array::Array { header, deflated })) };
    Ok(Weight::new(name, element_type, extents, (0, place), form))
}
