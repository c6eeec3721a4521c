//! The fuzzers' corpus, replayed.

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "the fuzz targets are another crate")]
pub(crate) mod exercise;

use std::path::{Path, PathBuf};

/// The inputs of a format, by their path.
pub(crate) fn corpus(format: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(format);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inputs: Vec<_> = paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    assert!(!inputs.is_empty(), "{format} has no corpus");
    inputs
}

#[test]
fn every_input_of_the_corpus_is_answered() {
    for (format, exercise) in exercise::FORMATS {
        for (path, bytes) in corpus(format) {
            let outcome = std::panic::catch_unwind(|| exercise(&bytes));
            assert!(outcome.is_ok(), "{}", path.display());
        }
    }
}
