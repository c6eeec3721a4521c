//! `stratal`: looks into model files and converts them.

mod convert;
mod inspect;
mod open;
mod text;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Looks into model files and converts them.
///
/// Knows safetensors (in shards too), npy, npz, GGUF and ONNX, each by the file's first bytes.
#[derive(Debug, Parser)]
#[command(name = "stratal", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the tensors of a file, its metadata and totals. Reads no element
    Inspect(inspect::Arguments),
    /// Writes the tensors of a file to another one
    Convert(convert::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("{}: {}", text::red("error"), text::printable(&told(&error)));
            ExitCode::FAILURE
        }
    }
}

/// What went wrong, from the outside in. An error of the formats tells its causes itself.
fn told(error: &anyhow::Error) -> String {
    let mut texts = Vec::new();
    for cause in error.chain() {
        texts.push(cause.to_string());
        if cause.is::<stratal_formats::Error>() {
            break;
        }
    }
    texts.join(": ")
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
