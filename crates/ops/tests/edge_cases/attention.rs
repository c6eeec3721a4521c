//! Queries that see no key.

use stratal_ops::Attributes;
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType};

use crate::every_way::{FLOATS, gives, plain, row, tensor, typed};

/// Queries and keys are zero, so that each key that is seen has the same share.
fn attend(dtype: DType, attributes: &Attributes, mask: &Tensor, keys: i64, expected: &[f64]) {
    let queries = Tensor::zeros(&[1, 1, expected.len() as i64, 1], dtype).unwrap();
    let keys_of = Tensor::zeros(&[1, 1, keys, 1], dtype).unwrap();
    let values: Vec<_> = (1..=keys).map(|value| value as f64).collect();
    let values = typed(dtype, &values, &[1, 1, keys, 1]);
    let expected = typed(dtype, expected, &[1, 1, expected.len() as i64, 1]);
    gives("Attention", attributes, &[&queries, &keys_of, &values, mask], &expected);
}

#[test]
fn a_query_that_sees_no_key_has_zeros() {
    let truths = |truths: &[bool], extents: &[i64]| {
        tensor(&truths.iter().map(|&truth| Bool::from(truth)).collect::<Vec<_>>(), extents)
    };
    for dtype in FLOATS {
        attend(dtype, &plain(), &truths(&[false, false, true, true, true, false], &[3, 2]), 2, &[0.0, 1.5, 1.0]);
        let unseen = -f64::INFINITY;
        let mask = typed(dtype, &[unseen, unseen, 0.0, 0.0, 0.0, unseen], &[3, 2]);
        attend(dtype, &plain(), &mask, 2, &[0.0, 1.5, 1.0]);
        // More keys than any register or block of them holds.
        for keys in [64, 512] {
            let mut mask = vec![false; 2 * keys];
            mask[keys + 5] = true;
            attend(dtype, &plain(), &truths(&mask, &[2, keys as i64]), keys as i64, &[0.0, 6.0]);
            let mask: Vec<_> = mask.iter().map(|seen| if *seen { 0.0 } else { unseen }).collect();
            attend(dtype, &plain(), &typed(dtype, &mask, &[2, keys as i64]), keys as i64, &[0.0, 6.0]);
        }
        // The mask leaves the first query the second key, which its place forbids.
        let causal = plain().with("is_causal", 1);
        attend(dtype, &causal, &truths(&[false, true, true, true], &[2, 2]), 2, &[0.0, 1.5]);
    }
}

/// The shares alone, without attention's rule for masks, are not defined.
#[test]
fn softmax_of_nothing_but_negative_infinity_is_nan_and_attention_is_not() {
    let scores = row(&[f32::NEG_INFINITY; 2]);
    gives("Softmax", &plain(), &[&scores], &row(&[f32::NAN; 2]));
    attend(DType::F32, &plain(), &tensor(&[f32::NEG_INFINITY; 2], &[1, 2]), 2, &[0.0]);
}
