//! Files that people ship, which `cargo xtask models --fetch` brings.

use std::{
    env,
    io::{Write as _, stderr},
    path::{Path, PathBuf},
};

/// The path of a fetched file. Without the file a line says so, past the capture of what tests print.
pub(crate) fn fetched(name: &str) -> Option<PathBuf> {
    let path = folder().join(name);
    if path.is_file() {
        return Some(path);
    }
    let _ = writeln!(stderr().lock(), "skipped: no {}; `cargo xtask models --fetch` brings it", path.display());
    None
}

/// Where `STRATAL_MODELS` says, or else in the folder of build products.
fn folder() -> PathBuf {
    let target = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
    env::var_os("STRATAL_MODELS").map_or_else(target, PathBuf::from)
}
