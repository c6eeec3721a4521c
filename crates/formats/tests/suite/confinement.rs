//! Files that a file names: beneath its folder, or refused.

use stratal_formats::{FileError, ModelFile};

/// A folder `outer/inner` with a file in each, and a model in `inner`.
fn folders() -> (tempfile::TempDir, ModelFile) {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("inner");
    std::fs::create_dir_all(inner.join("deep")).unwrap();
    std::fs::write(outer.path().join("secret"), "secret").unwrap();
    std::fs::write(inner.join("deep/weights"), "weights").unwrap();
    std::fs::write(inner.join("model"), "model").unwrap();
    let model = ModelFile::open(inner.join("model")).unwrap();
    (outer, model)
}

#[test]
fn a_file_beneath_the_folder_is_opened() {
    let (_folder, model) = folders();
    for path in ["deep/weights", "./deep/weights", "deep//weights"] {
        let file = model.sibling(path).unwrap();
        assert_eq!(file.bytes(0..7).unwrap()[..], *b"weights", "{path}");
    }
}

#[test]
fn a_path_that_could_lead_out_is_refused_before_the_system_is_asked() {
    let (folder, model) = folders();
    let absolute = folder.path().join("secret");
    for path in [
        "../secret",
        "deep/../../secret",
        "deep/../model",
        "/etc/hostname",
        absolute.to_str().unwrap(),
        "",
        "C:\\secret",
        "..\\secret",
        "deep\0weights",
        "file:secret",
    ] {
        let error = model.sibling(path).unwrap_err();
        assert!(matches!(error, FileError::Outside { .. }), "{path}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_refused_and_one_that_stays_is_followed() {
    use std::os::unix::fs::symlink;

    let (folder, model) = folders();
    let inner = folder.path().join("inner");
    symlink("../secret", inner.join("out")).unwrap();
    symlink(folder.path().join("secret"), inner.join("absolute")).unwrap();
    symlink("..", inner.join("up")).unwrap();
    symlink("out", inner.join("twice")).unwrap();
    symlink("deep/weights", inner.join("within")).unwrap();
    symlink("loop", inner.join("loop")).unwrap();
    for path in ["out", "absolute", "up/secret", "twice"] {
        let error = model.sibling(path).unwrap_err();
        assert!(matches!(error, FileError::Outside { .. }), "{path}: {error}");
        assert!(error.to_string().contains("a link leads out of it"), "{path}: {error}");
    }
    assert!(model.sibling("loop").is_err());
    assert_eq!(model.sibling("within").unwrap().bytes(0..7).unwrap()[..], *b"weights");
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let (folder, model) = folders();
    assert!(matches!(model.sibling("deep"), Err(FileError::NotAFile { .. })));
    assert!(matches!(ModelFile::open(folder.path()), Err(FileError::NotAFile { .. })));
    assert!(matches!(ModelFile::open(folder.path().join("nothing")), Err(FileError::Open { .. })));
    #[cfg(unix)]
    assert!(matches!(ModelFile::open("/dev/zero"), Err(FileError::NotAFile { .. })));
}

#[test]
fn a_file_in_memory_names_no_other() {
    let model = ModelFile::of_vec(vec![1]).unwrap();
    assert!(matches!(model.sibling("weights"), Err(FileError::NoFolder { .. })));
}
