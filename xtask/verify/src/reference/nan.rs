//! `NanRule`: what a NaN's fraction becomes in another format, as arithmetic on numbers.

use super::format::FloatFormat;

/// One of the two rules for NaNs. The sign is kept under both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NanRule {
    /// Every result is quiet. The default.
    Quiet,
    /// A result is made quiet only where it would be an infinity otherwise.
    Preserving,
}

impl NanRule {
    pub(crate) const ALL: [Self; 2] = [Self::Quiet, Self::Preserving];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet rule",
            Self::Preserving => "preserving rule",
        }
    }

    /// The fraction, not zero, that a NaN with this one has in the format `to`.
    ///
    /// A fraction is read as one: 1/2 stays 1/2 in every format, and what the narrower format cannot hold is cut off.
    pub(crate) const fn carry(self, fraction: u64, from: FloatFormat, to: FloatFormat) -> u64 {
        let carried = if to.fraction_bits >= from.fraction_bits {
            fraction * (to.fractions() / from.fractions())
        } else {
            fraction / (from.fractions() / to.fractions())
        };
        match self {
            Self::Quiet if carried < to.quiet() => carried + to.quiet(),
            Self::Preserving if carried == 0 => to.quiet(),
            _ => carried,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINARY16: FloatFormat = FloatFormat::BINARY16;
    const BINARY32: FloatFormat = FloatFormat::BINARY32;

    #[test]
    fn the_rules_differ_on_signaling_nans_only() {
        let narrow = |rule: NanRule, fraction| rule.carry(fraction, BINARY32, BINARY16);
        // Quiet already: 7FC02000 becomes 7E01.
        assert_eq!(narrow(NanRule::Quiet, 0x40_2000), 0x201);
        assert_eq!(narrow(NanRule::Preserving, 0x40_2000), 0x201);
        // Signaling, with a payload that fits: 7F802000.
        assert_eq!(narrow(NanRule::Quiet, 0x2000), 0x201);
        assert_eq!(narrow(NanRule::Preserving, 0x2000), 0x001);
        // Signaling, with a payload that is cut off: 7F800001.
        assert_eq!(narrow(NanRule::Quiet, 1), 0x200);
        assert_eq!(narrow(NanRule::Preserving, 1), 0x200);
    }

    #[test]
    fn widening_keeps_the_payload_in_the_upper_bits() {
        assert_eq!(NanRule::Quiet.carry(1, BINARY16, BINARY32), 0x40_2000);
        assert_eq!(NanRule::Preserving.carry(1, BINARY16, BINARY32), 0x00_2000);
        assert_eq!(NanRule::Preserving.carry(0x3FF, BINARY16, BINARY32), 0x7F_E000);
    }
}
