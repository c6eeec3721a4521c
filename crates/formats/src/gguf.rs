//! GGUF: models with quantised weights.
