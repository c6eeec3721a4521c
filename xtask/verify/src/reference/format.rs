//! `FloatFormat`: an IEEE 754 interchange format, given by the widths of its fields.

use stratal_tensor_base::DType;

/// A binary floating-point format: a sign bit, then a biased exponent, then a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FloatFormat {
    pub(crate) exponent_bits: u32,
    pub(crate) fraction_bits: u32,
}

impl FloatFormat {
    pub(crate) const BINARY16: Self = Self { exponent_bits: 5, fraction_bits: 10 };
    pub(crate) const BFLOAT16: Self = Self { exponent_bits: 8, fraction_bits: 7 };
    pub(crate) const BINARY32: Self = Self { exponent_bits: 8, fraction_bits: 23 };
    pub(crate) const BINARY64: Self = Self { exponent_bits: 11, fraction_bits: 52 };

    /// The format of a floating dtype.
    pub(crate) fn of(dtype: DType) -> Option<Self> {
        match dtype {
            DType::F16 => Some(Self::BINARY16),
            DType::BF16 => Some(Self::BFLOAT16),
            DType::F32 => Some(Self::BINARY32),
            DType::F64 => Some(Self::BINARY64),
            _ => None,
        }
    }

    /// How many fractions there are, and so the distance between equal fractions of neighbouring exponents.
    pub(crate) const fn fractions(self) -> u64 {
        1 << self.fraction_bits
    }

    /// The pattern of positive infinity. Smaller patterns count the finite magnitudes upwards, larger ones are NaNs.
    pub(crate) const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) * self.fractions()
    }

    /// What a negative sign adds to a pattern.
    pub(crate) const fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// The smallest fraction of a quiet NaN: its upper half is quiet, the lower half signaling.
    pub(crate) const fn quiet(self) -> u64 {
        self.fractions() / 2
    }

    /// The exponent of the smallest positive value, which is a power of two.
    pub(crate) const fn least_exponent(self) -> i32 {
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        1 - bias - self.fraction_bits as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widths_give_the_well_known_numbers() {
        let binary16 = FloatFormat::BINARY16;
        assert_eq!(binary16.infinity(), 0x7C00);
        assert_eq!(binary16.sign(), 0x8000);
        assert_eq!(binary16.least_exponent(), -24);
        assert_eq!(FloatFormat::BFLOAT16.infinity(), 0x7F80);
        assert_eq!(FloatFormat::BFLOAT16.least_exponent(), -133);
        assert_eq!(FloatFormat::BINARY32.infinity(), 0x7F80_0000);
        assert_eq!(FloatFormat::BINARY32.least_exponent(), -149);
        assert_eq!(FloatFormat::BINARY64.infinity(), 0x7FF0_0000_0000_0000);
        assert_eq!(FloatFormat::BINARY64.least_exponent(), -1074);
    }
}
