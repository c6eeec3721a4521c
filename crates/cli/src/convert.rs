//! `stratal convert`: the tensors of a file in another format.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use stratal_formats::{ElementType, Error, MetadataValue, Weight, Weights, WeightsError, gguf, npy, safetensors};
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
    /// The file to write: .safetensors, .npz, .npy, .gguf
    output: PathBuf,
    /// Convert floating-point tensors, packed ones too, to this dtype, such as float32
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
    Gguf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let target = Target::of(&arguments.output)?;
    if !arguments.force && arguments.output.exists() {
        bail!("{} is there already; --force replaces it", arguments.output.display());
    }
    let weights = arguments.access.weights(&arguments.input)?;
    let tensors = tensors(&weights, arguments.floats).with_context(|| arguments.input.display().to_string())?;
    let named = tensors.iter().map(|(name, tensor)| (*name, tensor));
    let metadata: Vec<_> = weights.metadata().filter(|(_, value)| target.has_place_for(value)).collect();
    match target {
        Target::Safetensors => {
            let texts: Vec<_> = metadata.iter().map(|(key, value)| (*key, text(value))).collect();
            safetensors::write(&arguments.output, named, texts.iter().map(|(key, text)| (*key, &**text)))?;
        }
        Target::Gguf => {
            // How the input is laid out says nothing about the output.
            let metadata = metadata.iter().filter(|(key, _)| *key != "general.alignment");
            let values: Vec<_> = metadata.filter_map(|(key, value)| Some((*key, gguf_value(value)?))).collect();
            gguf::write(&arguments.output, named, values.iter().map(|(key, value)| (*key, value)))?;
        }
        Target::Npz => npy::write_archive(&arguments.output, named)?,
        Target::Npy => {
            let [(_, tensor)] = &tensors[..] else {
                bail!("an npy file holds one tensor, and {} has {}", arguments.input.display(), tensors.len());
            };
            npy::write(&arguments.output, tensor)?;
        }
    }
    let lost = weights.metadata().filter(|(_, value)| !target.has_place_for(value));
    let lost: Vec<_> = lost.map(|(key, _)| printable(key)).collect();
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
            Some("gguf") => Ok(Self::Gguf),
            _ => bail!("{}: the name says none of .safetensors, .npz, .npy and .gguf", path.display()),
        }
    }

    /// Whether the format can say a value of metadata. Of lists only the beginning is at hand.
    fn has_place_for(self, value: &MetadataValue) -> bool {
        match self {
            Self::Safetensors => !matches!(value, MetadataValue::List { .. }),
            Self::Gguf => gguf_value(value).is_some(),
            Self::Npz | Self::Npy => false,
        }
    }
}

/// The tensors with their names. Those of a mapped file are windows of it.
fn tensors(weights: &Weights, floats: Option<DType>) -> Result<Vec<(&str, Tensor)>> {
    let is_converted = |weight: &Weight| match weight.element_type() {
        ElementType::Plain(dtype) => dtype.is_float(),
        element_type => matches!(element_type, ElementType::Packed(_)),
    };
    let tensor = |weight: &Weight| match floats {
        Some(dtype) if is_converted(weight) => Ok(weights.tensor_as(weight.name(), dtype)?),
        _ => weights.tensor(weight.name()).map_err(|error| match error {
            Error::Weights(WeightsError::Packed { name, block_type }) => {
                anyhow!("tensor {name} is packed as {block_type}; `--floats float32` unpacks it")
            }
            other => other.into(),
        }),
    };
    weights.iter().map(|weight| Ok((weight.name(), tensor(weight)?))).collect()
}

fn text(value: &MetadataValue) -> String {
    match value {
        MetadataValue::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}

fn gguf_value(value: &MetadataValue) -> Option<gguf::Value> {
    match value {
        MetadataValue::Bool(value) => Some(gguf::Value::Bool(*value)),
        MetadataValue::Signed(value) => Some(gguf::Value::I64(*value)),
        MetadataValue::Unsigned(value) => Some(gguf::Value::U64(*value)),
        MetadataValue::Float(value) => Some(gguf::Value::F64(*value)),
        MetadataValue::Text(text) => Some(gguf::Value::from(&**text)),
        _ => None,
    }
}
