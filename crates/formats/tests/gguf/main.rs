//! GGUF files: block types against golden values, a file of ggml's own writer, hostile headers, round trips.

mod blocks;
mod build;
#[path = "../shared/fetched.rs"]
mod fetched;
mod golden_file;
mod headers;
mod hostile;
mod mapped;
mod real_files;
mod round_trips;
