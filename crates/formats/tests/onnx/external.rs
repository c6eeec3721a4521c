//! Tensors whose elements are in other files, which lie in the model's folder or are refused.

use std::{fs, path::Path};

use stratal_formats::{
    Limits, ModelFile,
    onnx::{Model, messages::GraphProto},
};
use stratal_tensor::{Tensor, base::DType};

use crate::sample::{external, model};

/// A folder with a model whose one tensor is in another file.
fn folder(dims: &[i64], entries: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("model");
    fs::create_dir(&inside).unwrap();
    fs::write(folder.path().join("secret"), [1; 64]).unwrap();
    let floats: Vec<u8> = (0..16).flat_map(|number| (number as f32).to_le_bytes()).collect();
    fs::write(inside.join("weights.bin"), floats).unwrap();
    let graph = GraphProto { initializer: vec![external("w", DType::F32, dims, entries)], ..GraphProto::default() };
    Model::new(model(graph)).write(inside.join("model.onnx")).unwrap();
    folder
}

fn read(folder: &Path) -> Result<Tensor, String> {
    let model = Model::open(folder.join("model").join("model.onnx")).unwrap();
    model.tensor(&model.graph().initializer[0]).map_err(|error| error.to_string())
}

fn problem(dims: &[i64], entries: &[(&str, &str)]) -> String {
    read(folder(dims, entries).path()).unwrap_err()
}

#[test]
fn elements_are_read_from_where_the_model_says() {
    let all = [("location", "weights.bin"), ("offset", "8"), ("length", "16"), ("checksum", "?")];
    let tensor = read(folder(&[2, 2], &all).path()).unwrap();
    assert_eq!(tensor.to_vec::<f32>().unwrap(), [2.0, 3.0, 4.0, 5.0]);
    let from_start = [("location", "./weights.bin")];
    assert_eq!(read(folder(&[1], &from_start).path()).unwrap().to_vec::<f32>().unwrap(), [0.0]);
    let nowhere_near_aligned = [("location", "weights.bin"), ("offset", "2")];
    let tensor = read(folder(&[1], &nowhere_near_aligned).path()).unwrap();
    assert_eq!(tensor.to_vec::<f32>().unwrap(), [f32::from_le_bytes([0, 0, 0, 0])]);
}

#[test]
fn what_is_not_there_is_an_error_that_names_the_tensor() {
    let errors = [
        problem(&[2], &[("location", "none.bin")]),
        problem(&[2], &[("location", "weights.bin"), ("length", "9")]),
        problem(&[17], &[("location", "weights.bin")]),
        problem(&[1], &[("location", "weights.bin"), ("offset", "61")]),
        problem(&[1], &[("location", "weights.bin"), ("offset", "18446744073709551615")]),
        problem(&[1 << 28], &[("location", "weights.bin")]),
    ];
    insta::assert_snapshot!(errors.join("\n"), @r#"
    tensor "w": cannot open "none.bin": No such file or directory (os error 2)
    tensor "w": 9 bytes do not fill shape [2] of float32, which takes 8
    tensor "w": 68 bytes at 0 pass the end of a file of 64
    tensor "w": 4 bytes at 61 pass the end of a file of 64
    tensor "w": 0 bytes at 18446744073709551615 pass the end of a file of 64
    tensor "w": 1073741824 bytes at 0 pass the end of a file of 64
    "#);
}

#[test]
fn paths_that_leave_the_folder_are_refused() {
    let absolute = std::env::temp_dir();
    let absolute = absolute.to_string_lossy();
    for path in ["../secret", "a/../../secret", "..", "", "/etc/passwd", "C:secret", "a\\..\\secret", "x\0y", &absolute]
    {
        let error = problem(&[1], &[("location", path)]);
        assert!(error.starts_with("tensor \"w\": the file names ") && error.contains("not beneath"), "{path}: {error}");
    }
    let error = problem(&[1], &[("location", ".")]);
    assert!(error.contains("no regular file"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_may_stay_in_the_folder_and_not_leave_it() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[1], &[("location", "link")]);
    let link = folder.path().join("model").join("link");
    symlink("weights.bin", &link).unwrap();
    assert!(read(folder.path()).is_ok());
    for target in [Path::new("../secret"), &folder.path().join("secret")] {
        fs::remove_file(&link).unwrap();
        symlink(target, &link).unwrap();
        let error = read(folder.path()).unwrap_err();
        assert!(error.contains("a link leads out of it"), "{error}");
    }
}

#[test]
fn a_model_in_memory_has_no_folder() {
    let folder = folder(&[1], &[("location", "weights.bin")]);
    let bytes = fs::read(folder.path().join("model").join("model.onnx")).unwrap();
    let model = Model::of_file(&ModelFile::of_vec(bytes).unwrap(), &Limits::default()).unwrap();
    let error = model.tensor(&model.graph().initializer[0]).unwrap_err().to_string();
    assert!(error.contains("lies in no folder"), "{error}");
}
