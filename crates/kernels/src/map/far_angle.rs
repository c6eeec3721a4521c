//! Angles far from zero: exact reduction by integers, for one number at a time.
//!
//! After Payne and Hanek: of the product of a number and 2/pi only the part below 4 matters, and so only some of the
//! bits of 2/pi.

/// The bits of 2/pi after the point, as many as the greatest f32 needs.
const TWO_OVER_PI: [u64; 4] =
    [0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561];

/// Half pi times 2^-62.
const HALF_PI_SCALED: f64 = std::f64::consts::FRAC_PI_2 / (1_u64 << 62) as f64;

/// The sine of a number above 2^17.
pub(super) fn sin(x: f32) -> f32 {
    quarter_turns(x, 0)
}

/// The cosine of a number above 2^17.
pub(super) fn cos(x: f32) -> f32 {
    quarter_turns(x.abs(), 1)
}

/// The tangent of a number above 2^17.
pub(super) fn tan(x: f32) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let (angle, quadrant) = reduce(x.abs());
    let tangent = libm::tan(angle);
    let tangent = if quadrant % 2 == 0 { tangent } else { -1.0 / tangent };
    (if x < 0.0 { -tangent } else { tangent }) as f32
}

/// The sine of `x`, with quarter turns added to its magnitude.
fn quarter_turns(x: f32, turns: u8) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let (angle, quadrant) = reduce(x.abs());
    let quadrant = quadrant + turns;
    let sine = if quadrant.is_multiple_of(2) { libm::sin(angle) } else { libm::cos(angle) };
    (if (x < 0.0) == (quadrant & 2 == 0) { -sine } else { sine }) as f32
}

/// The angle from -pi/4 to pi/4 that is left when quarter turns are taken from a finite number above 2^17, and how many
/// those are, modulo 4. The angle is right to 2^-61, and no f32 comes nearer to a multiple of half pi than 2^-30.
fn reduce(x: f32) -> (f64, u8) {
    let bits = x.to_bits();
    let mantissa = (bits & 0x007F_FFFF) | 0x0080_0000;
    // x is the mantissa times 2^exponent.
    let exponent = (bits >> 23).cast_signed() - 150;
    // 2/pi * 2^exponent modulo 4, as a fixed-point number with 126 bits after the point.
    let window = window(exponent - 2);
    let product = window.wrapping_mul(mantissa.into());
    let quadrant = product.wrapping_add(1 << 125) >> 126;
    let rest = product.wrapping_sub(quadrant << 126).cast_signed();
    ((rest >> 64) as i64 as f64 * HALF_PI_SCALED, quadrant as u8)
}

/// The 128 bits of 2/pi after the first `skipped` ones; where that is negative, zeros come first.
fn window(skipped: i32) -> u128 {
    let [a, b, c, d] = TWO_OVER_PI.map(u128::from);
    let (first, second) = (a << 64 | b, c << 64 | d);
    match skipped {
        ..=0 => first >> -skipped,
        1.. => first << skipped | second >> (128 - skipped),
    }
}
