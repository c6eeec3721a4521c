//! The project's own tasks: `cargo xtask --help` lists them, and CI calls nothing else.
#![expect(clippy::print_stdout, reason = "a task reports on the terminal")]

mod aarch64;
mod asan;
mod bench;
mod check;
mod ci;
mod conformance;
mod files;
mod fmt;
mod layers;
mod loom;
mod miri;
mod models;
mod run;
mod test;
mod tidy;
mod verify;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

/// One task of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
enum Task {
    /// Run every test: unit, integration and documentation tests
    #[command(disable_help_flag = true)]
    Test(Forwarded),
    /// Sweep every float through every conversion, against independent references
    #[command(disable_help_flag = true)]
    Verify(Forwarded),
    /// Run ONNX's operator suite, and compare with the ledger of what passed before
    #[command(disable_help_flag = true)]
    Conformance(Forwarded),
    /// Format every Rust file, those that `cargo fmt` does not see included
    Fmt(fmt::Arguments),
    /// Check one crate: format, lints, tests, docs, and the tests of what stands on it
    Check(check::Arguments),
    /// Check that crates depend only downwards, and only on the external crates they may use
    Layers,
    /// Check the source rules that no compiler knows
    Tidy,
    /// Measure speed beside named peers and print the ratios
    Bench(BenchArguments),
    /// Run tests under AddressSanitizer (needs a nightly toolchain)
    Asan(Crates),
    /// Run tests as aarch64 code, emulated (see .ci/setup-aarch64.sh)
    Aarch64(Crates),
    /// Check the models of the borrow protocol, and with --mutants the models themselves
    Loom(loom::Arguments),
    /// Run tests under Miri (needs a nightly toolchain with miri)
    Miri(Crates),
    /// Say which real models and data are there for tests, and with --fetch bring them
    Models(models::Arguments),
    /// Run what CI runs on one machine, in its order
    Ci(ci::Arguments),
}

/// Arguments for the program behind the task, handed on as they are.
#[derive(clap::Args)]
struct Forwarded {
    /// Handed on as they are
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// What `bench` takes.
#[derive(clap::Args)]
struct BenchArguments {
    /// Also put the tables into docs/performance.md, in place of those of the same groups
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    filters: Forwarded,
}

/// The crates a task runs on.
#[derive(clap::Args)]
struct Crates {
    /// Folder names under crates/; the task's own list when there are none
    #[arg(value_name = "CRATE")]
    names: Vec<String>,
}

fn main() -> ExitCode {
    let result = match Task::parse() {
        Task::Test(_) => test::run(&arguments_as_typed()),
        Task::Verify(forwarded) => verify::run(&forwarded.arguments),
        Task::Conformance(forwarded) => conformance::run(&forwarded.arguments),
        Task::Fmt(arguments) => fmt::run(arguments),
        Task::Check(arguments) => check::run(&arguments),
        Task::Layers => layers::run(),
        Task::Tidy => tidy::run(),
        Task::Bench(arguments) => bench::run(&arguments.filters.arguments, arguments.write),
        Task::Asan(crates) => asan::run(&crates.names).map(run::Outcome::announce),
        Task::Aarch64(crates) => aarch64::run(&crates.names).map(run::Outcome::announce),
        Task::Loom(arguments) => loom::run(&arguments),
        Task::Miri(crates) => miri::run(&crates.names).map(run::Outcome::announce),
        Task::Models(arguments) => models::run(&arguments),
        Task::Ci(arguments) => ci::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            run::exit_code(&error)
        }
    }
}

/// What follows the task's name. clap keeps a leading `--` to itself, but to cargo it means that
/// the rest is for the test programs.
fn arguments_as_typed() -> Vec<String> {
    std::env::args().skip(2).collect()
}
