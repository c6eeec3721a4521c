//! `scale` and `lookup` give what their definitions say, on every instruction set of this machine.

use super::{Float, Int, Isa, LANES, Simd, Task};

/// `values · 2^exponents`.
struct Scale([f32; LANES], [f32; LANES]);

impl Task for Scale {
    type Output = [f32; LANES];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [f32; LANES] {
        let mut results = [0.0; LANES];
        simd.load(&self.0).scale(simd.load(&self.1)).store(&mut results);
        results
    }
}

/// The entries that `indices` name.
struct Lookup([i32; LANES], [f32; 8]);

impl Task for Lookup {
    type Output = [f32; LANES];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [f32; LANES] {
        let mut results = [0.0; LANES];
        simd.load_i32(&self.0).lookup(&self.1).store(&mut results);
        results
    }
}

/// The instruction sets that fill all lanes.
fn machine() -> Vec<Isa> {
    crate::Backend::available().into_iter().filter_map(crate::Backend::isa).collect()
}

#[test]
fn scale_rounds_once() {
    let values = [1.0, -1.0, 1.5, 0.75, 1.000_000_1, 0.999_999_94, 1.999_999_9, -0.7];
    let values =
        values.into_iter().chain([0.0, -0.0, f32::INFINITY, f32::NAN, 16_777_216.0, 5.960_464_5e-8, 3.3, -0.1]);
    let values: Vec<f32> = values.collect();
    let values: [f32; LANES] = values.try_into().unwrap();
    for exponent in -200..=200 {
        // Exact in f64, so the cast is the one rounding.
        let expected = values.map(|value| (f64::from(value) * f64::from(exponent).exp2()) as f32);
        for isa in machine() {
            let results = isa.run(Scale(values, [exponent as f32; LANES]));
            for lane in 0..LANES {
                let (value, result, expected) = (values[lane], results[lane], expected[lane]);
                let same = result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan();
                assert!(same, "{value:e} * 2^{exponent} is {result:e} with {isa:?}, not {expected:e}");
            }
        }
    }
}

#[test]
fn lookup_reads_three_bits() {
    let table: [f32; 8] = [10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, -0.0];
    let indices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 15, -1, -8, i32::MIN, i32::MAX, 0x1234_567A, 1 << 30];
    let expected = indices.map(|index| table[(index & 7) as usize].to_bits());
    for isa in machine() {
        assert_eq!(isa.run(Lookup(indices, table)).map(f32::to_bits), expected, "{isa:?}");
    }
}
