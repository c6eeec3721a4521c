//! `cargo xtask tidy`: the source rules that no compiler knows, over every file of the project.

mod allowed;
mod files;
mod rust;
mod text;

use std::fmt;

use anyhow::{Result, bail};

use self::allowed::{ALLOWED, Allowed};
use self::files::SourceFile;

/// Longer files are reported, not refused: the limit is a habit, and some tables are long.
const LINES_WITHOUT_A_REPORT: usize = 500;

pub(crate) fn run() -> Result<()> {
    let files = files::load()?;
    for note in long_files(&files) {
        println!("{note}");
    }
    let violations = violations(ALLOWED, &files);
    for violation in &violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        bail!("tidy: {} violations", violations.len());
    }
    println!("tidy: {} files keep the rules", files.len());
    Ok(())
}

/// One line for each Rust file that has grown long.
fn long_files(files: &[SourceFile]) -> Vec<String> {
    let rust_files = files.iter().filter(|file| file.is_rust());
    let counted = rust_files.map(|file| (&file.path, file.text.lines().count()));
    counted
        .filter(|&(_, lines)| lines > LINES_WITHOUT_A_REPORT)
        .map(|(path, lines)| format!("note: {path}: {lines} lines; consider parting it by subject"))
        .collect()
}

/// Every breach of a rule in `files`, and every allowance that is no longer needed.
fn violations(allowed: &[Allowed], files: &[SourceFile]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut needed = vec![false; allowed.len()];
    for file in files {
        let mut found = text::findings(&file.text);
        if file.is_rust() {
            found.extend(rust::findings(&file.text));
        }
        found.sort_by_key(|finding| (finding.line, finding.rule));
        // One line often breaks one rule twice: `sync::atomic::AtomicU32`.
        found.dedup();
        for Finding { line, rule } in found {
            let covers = |entry: &Allowed| entry.rule == rule && entry.path == file.path;
            match allowed.iter().position(covers) {
                Some(index) => needed[index] = true,
                None => violations.push(Violation { path: file.path.clone(), line, rule, what: rule.advice() }),
            }
        }
    }
    for (entry, needed) in allowed.iter().zip(needed) {
        let what = if needed {
            continue;
        } else if files.iter().any(|file| file.path == entry.path) {
            "the file no longer needs its entry in xtask/src/tidy/allowed.rs; remove it"
        } else {
            "no such file; remove its entry in xtask/src/tidy/allowed.rs"
        };
        violations.push(Violation { path: entry.path.to_owned(), line: 1, rule: entry.rule, what });
    }
    violations
}

/// The rules, each with the name it is reported by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    /// A file says in its first line what it is about.
    Subject,
    /// A file is Rust that can be split into tokens.
    Tokens,
    /// Unsafe code lives in few, named files.
    Unsafe,
    /// So do instructions of one machine.
    Arch,
    /// Atomics go through a door, so that a model checker can stand in for them.
    Atomics,
    /// A default run leaves out no test.
    Ignore,
    /// Nothing is left for later in the source.
    Later,
    /// No macro that stands for missing code or for a look at a value.
    Unfinished,
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Self::Subject => "subject",
            Self::Tokens => "tokens",
            Self::Unsafe => "unsafe",
            Self::Arch => "arch",
            Self::Atomics => "atomics",
            Self::Ignore => "ignore",
            Self::Later => "later",
            Self::Unfinished => "unfinished",
        }
    }

    /// What to do about a breach.
    fn advice(self) -> &'static str {
        match self {
            Self::Subject => "begin the file with a `//!` line that says its one subject",
            Self::Tokens => "this is no Rust source; mend it",
            Self::Unsafe => "do without, or move it to a file named for it in xtask/src/tidy/allowed.rs",
            Self::Arch => "go through the portable door, or name the file in xtask/src/tidy/allowed.rs",
            Self::Atomics => "go through the crate's door for atomics, or name it in xtask/src/tidy/allowed.rs",
            Self::Ignore => "let the test run always, make it faster, or move it to the sweep",
            Self::Later => "do it now, or note it where work is planned",
            Self::Unfinished => "write the missing code, or return an error",
        }
    }
}

/// One breach of a rule, not yet weighed against the allowances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Finding {
    line: usize,
    rule: Rule,
}

/// A breach that is reported.
#[derive(Debug)]
struct Violation {
    path: String,
    line: usize,
    rule: Rule,
    what: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, rule, what } = self;
        write!(formatter, "{path}:{line}: {}: {what}", rule.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOOR: &[Allowed] = &[Allowed { rule: Rule::Atomics, path: "src/sync.rs", reason: "the door" }];

    /// What tidy prints about one file.
    fn report(allowed: &[Allowed], path: &str, text: &str) -> Vec<String> {
        let file = SourceFile { path: path.to_owned(), text: text.to_owned() };
        violations(allowed, &[file]).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn the_project_is_tidy() {
        let found: Vec<_> = violations(ALLOWED, &files::load().unwrap()).iter().map(Violation::to_string).collect();
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }

    #[test]
    fn a_violation_says_where_it_is_and_what_to_do() {
        let found = report(&[], "src/lib.rs", "//! A crate.\n\nunsafe fn poke() {}\n");
        let expected = "src/lib.rs:3: unsafe: do without, or move it to a file named for it in \
                        xtask/src/tidy/allowed.rs";
        assert_eq!(found, [expected]);
    }

    #[test]
    fn an_allowance_covers_its_rule_in_its_file_and_nothing_else() {
        let atomics = "//! Door.\nuse std::sync::atomic::AtomicU32;\n";
        assert_eq!(report(DOOR, "src/sync.rs", atomics), [""; 0]);
        assert!(report(DOOR, "src/other.rs", atomics)[0].starts_with("src/other.rs:2: atomics:"));
        let more = format!("{atomics}unsafe fn poke() {{}}\n");
        assert!(report(DOOR, "src/sync.rs", &more)[0].starts_with("src/sync.rs:3: unsafe:"));
    }

    #[test]
    fn an_allowance_that_nothing_needs_is_reported() {
        let found = report(DOOR, "src/sync.rs", "//! Door without a house.\n");
        assert!(found[0].contains("no longer needs its entry"), "{found:?}");
        let found = report(DOOR, "src/lib.rs", "//! No door at all.\n");
        assert!(found[0].contains("no such file"), "{found:?}");
    }

    #[test]
    fn a_long_file_is_noted_but_no_violation() {
        let file_of = |lines: usize| {
            let text = "//! A long file.\n".repeat(lines);
            [SourceFile { path: "src/long.rs".to_owned(), text }]
        };
        assert_eq!(long_files(&file_of(500)), [""; 0]);
        let long = file_of(501);
        assert!(long_files(&long)[0].starts_with("note: src/long.rs: 501 lines"));
        assert!(violations(&[], &long).is_empty());
    }

    #[test]
    fn rust_rules_are_for_rust_files() {
        assert_eq!(report(&[], "docs/unsafe.md", "# How `unsafe` is kept small\n"), [""; 0]);
    }
}
