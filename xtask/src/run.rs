//! Spawns the programs behind the tasks: each command line is shown, and a failure names it.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use anyhow::{Context as _, Result};

use crate::workspace;

/// What became of a task that needs more than Rust itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ran and passed.
    Passed,
    /// It could not run here; the text says what is missing.
    Skipped(String),
}

impl Outcome {
    /// Prints a skip, so that nobody takes it for a pass.
    pub(crate) fn announce(self) {
        if let Self::Skipped(why) = self {
            println!("skipped: {why}");
        }
    }
}

/// A command line in the making, run from the workspace root.
#[derive(Debug)]
pub(crate) struct Run {
    command: Command,
    /// Variables set for this command alone, shown in front of it.
    variables: Vec<String>,
    /// So many arguments at the end are shown as their number.
    listed: usize,
}

impl Run {
    /// Starts a command line with its program.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command.current_dir(workspace::root());
        // A task uses what is installed; it never makes rustup fetch something in passing.
        command.env("RUSTUP_AUTO_INSTALL", "0");
        Self { command, variables: Vec::new(), listed: 0 }
    }

    /// The cargo that started this program, hence the pinned toolchain.
    pub(crate) fn cargo() -> Self {
        Self::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// The cargo of the nightly toolchain. Only rustup's `cargo` understands `+nightly`, so this is
    /// the one on the path and not the one that started this program.
    pub(crate) fn nightly_cargo() -> Self {
        Self::new("cargo").arguments(["+nightly"])
    }

    pub(crate) fn arguments<Text: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = Text>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Ends the command line with many files, which are shown as their number.
    pub(crate) fn listed(mut self, files: &[String]) -> Self {
        self.listed = files.len();
        self.arguments(files)
    }

    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        let value = value.as_ref();
        self.variables.push(format!("{name}={}", quoted(value)));
        self.command.env(name, value);
        self
    }

    /// Runs the command with its output on this terminal; any exit code but 0 is a [`Failed`].
    pub(crate) fn run(mut self) -> Result<()> {
        let line = self.line();
        eprintln!("$ {line}");
        let status = self.command.status().with_context(|| format!("cannot start `{line}`"))?;
        if status.success() { Ok(()) } else { Err(Failed { line, status }.into()) }
    }

    /// Whether the command can be started and ends well; it shows nothing.
    pub(crate) fn succeeds(mut self) -> bool {
        self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.command.status().is_ok_and(|status| status.success())
    }

    /// What a silent, successful command printed.
    pub(crate) fn output(mut self) -> Result<String> {
        let line = self.line();
        let output = self.command.stdin(Stdio::null()).stderr(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot start `{line}`"))?;
        if !output.status.success() {
            return Err(Failed { line, status: output.status }.into());
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{line}` printed no UTF-8"))
    }

    /// The command as one would type it.
    fn line(&self) -> String {
        // A full path to cargo says nothing that its name does not.
        let program = self.command.get_program();
        let program = Path::new(program).file_stem().unwrap_or(program);
        let shown = self.command.get_args().len() - self.listed;
        let words = std::iter::once(program).chain(self.command.get_args().take(shown)).map(quoted);
        let listed = (self.listed > 0).then(|| format!("({} files)", self.listed));
        self.variables.iter().cloned().chain(words).chain(listed).collect::<Vec<_>>().join(" ")
    }
}

/// A command that ran and ended badly.
#[derive(Debug)]
struct Failed {
    line: String,
    status: ExitStatus,
}

impl fmt::Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` failed ({})", self.line, self.status)
    }
}

impl std::error::Error for Failed {}

/// The exit code of the command that failed, or 1 when the error is a task's own finding.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    let code = error.downcast_ref::<Failed>().and_then(|failed| failed.status.code());
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// A word as a shell would need it: quoted where it is empty or the shell would read more into it.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.is_empty() || word.contains(|character: char| " \t\n*?$&;<>()".contains(character)) {
        format!("'{word}'")
    } else {
        word.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_reads_as_one_would_type_it() {
        let run = Run::new("/usr/bin/cargo")
            .arguments(["test", "--", "two words", "*"])
            .variable("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(run.line(), "RUSTDOCFLAGS='-D warnings' cargo test -- 'two words' '*'");
    }

    #[test]
    fn a_list_of_files_is_shown_as_their_number() {
        let run = Run::new("rustfmt").arguments(["--check"]).listed(&["a.rs".to_owned(), "b.rs".to_owned()]);
        assert_eq!(run.line(), "rustfmt --check (2 files)");
    }

    #[test]
    fn a_failure_names_its_command_and_keeps_its_exit_code() {
        let error = Run::cargo().arguments(["no-such-command"]).output().unwrap_err();
        assert!(error.to_string().starts_with("`cargo no-such-command` failed"), "{error}");
        assert!(error.downcast_ref::<Failed>().is_some_and(|failed| failed.status.code() == Some(101)));
    }

    #[test]
    fn a_missing_program_is_an_error_that_names_it() {
        let error = Run::new("no-such-program").run().unwrap_err();
        assert_eq!(error.to_string(), "cannot start `no-such-program`");
        assert!(!Run::new("no-such-program").succeeds());
    }
}
