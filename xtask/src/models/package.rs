//! Packages: downloaded by their registries' own clients, and opened as mere archives. Nothing of a wheel or an npm package runs.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use flate2::read::GzDecoder;
use zip::ZipArchive;

use super::list::{Package, Registry};

/// Downloads a package into a folder of its own beneath `folder`, and gives its archive.
///
/// # Errors
/// When the client is not installed or fails, with what it said first of its error.
pub(super) fn download(folder: &Path, package: &Package) -> Result<PathBuf> {
    let Package { registry, name, version } = package;
    let folder = folder.join(format!("{}-{version}", name.replace(['@', '/'], "-")));
    fs::create_dir_all(&folder)?;
    let mut command = match registry {
        Registry::Npm => {
            let mut command = Command::new("npm");
            command.args(["pack", "--loglevel", "error", &format!("{name}@{version}")]);
            command
        }
        Registry::Wheel | Registry::Source => {
            let mut command = Command::new("python3");
            command.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
            match registry {
                Registry::Source => command.args(["--no-binary", name]),
                _ => command.args(["--only-binary", ":all:"]),
            };
            command.args(["--dest", ".", &format!("{name}=={version}")]);
            command
        }
    };
    eprintln!("$ fetching {name} {version}");
    let output = command.current_dir(&folder).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let reason = said.lines().find(|line| line.to_lowercase().contains("error"));
        bail!("{name} {version} cannot be fetched: {}", reason.unwrap_or("no reason given"));
    }
    let mut files = fs::read_dir(&folder)?.map(|file| Ok(file?.path())).collect::<Result<Vec<_>>>()?;
    ensure!(files.len() == 1, "{name} {version} came as {} files, not one", files.len());
    Ok(files.remove(0))
}

/// The bytes of one member, of which there may be no more than `bytes_max`.
pub(super) fn member(archive: &Path, member: &str, bytes_max: u64) -> Result<Vec<u8>> {
    let found = match archive.extension() {
        Some(extension) if extension == "whl" => of_zip(archive, member, bytes_max),
        _ => of_tar(archive, member, bytes_max),
    };
    found.with_context(|| format!("cannot read {member} in {}", archive.display()))
}

fn of_zip(archive: &Path, member: &str, bytes_max: u64) -> Result<Vec<u8>> {
    let mut archive = ZipArchive::new(File::open(archive)?)?;
    all(archive.by_name(member)?, bytes_max)
}

/// Of a compressed tar. Source archives have a top folder with the version in its name, which `member` does not.
fn of_tar(archive: &Path, member: &str, bytes_max: u64) -> Result<Vec<u8>> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(archive)?));
    for entry in archive.entries()? {
        let entry = entry?;
        let path = entry.path()?.into_owned();
        let below_top: PathBuf = path.components().skip(1).collect();
        if entry.header().entry_type().is_file() && (path == Path::new(member) || below_top == Path::new(member)) {
            return all(entry, bytes_max);
        }
    }
    bail!("there is no such member")
}

fn all(source: impl Read, bytes_max: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(bytes_max + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= bytes_max, "it has more than {bytes_max} bytes");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};
    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    #[test]
    fn members_are_read_out_of_both_kinds_of_archives() {
        let folder = std::env::temp_dir().join(format!("stratal-packages-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let wheel = folder.join("a-1-py3-none-any.whl");
        let mut writer = ZipWriter::new(File::create(&wheel).unwrap());
        writer.start_file("a/model.onnx", SimpleFileOptions::default()).unwrap();
        writer.write_all(b"weights").unwrap();
        writer.finish().unwrap();
        let tarball = folder.join("a-1.tgz");
        let mut writer = tar::Builder::new(GzEncoder::new(File::create(&tarball).unwrap(), Compression::fast()));
        let mut header = tar::Header::new_gnu();
        header.set_size(7);
        writer.append_data(&mut header, "package/a/model.onnx", &b"weights"[..]).unwrap();
        writer.into_inner().unwrap().finish().unwrap();

        assert_eq!(member(&wheel, "a/model.onnx", 7).unwrap(), b"weights");
        assert_eq!(member(&tarball, "package/a/model.onnx", 7).unwrap(), b"weights");
        assert_eq!(member(&tarball, "a/model.onnx", 7).unwrap(), b"weights");
        for archive in [&wheel, &tarball] {
            assert!(member(archive, "a/none.onnx", 7).is_err());
            let error = member(archive, "a/model.onnx", 6).unwrap_err();
            assert!(format!("{error:#}").ends_with("it has more than 6 bytes"), "{error:#}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
