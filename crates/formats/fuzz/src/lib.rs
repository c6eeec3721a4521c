//! What is done with an input: it is read as a file of one format, and whatever is found there is held to what was promised.

use stratal_formats::{Error, Limits, ModelFile, Weights, gguf, npy, safetensors};
use stratal_tensor::Tensor;

/// What is done with an input.
pub type Exercise = fn(&[u8]);

/// The formats, each with what is done with an input of it.
pub const FORMATS: [(&str, Exercise); 6] =
    [("safetensors", safetensors), ("index", index), ("npy", npy), ("npz", npz), ("gguf", gguf), ("onnx", onnx)];

/// Reads a safetensors file. What is written from it is read back as the same.
pub fn safetensors(bytes: &[u8]) {
    let Ok(weights) = safetensors::weights(file(bytes), &Limits::default()) else { return };
    let tensors = tensors(&weights, bytes.len());
    let Ok(written) = safetensors::to_vec(tensors.iter().map(|(name, tensor)| (*name, tensor)), []) else { return };
    same(&tensors, &safetensors::weights(file(&written), &Limits::default()));
}

/// Reads the index of a sharded model.
pub fn index(bytes: &[u8]) {
    let _ = safetensors::Index::parse(bytes, &Limits::default());
}

/// Reads an npy file. What is written from it is read back as the same.
pub fn npy(bytes: &[u8]) {
    let Ok(weights) = npy::weights(file(bytes), &Limits::default()) else { return };
    let tensors = tensors(&weights, bytes.len());
    for (_, tensor) in &tensors {
        let written = npy::to_vec(tensor).expect("what was read has a type");
        same(&tensors, &npy::weights(file(&written), &Limits::default()));
    }
}

/// Reads an npz file. What is written from it is read back as the same.
pub fn npz(bytes: &[u8]) {
    let Ok(weights) = npy::weights_of_archive(file(bytes), &Limits::default()) else { return };
    // A byte of a compressed member may stand for a thousand.
    let tensors = tensors(&weights, (bytes.len() + 1) * 1032);
    let Ok(written) = npy::archive_to_vec(tensors.iter().map(|(name, tensor)| (*name, tensor))) else { return };
    same(&tensors, &npy::weights_of_archive(file(&written), &Limits::default()));
}

/// Reads a GGUF file, and unpacks what is packed.
pub fn gguf(bytes: &[u8]) {
    let Ok(weights) = gguf::weights(file(bytes), &Limits::default()) else { return };
    let tensors = tensors(&weights, bytes.len());
    let packed = weights.iter().filter_map(|weight| weights.packed(weight.name()).ok());
    for packed in packed {
        let unpacked = packed.decode().expect("what is packed can be unpacked");
        assert_eq!(unpacked.shape(), packed.shape());
    }
    let named = tensors.iter().map(|(name, tensor)| (*name, tensor));
    let Ok(written) = gguf::to_vec(named, []) else { return };
    same(&tensors, &gguf::weights(file(&written), &Limits::default()));
}

/// Reads an ONNX model.
pub fn onnx(bytes: &[u8]) {
    let Ok(weights) = Weights::of_file(file(bytes), &Limits::default()) else { return };
    let _ = tensors(&weights, bytes.len() * 8);
}

fn file(bytes: &[u8]) -> ModelFile {
    ModelFile::of_vec(bytes.to_vec()).expect("an input is short")
}

/// Every tensor that can be made. All of them together cannot have more bytes than the file gives.
fn tensors(weights: &Weights, available: usize) -> Vec<(&str, Tensor)> {
    let mut tensors = Vec::new();
    let mut total = 0;
    for weight in weights {
        let range = weight.place().range();
        assert!(range.start <= range.end, "{weight:?}");
        let Ok(tensor) = weights.tensor(weight.name()) else { continue };
        assert_eq!(Some(tensor.dtype()), weight.element_type().dtype());
        let extents: Vec<_> = tensor.shape().extents().iter().map(|extent| u64::from(*extent)).collect();
        assert_eq!(weight.extents(), extents);
        let tensor = tensor.contiguous().expect("it is read only");
        total += tensor.count() * tensor.dtype().size();
        let reading = tensor.buffer().read().expect("it is read only");
        std::hint::black_box(reading.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
        drop(reading);
        tensors.push((weight.name(), tensor));
    }
    assert!(total <= available, "{total} bytes of elements out of {available}");
    tensors
}

/// Holds what was read back to what was written.
fn same(expected: &[(&str, Tensor)], found: &Result<Weights, Error>) {
    let found = found.as_ref().expect("what was written can be read");
    assert!(found.names().eq(expected.iter().map(|(name, _)| *name)));
    for (name, expected) in expected {
        let found = found.tensor(name).expect("what was written can be read");
        assert_eq!((found.dtype(), found.shape()), (expected.dtype(), expected.shape()));
        // As integers, so that NaNs are compared by their bits.
        assert_eq!(bits(&found), bits(expected), "{name}");
    }
}

/// The bits of elements; of bools, whether they are true.
fn bits(tensor: &Tensor) -> Vec<u64> {
    use stratal_tensor::base::DType;
    let unsigned = match tensor.dtype() {
        DType::Bool => tensor.cast(DType::U8),
        dtype => tensor.reinterpret(match dtype.size() {
            1 => DType::U8,
            2 => DType::U16,
            4 => DType::U32,
            _ => DType::U64,
        }),
    };
    let unsigned = unsigned.and_then(|tensor| tensor.cast(DType::U64)).expect("there are such integers");
    unsigned.to_vec().expect("it is read only")
}
