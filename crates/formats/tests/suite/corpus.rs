//! The fuzzers' corpus, replayed.

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "the fuzz targets are another crate")]
mod exercise;

use std::path::Path;

#[test]
fn every_input_of_the_corpus_is_answered() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (format, exercise) in exercise::FORMATS {
        let mut inputs = 0;
        for entry in std::fs::read_dir(corpus.join(format)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let outcome = std::panic::catch_unwind(|| exercise(&bytes));
            assert!(outcome.is_ok(), "{}", path.display());
            inputs += 1;
        }
        assert!(inputs > 0, "{format} has no corpus");
    }
}
