//! Blocks decode to what ggml's own package makes of them, to the bit.
//!
//! `blocks/TYPE.bin` has 32 random blocks and then their weights, as f32; `blocks/TYPE.encoded.bin` has four rows of 256 weights
//! of a real matrix, as that package quantised them, and then their weights. Both were made with the Python package gguf 0.19.

use std::path::Path;

use stratal_formats::gguf::BlockType;

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
        assert!(
            weight.to_bits() == expected.to_bits(),
            "{name}: weight {index} is {weight:e}, not {expected:e}"
        );
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
