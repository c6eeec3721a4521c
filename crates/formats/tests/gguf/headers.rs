//! What is wrong with a header is said, with the values.

use insta::assert_snapshot;
use stratal_formats::{
    Limits,
    gguf::{GgufError, Header},
};
use stratal_tensor_base::DType;

use crate::build::{Bytes, header, small_file, weights};

fn refusal(bytes: &[u8]) -> GgufError {
    match header(bytes) {
        Ok(header) => panic!("read as {header:?}"),
        Err(error) => error,
    }
}

/// What is said of a file of one tensor, with so many bytes of data.
fn refusal_of_tensor(extents: &[u64], code: u32, offset: u64, data: usize) -> String {
    refusal(&Bytes::begin(3, 1, 0).tensor("w", extents, code, offset).data(32, data)).to_string()
}

#[test]
fn a_small_file_is_read() {
    let file = weights(small_file()).unwrap();
    let header = header(&small_file()).unwrap();
    assert_eq!(header.alignment(), 16);
    let metadata: Vec<_> = file.metadata().map(|(key, value)| format!("{key} = {value}")).collect();
    assert_snapshot!(metadata.join("\n"), @r#"
    general.alignment = 16
    name = "small"
    is = true
    numbers = [7, -1]
    texts = ["", "é"]
    nested = [[1, 2, 3], [1.0]]
    "#);
    let start = header.tensor("plain").unwrap().range().start as usize;
    assert_eq!(header.tensor("packed").unwrap().range().start as usize, start + 32);
    assert_eq!(file.tensor("plain").unwrap().shape().extents(), [2, 3]);
    assert_eq!(file.packed("packed").unwrap().rows(), 2);
    let scalar = file.tensor("scalar").unwrap();
    assert_eq!((scalar.rank(), scalar.to_vec::<i64>().unwrap()), (0, vec![0x5756_5554_5352_5150]));

    assert_snapshot!(file.tensor("packed").unwrap_err(), @r#"the elements of tensor "packed" are packed as Q4_0; ask for them as a dtype, or as they are"#);
    assert_snapshot!(file.packed("plain").unwrap_err(), @r#"the elements of tensor "plain" are float32, which is not packed"#);
    assert_snapshot!(file.packed("none").unwrap_err(), @r#"there is no tensor "none" among 3"#);
    let decoded = file.packed("packed").unwrap().decode().unwrap().to_vec::<f32>().unwrap();
    assert_eq!(file.tensor_as("packed", DType::F32).unwrap().to_vec::<f32>().unwrap(), decoded);
    let narrow = file.tensor_as("packed", DType::BF16).unwrap();
    assert_eq!(narrow.cast(DType::F64).unwrap().to_vec::<f64>().unwrap().len(), 64);
}

#[test]
fn other_formats_and_versions_are_named() {
    assert_snapshot!(refusal(b"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaa"), @r#"not a GGUF file: it begins with "PK\\x03\\x04""#);
    assert_snapshot!(refusal(&Bytes::begin(1, 0, 0).0), @"GGUF version 1 is not supported: 2 and 3 are");
    assert_snapshot!(refusal(&Bytes::begin(4, 0, 0).0), @"GGUF version 4 is not supported: 2 and 3 are");
    assert_snapshot!(refusal(&Bytes::begin(3_u32.swap_bytes(), 0, 0).0), @"GGUF version 3 with big-endian numbers is not supported");
    assert_eq!(header(&Bytes::begin(2, 0, 0).0).unwrap().version(), 2);
    assert_eq!(header(&Bytes::begin(3, 0, 0).0).unwrap().version(), 3);
}

#[test]
fn counts_and_lengths_that_cannot_be_are_refused() {
    assert_snapshot!(refusal(b""), @"the header goes on behind the end of the file: 4 bytes at 0 of 0");
    assert_snapshot!(refusal(&Bytes::begin(3, u64::MAX, 0).0), @"18446744073709551615 tensors cannot follow at 16: the file has 8 more bytes");
    assert_snapshot!(refusal(&Bytes::begin(3, 0, 1).0), @"1 entries of metadata cannot follow at 24: the file has 0 more bytes");
    assert_snapshot!(refusal(&Bytes::begin(3, 0, 1).u64(1 << 63).u64(0).0), @"9223372036854775808 bytes of a text cannot follow at 32: the file has 8 more bytes");
    assert_snapshot!(
        refusal(&Bytes::begin(3, 0, 1).key("a", 9).u32(12).u64(1 << 61).0),
        @"2305843009213693952 numbers cannot follow at 49: the file has 0 more bytes"
    );
    assert_snapshot!(
        refusal(&Bytes::begin(3, 0, 1).key("a", 9).u32(8).u64(2).u64(0).0),
        @"2 texts cannot follow at 49: the file has 8 more bytes"
    );
    assert_snapshot!(
        refusal(&Bytes::begin(3, 0, 1).key("a", 9).u32(7).u64(1 << 40).0),
        @"the header goes on behind the end of the file: 1099511627776 bytes at 49 of 49"
    );
}

#[test]
fn metadata_that_makes_no_sense_is_refused() {
    assert_snapshot!(refusal(&Bytes::begin(3, 0, 1).key("a", 13).u64(0).0), @r#""a" has a value of the unknown type 13"#);
    assert_snapshot!(refusal(&Bytes::begin(3, 0, 1).key("a", 9).u32(77).u64(0).0), @r#""a" has a value of the unknown type 77"#);
    assert_snapshot!(refusal(&Bytes::begin(3, 0, 1).key("a", 7).raw(&[2]).0), @r#""a" has a truth value of 2, which is neither 0 nor 1"#);
    assert_snapshot!(
        refusal(&Bytes::begin(3, 0, 2).key("a", 0).raw(&[2]).key("a", 7).raw(&[1]).0),
        @r#""a" is there twice"#
    );
    assert_snapshot!(
        refusal(&Bytes::begin(3, 0, 1).key("a", 8).u64(2).raw(b"\xFF!").0),
        @r#"the text of metadata at 37 is not UTF-8: "�!""#
    );
    assert_snapshot!(
        refusal(&Bytes::begin(3, 0, 1).u64(2).raw(b"\xFF!").u32(0).raw(&[0]).0),
        @r#"the key at 24 is not UTF-8: "�!""#
    );
    for value in [0, 3, 48, u32::MAX] {
        let error = refusal(&Bytes::begin(3, 0, 1).key("general.alignment", 4).u32(value).0).to_string();
        assert_eq!(error, format!("general.alignment is {value}, which is no uint32 that is a power of two"));
    }
    assert_snapshot!(
        refusal(&Bytes::begin(3, 0, 1).key("general.alignment", 10).u64(32).0),
        @r#"general.alignment is 32, which is no uint32 that is a power of two"#
    );
}

#[test]
fn arrays_are_nested_as_deep_as_the_limit() {
    let nested = |depth: u32| {
        let begin = Bytes::begin(3, 0, 1).key("a", 9);
        (1..depth).fold(begin, |bytes, _| bytes.u32(9).u64(1)).u32(0).u64(0).0
    };
    let limit = Limits::default().nesting;
    header(&nested(limit)).unwrap();
    let error = refusal(&nested(limit + 1));
    assert!(matches!(error, GgufError::NestedTooDeep { .. }), "{error}");
    // Deep enough to end a stack, were it followed.
    assert!(matches!(refusal(&nested(1_000_000)), GgufError::NestedTooDeep { .. }));
}

#[test]
fn limits_hold() {
    let file = small_file();
    let with = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        Header::parse(&file, file.len() as u64, &limits).unwrap_err()
    };
    assert_snapshot!(with(|limits| limits.header_bytes = 100), @"the header is longer than 100 bytes, which is the limit");
    assert_snapshot!(with(|limits| limits.tensors = 2), @"3 tensors are more than 2, which is the limit");
    assert_snapshot!(with(|limits| limits.metadata_entries = 5), @"6 entries of metadata are more than 5, which is the limit");
    assert_snapshot!(with(|limits| limits.name_bytes = 6), @"a key has 17 bytes, more than 6, which is the limit");
    assert_snapshot!(with(|limits| limits.text_bytes = 4), @"a text of metadata has 5 bytes, more than 4, which is the limit");
    assert_snapshot!(with(|limits| limits.nesting = 1), @r#"the arrays of "nested" are nested deeper than 1, which is the limit"#);
}

/// Rows A28 and A29 of the edge cases: products and sums of sizes that pass 64 bits.
#[test]
fn sizes_that_wrap_are_refused() {
    // 1152 * (2^42 + 1) * 2^12 is 4718592 modulo 2^64.
    assert_snapshot!(refusal_of_tensor(&[1152, (1 << 42) + 1, 1 << 12], 0, 0, 4096), @r#"the tensor "w" of F32 [4096, 4398046511105, 1152] has more bytes than there are numbers for"#);
    assert_snapshot!(refusal_of_tensor(&[1152, (1 << 42) + 1], 0, 0, 4096), @r#"the tensor "w" of 20266198323171840 bytes is at 0 in the data from 96, which passes the end of a file of 4192"#);
    // All extents multiply to 2^64, which is 0.
    assert_snapshot!(refusal_of_tensor(&[1 << 16; 4], 24, 0, 4096), @r#"the tensor "w" of I8 [65536, 65536, 65536, 65536] has more bytes than there are numbers for"#);
    assert_snapshot!(refusal_of_tensor(&[1 << 32, 1 << 31], 28, 0, 4096), @r#"the tensor "w" of F64 [2147483648, 4294967296] has more bytes than there are numbers for"#);
    assert_snapshot!(refusal_of_tensor(&[u64::MAX], 24, 0, 4096), @r#"the tensor "w" of 18446744073709551615 bytes is at 0 in the data from 64, which passes the end of a file of 4160"#);
    // A size just below 2^64, which padding would wrap to 0.
    assert_snapshot!(refusal_of_tensor(&[u64::MAX - 15], 24, 0, 4096), @r#"the tensor "w" of 18446744073709551600 bytes is at 0 in the data from 64, which passes the end of a file of 4160"#);
    assert_snapshot!(refusal_of_tensor(&[64], 24, u64::MAX - 31, 4096), @r#"the tensor "w" of 64 bytes is at 18446744073709551584 in the data from 64, which passes the end of a file of 4160"#);
    // 2^63 / 32 blocks of 34 bytes.
    assert_snapshot!(refusal_of_tensor(&[1 << 63], 8, 0, 4096), @r#"the tensor "w" of 9799832789158199296 bytes is at 0 in the data from 64, which passes the end of a file of 4160"#);
    assert_snapshot!(refusal_of_tensor(&[1 << 63, 2], 8, 0, 4096), @r#"the tensor "w" of Q8_0 [2, 9223372036854775807] has more bytes than there are numbers for"#);
}

#[test]
fn tensors_that_make_no_sense_are_refused() {
    assert_snapshot!(refusal_of_tensor(&[1; 5], 0, 0, 64), @r#"the tensor "w" has 5 axes; GGUF has at most 4"#);
    assert_snapshot!(refusal(&Bytes::begin(3, 1, 0).text("w").u32(u32::MAX).u64(1).u64(0).0), @r#"the tensor "w" has 4294967295 axes; GGUF has at most 4"#);
    assert_snapshot!(refusal_of_tensor(&[256], 15, 0, 4096), @r#"the tensor "w" has the type Q8_K (15), which is not supported"#);
    assert_snapshot!(refusal_of_tensor(&[256], 99, 0, 4096), @r#"the tensor "w" has the unknown type 99"#);
    assert_snapshot!(refusal_of_tensor(&[48, 2], 2, 0, 4096), @r#"the tensor "w" of [2, 48] has rows that are no whole blocks of Q4_0"#);
    assert_snapshot!(refusal_of_tensor(&[], 2, 0, 4096), @r#"the tensor "w" of [] has rows that are no whole blocks of Q4_0"#);
    assert_snapshot!(refusal_of_tensor(&[1], 0, 16, 4096), @r#"the tensor "w" is at 16 in the data, which is no multiple of 32"#);
    assert_snapshot!(refusal_of_tensor(&[9], 24, 0, 8), @r#"the tensor "w" of 9 bytes is at 0 in the data from 64, which passes the end of a file of 72"#);
    assert_snapshot!(refusal_of_tensor(&[0], 24, 1 << 40, 0), @r#"the tensor "w" of 0 bytes is at 1099511627776 in the data from 64, which passes the end of a file of 64"#);

    let two = |first: (&str, u64), second: (&str, u64)| {
        let table = Bytes::begin(3, 2, 0).tensor(first.0, &[33], 24, first.1).tensor(second.0, &[8], 24, second.1);
        header(&table.data(32, 200)).map(|header| header.tensors().len())
    };
    assert_snapshot!(two(("a", 0), ("a", 64)).unwrap_err(), @r#"the tensor "a" is there twice"#);
    assert_snapshot!(two(("a", 0), ("b", 32)).unwrap_err(), @r#"the tensors "a" and "b" overlap at 128"#);
    assert_snapshot!(two(("a", 64), ("b", 64)).unwrap_err(), @r#"the tensors "a" and "b" overlap at 160"#);
    // The format asks for padding between tensors, and says nothing of their order.
    assert_eq!(two(("a", 0), ("b", 64)), Ok(2));
    assert_eq!(two(("a", 96), ("b", 0)), Ok(2));
}

#[test]
fn an_empty_tensor_may_lie_at_an_end_that_is_not_padded() {
    let file = Bytes::begin(3, 1, 0).tensor("none", &[0, 3], 0, 0).0;
    let tensor = weights(file).unwrap().tensor("none").unwrap();
    assert_eq!(tensor.shape().extents(), [3, 0]);
}

/// Files may be larger than tensors can be: such tensors are listed, and refused when they are asked for.
#[test]
fn a_tensor_beyond_the_limits_of_shapes_is_listed() {
    let bytes = Bytes::begin(3, 1, 0).tensor("w", &[1 << 20, 1 << 12], 24, 0).0;
    let header = Header::parse(&bytes, 1 << 33, &Limits::default()).unwrap();
    let info = header.tensor("w").unwrap();
    assert_eq!((info.extents(), info.elements(), info.bytes()), (&[1 << 12, 1 << 20][..], 1 << 32, 1 << 32));
    assert!(info.shape().is_err());
}

#[test]
fn a_header_may_come_in_parts() {
    let file = small_file();
    let whole = header(&file).unwrap();
    let end = whole.tensors()[0].range().start as usize;
    let mut wanted_before = 0;
    for length in 0..end - 16 {
        match Header::parse(&file[..length], file.len() as u64, &Limits::default()) {
            Err(GgufError::Incomplete { wanted, given }) => {
                assert_eq!(given, length as u64);
                assert!(wanted > given && wanted >= wanted_before, "{length}");
                wanted_before = wanted;
            }
            other => panic!("{length}: {other:?}"),
        }
    }
    assert_eq!(Header::parse(&file[..end], file.len() as u64, &Limits::default()), Ok(whole));
}
