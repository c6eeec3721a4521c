//! Vocabularies of real models. `cargo xtask models --fetch` brings them; where they are not there, the test says so and passes.

use stratal_formats::{
    Limits, ModelFile,
    gguf::{self, Header},
};
use stratal_tensor::Tensor;

use crate::fetched::fetched;

/// File, version, architecture, entries of metadata, tokens, bytes of all tokens, the token 1000 and the last one: what ggml's
/// Python package (gguf 0.19) says.
type Expected = (&'static str, u32, &'static str, usize, usize, usize, &'static str, &'static str);

const EXPECTED: [Expected; 5] = [
    ("aquila", 2, "llama", 18, 100_008, 1_163_775, "æĮģ", "</s>"),
    ("bert_bge", 3, "bert", 20, 30_522, 260_415, "▁\"", "～"),
    ("gpt_2", 3, "gpt2", 16, 50_257, 356_735, "ale", "<|endoftext|>"),
    ("llama_bpe", 3, "llama", 20, 128_256, 1_073_445, "indow", "<|reserved_special_token_250|>"),
    ("llama_spm", 3, "llama", 22, 32_000, 210_919, "ied", "给"),
];

#[test]
fn vocabularies_are_read_as_ggml_reads_them() {
    for (name, version, architecture, entries, tokens, token_bytes, token_1000, last) in EXPECTED {
        let Some(path) = fetched(&format!("gguf_vocab_{name}.gguf")) else { continue };
        let header = Header::read(&ModelFile::open(&path).unwrap(), &Limits::default()).unwrap();
        let metadata = header.metadata();
        assert_eq!((header.version(), metadata.len(), header.tensors().len()), (version, entries, 0), "{name}");
        let found = metadata.get("general.architecture").and_then(|value| value.as_text());
        assert_eq!(found, Some(architecture), "{name}");

        let list = metadata.get("tokenizer.ggml.tokens").and_then(|value| value.as_array()?.as_texts()).unwrap();
        assert_eq!((list.len(), list.iter().map(str::len).sum::<usize>()), (tokens, token_bytes), "{name}");
        assert_eq!((list.get(1000), list.iter().last()), (Some(token_1000), Some(last)), "{name}");

        // Version 2 differs in its number alone.
        let none: [(&str, &Tensor); 0] = [];
        let written = gguf::to_vec(none, metadata.iter()).unwrap();
        let original = std::fs::read(&path).unwrap();
        assert_eq!(written[8..], original[8..written.len()], "{name}");
        assert!(original[written.len()..].iter().all(|byte| *byte == 0), "{name}: padding alone is left out");
    }
}
