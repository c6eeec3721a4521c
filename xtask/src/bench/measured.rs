//! Reads what criterion measured from the files it leaves behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One benchmark's result. Its criterion id is `group/who/size`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    /// What is done, such as `f32_to_f16`.
    pub(super) group: String,
    /// Who does it: `stratal`, or a peer by name.
    pub(super) who: String,
    /// On how much, such as `4KiB`; empty where the group has one size.
    pub(super) size: String,
    pub(super) nanoseconds: f64,
    /// Bytes handled in that time, where the benchmark says so.
    pub(super) bytes: Option<u64>,
}

/// All results below criterion's folder that were written since `start`.
pub(super) fn load(folder: &Path, start: SystemTime) -> Result<Vec<Measured>> {
    let mut measured = Vec::new();
    for folder in folders_of_latest_results(folder)? {
        let estimates = folder.join("estimates.json");
        let written = fs::metadata(&estimates).and_then(|metadata| metadata.modified());
        if written.is_ok_and(|written| written >= start) {
            measured.push(parse(&read(&folder.join("benchmark.json"))?, &read(&estimates)?));
        }
    }
    Ok(measured)
}

/// Every folder named `new`: criterion keeps each benchmark's latest result in one.
fn folders_of_latest_results(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = folder.read_dir();
        for entry in entries.with_context(|| format!("cannot list {}", folder.display()))? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                continue;
            }
            if entry.file_name() == "new" { &mut found } else { &mut waiting }.push(entry.path());
        }
    }
    Ok(found)
}

fn read<Parsed: DeserializeOwned>(path: &Path) -> Result<Parsed> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not as expected", path.display()))
}

fn parse(benchmark: &Benchmark, estimates: &Estimates) -> Measured {
    Measured {
        group: benchmark.group_id.clone(),
        who: benchmark.function_id.clone().unwrap_or_default(),
        size: benchmark.value_str.clone().unwrap_or_default(),
        nanoseconds: estimates.median.point_estimate,
        bytes: benchmark.throughput.as_ref().and_then(|throughput| throughput.bytes),
    }
}

/// The part of `benchmark.json` that is of use here.
#[derive(Debug, Deserialize)]
struct Benchmark {
    group_id: String,
    function_id: Option<String>,
    value_str: Option<String>,
    throughput: Option<Throughput>,
}

/// Criterion counts bytes or other things; only bytes make a rate that compares with memory.
#[derive(Debug, Deserialize)]
struct Throughput {
    #[serde(rename = "Bytes", alias = "BytesDecimal")]
    bytes: Option<u64>,
}

/// The part of `estimates.json` that is of use here. The median shrugs off a disturbed sample.
#[derive(Debug, Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Debug, Deserialize)]
struct Estimate {
    point_estimate: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BENCHMARK: &str = r#"{
        "group_id": "f32_to_f16", "function_id": "half", "value_str": "4KiB",
        "throughput": {"Bytes": 4096}, "full_id": "f32_to_f16/half/4KiB",
        "directory_name": "f32_to_f16/half/4KiB", "title": "f32_to_f16/half/4KiB"
    }"#;
    const ESTIMATES: &str = r#"{
        "mean": {"point_estimate": 530.0}, "median": {"point_estimate": 512.0}, "slope": null
    }"#;

    fn parsed(benchmark: &str) -> Measured {
        parse(&serde_json::from_str(benchmark).unwrap(), &serde_json::from_str(ESTIMATES).unwrap())
    }

    #[test]
    fn an_id_is_parted_into_group_who_and_size() {
        let expected = Measured {
            group: "f32_to_f16".into(),
            who: "half".into(),
            size: "4KiB".into(),
            nanoseconds: 512.0,
            bytes: Some(4096),
        };
        assert_eq!(parsed(BENCHMARK), expected);
    }

    #[test]
    fn elements_are_no_bytes() {
        assert_eq!(parsed(&BENCHMARK.replace("Bytes", "Elements")).bytes, None);
    }

    #[test]
    fn only_results_of_this_run_count() {
        let folder = std::env::temp_dir().join(format!("xtask-bench-{}", std::process::id()));
        let new = folder.join("f32_to_f16/half/4KiB/new");
        fs::create_dir_all(&new).unwrap();
        fs::write(new.join("benchmark.json"), BENCHMARK).unwrap();
        fs::write(new.join("estimates.json"), ESTIMATES).unwrap();
        let before = SystemTime::UNIX_EPOCH;
        let after = SystemTime::now() + std::time::Duration::from_secs(60);
        let (found, stale) = (load(&folder, before), load(&folder, after));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found.unwrap().len(), 1);
        assert_eq!(stale.unwrap(), []);
    }
}
