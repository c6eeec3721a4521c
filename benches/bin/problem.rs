//! Verifies or times problems given as lines of text.
//!
//! `cargo run --release --package stratal-benches --bin problem -- verify "matmul f32 64x64 64x64"`, or `time`.
//! Several lines may follow; `-` reads them from the input. See [`stratal_benches::problem`] for what lines say.

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use stratal_benches::problem::{Failure, Problem};
use stratal_kernels::{Selection, Threads};

/// For how long a problem is timed.
const BUDGET: Duration = Duration::from_millis(700);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_default();
    if task != "verify" && task != "time" {
        return Err("expected verify or time, and then problems".into());
    }
    let mut output = std::io::stdout().lock();
    let mut each = |line: &str| -> Result<(), Failure> {
        let problem: Problem = line.parse()?;
        let said = if task == "verify" { verify(&problem)? } else { time(&problem)? };
        Ok(writeln!(output, "{problem}: {said}")?)
    };
    for argument in arguments {
        if argument != "-" {
            each(&argument)?;
            continue;
        }
        for line in std::io::stdin().lock().lines() {
            let line = line?;
            if !line.trim().is_empty() && !line.starts_with('#') {
                each(&line)?;
            }
        }
    }
    Ok(())
}

fn verify(problem: &Problem) -> Result<String, Failure> {
    problem.verify()?;
    Ok("right, and the same bits on every backend".to_owned())
}

/// The least time of a call, on one thread and on all.
fn time(problem: &Problem) -> Result<String, Failure> {
    let mut said = Vec::new();
    for (name, threads) in [("one thread", Threads::calling()), ("all threads", Threads::process())] {
        let kernels = Selection::new().threads(threads).kernels()?;
        let seconds = problem.with_run(&*kernels, |run| -> Result<f64, Failure> {
            let (start, mut least) = (Instant::now(), f64::INFINITY);
            while start.elapsed() < BUDGET {
                let one = Instant::now();
                run()?;
                least = least.min(one.elapsed().as_secs_f64());
            }
            Ok(least)
        })??;
        let rate = 2.0 * problem.multiplications() as f64 / seconds / 1e9;
        said.push(format!("{:.2} us ({rate:.1} GFLOP/s) on {name}", seconds * 1e6));
    }
    Ok(said.join(", "))
}
