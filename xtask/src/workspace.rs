//! What the tasks know about the workspace: its root, its members, and who stands on whom.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use cargo_metadata::{
    DependencyKind, Metadata, MetadataCommand,
    camino::{Utf8Path, Utf8PathBuf},
};

/// The members of the workspace and where their build output goes.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) members: Vec<Member>,
    pub(crate) target_directory: Utf8PathBuf,
}

/// One crate of the workspace, as far as its manifest tells.
#[derive(Debug)]
pub(crate) struct Member {
    /// The package's name, such as `stratal-tensor-base`.
    pub(crate) package: String,
    /// The name of the folder it lies in, such as `tensor-base`.
    pub(crate) folder: String,
    /// That folder from the workspace root, such as `crates/tensor-base`.
    pub(crate) path: String,
    pub(crate) has_features: bool,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a manifest's dependency tables.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    /// The package's name, also where the manifest renames it.
    pub(crate) package: String,
    pub(crate) kind: DependencyKind,
}

impl Workspace {
    /// Asks cargo; the lock file and the network are not needed for it.
    pub(crate) fn load() -> Result<Self> {
        let metadata = MetadataCommand::new()
            .current_dir(root())
            .no_deps()
            .exec()
            .context("cannot read the workspace's manifests")?;
        Ok(Self::from_metadata(&metadata))
    }

    /// `--package` arguments for the named members, or for `otherwise` when none are named.
    pub(crate) fn package_arguments(&self, names: &[String], otherwise: &[&str]) -> Result<Vec<String>> {
        let names: Vec<_> =
            if names.is_empty() { otherwise.to_vec() } else { names.iter().map(String::as_str).collect() };
        let argument = |name| Ok(format!("--package={}", self.member_named(name)?.package));
        names.into_iter().map(argument).collect()
    }

    /// The member named by folder (or package), or an error that lists the names there are.
    pub(crate) fn member_named(&self, name: &str) -> Result<&Member> {
        let found = self.members.iter().find(|member| name == member.folder || name == member.package);
        let Some(member) = found else {
            let known: Vec<_> = self.members.iter().map(|member| member.folder.as_str()).collect();
            bail!("no crate named `{name}`; there are: {}", known.join(", "));
        };
        Ok(member)
    }

    /// Every member that depends on `package`, directly or through others, for any purpose.
    pub(crate) fn dependents_of(&self, package: &str) -> Vec<&Member> {
        let mut reached = BTreeSet::from([package]);
        loop {
            let before = reached.len();
            for member in &self.members {
                let mut names = member.dependencies.iter().map(|dependency| &dependency.package);
                if names.any(|name| reached.contains(name.as_str())) {
                    reached.insert(&member.package);
                }
            }
            if reached.len() == before {
                break;
            }
        }
        let is_dependent = |member: &&Member| member.package != package && reached.contains(member.package.as_str());
        self.members.iter().filter(is_dependent).collect()
    }

    fn from_metadata(metadata: &Metadata) -> Self {
        let mut members: Vec<_> = metadata
            .workspace_packages()
            .into_iter()
            .map(|package| Member {
                package: package.name.to_string(),
                folder: folder_of(&package.manifest_path),
                path: path_of(&package.manifest_path, &metadata.workspace_root),
                has_features: !package.features.is_empty(),
                dependencies: package
                    .dependencies
                    .iter()
                    .map(|dependency| Dependency { package: dependency.name.clone(), kind: dependency.kind })
                    .collect(),
            })
            .collect();
        members.sort_by(|left, right| left.folder.cmp(&right.folder));
        Self { members, target_directory: metadata.target_directory.clone() }
    }
}

/// The folder that holds the root manifest; this crate lies directly in it.
///
/// Cargo tells it to whatever it runs. Only a program started by hand goes by what was compiled in,
/// since checkouts that share a target folder share the compiled program as well.
pub(crate) fn root() -> PathBuf {
    let told = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let mut folder = told.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    folder.pop();
    folder
}

/// The name of the folder that a manifest lies in.
fn folder_of(manifest: &Utf8Path) -> String {
    manifest.parent().and_then(|folder| folder.file_name()).unwrap_or_default().to_owned()
}

/// The folder that a manifest lies in, from the workspace root, with forward slashes.
fn path_of(manifest: &Utf8Path, root: &Utf8Path) -> String {
    let folder = manifest.parent().unwrap_or(manifest);
    let parts: Vec<_> = folder.strip_prefix(root).unwrap_or(folder).iter().collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(folder: &str, uses: &[&str]) -> Member {
        let dependency =
            |name: &&str| Dependency { package: format!("stratal-{name}"), kind: DependencyKind::Development };
        Member {
            package: format!("stratal-{folder}"),
            folder: folder.to_owned(),
            path: format!("crates/{folder}"),
            has_features: false,
            dependencies: uses.iter().map(dependency).collect(),
        }
    }

    fn workspace() -> Workspace {
        let members = vec![
            member("eager", &["ops"]),
            member("formats", &[]),
            member("memory", &["tensor-base"]),
            member("ops", &["memory"]),
            member("tensor-base", &[]),
        ];
        Workspace { members, target_directory: "target".into() }
    }

    #[test]
    fn dependents_are_found_through_others_and_whatever_the_order() {
        let workspace = workspace();
        let folders = |name| {
            let dependents = workspace.dependents_of(name);
            dependents.into_iter().map(|member| member.folder.clone()).collect::<Vec<_>>()
        };
        assert_eq!(folders("stratal-tensor-base"), ["eager", "memory", "ops"]);
        assert_eq!(folders("stratal-ops"), ["eager"]);
        assert_eq!(folders("stratal-formats"), [""; 0]);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = workspace().member_named("tensor-bass").unwrap_err().to_string();
        let expected = "no crate named `tensor-bass`; there are: eager, formats, memory, ops, tensor-base";
        assert_eq!(error, expected);
    }

    #[test]
    fn folder_and_package_name_the_same_crate() {
        let workspace = workspace();
        assert_eq!(workspace.member_named("memory").unwrap().package, "stratal-memory");
        assert_eq!(workspace.member_named("stratal-memory").unwrap().folder, "memory");
    }

    #[test]
    fn package_arguments_fall_back_on_the_tasks_own_list() {
        let workspace = workspace();
        let arguments = |names: &[String]| workspace.package_arguments(names, &["ops"]).unwrap();
        assert_eq!(arguments(&[]), ["--package=stratal-ops"]);
        assert_eq!(arguments(&["memory".to_owned()]), ["--package=stratal-memory"]);
    }

    #[test]
    fn the_real_workspace_loads() {
        let workspace = Workspace::load().unwrap();
        assert_eq!(workspace.member_named("tensor-base").unwrap().package, "stratal-tensor-base");
        let verify = workspace.member_named("verify").unwrap();
        assert_eq!((verify.package.as_str(), verify.path.as_str()), ("stratal-verify", "xtask/verify"));
    }
}
