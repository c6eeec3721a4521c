//! Files that somebody made to do harm: every field huge, negative, overlapping; every file cut off at every byte.

use proptest::{collection::vec, prelude::*};
use stratal_formats::{Error, Limits, ModelFile, Weights, npy, safetensors as format};
use stratal_tensor::{
    Tensor,
    base::{DType, Shape},
};

use crate::{
    corpus::{corpus, exercise},
    kinds::{bytes_of, each_kind, weights},
    npy::written_by_numpy,
    safetensors::file,
};

/// Opens bytes as whatever they are and makes every tensor that there seems to be.
fn read_all(bytes: &[u8]) -> Result<Weights, Error> {
    let weights = weights(bytes)?;
    for weight in &weights {
        if let Ok(tensor) = weights.tensor(weight.name()) {
            // Elements that are said to be there can be read.
            let tensor = tensor.contiguous().unwrap();
            assert!(tensor.buffer().read().unwrap().len() >= tensor.count() * tensor.dtype().size());
        }
    }
    Ok(weights)
}

/// Numbers that lie at an edge of something.
const EDGES: [&str; 15] = [
    "-1",
    "0",
    "1",
    "7",
    "9",
    "127",
    "2147483647",
    "2147483648",
    "4294967296",
    "4611686018427387904",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e300",
];

#[test]
fn a_header_with_any_field_at_an_edge_is_refused_or_true() {
    let mut accepted = 0;
    for field in 0..4 {
        for edge in EDGES {
            let mut fields = ["2", "2", "0", "16"];
            fields[field] = edge;
            let [rows, columns, start, end] = fields;
            let header =
                format!(r#"{{"a":{{"dtype":"F32","shape":[{rows},{columns}],"data_offsets":[{start},{end}]}}}}"#);
            if let Ok(weights) = read_all(&file(&header, 16)) {
                accepted += 1;
                let weight = weights.get("a").unwrap();
                assert_eq!(weight.extents().iter().product::<u64>() * 4, 16, "{header}");
                assert_eq!(weight.place().bytes(), 16, "{header}");
            }
        }
    }
    // A start of 0, the only edge that is right.
    assert_eq!(accepted, 1);
}

#[test]
fn products_that_wrap_around_are_refused() {
    // Each product is what the file has, modulo 2^64.
    for (dtype, shape, length) in [
        ("F32", "4611686018427387904,1", 0),
        ("F32", "4611686018427387905", 4),
        ("F64", "4294967296,4294967296", 0),
        ("U8", "9223372036854775808,2,3", 0),
        ("F32", "4294967297,4294967295,1", 0),
        ("F4", "4611686018427387904,8", 0),
        ("I16", "1152,36028797018963969", 2304),
    ] {
        let header = format!(r#"{{"a":{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[0,{length}]}}}}"#);
        let error = read_all(&file(&header, length)).unwrap_err();
        assert!(error.to_string().contains("does not have"), "{shape}: {error}");
    }
}

#[test]
fn a_header_of_any_length_is_refused_before_memory_is_had_for_it() {
    let mut bytes = file("{}", 0);
    for length in [3, 100, 1 << 31, 1 << 40, u64::MAX - 8, u64::MAX] {
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        assert!(read_all(&bytes).is_err(), "{length}");
    }
    for length in [0, 1] {
        bytes[..8].copy_from_slice(&u64::to_le_bytes(length));
        assert!(read_all(&bytes).is_err(), "{length}");
    }
}

#[test]
fn tensors_that_share_bytes_or_leave_some_are_refused() {
    let two = |first: (u64, u64), second: (u64, u64)| {
        let part = |name: &str, (start, end): (u64, u64)| {
            let length = end.saturating_sub(start);
            format!(r#""{name}":{{"dtype":"U8","shape":[{length}],"data_offsets":[{start},{end}]}}"#)
        };
        let header = format!("{{{},{}}}", part("a", first), part("b", second));
        read_all(&file(&header, 8)).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(two((0, 4), (4, 8)), Ok(()));
    assert_eq!(two((4, 8), (0, 4)), Ok(()));
    assert_eq!(two((0, 8), (8, 8)), Ok(()));
    assert_eq!(two((0, 0), (0, 8)), Ok(()));
    for (first, second) in [((0, 5), (4, 8)), ((0, 8), (0, 8)), ((0, 8), (2, 4)), ((0, 8), (3, 3))] {
        assert!(two(first, second).unwrap_err().contains("share bytes"), "{first:?} {second:?}");
    }
    for (first, second) in [((0, 3), (4, 8)), ((1, 4), (4, 8)), ((0, 4), (4, 7)), ((0, 0), (0, 0))] {
        assert!(two(first, second).unwrap_err().contains("belong to no tensor"), "{first:?} {second:?}");
    }
    for (first, second) in [((0, 4), (4, 9)), ((4, 0), (4, 8)), ((0, 4), (u64::MAX, u64::MAX))] {
        assert!(two(first, second).is_err(), "{first:?} {second:?}");
    }
}

#[test]
fn headers_that_are_not_what_they_should_be_are_refused() {
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let deep_unknown = format!("{{\"a\":{{\"more\":{}", "{\"a\":".repeat(100_000));
    let axes = format!(r#"{{"a":{{"dtype":"U8","shape":[{}0],"data_offsets":[0,0]}}}}"#, "1,".repeat(100_000));
    for header in [
        "",
        " {}",
        "[]",
        "null",
        "{",
        "{}x",
        "{} {}",
        "{\"a\":1}",
        "{\"a\":{}}",
        "{\"__metadata__\":{\"a\":1}}",
        "{\"__metadata__\":{},\"__metadata__\":{}}",
        "{\"__metadata__\":{\"a\":\"\",\"b\":\"\",\"a\":\"\"}}",
        r#"{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#,
        r#"{"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#,
        r#"{"a":{"dtype":"U8","shape":[0.0],"data_offsets":[0,0]}}"#,
        r#"{"a":{"dtype":"U8","shape":[0],"data_offsets":[0]}}"#,
        r#"{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}}"#,
        r#"{"a":{"dtype":"U8","shape":"0","data_offsets":[0,0]}}"#,
        &deep,
        &deep_unknown,
        &axes,
    ] {
        let error = read_all(&file(header, 0)).unwrap_err().to_string();
        assert!(error.len() < 600, "{error}");
    }
    let mut not_utf8 = file("{\"\u{e9}\":1}", 0);
    not_utf8[10] = 0xff;
    assert!(read_all(&not_utf8).is_err());
}

#[test]
fn indices_that_are_not_what_they_should_be_are_refused() {
    let deep = format!("{{\"weight_map\":{{}},\"more\":{}", "[".repeat(100_000));
    for index in [
        "{}",
        "[]",
        "{\"weight_map\":null,\"weight_map\":null}",
        "{\"weight_map\":{},\"weight_map\":{}}",
        "{\"weight_map\":{},\"metadata\":{},\"metadata\":{}}",
        "{\"weight_map\":{},\"metadata\":{\"a\":1,\"a\":2}}",
        "{\"weight_map\":{\"a\":\"b\",\"a\":\"b\"}}",
        "{\"weight_map\":{\"a\":1}}",
        "{\"weight_map\":{}}x",
        &deep,
    ] {
        let error = format::Index::parse(index.as_bytes(), &Limits::default()).unwrap_err().to_string();
        assert!(error.len() < 600, "{error}");
    }
    let limits = Limits { metadata_entries: 2, name_bytes: 3, text_bytes: 4, tensors: 2, ..Limits::default() };
    let parse = |index: &str| format::Index::parse(index.as_bytes(), &limits);
    assert!(parse(r#"{"weight_map":{"a":"b","c":"d"},"metadata":{"abc":"text","n":null}}"#).is_ok());
    for index in [
        r#"{"weight_map":{"a":"b","c":"d","e":"f"}}"#,
        r#"{"weight_map":{"abcd":"b"}}"#,
        r#"{"weight_map":{},"metadata":{"a":1,"b":2,"c":3}}"#,
        r#"{"weight_map":{},"metadata":{"abcd":1}}"#,
        r#"{"weight_map":{},"metadata":{"a":"texts"}}"#,
    ] {
        assert!(parse(index).unwrap_err().to_string().contains("above the limit"), "{index}");
    }
}

#[test]
fn every_kind_of_file_answers_alike() {
    let mut refused = 0;
    // An index in memory lies in no folder, and has no other files.
    for (format, _) in exercise::FORMATS.into_iter().filter(|(format, _)| *format != "index") {
        for (path, bytes) in corpus(format) {
            for length in [bytes.len(), bytes.len() - 1, bytes.len() / 2] {
                let mut answers = Vec::new();
                each_kind(&bytes[..length], |_, file| answers.push(answer(file)));
                assert!(answers.iter().all(|answer| *answer == answers[0]), "{}: {answers:#?}", path.display());
                refused += usize::from(answers[0].starts_with("refused"));
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_range_past_the_end_is_refused_in_every_kind_of_file() {
    each_kind(&[1, 2, 3, 4], |kind, file| {
        assert_eq!(file.bytes(1..4).unwrap()[..], [2, 3, 4], "{kind}");
        assert!(file.bytes(4..4).unwrap().is_empty(), "{kind}");
        for (start, end) in [(3, 5), (5, 5), (4, 3), (0, u64::MAX), (u64::MAX - 1, u64::MAX), (u64::MAX, 0)] {
            let range = start..end;
            let error = file.bytes(range.clone()).unwrap_err().to_string();
            assert!(error.contains("pass the end of a file of 4"), "{kind} {range:?}: {error}");
        }
        let shape = |extent| Shape::new(&[extent]).unwrap();
        assert_eq!(file.tensor(DType::U8, shape(2), 2).unwrap().to_vec::<u8>().unwrap(), [3, 4], "{kind}");
        assert_eq!(file.tensor(DType::F64, shape(0), 4).unwrap().count(), 0, "{kind}");
        for (extent, offset) in [(2, 3), (5, 0), (0, 5), (1, u64::MAX), (2, u64::MAX)] {
            assert!(file.tensor(DType::U8, shape(extent), offset).is_err(), "{kind} {extent} at {offset}");
            assert!(file.read_into(offset, &mut vec![0; extent as usize]).is_err(), "{kind} {extent} at {offset}");
        }
    });
}

/// All that a file says: of each tensor what it is, and its elements or what is wrong.
fn answer(file: ModelFile) -> String {
    let weights = match Weights::of_file(file, &Limits::default()) {
        Ok(weights) => weights,
        Err(error) => return format!("refused: {error}"),
    };
    let mut text = String::new();
    for weight in &weights {
        let elements = match weights.tensor(weight.name()) {
            Ok(tensor) => format!("{:?}", bytes_of(&tensor)),
            // A file in memory lies in no folder.
            Err(error) if weight.place().file().is_some() => format!("{}", error.to_string().is_empty()),
            Err(error) => error.to_string(),
        };
        text += &format!("{} {:?} {} {elements}\n", weight.name(), weight.place(), weight.element_type());
    }
    text
}

#[test]
fn a_file_cut_off_at_any_byte_is_refused() {
    let tensor = Tensor::arange(0, 6, 1, DType::I16).unwrap().reshape(&[2, 3]).unwrap();
    let truths = Tensor::ones(&[3], DType::Bool).unwrap();
    let named = [("matrix", &tensor), ("truths", &truths)];
    let numpy = written_by_numpy();
    let data = |name: &str| std::fs::read(format!("{}/tests/data/npy/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let files = [
        format::to_vec(named, [("key", "text")]).unwrap(),
        npy::to_vec(&tensor).unwrap(),
        npy::archive_to_vec(named).unwrap(),
        numpy["fortran_big_f8"].file.clone(),
        numpy["version_2"].file.clone(),
        numpy["version_3"].file.clone(),
        data("stored.npz"),
        data("deflated.npz"),
    ];
    for bytes in files {
        read_all(&bytes).unwrap();
        for length in 0..bytes.len() {
            assert!(read_all(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
        let mut longer = bytes.clone();
        longer.push(0);
        // An archive may be followed by something, as NumPy and others read it.
        let is_archive = bytes.starts_with(b"PK");
        assert!(is_archive || read_all(&longer).is_err());
    }
}

#[test]
fn any_byte_of_a_small_file_may_be_anything() {
    let tensor = Tensor::arange(0, 6, 1, DType::I16).unwrap().reshape(&[2, 3]).unwrap();
    let named = [("matrix", &tensor)];
    let deflated = std::fs::read(format!("{}/tests/data/npy/deflated.npz", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let files = [
        format::to_vec(named, []).unwrap(),
        npy::to_vec(&tensor).unwrap(),
        npy::archive_to_vec(named).unwrap(),
        deflated,
    ];
    let mut executions = 0;
    for bytes in files {
        for position in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, bytes[position] ^ 1, bytes[position].wrapping_add(1), b'9', b'-'] {
                let mut changed = bytes.clone();
                changed[position] = value;
                let _ = read_all(&changed);
                executions += 1;
            }
        }
    }
    assert!(executions > 10_000, "{executions}");
}

#[test]
fn an_npy_header_with_any_extent_at_an_edge_is_refused_or_true() {
    for edge in EDGES {
        for shape in [format!("({edge},)"), format!("({edge}, 2)"), format!("(2, {edge})"), format!("(0, {edge})")] {
            let text = format!("{{'descr': '<f4', 'fortran_order': True, 'shape': {shape}, }}\n");
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((text.len() as u16).to_le_bytes());
            bytes.extend(text.as_bytes());
            bytes.extend([0; 28]);
            if let Ok(weights) = read_all(&bytes) {
                let product: u64 = weights.get(npy::UNNAMED).unwrap().extents().iter().product();
                assert_eq!(product, 7, "{shape}");
            }
        }
    }
}

#[test]
fn an_npy_header_may_be_of_any_length() {
    for (version, length) in [(1, u32::from(u16::MAX)), (2, 1 << 28), (2, u32::MAX), (3, u32::MAX), (1, 0), (2, 0)] {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        bytes.extend(&length.to_le_bytes()[..if version == 1 { 2 } else { 4 }]);
        bytes.extend(b"{'descr': '<f4'");
        assert!(read_all(&bytes).is_err(), "{version} {length}");
    }
    for (major, minor) in [(0, 0), (1, 1), (4, 0), (255, 255)] {
        let bytes = [b"\x93NUMPY".as_slice(), &[major, minor], &[0; 100]].concat();
        assert!(read_all(&bytes).unwrap_err().to_string().contains("version"), "{major}.{minor}");
    }
}

#[test]
fn a_member_that_says_it_is_huge_is_refused_before_memory_is_had_for_it() {
    let tensor = Tensor::zeros(&[16], DType::F32).unwrap();
    let bytes = npy::archive_to_vec([("a", &tensor)]).unwrap();
    // The sizes in the central directory, 20 and 24 bytes behind its signature.
    let directory = bytes.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
    for offset in [20, 24] {
        for value in [0, 1, 191, 193, 1 << 20, u32::MAX - 1, u32::MAX] {
            let mut changed = bytes.clone();
            changed[directory + offset..directory + offset + 4].copy_from_slice(&value.to_le_bytes());
            assert!(read_all(&changed).is_err(), "{value} at {offset}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_header_is_answered(header in "[{}\\[\\]\":,0-9a-zA-Z_ -]{0,80}", data in 0_usize..20) {
        let _ = read_all(&file(&header, data));
    }

    #[test]
    fn a_header_of_any_numbers_is_answered(
        entries in vec((any::<u64>(), any::<u64>(), vec(any::<u64>(), 0..4), 0_usize..15), 0..4),
        small: bool,
        data in 0_usize..40,
    ) {
        let names = ["F32", "U8", "I64", "BF16", "F4", "BOOL", "C64", "F6_E2M3", "?", "F16", "I8", "F64", "U16", "I32", "F8_E4M3"];
        let cut = |number: u64| if small { number % 17 } else { number };
        let entries: Vec<_> = entries.into_iter().enumerate().map(|(index, (start, end, shape, dtype))| {
            let shape: Vec<_> = shape.into_iter().map(|extent| if small { extent % 5 } else { extent }).collect();
            format!(r#""{index}":{{"dtype":"{}","shape":{shape:?},"data_offsets":[{},{}]}}"#, names[dtype], cut(start), cut(end))
        }).collect();
        let _ = read_all(&file(&format!("{{{}}}", entries.join(",")), data));
    }

    #[test]
    fn any_bytes_are_answered(beginning in 0_usize..6, rest in vec(any::<u8>(), 0..200)) {
        let beginning: &[u8] =
            [b"".as_slice(), b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"\x10\0\0\0\0\0\0\0{", b"{", b"PK\x05\x06"][beginning];
        let _ = read_all(&[beginning, &rest].concat());
    }
}
