//! A test of the models: breaks the borrow protocol in one place at a time, in a copy of the crate, and
//! demands that a model fails.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --package stratal-memory --release --test mutants -- --nocapture
//! ```
//!
//! The copy keeps a target folder of its own, so a second run takes seconds a mutant.
#![cfg(loom)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// One way to break the protocol: a text of a file that occurs once, and what replaces it.
struct Mutant {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    replacement: &'static str,
}

const WORD: &str = "word.rs";
const COUNTED: &str = "counted.rs";

const MUTANTS: [Mutant; 16] = [
    Mutant {
        name: "beginning to read does not acquire",
        file: WORD,
        text: ".compare_exchange_weak(seen, seen + 1, Ordering::Acquire, Ordering::Relaxed)",
        replacement: ".compare_exchange_weak(seen, seen + 1, Ordering::Relaxed, Ordering::Relaxed)",
    },
    Mutant {
        name: "ending to read does not release",
        file: WORD,
        text: "fetch_sub(1, Ordering::Release)",
        replacement: "fetch_sub(1, Ordering::Relaxed)",
    },
    Mutant {
        name: "beginning to write does not acquire",
        file: WORD,
        text: ".compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed)",
        replacement: ".compare_exchange(0, WRITER, Ordering::Relaxed, Ordering::Relaxed)",
    },
    Mutant {
        name: "ending to write does not release",
        file: WORD,
        text: "store(0, Ordering::Release)",
        replacement: "store(0, Ordering::Relaxed)",
    },
    Mutant {
        name: "killing does not acquire",
        file: WORD,
        text: ".compare_exchange(0, DEAD | WRITER, Ordering::Acquire, Ordering::Relaxed)",
        replacement: ".compare_exchange(0, DEAD | WRITER, Ordering::Relaxed, Ordering::Relaxed)",
    },
    Mutant {
        name: "settling a death does not release",
        file: WORD,
        text: "store(DEAD, Ordering::Release)",
        replacement: "store(DEAD, Ordering::Relaxed)",
    },
    Mutant {
        name: "looking at a settled death does not acquire",
        file: WORD,
        text: "load(Ordering::Acquire) == DEAD",
        replacement: "load(Ordering::Relaxed) == DEAD",
    },
    Mutant {
        name: "freezing does not acquire",
        file: WORD,
        text: "seen | FROZEN, Ordering::Acquire",
        replacement: "seen | FROZEN, Ordering::Relaxed",
    },
    Mutant {
        name: "reading frozen bytes does not acquire",
        file: WORD,
        text: "self.0.load(Ordering::Acquire);",
        replacement: "self.0.load(Ordering::Relaxed);",
    },
    Mutant {
        name: "checking for readers is split from beginning to write",
        file: WORD,
        text: ".compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed)",
        replacement: ".load(Ordering::Acquire)\n            .checked_add(0)\n            .map_or(Err(0), |seen| {\n                if seen == 0 {\n                    self.0.store(WRITER, Ordering::Relaxed);\n                    Ok(seen)\n                } else {\n                    Err(seen)\n                }\n            })",
    },
    Mutant {
        name: "checking for guards is split from killing",
        file: WORD,
        text: ".compare_exchange(0, DEAD | WRITER, Ordering::Acquire, Ordering::Relaxed)",
        replacement: ".load(Ordering::Acquire)\n            .checked_add(0)\n            .map_or(Err(0), |seen| {\n                if seen == 0 {\n                    self.0.store(DEAD | WRITER, Ordering::Relaxed);\n                    Ok(seen)\n                } else {\n                    Err(seen)\n                }\n            })",
    },
    Mutant {
        name: "checking for a writer is split from beginning to read",
        file: WORD,
        text: ".compare_exchange_weak(seen, seen + 1, Ordering::Acquire, Ordering::Relaxed)",
        replacement: ".fetch_add(1, Ordering::Acquire)\n                .checked_add(0)\n                .ok_or(0)",
    },
    Mutant {
        name: "a release is settled before its last look at the bytes",
        file: WORD,
        text: ".compare_exchange(0, DEAD | WRITER, Ordering::Acquire, Ordering::Relaxed)",
        replacement: ".compare_exchange(0, DEAD, Ordering::Acquire, Ordering::Relaxed)",
    },
    Mutant {
        name: "dropping an owner does not release",
        file: COUNTED,
        text: "fetch_sub(1, Ordering::Release)",
        replacement: "fetch_sub(1, Ordering::Relaxed)",
    },
    Mutant {
        name: "finding an only owner does not acquire",
        file: COUNTED,
        text: "if owner.inner().owners.load(Ordering::Acquire) != 1",
        replacement: "if owner.inner().owners.load(Ordering::Relaxed) != 1",
    },
    Mutant {
        name: "dropping the last owner does not acquire",
        file: COUNTED,
        text: "            owners.load(Ordering::Acquire);\n",
        replacement: "",
    },
];

#[test]
fn every_mutant_fails_a_model() {
    let copy = Copy::new();
    let (is_passing, failed) = copy.run_models();
    assert!(is_passing, "the copy passes as it is: {failed:?}");
    let mut survivors = Vec::new();
    for mutant in MUTANTS {
        let path = copy.folder.join("crates/memory/src").join(mutant.file);
        let original = fs::read_to_string(&path).unwrap();
        assert_eq!(original.matches(mutant.text).count(), 1, "{}: its text occurs once", mutant.name);
        fs::write(&path, original.replace(mutant.text, mutant.replacement)).unwrap();
        let (is_passing, failed) = copy.run_models();
        println!("{}: {failed:?}", mutant.name);
        if is_passing {
            survivors.push(mutant.name);
        }
        fs::write(&path, original).unwrap();
    }
    assert!(survivors.is_empty(), "no model fails: {survivors:?}");
}

/// A copy of the workspace with this crate and what it needs.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for name in ["memory", "tensor-base"] {
            let to = folder.join("crates").join(name);
            if to.exists() {
                fs::remove_dir_all(&to).unwrap();
            }
            copy_folder(&root.join("crates").join(name), &to);
        }
        let manifest: String = fs::read_to_string(root.join("Cargo.toml"))
            .unwrap()
            .lines()
            .filter(|line| !line.starts_with("default-members"))
            .map(|line| {
                if line.starts_with("members") { "members = [\"crates/*\"]\n".to_owned() } else { format!("{line}\n") }
            })
            .collect();
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Self { folder }
    }

    /// Whether all models pass, and the names of those that fail.
    fn run_models(&self) -> (bool, Vec<String>) {
        let build = self.cargo(&["--no-run"]);
        let messages = String::from_utf8_lossy(&build.stderr);
        assert!(build.status.success(), "it builds: {messages}");
        assert!(messages.contains("Compiling stratal-memory"), "it is built from the text just written: {messages}");
        let run = self.cargo(&["--", "--test-threads=1"]);
        let report = String::from_utf8_lossy(&run.stdout);
        assert!(report.contains("running "), "the models ran: {report}");
        // One test at a time names itself before it runs, so a model that aborts is named too.
        let failed = report
            .lines()
            .filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "))
            .filter(|(_, outcome)| !outcome.contains("ok"))
            .map(|(name, _)| name.to_owned())
            .collect();
        (run.status.success(), failed)
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO"))
            .args(["test", "--package", "stratal-memory", "--release"])
            .args(["--test", "loom"])
            .args(arguments)
            .current_dir(&self.folder)
            .env("RUSTFLAGS", "--cfg loom")
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .output()
            .unwrap()
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            // Written rather than copied: a fresh time of change makes the build notice.
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
