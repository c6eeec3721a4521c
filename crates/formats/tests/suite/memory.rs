//! How much memory a file may ask for, and how little of it is read.

use std::{fs::File, io::Write as _, path::Path};

use stratal_formats::{Limits, ModelFile, Weights, npy, safetensors as format};
use stratal_tensor::{Tensor, base::DType};

use crate::{
    corpus::{corpus, exercise},
    kinds::{mapped, weights},
    safetensors::file,
};

/// The most bytes that were allocated at once.
fn peak(run: impl FnOnce()) -> u64 {
    allocation_counter::measure(run).bytes_max
}

#[test]
fn no_input_of_the_corpus_takes_more_than_a_small_multiple_of_it() {
    for (format, exercise) in exercise::FORMATS {
        // What is read is written and read again; an inflated byte is a thousand, and inflating takes tables and a window.
        let (least, multiple) = if format == "npz" { (1 << 20, 4 * 1032) } else { (1 << 16, 64) };
        for (path, bytes) in corpus(format) {
            let peak = peak(|| exercise(&bytes));
            let bound = least + multiple * bytes.len() as u64;
            assert!(peak <= bound, "{}: {peak} bytes of {bound} for {}", path.display(), bytes.len());
        }
    }
}

#[test]
fn a_small_file_that_says_it_is_huge_takes_no_memory() {
    let huge = "4611686018427387904";
    let header = format!(r#"{{"a":{{"dtype":"F32","shape":[{huge}],"data_offsets":[0,{huge}]}}}}"#);
    let mut long_header = file("{}", 0);
    long_header[..8].copy_from_slice(&u64::to_le_bytes(1 << 40));
    let mut long_npy = b"\x93NUMPY\x02\x00".to_vec();
    long_npy.extend(u32::to_le_bytes(1 << 28));
    long_npy.extend(b"{'descr'");
    for bytes in [file(&header, 4), long_header, long_npy] {
        let peak = peak(|| assert!(weights(&bytes).is_err()));
        assert!(peak < 16 << 10, "{peak}");
    }
}

#[test]
fn a_header_takes_a_small_multiple_of_its_bytes() {
    let empty = Tensor::zeros(&[0], DType::U8).unwrap();
    let names: Vec<_> = (0..5000).map(|index| format!("{index}")).collect();
    let bytes = format::to_vec(names.iter().map(|name| (&**name, &empty)), []).unwrap();
    let mut count = 0;
    let peak = peak(|| count = weights(&bytes).unwrap().len());
    assert_eq!(count, 5000);
    assert!(peak < 12 * bytes.len() as u64, "{peak} for {}", bytes.len());
}

/// A file of a beginning and so many bytes of nothing, which take no place on the disk.
fn sparse(path: &Path, beginning: &[u8], length: u64) {
    let mut sparse = File::create(path).unwrap();
    sparse.write_all(beginning).unwrap();
    sparse.set_len(length).unwrap();
}

#[test]
fn a_file_larger_than_memory_is_listed_and_gives_the_tensor_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.safetensors");
    let gigabyte = 1_u64 << 30;
    let mut entries: Vec<_> = (0..512)
        .map(|index| {
            let (start, end) = (index * gigabyte, (index + 1) * gigabyte);
            format!(r#""{index}":{{"dtype":"F16","shape":[1024,524288],"data_offsets":[{start},{end}]}}"#)
        })
        .collect();
    let end = 512 * gigabyte;
    entries.push(format!(r#""last":{{"dtype":"I16","shape":[3],"data_offsets":[{end},{}]}}"#, end + 6));
    let beginning = file(&format!("{{{}}} ", entries.join(",")), 0);
    sparse(&path, &beginning, beginning.len() as u64 + end + 6);
    for file in [ModelFile::open(&path).unwrap(), mapped(&path)] {
        let peak = peak(|| {
            let weights = Weights::of_file(file, &Limits::default()).unwrap();
            assert_eq!(weights.len(), 513);
            assert_eq!(weights.tensor("last").unwrap().to_vec::<i16>().unwrap(), [0; 3]);
        });
        assert!(peak < 1 << 20, "{peak}");
    }

    // A tensor beyond what a buffer holds is listed too, and named when it is asked for.
    let path = folder.path().join("large.npy");
    let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296,), }";
    let beginning = [b"\x93NUMPY\x01\x00", &[text.len() as u8, 0][..], text.as_bytes()].concat();
    sparse(&path, &beginning, beginning.len() as u64 + (4 << 30));
    let weights = Weights::open(&path).unwrap();
    let error = weights.tensor(npy::UNNAMED).unwrap_err().to_string();
    assert_eq!(error, "tensor \"arr_0\": extent 4294967296 of axis 0 is above the limit of 2147483647");
}

/// An archive of compressed members, which may be anything.
fn deflated(members: impl IntoIterator<Item = (String, Vec<u8>)>) -> Vec<u8> {
    let options = zip::write::SimpleFileOptions::default();
    let options = options.compression_method(zip::CompressionMethod::Deflated).compression_level(Some(9));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(name, options).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// An npy file of version 2 that has no elements, and its header so much longer than it must be.
fn long_header(shape_before: &str, length: usize) -> Vec<u8> {
    let text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': (0,), }}", shape_before.repeat(length));
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

#[test]
fn a_compressed_header_takes_no_more_than_a_small_multiple_of_its_member() {
    // One long header, and many that are short when compressed.
    for (count, length) in [(1, 20 << 20), (500, 60_000)] {
        let member = |index| (format!("{index}.npy"), long_header("<f4", length / 3));
        let bytes = deflated((0..count).map(member));
        let peak = peak(|| {
            let error = weights(&bytes).unwrap_err().to_string();
            assert!(error.contains("bytes of header are above the limit of"), "{error}");
        });
        assert!(peak < (256 << 10) + 64 * bytes.len() as u64, "{peak} for {}", bytes.len());
    }
    // What compresses well and is as NumPy writes it.
    let zeros = Tensor::zeros(&[1 << 20], DType::F32).unwrap();
    let bytes = deflated([("zeros.npy".to_owned(), npy::to_vec(&zeros).unwrap())]);
    assert!(bytes.len() < 6000);
    let found = weights(&bytes).unwrap().tensor("zeros").unwrap();
    assert_eq!(found.to_vec::<f32>().unwrap(), vec![0.0; 1 << 20]);
    let none = Tensor::zeros(&[0], DType::F32).unwrap();
    let bytes = deflated([("none.npy".to_owned(), npy::to_vec(&none).unwrap())]);
    assert_eq!(weights(&bytes).unwrap().tensor("none").unwrap().count(), 0);
}
