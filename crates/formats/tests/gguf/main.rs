//! GGUF files: block types against golden values, hostile headers, round trips.

mod blocks;
