//! The stack: each crate's rank, and the external crates that it may use.

/// One crate and what it may stand on.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) package: &'static str,
    pub(super) place: Place,
    /// External crates it may build with. Every user of the crate builds and trusts these.
    pub(super) external: &'static [&'static str],
    /// External crates that its tests and build scripts may use beside those.
    pub(super) external_for_tests: &'static [&'static str],
}

/// Where a crate stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// In the stack: it may use every lower rank, and neither its own nor a higher one.
    Rank(u8),
    /// Above the stack: it may use all of it.
    Tool,
    /// Beside the stack: it may use none of it, and so works while the stack does not build.
    Outside,
}

/// All crates, from the ground up. Those not yet written have their place already.
#[rustfmt::skip]
pub(super) const CRATES: &[Room] = &[
    Room {
        package: "stratal-tensor-base",
        place: Place::Rank(0),
        // `half` is named here alone. All others take the two types from this crate, so that one
        // version of them exists.
        external: &["bytemuck", "half", "thiserror"],
        external_for_tests: &["allocation-counter", "insta", "proptest", "serde", "serde_json"],
    },
    Room {
        package: "stratal-memory",
        place: Place::Rank(1),
        // `loom` is the stand-in for atomics under its own cfg, hence no mere test dependency.
        external: &["bytemuck", "loom", "memmap2", "spin", "thiserror"],
        external_for_tests: &["allocation-counter", "loom", "proptest", "serde", "serde_json", "tempfile"],
    },
    Room {
        package: "stratal-tensor",
        place: Place::Rank(2),
        // `ndarray` is optional: conversions for those who use it. `rand_mt` has the generator of seeded fills.
        external: &["bytemuck", "ndarray", "rand_mt", "thiserror"],
        external_for_tests: &["allocation-counter", "insta", "proptest", "serde", "serde_json"],
    },
    Room {
        package: "stratal-autograd",
        place: Place::Rank(3),
        // `smallvec` makes a record one allocation; `rustc-hash` finds what a walk has met already.
        external: &["rustc-hash", "smallvec", "thiserror"],
        external_for_tests: &["allocation-counter", "insta", "proptest"],
    },
    Room {
        package: "stratal-kernels",
        place: Place::Rank(4),
        // `libm` has the f64 forms of functions: one text, so the same bits on every machine.
        external: &["bytemuck", "libm", "rayon", "thiserror"],
        external_for_tests: &["insta", "proptest", "region", "serde", "serde_json"],
    },
    Room {
        package: "stratal-ops",
        place: Place::Rank(5),
        external: &["thiserror"],
        external_for_tests: &["insta", "proptest", "serde", "serde_json"],
    },
    Room {
        package: "stratal-eager",
        place: Place::Rank(6),
        // `rustc-hash` finds the rule of an operator by its type; `smallvec` keeps inputs off the heap.
        external: &["rustc-hash", "smallvec", "thiserror"],
        external_for_tests: &["allocation-counter", "insta", "proptest", "serde", "serde_json"],
    },
    Room {
        package: "stratal-formats",
        place: Place::Rank(7),
        // `cap-std` opens files beneath a folder, `rustix` says what is read next, the others read messages, JSON and archives.
        external: &[
            "bytemuck",
            "bytes",
            "cap-std",
            "flate2",
            "prost",
            "rustix",
            "serde",
            "serde_json",
            "tempfile",
            "thiserror",
            "zip",
        ],
        // `safetensors` is a witness.
        external_for_tests: &["allocation-counter", "insta", "proptest", "safetensors"],
    },
    Room {
        package: "stratal-graph",
        place: Place::Rank(8),
        external: &["thiserror"],
        external_for_tests: &["insta", "proptest"],
    },
    Room {
        package: "stratal-runtime",
        place: Place::Rank(9),
        external: &["thiserror"],
        external_for_tests: &["insta", "proptest"],
    },
    Room {
        package: "stratal-cli",
        place: Place::Rank(10),
        external: &["anstream", "anstyle", "anyhow", "clap", "comfy-table", "humansize", "serde", "serde_json"],
        external_for_tests: &["insta", "tempfile"],
    },
    Room {
        package: "stratal",
        place: Place::Rank(10),
        external: &["thiserror"],
        // The examples unpack their data and show how far they are.
        external_for_tests: &["flate2", "indicatif", "serde_json"],
    },
    Room {
        package: "stratal-conformance",
        place: Place::Tool,
        // `prost` reads models and tensors.
        external: &["anyhow", "bytemuck", "clap", "prost", "serde", "serde_json"],
        external_for_tests: &["tempfile"],
    },
    Room {
        package: "stratal-verify",
        place: Place::Tool,
        // `half` is a second witness of the conversions here.
        external: &["anyhow", "bytemuck", "clap", "half", "indicatif", "libm", "rayon", "serde", "serde_json"],
        external_for_tests: &[],
    },
    Room {
        package: "stratal-benches",
        place: Place::Tool,
        // Beside criterion, peers.
        external: &[
            "bumpalo", "bytemuck", "criterion", "flate2", "half", "libm", "mimalloc", "ndarray", "safetensors", "tempfile",
        ],
        external_for_tests: &[],
    },
    Room {
        package: "xtask",
        place: Place::Outside,
        external: &[
            "anyhow",
            "cargo_metadata",
            "clap",
            "flate2",
            "proc-macro2",
            "serde",
            "serde_json",
            "sha2",
            "tar",
            "zip",
        ],
        external_for_tests: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_named_in_the_ground_floor_and_by_witnesses() {
        let names_half = |room: &&Room| room.external.contains(&"half") || room.external_for_tests.contains(&"half");
        let found: Vec<_> = CRATES.iter().filter(names_half).map(|room| room.package).collect();
        assert_eq!(found, ["stratal-tensor-base", "stratal-verify", "stratal-benches"]);
    }

    #[test]
    fn each_crate_has_one_place() {
        for (index, room) in CRATES.iter().enumerate() {
            let again = CRATES[index + 1..].iter().any(|other| other.package == room.package);
            assert!(!again, "{} is listed twice", room.package);
        }
    }
}
