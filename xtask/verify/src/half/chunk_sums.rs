//! `ChunkSums`: published sums over all results of a conversion, which need no reference at hand to be right.
//!
//! The sum over some inputs `x`, as numbers, is that of `out(x) * (2x + 1)` modulo 2^64. It comes from an independent
//! program; `half.json` of tensor-base holds it for each chunk of 2^24 floats and for all patterns of a 16-bit type.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{pattern::Pattern, reference::nan::NanRule};

const HALF_JSON: &str = include_str!("../../../../crates/tensor-base/tests/fixtures/half.json");

/// The sums for one 16-bit type under one NaN rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkSums {
    /// Of the narrowings, by the upper eight bits of the input.
    pub(crate) narrow: Vec<u64>,
    /// Of the widenings of all patterns.
    pub(crate) widen: u64,
}

impl ChunkSums {
    /// Reads the sums of the 16-bit type with this key.
    pub(crate) fn read(key: &str, rule: NanRule) -> Result<Self> {
        let fixture: HashMap<String, Value> = serde_json::from_str(HALF_JSON)?;
        let rule = match rule {
            NanRule::Quiet => "quiet",
            NanRule::Preserving => "preserve",
        };
        let narrow: Vec<String> = field(&fixture, &format!("sweep_f32_to_{key}_{rule}"))?;
        let widen: String = field(&fixture, &format!("sweep_{key}_to_f32_{rule}"))?;
        ensure!(narrow.len() == 256, "half.json has {} sums for {key}, not 256", narrow.len());
        Ok(Self { narrow: narrow.iter().map(|sum| parse(sum)).collect::<Result<_>>()?, widen: parse(&widen)? })
    }
}

/// The sum over consecutive inputs, beginning with `first`.
pub(crate) fn sum<T: Pattern>(first: u64, outputs: &[T]) -> u64 {
    let mut sum = 0_u64;
    let mut weight = 2 * first + 1;
    for output in outputs {
        sum = sum.wrapping_add(output.pattern().wrapping_mul(weight));
        // Wrapping for speed alone: a checked sum would keep the loop from running in vectors.
        weight = weight.wrapping_add(2);
    }
    sum
}

fn field<T: DeserializeOwned>(fixture: &HashMap<String, Value>, name: &str) -> Result<T> {
    let value = fixture.get(name).with_context(|| format!("half.json has no {name}"))?;
    T::deserialize(value).with_context(|| format!("half.json: {name}"))
}

fn parse(sum: &str) -> Result<u64> {
    u64::from_str_radix(sum, 16).with_context(|| format!("half.json: {sum:?} is no sum"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixture_has_sums_for_every_type_and_rule() {
        for key in ["f16", "bf16"] {
            for rule in NanRule::ALL {
                assert_eq!(ChunkSums::read(key, rule).unwrap().narrow.len(), 256);
            }
        }
        assert!(ChunkSums::read("f8", NanRule::Quiet).is_err());
    }

    #[test]
    fn the_sum_weighs_each_result_by_its_input() {
        assert_eq!(sum(10, &[1_u16, 2]), 21 + 2 * 23);
    }
}
