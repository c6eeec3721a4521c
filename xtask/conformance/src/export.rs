//! The suite out of the `onnx` package: a virtual environment, an installation, and a Python program that writes files.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// What the suite is exported with. Another version is another suite, so they are exact.
const PACKAGES: [&str; 2] = ["onnx==1.23.2", "numpy==2.4.6"];

const PROGRAM: &str = include_str!("../export.py");

/// What helps where one of the steps does not work.
const HELP: &str = "export the suite where Python and its packages can be had (python export.py DIR, see \
                    xtask/conformance/export.py), and name the folder by --from DIR";

/// The folder of the exported suite, which is made unless it is there.
///
/// # Errors
/// When Python is not there, or its packages cannot be installed; all say what to do then.
pub(crate) fn suite() -> Result<PathBuf> {
    // Beside the program is in the target directory, wherever that is.
    let program = std::env::current_exe().context("cannot find the running program")?;
    suite_in(&program.with_file_name("conformance"), "python3").context(HELP)
}

fn suite_in(folder: &Path, python: &str) -> Result<PathBuf> {
    let suite = folder.join("suite");
    // Written last, so what it lies beside is complete.
    let stamp = folder.join("stamp");
    let expected = format!("{}\n{PROGRAM}", PACKAGES.join(" "));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == expected) {
        return Ok(suite);
    }
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let environment = folder.join("environment");
    run(python, [OsStr::new("-m"), "venv".as_ref(), environment.as_os_str()])?;
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(&python, install.iter().chain(&PACKAGES).map(OsStr::new))?;
    run(&python, [OsStr::new("-c"), PROGRAM.as_ref(), suite.as_os_str()])?;
    fs::write(&stamp, expected).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(suite)
}

fn run<'a>(program: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = &'a OsStr>) -> Result<()> {
    let mut command = Command::new(program);
    command.args(arguments);
    // The program of many lines is named by its file.
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> =
        words.map(|word| if word == PROGRAM { "export.py".into() } else { word.to_string_lossy() }).collect();
    let line = words.join(" ");
    eprintln!("$ {line}");
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}` failed ({status})");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_exported_again() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("stamp"), format!("{}\n{PROGRAM}", PACKAGES.join(" "))).unwrap();
        assert_eq!(suite_in(folder.path(), "no-such-python").unwrap(), folder.path().join("suite"));
    }

    #[test]
    fn a_missing_python_is_named_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("stamp"), "of another version").unwrap();
        let error = suite_in(folder.path(), "no-such-python").context(HELP).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("--from DIR") && error.contains("cannot start `no-such-python -m venv"), "{error}");
    }

    #[test]
    fn a_failing_step_is_named() {
        let error = run("cargo", [OsStr::new("no-such-command")]).unwrap_err().to_string();
        assert!(error.starts_with("`cargo no-such-command` failed ("), "{error}");
    }
}
