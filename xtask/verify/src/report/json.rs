//! The report as JSON, for other programs.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use super::Report;

pub(crate) fn write(path: &Path, report: &Report) -> Result<()> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
