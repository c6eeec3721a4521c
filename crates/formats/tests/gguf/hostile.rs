//! Whatever the bytes are, nothing panics, and memory stays within a small multiple of the file.

use allocation_counter::measure;
use proptest::prelude::*;
use stratal_formats::{
    Limits, ModelFile,
    gguf::{self, Header},
};
use stratal_tensor_base::DType;

use crate::build::{Bytes, header, small_file};

/// How many bytes of memory a header may take for each byte of its file, and at the least.
const MEMORY_FACTOR: u64 = 16;
const MEMORY_LEAST: u64 = 4096;

/// Reads a file and all of its tensors. Gives whether it was read.
fn read(bytes: &[u8]) -> bool {
    let file = ModelFile::of_vec(bytes.to_vec()).unwrap();
    let mut weights = None;
    let memory = measure(|| weights = gguf::weights(file, &Limits::default()).ok());
    let limit = MEMORY_LEAST + MEMORY_FACTOR * bytes.len() as u64;
    assert!(memory.bytes_max <= limit, "{} bytes of memory for {}", memory.bytes_max, bytes.len());

    let header = header(bytes);
    assert_eq!(weights.is_some(), header.is_ok(), "both ways give the same");
    let (Some(weights), Ok(header)) = (weights, header) else { return false };
    assert_eq!(weights.len(), header.tensors().len());
    for (weight, tensor) in weights.iter().zip(header.tensors()) {
        assert_eq!((weight.name(), weight.place().range()), (tensor.name(), tensor.range()));
        assert!(tensor.range().end <= bytes.len() as u64, "{tensor:?}");
        let _ = weights.tensor(weight.name());
        let _ = weights.tensor_as(weight.name(), DType::F32);
    }
    for (_, value) in weights.metadata() {
        assert!(value.to_string().len() <= 200 + 8 * bytes.len(), "texts of values are short");
    }
    true
}

#[test]
fn a_file_cut_anywhere_is_refused_or_read() {
    let file = small_file();
    assert!(read(&file));
    for length in 0..file.len() {
        // The last tensor ends where the file does.
        assert!(!read(&file[..length]), "cut at {length}");
    }
}

#[test]
fn any_byte_may_be_anything() {
    let mut file = small_file();
    for place in 0..file.len() {
        let kept = file[place];
        for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, kept ^ 1, kept.wrapping_add(1)] {
            file[place] = value;
            read(&file);
        }
        file[place] = kept;
    }
}

#[test]
fn any_field_may_be_huge_or_negative() {
    let mut file = small_file();
    for place in 0..file.len() - 8 {
        let kept = file[place..place + 8].to_vec();
        for value in [u64::MAX, 1 << 63, i64::MAX as u64, 1 << 62, 1 << 61, 1 << 42, 1 << 32, u32::MAX.into(), 1 << 31]
        {
            file[place..place + 8].copy_from_slice(&value.to_le_bytes());
            read(&file);
            file[place + 4..place + 8].copy_from_slice(&kept[4..]);
            read(&file);
        }
        file[place..place + 8].copy_from_slice(&kept);
    }
}

/// What takes the least room in a file takes the most memory for it.
#[test]
fn many_small_things_take_a_small_multiple_of_memory() {
    let count = 100_000_u64;
    let empty_arrays =
        (0..count).fold(Bytes::begin(3, 0, 1).key("a", 9).u32(9).u64(count), |bytes, _| bytes.u32(9).u64(0));
    let empty_texts = (0..count).fold(Bytes::begin(3, 0, 1).key("a", 9).u32(8).u64(count), |bytes, _| bytes.u64(0));
    let entries =
        (0..count).fold(Bytes::begin(3, 0, count), |bytes, index| bytes.key(&format!("{index:x}"), 0).raw(&[1]));
    let tensors =
        (0..count).fold(Bytes::begin(3, count, 0), |bytes, index| bytes.tensor(&format!("{index:x}"), &[0], 24, 0));
    for (name, Bytes(file)) in
        [("arrays", empty_arrays), ("texts", empty_texts), ("entries", entries), ("tensors", tensors)]
    {
        let mut is_read = false;
        let memory = measure(|| is_read = Header::parse(&file, file.len() as u64, &Limits::default()).is_ok());
        assert!(is_read, "{name}");
        let factor = memory.bytes_max as f64 / file.len() as f64;
        assert!(factor < 8.0, "{name}: {factor} bytes of memory a byte of the file");
    }
}

/// A file says that it has more than any memory, and has it: the header is refused before it is reserved for.
#[test]
fn counts_of_a_huge_file_reserve_nothing() {
    let claims = [
        Bytes::begin(3, 1 << 20, 0),
        Bytes::begin(3, 0, 1 << 20),
        Bytes::begin(3, 0, 1).key("a", 9).u32(8).u64(1 << 50),
        Bytes::begin(3, 0, 1).key("a", 9).u32(9).u64(1 << 50),
        Bytes::begin(3, 0, 1).key("a", 9).u32(10).u64(1 << 50),
        Bytes::begin(3, 0, 1).key("a", 8).u64(1 << 50),
    ];
    for Bytes(bytes) in claims {
        let memory = measure(|| assert!(Header::parse(&bytes, 1 << 60, &Limits::default()).is_err()));
        assert!(memory.bytes_max < 1024, "{} bytes of memory", memory.bytes_max);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn random_bytes_are_refused(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&Bytes::begin(3, 1, 1).raw(&tail).0);
        read(&tail);
    }

    #[test]
    fn mutations_are_refused_or_read(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..6),
    ) {
        let mut file = small_file();
        for (place, value, kind) in edits {
            let place = place.index(file.len());
            match kind {
                0 => file[place] = value,
                1 => file[place] ^= 1 << (value % 8),
                2 => file.insert(place, value),
                _ => drop(file.remove(place)),
            }
        }
        read(&file);
    }
}
