//! Coordinates: where in the operand an element of the result lies.

use super::{Coordinates, Nearest, ResizeAxis, Scale};

/// A coordinate in whole and part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Coordinate {
    /// The next integer at or below, at most 2^40 from zero.
    pub(super) floor: i64,
    /// How far above it, from 0 up to 1, which is excluded.
    pub(super) fraction: f64,
    /// Whether there is nothing to interpolate.
    pub(super) is_outside: bool,
}

/// Coordinates further away are no different.
const FARTHEST: i64 = 1 << 40;

impl Coordinate {
    /// The coordinate of an element of a result of `to` elements, from an operand of `from`, neither of them 0.
    pub(super) fn new(coordinates: Coordinates, axis: &ResizeAxis, [from, to]: [u32; 2], index: u32) -> Self {
        let [n, m, i] = [from, to, index].map(i128::from);
        let [n_f64, m_f64, i_f64] = [from, to, index].map(f64::from);
        match (coordinates, axis.scale) {
            (Coordinates::PytorchHalfPixel | Coordinates::AlignCorners, _) if to == 1 => Self::of_ratio(0, 1),
            (Coordinates::AlignCorners, _) => Self::of_ratio(i * (n - 1), m - 1),
            (Coordinates::Asymmetric, Scale::Extents) => Self::of_ratio(i * n, m),
            (Coordinates::Asymmetric, Scale::Factor(factor)) => Self::of_number(i_f64 / factor),
            (Coordinates::CropAndResize, _) => {
                let [start, end] = axis.region;
                let last = n_f64 - 1.0;
                let x = match to {
                    1 => 0.5 * (start + end) * last,
                    _ => start * last + i_f64 * (end - start) * last / (m_f64 - 1.0),
                };
                Self { is_outside: !(0.0..=last).contains(&x), ..Self::of_number(x) }
            }
            (_, Scale::Extents) => Self::of_ratio((2 * i + 1) * n - m, 2 * m),
            (Coordinates::HalfPixelSymmetric, Scale::Factor(factor)) => {
                let adjustment = m_f64 / (factor * n_f64);
                let offset = n_f64 / 2.0 * (1.0 - adjustment);
                Self::of_number(offset + (i_f64 + 0.5) / factor - 0.5)
            }
            (_, Scale::Factor(factor)) => Self::of_number((i_f64 + 0.5) / factor - 0.5),
        }
    }

    /// Both below 2^64; the quotient of a remainder is the only rounding, and it keeps halves apart from all else.
    fn of_ratio(numerator: i128, denominator: i128) -> Self {
        let floor = numerator.div_euclid(denominator) as i64;
        let fraction = numerator.rem_euclid(denominator) as f64 / denominator as f64;
        Self { floor, fraction, is_outside: false }
    }

    fn of_number(x: f64) -> Self {
        let floor = x.floor();
        if floor.abs() < FARTHEST as f64 {
            return Self { floor: floor as i64, fraction: x - floor, is_outside: false };
        }
        // Of NaN, which only a region can give, nothing is asked but that it is outside.
        Self { floor: if x < 0.0 { -FARTHEST } else { FARTHEST }, fraction: 0.0, is_outside: false }
    }

    /// The nearest integer.
    pub(super) fn nearest(self, rule: Nearest) -> i64 {
        let goes_up = match rule {
            Nearest::RoundPreferFloor => self.fraction > 0.5,
            Nearest::RoundPreferCeil => self.fraction >= 0.5,
            Nearest::Floor => false,
            Nearest::Ceil => self.fraction > 0.0,
        };
        self.floor + i64::from(goes_up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_exact() {
        // Thirds: in f64, and all the more in f32, 4 * (3 / 4) / 3 need not be 1.
        let axis = ResizeAxis::of_extents(0);
        for to in 1..200 {
            for from in 1..200 {
                for index in (0..to).filter(|index| (index * from) % to == 0) {
                    let coordinate = Coordinate::new(Coordinates::Asymmetric, &axis, [from, to], index);
                    assert_eq!((coordinate.floor, coordinate.fraction), ((index * from / to).into(), 0.0));
                }
            }
        }
    }

    #[test]
    fn far_and_senseless_numbers_are_coordinates() {
        let axis = ResizeAxis { region: [f64::MAX, -f64::MAX], ..ResizeAxis::of_factor(0, 1e-300) };
        for index in [0, 5] {
            assert!(Coordinate::new(Coordinates::CropAndResize, &axis, [7, 9], index).is_outside);
            let far = Coordinate::new(Coordinates::HalfPixel, &axis, [7, 9], index);
            assert_eq!((far.floor, far.fraction), (FARTHEST, 0.0));
        }
    }
}
