//! Blocks decode to what ggml's own package makes of them, to the bit.
//!
//! `blocks/TYPE.bin` has 32 random blocks and then their weights, as f32; `blocks/TYPE.encoded.bin` has four rows of 256 weights
//! of a real matrix, as that package quantised them, and then their weights. Both were made with the Python package gguf 0.19.

use std::path::Path;

use stratal_formats::{
    ModelFile,
    gguf::{BlockError, BlockType, PackedTensor},
};
use stratal_tensor_base::{DType, Shape};

/// The packed bytes and the weights of a golden file that has `blocks` blocks.
fn golden(name: &str, block_bytes: usize, blocks: usize) -> (Vec<u8>, Vec<f32>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gguf/blocks").join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (packed, weights) = bytes.split_at(block_bytes * blocks);
    let weights = weights.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
    (packed.to_vec(), weights)
}

fn assert_decodes(block_type: BlockType, name: &str, packed: &[u8], expected: &[f32]) {
    // What is not written stays visible.
    let mut weights = vec![f32::NAN; expected.len()];
    block_type.decode(packed, &mut weights).unwrap();
    for (index, (weight, expected)) in weights.iter().zip(expected).enumerate() {
        assert!(weight.to_bits() == expected.to_bits(), "{name}: weight {index} is {weight:e}, not {expected:e}");
    }
}

#[test]
fn random_blocks_decode_to_the_bit() {
    for block_type in BlockType::ALL {
        let name = format!("{block_type}.bin");
        let (packed, weights) = golden(&name, block_type.block_bytes(), 32);
        assert_eq!(weights.len(), 32 * block_type.block_weights(), "{name}");
        assert_decodes(block_type, &name, &packed, &weights);
    }
}

#[test]
fn quantised_rows_of_a_real_matrix_decode_to_the_bit() {
    use BlockType::{MXFP4, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, TQ1_0, TQ2_0};
    for block_type in [Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, TQ1_0, TQ2_0, MXFP4] {
        let name = format!("{block_type}.encoded.bin");
        let blocks = 4 * 256 / block_type.block_weights();
        let (packed, weights) = golden(&name, block_type.block_bytes(), blocks);
        assert_eq!(weights.len(), 4 * 256, "{name}");
        assert_decodes(block_type, &name, &packed, &weights);
    }
}

/// bfloat16 is one of ggml's 24 types with golden values, and a dtype here.
#[test]
fn bfloat16_converts_to_the_bit() {
    for (name, rows) in [("BF16.bin", 32), ("BF16.encoded.bin", 4 * 256)] {
        let (bytes, expected) = golden(name, 2, rows);
        let tensor = ModelFile::of_vec(bytes).unwrap().tensor(DType::BF16, Shape::new(&[rows as i64]).unwrap(), 0);
        let values = tensor.unwrap().cast(DType::F32).unwrap().to_vec::<f32>().unwrap();
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&values), bits(&expected), "{name}");
    }
}

#[test]
fn any_bytes_decode() {
    for block_type in BlockType::ALL {
        let mut weights = vec![0.0; block_type.block_weights()];
        for byte in [0x00, 0x7F, 0x80, 0xAA, 0xFF] {
            block_type.decode(&vec![byte; block_type.block_bytes()], &mut weights).unwrap();
        }
    }
}

#[test]
fn rows_decode_to_the_same_as_the_whole() {
    for block_type in BlockType::ALL {
        let name = format!("{block_type}.bin");
        let (bytes, expected) = golden(&name, block_type.block_bytes(), 32);
        // Four rows, each of eight blocks.
        let row = 8 * block_type.block_weights();
        let shape = Shape::new(&[2, 2, row as i64]).unwrap();
        let file = ModelFile::of_vec(bytes.clone()).unwrap();
        let packed = PackedTensor::new(block_type, shape, file.bytes(0..file.len()).unwrap()).unwrap();
        assert_eq!((packed.rows(), packed.row_weights(), packed.row_bytes()), (4, row, bytes.len() / 4), "{name}");
        assert_eq!(packed.bytes(), bytes, "{name}");
        assert_eq!(packed.row(3), Some(&bytes[3 * bytes.len() / 4..]), "{name}");
        assert_eq!(packed.row(4), None, "{name}");

        let mut weights = vec![f32::NAN; 2 * row];
        packed.decode_rows(1..3, &mut weights).unwrap();
        assert_eq!(weights, expected[row..3 * row], "{name}");
        packed.decode_rows(4..4, &mut []).unwrap();

        let decoded = packed.decode().unwrap();
        assert_eq!((decoded.dtype(), decoded.shape()), (DType::F32, &shape), "{name}");
        assert_eq!(decoded.to_vec::<f32>().unwrap(), expected, "{name}");
    }
}

#[test]
fn lengths_that_disagree_are_refused() {
    let block_type = BlockType::Q4_0;
    let lengths = |bytes, weights| BlockError::Lengths { block_type, bytes, weights };
    for (bytes, weights) in [(17, 32), (19, 32), (18, 31), (18, 64), (0, 32), (36, 32)] {
        let decoded = block_type.decode(&vec![0; bytes], &mut vec![0.0; weights]);
        assert_eq!(decoded, Err(lengths(bytes, weights)));
    }

    let new = |extents: &[i64], bytes| {
        let file = ModelFile::of_vec(vec![0; bytes]).unwrap();
        let bytes = file.bytes(0..file.len()).unwrap();
        PackedTensor::new(block_type, Shape::new(extents).unwrap(), bytes).map(|packed| packed.rows())
    };
    assert_eq!(new(&[2, 32], 36), Ok(2));
    assert_eq!(new(&[2, 32], 35), Err(lengths(35, 64)));
    assert_eq!(new(&[0, 32], 0), Ok(0));
    assert_eq!(new(&[3, 0], 0), Ok(3));
    let partial = |extents: &[i64]| BlockError::PartialRow { block_type, shape: Shape::new(extents).unwrap() };
    assert_eq!(new(&[2, 16], 18), Err(partial(&[2, 16])));
    assert_eq!(new(&[], 18), Err(partial(&[])));
}

#[test]
fn rows_that_are_not_there_are_refused() {
    let file = ModelFile::of_vec(vec![0; 36]).unwrap();
    let packed = PackedTensor::new(BlockType::Q4_0, Shape::new(&[2, 32]).unwrap(), file.bytes(0..36).unwrap()).unwrap();
    for (start, end) in [(0, 3), (2, 3), (2, 1), (usize::MAX, usize::MAX), (0, usize::MAX)] {
        let decoded = packed.decode_rows(start..end, &mut [0.0; 32]);
        assert_eq!(decoded, Err(BlockError::NoSuchRows { start, end, rows: 2 }));
    }
    assert_eq!(packed.row(usize::MAX), None);
    assert!(matches!(packed.decode_rows(0..1, &mut [0.0; 64]), Err(BlockError::Lengths { .. })));
}
