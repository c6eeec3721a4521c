//! Models into files.

use std::{io::Write as _, path::Path};

use prost::Message;
use stratal_memory::LENGTH_MAX;
use stratal_tensor::{Tensor, TensorError};

use super::{Model, OnnxError, RawData, TensorFields, TensorProto, traverse};
use crate::{Error, FileError, elements, replace};

impl Model {
    /// Writes the model to a file, which is replaced if it exists. That the new file is whole before it replaces the old one
    /// makes it possible to write a model over the one it was opened from.
    ///
    /// Fields that are not declared in [`messages`](super::messages) are lost. Tensors in other files stay there: the model must
    /// be written into the folder that it was in.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec); [`FileError::Write`] when the system refuses.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let bytes = self.to_vec()?;
        replace::file(path.as_ref(), |file| file.write_all(&bytes).map_err(replace::failed))
    }

    /// The model as the bytes of a file.
    ///
    /// # Errors
    /// [`FileError`] when the bytes of a tensor cannot be read, [`OnnxError::TooLong`] when the model is larger than a protobuf
    /// message may be.
    pub fn to_vec(&self) -> Result<Vec<u8>, Error> {
        let mut proto = self.proto.clone();
        let mut failed = Ok(());
        traverse::tensors_mut(&mut proto, &mut |tensor| {
            if let Some(raw_data) = tensor.raw_data.as_mut().filter(|_| failed.is_ok()) {
                failed = raw_data.fetch();
            }
        });
        failed?;
        let bytes = proto.encoded_len();
        if bytes > LENGTH_MAX {
            return Err(OnnxError::TooLong { bytes: bytes as u64 }.into());
        }
        Ok(proto.encode_to_vec())
    }
}

impl RawData {
    /// Makes the bytes ones in memory: those of a mapped file as a window, others read.
    fn fetch(&mut self) -> Result<(), FileError> {
        if let Some((file, range)) = self.in_file() {
            *self = file.bytes(range)?.into_shared().into();
        }
        Ok(())
    }
}

impl TensorProto {
    /// The message of a tensor, with its elements as raw bytes. They are copied.
    ///
    /// # Errors
    /// [`TensorError`] when the tensor cannot be read.
    pub fn of_tensor(name: &str, tensor: &Tensor) -> Result<Self, TensorError> {
        let fields = TensorFields {
            name: Some(name.to_owned()),
            dims: tensor.shape().extents().iter().copied().map(i64::from).collect(),
            data_type: Some(tensor.dtype().onnx_code()),
            ..TensorFields::default()
        };
        Ok(Self { fields, raw_data: Some(elements::to_vec(tensor)?.into()) })
    }
}
