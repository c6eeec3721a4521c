//! What people read: error texts.

use stratal_formats::{Limits, ModelFile, Weights};

use crate::{kinds::weights, safetensors::file};

#[test]
fn errors_name_the_values_involved() {
    let entry = |name: &str, dtype: &str, shape: &str, start: u64, end: u64| {
        format!(r#""{name}":{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[{start},{end}]}}"#)
    };
    let of =
        |entries: &[String], data| weights(&file(&format!("{{{}}}", entries.join(",")), data)).unwrap_err().to_string();
    let tensor = |name: &str| {
        weights(&file(&format!("{{{}}}", entry("a", "U8", "1", 0, 1)), 1)).unwrap().tensor(name).unwrap_err()
    };
    let few = Limits { tensors: 1, header_bytes: 150, ..Limits::default() };
    let limited = |entries: &[String], data| {
        let bytes = file(&format!("{{{}}}", entries.join(",")), data);
        Weights::of_file(ModelFile::of_vec(bytes).unwrap(), &few).unwrap_err().to_string()
    };
    let long = [entry("layer", "F32", "1", 0, 4), entry(&"n".repeat(300), "F32", "1", 4, 8)];
    let mut texts = vec![
        weights(b"").unwrap_err().to_string(),
        weights(b"\x7fELF\x02\x01\x01\x00\x00").unwrap_err().to_string(),
        weights(&[0xff, 0, 0, 0, 0, 0, 0, 0, b'{']).unwrap_err().to_string(),
        of(&[entry("a", "F32", "2, 3", 0, 20)], 20),
        of(&[entry("a", "F32", "2", 0, 8), entry("b", "F32", "2", 4, 12)], 12),
        of(&[entry("a", "F32", "1", 0, 4), entry("b", "F32", "1", 8, 12)], 12),
        of(&[entry("a", "F32", "1", 0, 4)], 7),
        of(&[entry("a", "F32", "4", 0, 16)], 8),
        of(&["\"a\": 1".into()], 0),
        of(&long, 7),
        limited(&[entry("a", "U8", "1", 0, 1), entry("b", "U8", "1", 1, 2)], 2),
        limited(&long, 8),
        tensor("b").to_string(),
    ];
    for text in ["'descr': 1}", "'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"] {
        let text = format!("{{{text}");
        let bytes = [b"\x93NUMPY\x01\x00", &[text.len() as u8, 0][..], text.as_bytes(), &[0; 7]].concat();
        texts.push(weights(&bytes).unwrap_err().to_string());
    }
    insta::assert_snapshot!(texts.join("\n"));
}
