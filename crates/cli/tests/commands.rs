//! The command, run as people run it.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use stratal_formats::{
    ModelFile, Weights,
    gguf::{self, Array, BlockType, PackedTensor, Value},
    npy, safetensors,
};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

/// Runs `stratal` in a folder.
fn stratal(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stratal"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// What it says, on both streams and as its exit status.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = stratal(folder, arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    format!("{}{}[{}]", text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// A folder with files of every kind.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let matrix = Tensor::arange(0, 3000, 1, DType::F32).unwrap().reshape(&[60, 50]).unwrap();
    let half = matrix.cast(DType::BF16).unwrap();
    let truth = Tensor::ones(&[3], DType::Bool).unwrap();
    let named = [("layer.weight", &matrix), ("layer.mask", &truth), ("steering\u{1b}[31m", &truth)];
    let long = "long ".repeat(100);
    safetensors::write(path("model.safetensors"), named, [("format", "pt"), ("note", &*long), ("bell", "\u{7}")])
        .unwrap();
    safetensors::write(path("half.safetensors"), [("h", &half)], []).unwrap();
    safetensors::write(path("empty.safetensors"), [], []).unwrap();
    npy::write(path("array.npy"), &matrix.t().unwrap()).unwrap();
    npy::write_archive(path("arrays.npz"), named).unwrap();
    let block = ModelFile::of_vec(vec![0x3c; 34]).unwrap().bytes(0..34).unwrap();
    let packed = PackedTensor::new(BlockType::Q8_0, Shape::new(&[1, 32]).unwrap(), block).unwrap();
    let vocabulary = Value::from(Array::Text(["a", "b"].into_iter().collect()));
    let values = [
        ("general.alignment", &Value::U32(64)),
        ("answer", &Value::I8(-42)),
        ("epsilon", &Value::F32(1e-5)),
        ("vocabulary", &vocabulary),
    ];
    gguf::write(path("packed.gguf"), [("packed", &packed)], values).unwrap();
    std::fs::write(path("broken.safetensors"), b"\x07\0\0\0\0\0\0\0{\"\x1b[31m").unwrap();
    std::fs::write(
        path("model.index.json"),
        r#"{"weight_map": {"h": "half.safetensors", "layer.mask": "model.safetensors"}}"#,
    )
    .unwrap();
    folder
}

#[test]
fn inspect_lists_tensors_metadata_and_totals() {
    let folder = folder();
    let mut all = String::new();
    for arguments in [
        &["inspect", "model.safetensors"][..],
        &["inspect", "--no-mmap", "model.index.json"],
        &["inspect", "arrays.npz"],
        &["inspect", "array.npy"],
        &["inspect", "packed.gguf"],
        &["inspect", "empty.safetensors"],
        &["inspect", "broken.safetensors"],
        &["inspect", "nothing.safetensors"],
        &["inspect", "."],
    ] {
        all += &format!("$ stratal {}\n{}\n\n", arguments.join(" "), said(folder.path(), arguments));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn inspect_prints_json() {
    let folder = folder();
    insta::assert_snapshot!(said(folder.path(), &["inspect", "--json", "model.safetensors"]));
}

#[test]
fn help_says_what_mapping_asks_for() {
    let folder = folder();
    insta::assert_snapshot!(said(folder.path(), &["inspect", "--help"]));
}

#[test]
fn colour_is_for_terminals_and_whoever_asks() {
    let folder = folder();
    let plain = stratal(folder.path(), &["inspect", "array.npy"]).stdout;
    assert!(!plain.contains(&0x1b));
    let mut command = Command::new(env!("CARGO_BIN_EXE_stratal"));
    command.current_dir(folder.path()).args(["inspect", "array.npy"]).env("CLICOLOR_FORCE", "1");
    let coloured = command.output().unwrap().stdout;
    assert!(coloured.starts_with(b"\x1b[1marray.npy\x1b[0m"));
}

#[test]
fn convert_keeps_names_shapes_and_values() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    for access in [&[][..], &["--no-mmap"]] {
        for arguments in [
            ["convert", "--force", "model.safetensors", "1.npz"],
            ["convert", "--force", "1.npz", "2.safetensors"],
            ["convert", "--force", "2.safetensors", "2.safetensors"],
            ["convert", "--force", "array.npy", "3.gguf"],
            ["convert", "--force", "3.gguf", "3.npz"],
            ["convert", "--force", "3.npz", "4.npy"],
        ] {
            let output = stratal(folder.path(), &[&arguments, access].concat());
            assert!(output.status.success(), "{arguments:?}: {output:?}");
        }
        let (first, last) =
            (Weights::open(path("model.safetensors")).unwrap(), Weights::open(path("2.safetensors")).unwrap());
        assert_eq!(first.names().collect::<Vec<_>>(), last.names().collect::<Vec<_>>());
        for name in first.names() {
            let (first, last) = (first.tensor(name).unwrap(), last.tensor(name).unwrap());
            assert_eq!(first.dtype(), last.dtype());
            assert!(first.all_close(&last, stratal_tensor::Tolerance::EXACT).unwrap().is_close(), "{name}");
        }
        assert_eq!(std::fs::read(path("4.npy")).unwrap(), std::fs::read(path("array.npy")).unwrap());
    }
}

#[test]
fn convert_keeps_all_that_gguf_says_and_packed_tensors_as_they_are() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    for access in [&[][..], &["--no-mmap"]] {
        let output = stratal(folder.path(), &[&["convert", "--force", "packed.gguf", "again.gguf"], access].concat());
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert_eq!(std::fs::read(path("again.gguf")).unwrap(), std::fs::read(path("packed.gguf")).unwrap());
    }

    // By way of another format, which says texts alone and nothing of alignment that would hold.
    for arguments in [
        &["convert", "packed.gguf", "--floats", "float16", "half.npz"][..],
        &["convert", "packed.gguf", "--floats", "float16", "texts.safetensors"],
        &["convert", "texts.safetensors", "texts.gguf"],
    ] {
        assert!(stratal(folder.path(), arguments).status.success(), "{arguments:?}");
    }
    let weights = Weights::open(path("texts.gguf")).unwrap();
    assert_eq!(weights.tensor("packed").unwrap().dtype(), DType::F16);
    let metadata: Vec<_> = weights.metadata().map(|(key, value)| format!("{key}: {value}")).collect();
    assert_eq!(metadata, ["answer: \"-42\"", "epsilon: \"1e-5\""]);
}

#[test]
fn json_has_every_name_as_it_is_and_steers_no_terminal() {
    let folder = folder();
    let name = "\u{9b}31m\u{1b}[31m\u{7f}\u{202e}\u{61c}é\n\t\"\\";
    let scalar = Tensor::ones(&[], DType::Bool).unwrap();
    safetensors::write(folder.path().join("names.safetensors"), [(name, &scalar)], [(name, name)]).unwrap();
    let output = stratal(folder.path(), &["inspect", "--json", "names.safetensors"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.chars().all(|character| character == '\n' || character == 'é' || (' '..='~').contains(&character)));
    let described: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(described["tensors"][0]["name"], name);
    assert_eq!(described["metadata"][name], name);
}

#[test]
fn convert_says_what_it_cannot_do_and_leaves_what_is_there() {
    let folder = folder();
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let mut all = String::new();
    for arguments in [
        &["convert", "model.safetensors", "array.npy"][..],
        &["convert", "--force", "model.safetensors", "array.npy"],
        &["convert", "model.safetensors", "model.onnx"],
        &["convert", "half.safetensors", "half.npz"],
        &["convert", "packed.gguf", "packed.npz"],
        &["convert", "broken.safetensors", "out.npz"],
        &["convert", "half.safetensors", "missing/half.safetensors"],
        &["convert", "--floats", "float33", "half.safetensors", "half.npz"],
    ] {
        all += &format!("$ stratal {}\n{}\n\n", arguments.join(" "), said(folder.path(), arguments));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before);
    assert!(Weights::open(folder.path().join("array.npy")).is_ok());

    let arguments = ["convert", "--floats", "float32", "half.safetensors", "half.npz"];
    all += &format!("$ stratal {}\n{}\n", arguments.join(" "), said(folder.path(), &arguments));
    let converted = Weights::open(folder.path().join("half.npz")).unwrap().tensor("h").unwrap();
    assert_eq!((converted.dtype(), converted.item::<f32>(&[1, 5]).unwrap()), (DType::F32, 55.0));
    for arguments in [
        &["convert", "model.safetensors", "noted.npz"][..],
        &["convert", "packed.gguf", "--floats", "float32", "unpacked.safetensors"],
        &["convert", "packed.gguf", "--floats", "float32", "unpacked.gguf"],
        &["inspect", "unpacked.safetensors"],
        &["inspect", "unpacked.gguf"],
    ] {
        all += &format!("\n$ stratal {}\n{}\n", arguments.join(" "), said(folder.path(), arguments));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_stratal"));
    command
        .current_dir(folder.path())
        .args(["inspect", "model.safetensors"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
