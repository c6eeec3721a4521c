//! The table of measured errors in `docs/numerics.md`: written by a full sweep, read by a quick one.

use std::{fmt::Write as _, fs, path::PathBuf};

use anyhow::{Context, Result};

use super::functions::functions;
use crate::tally::WorstError;

const BEGIN: &str = "<!-- errors of unary functions, written by a full `cargo xtask verify` -->\n";
const END: &str = "<!-- end of the errors of unary functions -->";

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    name: String,
    /// In ulps, rounded up.
    error: f64,
    /// The rest, as it stands in the table.
    rest: String,
}

/// The recorded error of a function, if there is one.
pub(crate) fn recorded(name: &str) -> Result<Option<f64>> {
    Ok(lines(&read()?)?.into_iter().find(|line| line.name == name).map(|line| line.error))
}

/// Records what a full sweep has measured; functions that it did not visit keep their lines.
pub(crate) fn record(measured: &[(&str, WorstError)]) -> Result<()> {
    let path = path();
    let text = replaced(&read()?, measured)?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/numerics.md"))
}

fn read() -> Result<String> {
    let path = path();
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// The text between the markers, with what stands before and after.
fn parts(text: &str) -> Result<[&str; 3]> {
    let (before, rest) = text.split_once(BEGIN).context("numerics.md lacks the mark where the table begins")?;
    let (table, after) = rest.split_once(END).context("numerics.md lacks the mark where the table ends")?;
    Ok([before, table, after])
}

fn lines(text: &str) -> Result<Vec<Line>> {
    let [_, table, _] = parts(text)?;
    table.lines().skip(2).map(parse).collect()
}

fn parse(line: &str) -> Result<Line> {
    let fields: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [name, error, rest] = fields[..] else {
        anyhow::bail!("{line:?} in numerics.md has not three columns");
    };
    let error = error.parse().with_context(|| format!("{error:?} in numerics.md is no error"))?;
    Ok(Line { name: name.to_owned(), error, rest: rest.to_owned() })
}

fn replaced(text: &str, measured: &[(&str, WorstError)]) -> Result<String> {
    let old = lines(text)?;
    let [before, _, after] = parts(text)?;
    let mut table = "| function | largest error, ulp | at |\n|---|---|---|\n".to_owned();
    for function in functions() {
        let new =
            measured.iter().find(|(name, _)| *name == function.name).map(|(_, worst)| line(function.name, *worst));
        let old = old.iter().find(|line| line.name == function.name).cloned();
        if let Some(Line { name, error, rest }) = new.or(old) {
            writeln!(table, "| {name} | {error:.3} | {rest} |")?;
        }
    }
    Ok([before, BEGIN, &table, END, after].concat())
}

fn line(name: &str, worst: WorstError) -> Line {
    let rest = match worst {
        WorstError { ulps: 0.0, .. } => "exact".to_owned(),
        WorstError { input, .. } => format!("{:e} ({input:#010x})", f32::from_bits(input)),
    };
    Line { name: name.to_owned(), error: (worst.ulps * 1000.0).ceil() / 1000.0, rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "| function | largest error, ulp | at |\n|---|---|---|\n";

    #[test]
    fn what_is_recorded_is_read_again_and_the_rest_stays() {
        let text = format!(
            "before\n{BEGIN}{EMPTY}| log | 0.700 | x |\n| sin | 0.600 | y |\n| gone | 1.000 | z |\n{END}\nafter"
        );
        let worst = WorstError { ulps: 0.8001, input: 1.0_f32.to_bits() };
        let text = replaced(&text, &[("sin", worst), ("cos", WorstError::default())]).unwrap();
        assert!(text.starts_with("before\n") && text.ends_with("\nafter"), "{text}");
        let line = |name: &str, error, rest: &str| Line { name: name.to_owned(), error, rest: rest.to_owned() };
        let expected = [line("log", 0.7, "x"), line("sin", 0.801, "1e0 (0x3f800000)"), line("cos", 0.0, "exact")];
        assert_eq!(lines(&text).unwrap(), expected);
    }

    #[test]
    fn the_document_has_a_table() {
        lines(&read().unwrap()).unwrap();
    }
}
