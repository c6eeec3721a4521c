//! `Exact`: the value behind a bit pattern of any dtype, without loss, and its rounding to another.

use stratal_tensor_base::{DType, DTypeKind};

use super::{format::FloatFormat, nan::NanRule};

/// A value as the numbers it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exact {
    /// `significand * 2^exponent`, or its negative. The significand has at most 64 bits.
    Finite {
        negative: bool,
        significand: u128,
        exponent: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan {
        negative: bool,
        fraction: u64,
        format: FloatFormat,
    },
}

impl Exact {
    /// Takes the pattern of a dtype apart by division.
    pub(crate) fn decode(dtype: DType, pattern: u64) -> Self {
        match (FloatFormat::of(dtype), dtype.kind()) {
            (Some(format), _) => Self::decode_float(format, pattern),
            (None, DTypeKind::Bool) => Self::integer(false, u128::from(pattern != 0)),
            (None, DTypeKind::Signed) => {
                let patterns = patterns(dtype);
                match u128::from(pattern) {
                    negative if negative >= patterns / 2 => Self::integer(true, patterns - negative),
                    positive => Self::integer(false, positive),
                }
            }
            (None, _) => Self::integer(false, pattern.into()),
        }
    }

    fn decode_float(format: FloatFormat, pattern: u64) -> Self {
        let (negative, magnitude) = (pattern / format.sign() == 1, pattern % format.sign());
        let (steps, fraction) = (magnitude / format.fractions(), magnitude % format.fractions());
        if magnitude == format.infinity() {
            Self::Infinite { negative }
        } else if magnitude > format.infinity() {
            Self::Nan { negative, fraction, format }
        } else if steps == 0 {
            Self::Finite { negative, significand: fraction.into(), exponent: format.least_exponent() }
        } else {
            Self::Finite {
                negative,
                significand: (format.fractions() + fraction).into(),
                exponent: format.least_exponent() + steps as i32 - 1,
            }
        }
    }

    fn integer(negative: bool, significand: u128) -> Self {
        Self::Finite { negative, significand, exponent: 0 }
    }

    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Self::Finite { significand: 0, .. })
    }

    /// The pattern of the nearest value of a format, ties to the even pattern; NaNs come out quiet.
    pub(crate) fn round(self, format: FloatFormat) -> u64 {
        let (negative, magnitude) = match self {
            Self::Finite { negative, significand, exponent } => {
                (negative, round_magnitude(significand, exponent, format))
            }
            Self::Infinite { negative } => (negative, format.infinity()),
            Self::Nan { negative, fraction, format: from } => {
                let carried = NanRule::Quiet.carry(fraction, from, format);
                (negative, format.infinity() + carried)
            }
        };
        magnitude + if negative { format.sign() } else { 0 }
    }

    /// The value without its fraction; what exceeds all integer dtypes is one end of i128. NaN has none.
    pub(crate) fn truncate(self) -> Option<i128> {
        let (negative, magnitude) = match self {
            Self::Nan { .. } => return None,
            Self::Infinite { negative } => (negative, i128::MAX),
            Self::Finite { negative, significand, exponent } => {
                let magnitude: u128 = if significand == 0 || exponent <= -128 {
                    0
                } else if exponent < 0 {
                    significand >> -exponent
                } else if exponent < 64 {
                    // At most 64 bits and 63 more.
                    significand << exponent
                } else {
                    i128::MAX as u128
                };
                (negative, magnitude as i128)
            }
        };
        Some(if negative { -magnitude } else { magnitude })
    }
}

/// How many patterns a dtype has.
pub(crate) fn patterns(dtype: DType) -> u128 {
    1 << (8 * dtype.size())
}

/// The magnitude of `format` nearest to `significand * 2^exponent`.
fn round_magnitude(significand: u128, exponent: i32, format: FloatFormat) -> u64 {
    if significand == 0 {
        return 0;
    }
    // The result is an integer count of a unit. The unit is such that the count has the format's full width, or the
    // smallest there is: then the result is subnormal.
    let leading = exponent + significand.ilog2() as i32;
    let unit = (leading - format.fraction_bits as i32).max(format.least_exponent());
    let count = divide_by_power_of_two(significand, unit - exponent);
    // The patterns of one exponent count its units from the leading one on, those of exponent 0 from zero on. Each
    // step of the exponent is one more lap of `fractions`, and a count rounded up to the next lap lands there.
    let laps = (unit - format.least_exponent()) as u128;
    let magnitude = laps * u128::from(format.fractions()) + count;
    magnitude.min(format.infinity().into()) as u64
}

/// `dividend / 2^power`, to the nearest integer, ties to even; a negative power multiplies.
fn divide_by_power_of_two(dividend: u128, power: i32) -> u128 {
    if power <= 0 {
        return dividend << -power;
    }
    if power > 100 {
        // Far less than half of the divisor: the dividend has 64 bits.
        return 0;
    }
    let (quotient, divisor) = (dividend >> power, 1_u128 << power);
    let remainder = dividend - quotient * divisor;
    let rounds_up = 2 * remainder > divisor || 2 * remainder == divisor && quotient % 2 == 1;
    quotient + u128::from(rounds_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finite(negative: bool, significand: u128, exponent: i32) -> Exact {
        Exact::Finite { negative, significand, exponent }
    }

    #[test]
    fn patterns_are_taken_apart() {
        let decode = Exact::decode;
        assert_eq!(decode(DType::U8, 200), finite(false, 200, 0));
        assert_eq!(decode(DType::I8, 200), finite(true, 56, 0));
        assert_eq!(decode(DType::I64, 1 << 63), finite(true, 1 << 63, 0));
        assert_eq!(decode(DType::U64, u64::MAX), finite(false, u64::MAX.into(), 0));
        assert_eq!(decode(DType::Bool, 7), finite(false, 1, 0));
        assert_eq!(decode(DType::F16, 0x8001), finite(true, 1, -24));
        assert_eq!(decode(DType::F16, 0x3C01), finite(false, 1025, -10));
        assert_eq!(decode(DType::F64, 1.5_f64.to_bits()), finite(false, 3 << 51, -52));
        assert_eq!(decode(DType::BF16, 0xFF80), Exact::Infinite { negative: true });
        assert_eq!(
            decode(DType::BF16, 0x7F81),
            Exact::Nan { negative: false, fraction: 1, format: FloatFormat::BFLOAT16 }
        );
    }

    #[test]
    fn rounding_goes_back_to_where_decoding_came_from() {
        for (dtype, format) in [(DType::F16, FloatFormat::BINARY16), (DType::BF16, FloatFormat::BFLOAT16)] {
            for magnitude in 0..=format.infinity() {
                for pattern in [magnitude, magnitude + format.sign()] {
                    assert_eq!(Exact::decode(dtype, pattern).round(format), pattern);
                }
            }
        }
    }

    #[test]
    fn values_round_to_the_nearest() {
        let to_f16 = |significand, exponent| finite(false, significand, exponent).round(FloatFormat::BINARY16);
        assert_eq!(to_f16(2049, 0), 0x6800);
        assert_eq!(to_f16(2051, 0), 0x6802);
        assert_eq!(to_f16(65519, 0), 0x7BFF);
        assert_eq!(to_f16(65520, 0), 0x7C00);
        assert_eq!(to_f16(1, 900), 0x7C00);
        assert_eq!(to_f16(1, -25), 0x0000);
        assert_eq!(to_f16(3, -26), 0x0001);
        assert_eq!(to_f16(3, -25), 0x0002);
        assert_eq!(to_f16(2047, -25), 0x0400);
        assert_eq!(to_f16(u64::MAX.into(), -1074), 0x0000);
        // 2^24 + 1 is a tie of f32; 2^40 + 2^32 + 1 is just above one of bfloat16.
        let odd = finite(true, (1 << 24) + 1, 0);
        assert_eq!(odd.round(FloatFormat::BINARY32), 0xCB80_0000);
        let above = finite(false, (1 << 40) + (1 << 32) + 1, 0);
        assert_eq!(above.round(FloatFormat::BFLOAT16), 0x5381);
    }

    #[test]
    fn f64_rounds_to_f32_as_the_machine_does() {
        for step in 0..200_000_u64 {
            let value = f64::from_bits(step.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            // The upper half of the product walks through all exponents.
            if !value.is_nan() {
                let rounded = Exact::decode(DType::F64, value.to_bits()).round(FloatFormat::BINARY32);
                assert_eq!(rounded, u64::from((value as f32).to_bits()), "{value:e}");
            }
        }
    }

    #[test]
    fn truncation_drops_the_fraction() {
        assert_eq!(finite(true, 5, -1).truncate(), Some(-2));
        assert_eq!(finite(true, 1, -1074).truncate(), Some(0));
        assert_eq!(finite(false, 3, 62).truncate(), Some(3 << 62));
        assert_eq!(finite(false, 1, 971).truncate(), Some(i128::MAX));
        assert_eq!(Exact::Infinite { negative: true }.truncate(), Some(-i128::MAX));
        assert_eq!(Exact::decode(DType::F16, 0x7E00).truncate(), None);
    }
}
