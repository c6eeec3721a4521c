//! `cargo xtask layers`: crates depend only downwards, and only on the external crates they may use.

mod table;

use anyhow::{Result, bail};
use cargo_metadata::DependencyKind;

use self::table::{CRATES, Place, Room};
use crate::workspace::{Dependency, Member, Workspace};

pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::load()?;
    let violations = violations(CRATES, &workspace.members);
    for violation in &violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        bail!("layers: {} dependencies break the stack", violations.len());
    }
    println!("layers: {} crates stand where they should", workspace.members.len());
    Ok(())
}

/// Every way in which the members differ from the table, one line each.
fn violations(table: &[Room], members: &[Member]) -> Vec<String> {
    let mut violations = Vec::new();
    for member in members {
        let Some(room) = room_named(table, &member.package) else {
            violations.push(format!(
                "{}: rank: the crate has no place in the stack; give it one in {TABLE_FILE}",
                member.package
            ));
            continue;
        };
        let broken = member.dependencies.iter().filter_map(|dependency| {
            let rule = match room_named(table, &dependency.package) {
                Some(below) => broken_rank(room, below),
                None => broken_list(room, dependency),
            }?;
            let section = section(dependency.kind);
            Some(format!("{}: {section}: `{}` {rule}", member.package, dependency.package))
        });
        violations.extend(broken);
    }
    violations
}

/// Where the table lies, for those who are sent there.
const TABLE_FILE: &str = "xtask/src/layers/table.rs";

/// Why `room` may not use the crate of the stack `below`, if it may not.
fn broken_rank(room: &Room, below: &Room) -> Option<String> {
    match (room.place, below.place) {
        (_, Place::Tool | Place::Outside) => Some("is a tool, and nothing depends on tools".into()),
        (Place::Outside, Place::Rank(_)) => Some(
            "is a crate of the stack; tasks must run while the stack does not build, so drive it \
             through a program of its own, as `verify` is"
                .into(),
        ),
        (Place::Rank(own), Place::Rank(used)) if used >= own => Some(format!(
            "has rank {used}, and rank {own} may use lower ranks only; move the code down, or what \
             it needs"
        )),
        _ => None,
    }
}

/// Why `room` may not use an external crate, if it may not.
fn broken_list(room: &Room, dependency: &Dependency) -> Option<String> {
    let name = dependency.package.as_str();
    let for_use = room.external.contains(&name);
    let (allowed, list) = match dependency.kind {
        DependencyKind::Normal => (for_use, "external"),
        // What a crate may use it may test with, too.
        _ => (for_use || room.external_for_tests.contains(&name), "external_for_tests"),
    };
    (!allowed).then(|| {
        format!(
            "is not among the external crates it may use. Each of them is code that every user \
             builds and trusts; if this one earns its place, add it to `{list}` in {TABLE_FILE} \
             and say why in the manifest"
        )
    })
}

fn room_named<'table>(table: &'table [Room], package: &str) -> Option<&'table Room> {
    table.iter().find(|room| room.package == package)
}

/// The manifest's own word for a kind of dependency.
fn section(kind: DependencyKind) -> &'static str {
    match kind {
        DependencyKind::Development => "dev-dependencies",
        DependencyKind::Build => "build-dependencies",
        _ => "dependencies",
    }
}

#[cfg(test)]
mod tests {
    use cargo_metadata::DependencyKind::{Build, Development, Normal};

    use super::*;

    const SMALL: &[Room] = &[
        room("base", Place::Rank(0), &["half"], &["proptest"]),
        room("tensor", Place::Rank(2), &[], &[]),
        room("beside-tensor", Place::Rank(2), &[], &[]),
        room("sweep", Place::Tool, &["half"], &[]),
        room("tasks", Place::Outside, &["clap"], &[]),
    ];

    const fn room(
        package: &'static str,
        place: Place,
        external: &'static [&'static str],
        external_for_tests: &'static [&'static str],
    ) -> Room {
        Room { package, place, external, external_for_tests }
    }

    /// What the small table says about one crate with one dependency.
    fn verdict(package: &str, uses: &str, kind: DependencyKind) -> Vec<String> {
        let member = Member {
            package: package.to_owned(),
            folder: package.to_owned(),
            path: package.to_owned(),
            has_features: false,
            dependencies: vec![Dependency { package: uses.to_owned(), kind }],
        };
        violations(SMALL, &[member])
    }

    #[track_caller]
    fn assert_broken(found: &[String], expected: &str) {
        assert!(found.len() == 1 && found[0].contains(expected), "{found:?} lacks `{expected}`");
    }

    #[test]
    fn the_workspace_stands_as_the_table_says() {
        let found = violations(CRATES, &Workspace::load().unwrap().members);
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }

    #[test]
    fn a_crate_uses_lower_ranks_only() {
        assert_broken(&verdict("base", "tensor", Normal), "has rank 2, and rank 0 may");
        assert_broken(&verdict("tensor", "beside-tensor", Normal), "has rank 2, and rank 2 may");
        assert!(verdict("tensor", "base", Normal).is_empty());
    }

    #[test]
    fn tests_and_build_scripts_look_down_as_well() {
        assert_broken(&verdict("base", "tensor", Development), "base: dev-dependencies: `tensor`");
        assert_broken(&verdict("base", "tensor", Build), "base: build-dependencies: `tensor`");
        assert!(verdict("tensor", "base", Development).is_empty());
    }

    #[test]
    fn nothing_depends_on_a_tool() {
        assert_broken(&verdict("tensor", "sweep", Development), "is a tool");
        assert_broken(&verdict("sweep", "tasks", Normal), "is a tool");
        assert!(verdict("sweep", "tensor", Normal).is_empty());
    }

    #[test]
    fn the_tasks_use_no_crate_of_the_stack() {
        assert_broken(&verdict("tasks", "base", Development), "is a crate of the stack");
        assert!(verdict("tasks", "clap", Normal).is_empty());
    }

    #[test]
    fn an_external_crate_needs_a_line_in_the_table() {
        assert_broken(&verdict("tensor", "half", Normal), "add it to `external` in");
        assert_broken(&verdict("tensor", "half", Development), "add it to `external_for_tests` in");
        assert!(verdict("base", "half", Normal).is_empty());
    }

    #[test]
    fn a_crate_for_tests_is_for_tests_alone() {
        assert_broken(&verdict("base", "proptest", Normal), "add it to `external` in");
        assert!(verdict("base", "proptest", Development).is_empty());
        assert!(verdict("base", "half", Development).is_empty());
    }

    #[test]
    fn a_crate_without_a_place_is_reported() {
        assert_broken(&verdict("newcomer", "base", Normal), "newcomer: rank: the crate has no place");
    }
}
