//! Why cases fail on purpose: a table written by hand, for those that can be tried and do not pass.
//!
//! What is not there at all (an operator, a dtype, sequences) the suite's reader says by itself.

/// Why some cases fail on purpose.
#[derive(Debug)]
pub(crate) struct Reason {
    /// Names of cases; one that ends in `*` stands for all that begin so.
    pub(crate) cases: &'static [&'static str],
    pub(crate) kind: Kind,
    /// Without a full stop.
    pub(crate) text: &'static str,
}

/// What kind of difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Our answer is another one, by the numeric policy.
    Answer,
    /// The case cannot be met, or not yet.
    Limit,
}

/// All reasons.
pub(crate) const REASONS: &[Reason] = &[
    Reason {
        cases: &[
            "test_attention_3d_causal_bf16",
            "test_attention_4d_attn_mask_causal_bf16",
            "test_attention_4d_causal_bf16",
            "test_attention_4d_causal_padded_kv_bf16",
            "test_attention_4d_padded_kv_bf16",
        ],
        kind: Kind::Answer,
        text: "attention of 16-bit floats is computed in float32 and rounded once; the suite rounds to bfloat16 after each step, \
               and has twice the error",
    },
    Reason {
        cases: &["test_dft_inverse", "test_dft_inverse_opset19"],
        kind: Kind::Limit,
        text: "the suite expects the rounding errors of its own transform where the result is 0",
    },
    Reason {
        cases: &[
            "test_resize_downsample_scales_cubic_align_corners",
            "test_resize_downsample_scales_linear_align_corners",
        ],
        kind: Kind::Answer,
        text: "corners are aligned by the extent that the result has; the suite takes the product of extent and factor, before \
               it is rounded down",
    },
    Reason {
        cases: &["test_bernoulli*", "test_training_dropout*"],
        kind: Kind::Limit,
        text: "the numbers expected were drawn by NumPy's generator",
    },
    Reason {
        cases: &["test_dropout_random_old"],
        kind: Kind::Limit,
        text: "an older form of the operator, with an attribute that is an input now",
    },
];

/// The reason why a case fails, if there is one.
pub(crate) fn of(case: &str) -> Option<&'static Reason> {
    REASONS.iter().find(|reason| reason.covers(case))
}

impl Reason {
    fn covers(&self, case: &str) -> bool {
        self.cases.iter().any(|pattern| covers(pattern, case))
    }
}

fn covers(pattern: &str, case: &str) -> bool {
    pattern.strip_suffix('*').map_or(case == pattern, |start| case.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Ledger, Outcome};

    #[test]
    fn a_pattern_covers_a_name_or_all_that_begin_so() {
        assert!(covers("test_a", "test_a") && !covers("test_a", "test_ab") && !covers("test_ab", "test_a"));
        assert!(covers("test_a*", "test_a") && covers("test_a*", "test_ab") && !covers("test_a*", "test_b"));
    }

    #[test]
    fn every_case_that_fails_has_a_reason() {
        let ledger = Ledger::load().unwrap();
        let failed = ledger.0.iter().filter(|(_, row)| row.outcome == Outcome::Failed);
        let without: Vec<_> = failed.filter(|(case, row)| of(case).is_none_or(|r| r.text != row.reason)).collect();
        assert!(without.is_empty(), "without a reason in xtask/conformance/src/reasons.rs: {without:#?}");
    }

    #[test]
    fn every_reason_is_needed() {
        let ledger = Ledger::load().unwrap();
        let not_passed = || ledger.0.iter().filter(|(_, row)| row.outcome != Outcome::Passed);
        let patterns = REASONS.iter().flat_map(|reason| reason.cases);
        let unneeded: Vec<_> =
            patterns.filter(|pattern| !not_passed().any(|(case, _)| covers(pattern, case))).collect();
        assert!(
            unneeded.is_empty(),
            "{unneeded:?} passed or are gone; remove them from xtask/conformance/src/reasons.rs"
        );
    }
}
