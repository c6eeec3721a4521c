//! safetensors: named tensors behind a header in JSON.
