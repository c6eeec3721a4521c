//! `stratal convert`: the tensors of a file in another format.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use stratal_formats::{
    ElementType, Error, Format, Limits, MetadataValue, Weight, Weights, WeightsError,
    gguf::{self, PackedTensor},
    npy, safetensors,
};
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
    let Arguments { input, output, floats, force, access } = arguments;
    let target = Target::of(output)?;
    if !force && output.exists() {
        bail!("{} is there already; --force replaces it", output.display());
    }
    let weights = access.weights(input)?;
    let of_input = || input.display().to_string();
    let tensors = || tensors(&weights, *floats).with_context(of_input);
    match target {
        Target::Safetensors => {
            let texts: Vec<_> = weights.metadata().filter_map(|(key, value)| Some((key, text(value)?))).collect();
            safetensors::write(output, named(&tensors()?), texts.iter().map(|(key, text)| (*key, &**text)))?;
            tell_lost(&weights, |value| text(value).is_none());
        }
        Target::Gguf => {
            let tensors = sources(&weights, *floats).with_context(of_input)?;
            let tensors = tensors.iter().map(|(name, source)| (*name, source.as_gguf()));
            let (metadata, is_whole) = gguf_metadata(&weights).with_context(of_input)?;
            gguf::write(output, tensors, metadata.iter().map(|(key, value)| (key.as_str(), value)))?;
            tell_lost(&weights, |value| !is_whole && gguf_value(value).is_none());
        }
        Target::Npz => {
            npy::write_archive(output, named(&tensors()?))?;
            tell_lost(&weights, |_| true);
        }
        Target::Npy => {
            let tensors = tensors()?;
            let [(_, tensor)] = &tensors[..] else {
                bail!("an npy file holds one tensor, and {} has {}", input.display(), tensors.len());
            };
            npy::write(output, tensor)?;
            tell_lost(&weights, |_| true);
        }
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
}

/// Says which metadata the output has no place for.
fn tell_lost(weights: &Weights, is_lost: impl Fn(&MetadataValue) -> bool) {
    let lost: Vec<_> = weights.metadata().filter(|(_, value)| is_lost(value)).map(|(key, _)| printable(key)).collect();
    if !lost.is_empty() {
        anstream::eprintln!("note: the output has no place for this metadata: {}", lost.join(", "));
    }
}

/// The tensors with their names. Those of a mapped file are windows of it.
fn tensors(weights: &Weights, floats: Option<DType>) -> Result<Vec<(&str, Tensor)>> {
    weights.iter().map(|weight| Ok((weight.name(), tensor(weights, weight, floats)?))).collect()
}

fn named<'a>(tensors: &'a [(&str, Tensor)]) -> impl Iterator<Item = (&'a str, &'a Tensor)> {
    tensors.iter().map(|(name, tensor)| (*name, tensor))
}

fn tensor(weights: &Weights, weight: &Weight, floats: Option<DType>) -> Result<Tensor> {
    let is_converted = match weight.element_type() {
        ElementType::Plain(dtype) => dtype.is_float(),
        element_type => matches!(element_type, ElementType::Packed(_)),
    };
    match floats {
        Some(dtype) if is_converted => Ok(weights.tensor_as(weight.name(), dtype)?),
        _ => weights.tensor(weight.name()).map_err(|error| match error {
            Error::Weights(WeightsError::Packed { name, block_type }) => {
                anyhow!("tensor {name} is packed as {block_type}; `--floats float32` unpacks it")
            }
            other => other.into(),
        }),
    }
}

/// A tensor for GGUF, which has a place for packed ones.
enum Source {
    Plain(Tensor),
    Packed(PackedTensor),
}

impl Source {
    fn as_gguf(&self) -> gguf::Source<'_> {
        match self {
            Self::Plain(tensor) => tensor.into(),
            Self::Packed(packed) => packed.into(),
        }
    }
}

/// The tensors with their names. Packed ones stay packed unless they are to be converted.
fn sources(weights: &Weights, floats: Option<DType>) -> Result<Vec<(&str, Source)>> {
    let source = |weight: &Weight| match weight.element_type() {
        ElementType::Packed(_) if floats.is_none() => Ok(Source::Packed(weights.packed(weight.name())?)),
        _ => tensor(weights, weight, floats).map(Source::Plain),
    };
    weights.iter().map(|weight| Ok((weight.name(), source(weight)?))).collect()
}

/// Metadata for GGUF, and whether it is all that the input has: what GGUF says stays as it is.
fn gguf_metadata(weights: &Weights) -> Result<(Vec<(String, gguf::Value)>, bool)> {
    if let (Format::Gguf, [file]) = (weights.format(), weights.files()) {
        let header = gguf::Header::read(file, &Limits::default())?;
        let values = header.metadata().iter().map(|(key, value)| (key.to_owned(), value.clone()));
        return Ok((values.collect(), true));
    }
    // How a GGUF file was laid out that this one came from says nothing about the output.
    let metadata = weights.metadata().filter(|(key, _)| *key != "general.alignment");
    let values = metadata.filter_map(|(key, value)| Some((key.to_owned(), gguf_value(value)?)));
    Ok((values.collect(), false))
}

/// A value as text, unless it is a list: of those the beginning alone is at hand.
fn text(value: &MetadataValue) -> Option<String> {
    match value {
        MetadataValue::Text(text) => Some(text.to_string()),
        MetadataValue::List { .. } => None,
        other => Some(other.to_string()),
    }
}

fn gguf_value(value: &MetadataValue) -> Option<gguf::Value> {
    match value {
        MetadataValue::Bool(value) => Some(gguf::Value::Bool(*value)),
        MetadataValue::Signed(value) => Some(gguf::Value::I64(*value)),
        MetadataValue::Unsigned(value) => Some(gguf::Value::U64(*value)),
        MetadataValue::Float32(value) => Some(gguf::Value::F32(*value)),
        MetadataValue::Float64(value) => Some(gguf::Value::F64(*value)),
        MetadataValue::Text(text) => Some(gguf::Value::from(&**text)),
        _ => None,
    }
}
