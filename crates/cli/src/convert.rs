//! `stratal convert`: the tensors of a file in another format.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use stratal_formats::{MetadataValue, Weights, npy, safetensors};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::{open::Access, text::printable};

/// Writes the tensors of a file to another one, whose format its name says.
///
/// Names, shapes and dtypes stay as they are. The input is mapped, so nobody may change it meanwhile; `--no-mmap` reads it
/// instead. The output appears once all of it is written.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file to read: safetensors or the index of its shards, npy, npz, GGUF, ONNX
    input: PathBuf,
    /// The file to write: .safetensors, .npz, .npy
    output: PathBuf,
    /// Convert floating-point tensors to this dtype, such as float32
    #[arg(long, value_name = "DTYPE")]
    floats: Option<DType>,
    /// Replace the output if it is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    access: Access,
}

/// What can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Safetensors,
    Npz,
    Npy,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let target = Target::of(&arguments.output)?;
    if !arguments.force && arguments.output.exists() {
        bail!("{} is there already; --force replaces it", arguments.output.display());
    }
    let weights = arguments.access.weights(&arguments.input)?;
    let tensors = tensors(&weights, arguments.floats).with_context(|| arguments.input.display().to_string())?;
    let named = tensors.iter().map(|(name, tensor)| (*name, tensor));
    let kept = match target {
        Target::Safetensors => {
            let metadata = texts(&weights);
            let metadata = metadata.iter().map(|(key, text)| (*key, &**text));
            safetensors::write(&arguments.output, named, metadata.clone())?;
            metadata.len()
        }
        Target::Npz => {
            npy::write_archive(&arguments.output, named)?;
            0
        }
        Target::Npy => {
            let [(_, tensor)] = &tensors[..] else {
                bail!("an npy file holds one tensor, and {} has {}", arguments.input.display(), tensors.len());
            };
            npy::write(&arguments.output, tensor)?;
            0
        }
    };
    let lost: Vec<_> = weights.metadata().skip(kept).map(|(key, _)| printable(key)).collect();
    if !lost.is_empty() {
        anstream::eprintln!("note: the output has no place for this metadata: {}", lost.join(", "));
    }
    Ok(())
}

impl Target {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("safetensors") => Ok(Self::Safetensors),
            Some("npz") => Ok(Self::Npz),
            Some("npy") => Ok(Self::Npy),
            _ => bail!("{}: the name says none of .safetensors, .npz and .npy", path.display()),
        }
    }
}

/// The tensors with their names. Those of a mapped file are windows of it.
fn tensors(weights: &Weights, floats: Option<DType>) -> Result<Vec<(&str, Tensor)>, stratal_formats::Error> {
    let tensor = |name: &str| match (weights.get(name)?.element_type().dtype(), floats) {
        (Some(found), Some(dtype)) if found.is_float() => weights.tensor_as(name, dtype),
        _ => weights.tensor(name),
    };
    weights.names().map(|name| Ok((name, tensor(name)?))).collect()
}

/// Metadata as texts.
fn texts(weights: &Weights) -> Vec<(&str, String)> {
    let text = |value: &MetadataValue| match value {
        MetadataValue::Text(text) => text.to_string(),
        other => other.to_string(),
    };
    weights.metadata().map(|(key, value)| (key, text(value))).collect()
}
