//! Functions whose error is promised: the reciprocal root within 0.51 ulp, remainders exact.

use stratal_kernels::map::{Binary, Modulo, Remainder, Rsqrt};
use stratal_tensor_base::DType;

use crate::EMULATED;
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::values::{Generator, panel};

/// Numbers of every exponent, subnormals among them, with the ends of each binade.
fn positive_floats(of_each_exponent: usize) -> Vec<f32> {
    let mut generator = Generator(3);
    let mut floats = Vec::new();
    for exponent in 0..255_u32 {
        let mantissas = [0, 1, 0x7F_FFFE, 0x7F_FFFF].into_iter();
        let random = (0..of_each_exponent).map(|_| generator.below(1 << 23) as u32);
        floats.extend(mantissas.chain(random).map(|mantissa| f32::from_bits(exponent << 23 | mantissa)));
    }
    // Subnormals of every magnitude.
    floats.extend((0..23).flat_map(|bit| [1_u32 << bit, (1 << bit) | 1, (2 << bit) - 1]).map(f32::from_bits));
    floats.retain(|float| *float > 0.0);
    floats
}

#[test]
fn rsqrt_is_within_51_hundredths_of_an_ulp() {
    let floats = positive_floats(if EMULATED { 10 } else { 3000 });
    let x = Array::of(&floats);
    for kernels in BACKENDS.iter() {
        let mut result = Array::canary(DType::F32, floats.len());
        kernels.unary(&Rsqrt, &x.row(), &mut result.row_mut()).unwrap();
        for (x, y) in floats.iter().zip(result.to_vec::<f32>()) {
            let exact = 1.0 / f64::from(*x).sqrt();
            // The place of the last digit of an f32 this large; results are normal.
            let ulp = 2_f64.powi(exact.log2().floor() as i32 - 23);
            let error = (f64::from(y) - exact).abs() / ulp;
            assert!(error <= 0.51, "rsqrt({x:e}) on {}: {y:e}, off by {error} ulp", kernels.backend());
        }
    }
}

/// Pairs of any bits, of special values, with quotients near integers, and with quotients of every magnitude.
fn pairs() -> Vec<(f32, f32)> {
    let mut generator = Generator(17);
    let mut any = move || f32::from_bits(generator.next() as u32);
    let rounds = if EMULATED { 300 } else { 40_000 };
    let mut pairs: Vec<(f32, f32)> = (0..rounds).map(|_| (any(), any())).collect();
    let panel: Vec<f32> = panel(DType::F32).into_iter().map(|pattern| f32::from_bits(pattern as u32)).collect();
    let thinning = if EMULATED { 13 } else { 1 };
    let all = panel.iter().flat_map(|a| panel.iter().map(move |b| (*a, *b)));
    pairs.extend(all.step_by(thinning));
    let mut generator = Generator(23);
    for _ in 0..rounds {
        // A multiple of the divisor, and the numbers around it.
        let divisor = f32::from_bits(generator.next() as u32 & 0x7FFF_FFFF);
        let factor = (1_u64 << generator.below(30)) + generator.below(1 << 20) as u64;
        let multiple = divisor * factor as f32;
        for dividend in [multiple, multiple.next_up(), multiple.next_down(), -multiple.next_down()] {
            pairs.push((dividend, divisor));
            pairs.push((dividend, -divisor));
        }
    }
    pairs
}

fn check_remainders(operation: &dyn Binary, exact: fn(f32, f32) -> f32) {
    let mut pairs = pairs();
    // As they come; then by the size of the quotient, so that whole vectors take the quick way.
    for _ in 0..2 {
        let (a, b): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
        for kernels in BACKENDS.iter() {
            let mut result = Array::canary(DType::F32, pairs.len());
            kernels.binary(operation, &Array::of(&a).row(), &Array::of(&b).row(), &mut result.row_mut()).unwrap();
            for ((a, b), found) in pairs.iter().zip(result.to_vec::<f32>()) {
                let expected = exact(*a, *b);
                let is_same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
                let backend = kernels.backend();
                assert!(is_same, "{operation:?} of {a:e} and {b:e} on {backend}: {found:e}, not {expected:e}");
            }
        }
        pairs.sort_by(|(a, b), (c, d)| (a / b).abs().total_cmp(&(c / d).abs()));
    }
}

#[test]
fn remainders_are_exact() {
    check_remainders(&Remainder, libm::fmodf);
    check_remainders(&Remainder, |a, b| a % b);
}

#[test]
fn moduli_round_once() {
    check_remainders(&Modulo, |a, b| match libm::fmodf(a, b) {
        0.0 => 0_f32.copysign(b),
        left if left.is_sign_negative() != b.is_sign_negative() => left + b,
        left => left,
    });
}
