//! The same bytes as a file of each kind.
#![expect(unsafe_code, reason = "maps files that the test alone knows")]

use std::path::Path;

use stratal_formats::{Limits, ModelFile, Weights};
use stratal_tensor::Tensor;

/// Calls `look` with the bytes in memory, in a file read on demand and in a mapped one.
pub(crate) fn each_kind(bytes: &[u8], mut look: impl FnMut(&str, ModelFile)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    std::fs::write(&path, bytes).unwrap();
    look("in memory", ModelFile::of_vec(bytes.to_vec()).unwrap());
    look("on demand", ModelFile::open(&path).unwrap());
    look("mapped", mapped(&path));
}

/// A file of the test's own folder, mapped.
pub(crate) fn mapped(path: &Path) -> ModelFile {
    // SAFETY: the file lies in a folder that this test made and nobody else knows; it writes the file no more.
    unsafe { ModelFile::map(path) }.unwrap()
}

/// The tensors of bytes in memory.
pub(crate) fn weights(bytes: &[u8]) -> Result<Weights, stratal_formats::Error> {
    Weights::of_file(ModelFile::of_vec(bytes.to_vec())?, &Limits::default())
}

/// The row-major bytes of a tensor.
pub(crate) fn bytes_of(tensor: &Tensor) -> Vec<u8> {
    let tensor = tensor.copied().unwrap();
    let bytes = tensor.buffer().read().unwrap();
    let length = tensor.count() * tensor.dtype().size();
    bytes[..length].to_vec()
}
