//! Fuzzes `gguf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stratal_formats_fuzz::gguf(bytes));
