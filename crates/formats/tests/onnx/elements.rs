//! Where a tensor's elements are in its message, for every dtype.

use stratal_formats::onnx::{RawData, Segment, TensorFields, TensorProto};
use stratal_tensor::base::{Bool, DType, bf16, f16};

use crate::sample::{external, header, raw};

fn problem(tensor: impl Into<TensorProto>) -> String {
    tensor.into().tensor().unwrap_err().to_string()
}

#[test]
fn raw_bytes_are_little_endian_elements_of_any_dtype() {
    for dtype in DType::ALL {
        let bytes: Vec<u8> = (0..3 * dtype.size() as u8).map(|byte| byte % 2).collect();
        let tensor = raw("w", dtype, &[3, 1], &bytes).tensor().unwrap();
        assert_eq!((tensor.dtype(), tensor.shape().extents()), (dtype, &[3, 1][..]));
        assert_eq!(tensor.buffer().read().unwrap()[..], bytes, "{dtype}");
    }
}

#[test]
fn every_dtype_has_a_field_of_numbers() {
    let int32s = |dtype, int32_data: &[i32]| {
        let fields = TensorFields { int32_data: int32_data.to_vec(), ..header("w", dtype, &[2]) };
        TensorProto::from(fields).tensor().unwrap()
    };
    assert_eq!(int32s(DType::I32, &[i32::MIN, 7]).to_vec::<i32>().unwrap(), [i32::MIN, 7]);
    assert_eq!(int32s(DType::I16, &[-32768, 32767]).to_vec::<i16>().unwrap(), [-32768, 32767]);
    assert_eq!(int32s(DType::I8, &[-128, 127]).to_vec::<i8>().unwrap(), [-128, 127]);
    assert_eq!(int32s(DType::U16, &[0, 65535]).to_vec::<u16>().unwrap(), [0, 65535]);
    assert_eq!(int32s(DType::U8, &[0, 255]).to_vec::<u8>().unwrap(), [0, 255]);
    let truths = int32s(DType::Bool, &[0, 1]).to_vec::<Bool>().unwrap();
    assert_eq!(truths, [Bool::from(false), Bool::from(true)]);
    let halves = int32s(DType::F16, &[0x3c00, 0xfc00]).to_vec::<f16>().unwrap();
    assert_eq!(halves, [f16::ONE, f16::NEG_INFINITY]);
    let brains = int32s(DType::BF16, &[0x3f80, 0xff80]).to_vec::<bf16>().unwrap();
    assert_eq!(brains, [bf16::ONE, bf16::NEG_INFINITY]);

    let tensor = |fields: TensorFields| TensorProto::from(fields).tensor().unwrap();
    let floats = tensor(TensorFields { float_data: vec![0.5, -0.0], ..header("w", DType::F32, &[1, 2]) });
    assert_eq!(floats.to_vec::<f32>().unwrap().map_bits(), [0.5_f32.to_bits(), (-0.0_f32).to_bits()]);
    let doubles = tensor(TensorFields { double_data: vec![0.1], ..header("w", DType::F64, &[]) });
    assert_eq!(doubles.to_vec::<f64>().unwrap(), [0.1]);
    let int64s = tensor(TensorFields { int64_data: vec![i64::MIN], ..header("w", DType::I64, &[1]) });
    assert_eq!(int64s.to_vec::<i64>().unwrap(), [i64::MIN]);
    let uint64s = tensor(TensorFields { uint64_data: vec![u64::MAX], ..header("w", DType::U64, &[1]) });
    assert_eq!(uint64s.to_vec::<u64>().unwrap(), [u64::MAX]);
    let uint32s = tensor(TensorFields { uint64_data: vec![u32::MAX.into()], ..header("w", DType::U32, &[1]) });
    assert_eq!(uint32s.to_vec::<u32>().unwrap(), [u32::MAX]);
}

trait Bits {
    fn map_bits(self) -> Vec<u32>;
}

impl Bits for Vec<f32> {
    fn map_bits(self) -> Vec<u32> {
        self.into_iter().map(f32::to_bits).collect()
    }
}

#[test]
fn a_tensor_without_elements_needs_none() {
    let empty = TensorProto::from(header("w", DType::I64, &[2, 0]));
    assert!(empty.tensor().unwrap().to_vec::<i64>().unwrap().is_empty());
    let raw = raw("w", DType::I64, &[0], &[]);
    assert_eq!(raw.tensor().unwrap().count(), 0);
}

#[test]
fn empty_raw_bytes_beside_numbers_are_no_second_place() {
    let fields = TensorFields { float_data: vec![2.0], ..header("w", DType::F32, &[]) };
    let both = TensorProto { fields, raw_data: Some(RawData::from(vec![])) };
    assert_eq!(both.tensor().unwrap().to_vec::<f32>().unwrap(), [2.0]);
}

#[test]
fn malformed_tensors_are_errors_that_name_them() {
    let float = || header("w", DType::F32, &[2]);
    let floats = || TensorFields { float_data: vec![1.0, 2.0], ..float() };
    let errors = [
        problem(float()),
        problem(raw("w", DType::F32, &[2], &[0; 7])),
        problem(raw("w", DType::F32, &[2], &[0; 9])),
        problem(TensorFields { float_data: vec![1.0], ..float() }),
        problem(TensorFields { int32_data: vec![1, 2], ..float() }),
        problem(TensorFields { int32_data: vec![1, 2], ..floats() }),
        problem(TensorProto { fields: floats(), raw_data: Some(RawData::from(vec![0; 8])) }),
        problem(TensorFields { data_location: Some(1), ..floats() }),
        problem(TensorProto {
            fields: TensorFields { data_location: Some(1), ..float() },
            ..raw("", DType::F32, &[], &[1])
        }),
        problem(TensorFields { data_location: Some(-2), ..float() }),
        problem(TensorFields { data_location: Some(1), ..float() }),
        problem(external("w", DType::F32, &[2], &[("location", "a"), ("offset", "+1")])),
        problem(external("w", DType::F32, &[2], &[("location", "a"), ("length", "18446744073709551616")])),
        problem(external("w", DType::F32, &[2], &[("location", "a"), ("location", "b")])),
        problem(external("w", DType::F32, &[2], &[("location", "a")])),
        problem(TensorFields { segment: Some(Segment::default()), ..floats() }),
        problem(TensorFields { int32_data: vec![0, 300], ..header("w", DType::U8, &[2]) }),
        problem(TensorFields { int32_data: vec![-1], ..header("w", DType::F16, &[1]) }),
        problem(TensorFields { uint64_data: vec![1 << 32], ..header("w", DType::U32, &[1]) }),
        problem(header("w", DType::F32, &[-1])),
        problem(header("w", DType::F32, &[1 << 20, 1 << 20])),
        problem(header("w", DType::F64, &[1 << 30])),
        problem(header("w", DType::F32, &[i64::MAX, i64::MAX])),
        problem(header("w", DType::F32, &[1; 9])),
    ];
    insta::assert_snapshot!(errors.join("\n"), @r#"
    tensor "w": 0 bytes do not fill shape [2] of float32, which takes 8
    tensor "w": 7 bytes do not fill shape [2] of float32, which takes 8
    tensor "w": 9 bytes do not fill shape [2] of float32, which takes 8
    tensor "w": 1 elements in float_data do not fill shape [2]
    tensor "w": elements of float32 in int32_data
    tensor "w": there are elements in float_data and in int32_data
    tensor "w": there are elements in float_data and in raw_data
    tensor "w": there are elements in float_data and in another file
    tensor "w": there are elements in raw_data and in another file
    tensor "w": data location -2 does not exist
    tensor "w": the elements are in another file, but no location is given
    tensor "w": external data: offset is "+1", not a number of bytes
    tensor "w": external data: length is "18446744073709551616", not a number of bytes
    tensor "w": external data: location is given twice
    tensor "w": the file names "a", but it is in memory and lies in no folder
    tensor "w": tensors in segments are not supported
    tensor "w": element 1 is 300, which is no uint8
    tensor "w": element 0 is -1, which is no float16
    tensor "w": element 0 is 4294967296, which is no uint32
    tensor "w": extent -1 of axis 0 is negative
    tensor "w": leading extents [1048576, 1048576] hold more than 2147483647 elements
    tensor "w": shape [1073741824] of float64 needs 8589934592 bytes, more than a buffer holds
    tensor "w": extent 9223372036854775807 of axis 0 is above the limit of 2147483647
    tensor "w": rank 9 is above the limit of 8
    "#);
}

#[test]
fn dtypes_that_are_not_supported_are_named() {
    let codes = [0, 8, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 29, -1, i32::MAX];
    let of_code = |code| problem(TensorFields { data_type: Some(code), ..header("w", DType::F32, &[]) });
    insta::assert_snapshot!(codes.map(of_code).join("\n"), @r#"
    tensor "w": ONNX type UNDEFINED (code 0) is not supported
    tensor "w": ONNX type STRING (code 8) is not supported
    tensor "w": ONNX type COMPLEX64 (code 14) is not supported
    tensor "w": ONNX type COMPLEX128 (code 15) is not supported
    tensor "w": ONNX type FLOAT8E4M3FN (code 17) is not supported
    tensor "w": ONNX type FLOAT8E4M3FNUZ (code 18) is not supported
    tensor "w": ONNX type FLOAT8E5M2 (code 19) is not supported
    tensor "w": ONNX type FLOAT8E5M2FNUZ (code 20) is not supported
    tensor "w": ONNX type UINT4 (code 21) is not supported
    tensor "w": ONNX type INT4 (code 22) is not supported
    tensor "w": ONNX type FLOAT4E2M1 (code 23) is not supported
    tensor "w": ONNX type FLOAT8E8M0 (code 24) is not supported
    tensor "w": unknown ONNX type code 29
    tensor "w": unknown ONNX type code -1
    tensor "w": unknown ONNX type code 2147483647
    "#);
}
