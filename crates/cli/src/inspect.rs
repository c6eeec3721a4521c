//! `stratal inspect`: what is in a file.

mod json;
mod table;

use std::{io::Write as _, path::PathBuf};

use anyhow::Result;
use stratal_formats::{Weight, Weights};

use crate::{open::Access, text::printable_json};

/// Lists the tensors of a file, its metadata and totals. Reads no element.
///
/// The file is mapped, so nobody may change it meanwhile; `--no-mmap` reads it instead.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file: safetensors or the index of its shards, npy, npz, GGUF, ONNX
    file: PathBuf,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    access: Access,
}

/// What all tensors have together.
struct Totals {
    elements: u64,
    bytes: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let weights = arguments.access.weights(&arguments.file)?;
    let mut output = anstream::stdout().lock();
    if arguments.json {
        let described = json::describe(&arguments.file, arguments.access, &weights);
        writeln!(output, "{}", printable_json(&serde_json::to_string_pretty(&described)?))?;
    } else {
        output.write_all(table::describe(&arguments.file, arguments.access, &weights).as_bytes())?;
    }
    Ok(output.flush()?)
}

/// The number of elements, as far as 64 bits count.
fn elements(weight: &Weight) -> u64 {
    weight.extents().iter().fold(1, |product: u64, extent| product.saturating_mul(*extent))
}

/// The bytes that the elements take: in memory, if they are compressed in the file.
fn bytes(weight: &Weight) -> u64 {
    match weight.element_type().dtype() {
        Some(dtype) => elements(weight).saturating_mul(dtype.size() as u64),
        None => weight.place().bytes(),
    }
}

fn totals(weights: &Weights) -> Totals {
    weights.iter().fold(Totals { elements: 0, bytes: 0 }, |totals, weight| Totals {
        elements: totals.elements.saturating_add(elements(weight)),
        bytes: totals.bytes.saturating_add(bytes(weight)),
    })
}
