//! `NearestTable`: every value of a 16-bit format and the limits of what is nearest to it, to be walked in order.

use super::{format::FloatFormat, nan::NanRule};

const BINARY32: FloatFormat = FloatFormat::BINARY32;

/// The non-negative values of a 16-bit format, exact as f64.
pub(crate) struct NearestTable {
    format: FloatFormat,
    /// The value of each finite pattern.
    values: Vec<f64>,
    /// The largest number for which each pattern is the nearest, those of infinity included.
    limits: Vec<f64>,
}

impl NearestTable {
    pub(crate) fn new(format: FloatFormat) -> Self {
        let mut values: Vec<f64> = (0..=format.infinity()).map(|pattern| value_of(pattern, format)).collect();
        // The last midpoint is that between the largest finite value and the power of two that would follow it: from
        // there on infinity is nearest.
        let midpoints = values.windows(2).map(|pair| midpoint(pair[0], pair[1]));
        let limits = (0..).zip(midpoints).map(|(pattern, midpoint)| match pattern % 2 {
            // On the midpoint itself the even one of the two patterns is taken.
            0 => midpoint,
            _ => midpoint.next_down(),
        });
        let limits = limits.chain([f64::INFINITY]).collect();
        values.pop();
        Self { format, values, limits }
    }

    /// Narrows consecutive binary32 magnitudes, beginning with `first`, under both NaN rules.
    ///
    /// `quiet` and `preserving` have the same length and receive patterns without a sign.
    pub(crate) fn narrow(&self, first: u32, quiet: &mut [u16], preserving: &mut [u16]) {
        let numbers = (BINARY32.infinity() as u32 + 1).saturating_sub(first) as usize;
        let numbers = numbers.min(quiet.len());
        self.narrow_numbers(first, &mut quiet[..numbers]);
        preserving[..numbers].copy_from_slice(&quiet[..numbers]);
        let rules = [(NanRule::Quiet, quiet), (NanRule::Preserving, preserving)];
        for (rule, outputs) in rules {
            for (magnitude, output) in (u64::from(first)..).zip(outputs).skip(numbers) {
                let fraction = magnitude - BINARY32.infinity();
                let carried = rule.carry(fraction, BINARY32, self.format);
                *output = (self.format.infinity() + carried) as u16;
            }
        }
    }

    /// Walks through the numbers and the limits together: both ascend.
    fn narrow_numbers(&self, first: u32, outputs: &mut [u16]) {
        let value_of = |magnitude| f64::from(f32::from_bits(magnitude));
        let mut pattern = self.limits.partition_point(|limit| *limit < value_of(first));
        for (magnitude, output) in (first..first + outputs.len() as u32).zip(outputs) {
            while value_of(magnitude) > self.limits[pattern] {
                pattern += 1;
            }
            *output = pattern as u16;
        }
    }

    /// The binary32 magnitude of each 16-bit magnitude, in order.
    pub(crate) fn widen(&self, rule: NanRule) -> Vec<u32> {
        let finite = self.values.iter().map(|value| {
            let widened = *value as f32;
            assert_eq!(f64::from(widened), *value, "f32 holds every 16-bit value");
            widened.to_bits()
        });
        let infinite = [BINARY32.infinity() as u32];
        let nans = (1..self.format.fractions()).map(|fraction| {
            let carried = rule.carry(fraction, self.format, BINARY32);
            (BINARY32.infinity() + carried) as u32
        });
        finite.chain(infinite).chain(nans).collect()
    }
}

/// The point halfway between neighbours. They lie within a factor of two, or one is zero: f64 holds their sum exactly.
fn midpoint(lower: f64, upper: f64) -> f64 {
    (lower + upper) / 2.0
}

/// The value of a finite pattern, and of infinity the power of two in its place.
fn value_of(pattern: u64, format: FloatFormat) -> f64 {
    let (exponent, fraction) = (pattern / format.fractions(), pattern % format.fractions());
    // Subnormals, with exponent 0, count units as the first normals do, but have no leading one.
    let (units, doublings) = match exponent {
        0 => (fraction, 0),
        _ => (format.fractions() + fraction, exponent - 1),
    };
    let unit = (format.least_exponent()..0).fold(1.0, |power, _| power / 2.0);
    (0..doublings).fold(units as f64 * unit, |value, _| value * 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(format: FloatFormat, magnitude: u32) -> u16 {
        let [mut quiet, mut preserving] = [[0_u16]; 2];
        NearestTable::new(format).narrow(magnitude, &mut quiet, &mut preserving);
        quiet[0]
    }

    #[test]
    fn binary16_has_its_well_known_values() {
        let table = NearestTable::new(FloatFormat::BINARY16);
        assert_eq!(table.values.len(), 0x7C00);
        assert_eq!(table.values[0x0001], 2_f64.powi(-24));
        assert_eq!(table.values[0x0400], 2_f64.powi(-14));
        assert_eq!(table.values[0x3C00], 1.0);
        assert_eq!(table.values[0x3555], 0.333_251_953_125);
        assert_eq!(table.values[0x7BFF], 65504.0);
        assert_eq!(table.limits[0x7BFE], 65488.0);
        assert_eq!(table.limits[0x7BFF], 65520_f64.next_down());
        assert_eq!(table.limits[0x7C00], f64::INFINITY);
    }

    #[test]
    fn bfloat16_has_its_well_known_values() {
        let table = NearestTable::new(FloatFormat::BFLOAT16);
        assert_eq!(table.values.len(), 0x7F80);
        assert_eq!(table.values[0x0001], 2_f64.powi(-133));
        assert_eq!(table.values[0x4049], 3.140_625);
        assert_eq!(table.values[0x7F7F], 255.0 * 2_f64.powi(120));
        assert_eq!(table.limits[0x7F7E], 509.0 * 2_f64.powi(119));
        assert_eq!(table.limits[0x7F7F], (511.0 * 2_f64.powi(119)).next_down());
    }

    #[test]
    fn binary16_is_narrowed_to_the_nearest() {
        let narrow = |value: f32| narrow(FloatFormat::BINARY16, value.to_bits());
        assert_eq!(narrow(0.0), 0x0000);
        assert_eq!(narrow(1.0), 0x3C00);
        // Ties go to the even pattern, downwards and upwards.
        assert_eq!(narrow(2049.0), 0x6800);
        assert_eq!(narrow(2051.0), 0x6802);
        assert_eq!(narrow(65519.996), 0x7BFF);
        assert_eq!(narrow(65520.0), 0x7C00);
        assert_eq!(narrow(f32::INFINITY), 0x7C00);
        let smallest = 2_f32.powi(-24);
        assert_eq!(narrow(0.5 * smallest), 0x0000);
        assert_eq!(narrow((0.5 * smallest).next_up()), 0x0001);
        assert_eq!(narrow(0.75 * smallest), 0x0001);
        assert_eq!(narrow(1.5 * smallest), 0x0002);
        assert_eq!(narrow(2.5 * smallest), 0x0002);
        // Between the largest subnormal and the smallest normal.
        assert_eq!(narrow(1023.5 * smallest), 0x0400);
    }

    #[test]
    #[expect(clippy::approx_constant, reason = "3.14 is the value to round, not a poor pi")]
    fn bfloat16_is_narrowed_to_the_nearest() {
        let narrow = |value: f32| narrow(FloatFormat::BFLOAT16, value.to_bits());
        assert_eq!(narrow(3.14), 0x4049);
        assert_eq!(narrow(f32::from_bits(0x3F80_8000)), 0x3F80);
        assert_eq!(narrow(f32::from_bits(0x3F81_8000)), 0x3F82);
        assert_eq!(narrow(f32::from_bits(0x0000_8000)), 0x0000);
        assert_eq!(narrow(f32::from_bits(0x0000_8001)), 0x0001);
        assert_eq!(narrow(f32::from_bits(0x7F7F_7FFF)), 0x7F7F);
        assert_eq!(narrow(f32::MAX), 0x7F80);
    }

    #[test]
    fn a_walk_gives_what_single_steps_give() {
        for format in [FloatFormat::BINARY16, FloatFormat::BFLOAT16] {
            let table = NearestTable::new(format);
            // Through 65520, and through the step from infinity to the NaNs.
            for first in [0x477F_E000, 0x7F7F_E000] {
                let [mut quiet, mut preserving] = [[0_u16; 0x4000]; 2];
                table.narrow(first, &mut quiet, &mut preserving);
                for (magnitude, walked) in (first..).zip(quiet).step_by(0x155) {
                    assert_eq!(narrow(format, magnitude), walked, "{magnitude:#010x}");
                }
            }
        }
    }

    #[test]
    fn widening_covers_every_magnitude() {
        let widened = NearestTable::new(FloatFormat::BINARY16).widen(NanRule::Quiet);
        assert_eq!(widened.len(), 0x8000);
        assert_eq!(widened[0x0001], 0x3380_0000);
        assert_eq!(widened[0x3C00], 1_f32.to_bits());
        assert_eq!(widened[0x7C00], 0x7F80_0000);
        assert_eq!(widened[0x7C01], 0x7FC0_2000);
    }
}
