//! How long opening a file takes, beside reading its bytes once: `cargo run --release --example open -- FILE...`
#![expect(unsafe_code, reason = "maps the files that the command line names")]
#![expect(clippy::print_stdout, reason = "a program for people")]

use std::{
    io::Read as _,
    path::Path,
    time::{Duration, Instant},
};

use stratal_formats::{Error, Limits, ModelFile, Weights};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        report(Path::new(&path))?;
    }
    Ok(())
}

fn report(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let reading = best(|| {
        let mut buffer = vec![0; 1 << 20];
        let mut file = std::fs::File::open(path)?;
        while file.read(&mut buffer)? > 0 {}
        Ok::<_, std::io::Error>(())
    })?;
    // SAFETY: whoever runs this vouches that nobody changes the file meanwhile.
    let mapped = best(|| list(unsafe { ModelFile::map(path)? }))?;
    let on_demand = best(|| list(ModelFile::open(path)?))?;
    println!("{}: {} tensors, {} bytes", path.display(), Weights::open(path)?.len(), std::fs::metadata(path)?.len());
    for (what, time) in [("open and list, mapped", mapped), ("open and list, on demand", on_demand)] {
        println!("  {what:26} {time:>10.1?}  {:.4} of reading", time.as_secs_f64() / reading.as_secs_f64());
    }
    println!("  {:26} {reading:>10.1?}", "read, 1 MiB at a time");
    Ok(())
}

/// Opens a file and looks at all that is known of its tensors.
fn list(file: ModelFile) -> Result<(), Error> {
    let weights = Weights::of_file(file, &Limits::default())?;
    let bytes: u64 = weights.iter().map(|weight| weight.name().len() as u64 + weight.place().bytes()).sum();
    std::hint::black_box(bytes);
    Ok(())
}

/// The shortest of many times: what it takes when nothing else disturbs.
fn best<E>(mut run: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}
