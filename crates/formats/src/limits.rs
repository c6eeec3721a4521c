//! `Limits`: how much a file may ask for, checked before anything is allocated for it.

/// How much a file may ask for. Whatever passes a limit is an error that names the limit.
///
/// Beside these, every count and length is checked against the bytes that the file really has, so that memory is never
/// reserved for what cannot be there. The defaults are far above what real models need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of a header: JSON in safetensors, the dictionary of an npy file, metadata and table of a GGUF file.
    pub header_bytes: u64,
    /// The tensors of one file.
    pub tensors: u64,
    /// The entries of metadata of one file.
    pub metadata_entries: u64,
    /// The bytes of one name.
    pub name_bytes: u64,
    /// The bytes of one text in metadata.
    pub text_bytes: u64,
    /// How deep arrays in metadata, and graphs within graphs, may be nested.
    pub nesting: u32,
    /// The files that one index of shards may name.
    pub shards: u64,
    /// The nodes of a model, those of its subgraphs and functions included.
    pub nodes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_bytes: 256 << 20,
            tensors: 1 << 20,
            metadata_entries: 1 << 20,
            name_bytes: 64 << 10,
            text_bytes: 64 << 20,
            nesting: 64,
            shards: 10_000,
            nodes: 1 << 24,
        }
    }
}
