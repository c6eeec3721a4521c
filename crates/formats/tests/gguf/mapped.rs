//! Tensors of a mapped file are windows of it.
#![expect(unsafe_code, reason = "maps a file that nobody writes")]

use stratal_formats::{Limits, ModelFile, Weights, gguf};
use stratal_memory::Origin;

use crate::golden_file;

#[test]
fn a_mapped_file_gives_windows() {
    // SAFETY: the file is part of the repository, and no test writes it.
    let file = unsafe { ModelFile::map(golden_file::path()) }.unwrap();
    let mapped = gguf::weights(file, &Limits::default()).unwrap();
    let read = Weights::open(golden_file::path()).unwrap();
    let tensor = mapped.tensor("bf16").unwrap();
    assert_eq!(tensor.buffer().origin(), Origin::MappedFile { offset: 3200 });
    for name in ["q4_0", "q8_0"] {
        assert_eq!(mapped.packed(name).unwrap().bytes(), read.packed(name).unwrap().bytes(), "{name}");
    }
}
