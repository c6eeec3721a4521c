//! The sweep of one function.

use std::time::Instant;

use anyhow::{Context, Result};

use super::{
    backends::{Backend, backends},
    functions::{Function, Symmetry, functions},
    plan::{self, BLOCK},
    table,
    ulps::{largest, ulps},
};
use crate::{
    sweep::{Extent, Part, Row, Sweep},
    tally::{Mismatch, Tally, WorstError},
};

/// All f32 to one function of them. The first backend is judged; the others must give its bits.
pub(crate) struct UnarySweep {
    extent: Extent,
    function: Function,
    backends: Vec<Backend>,
    /// The greatest error that passes.
    bound: f64,
}

/// Inputs of one sign and what is computed from them.
struct Block {
    inputs: Vec<f32>,
    exact: Vec<f64>,
    judged: Vec<f32>,
    others: Vec<f32>,
}

impl UnarySweep {
    /// The sweep of the function with this name. A quick one is held to the error that the last full one has measured,
    /// where it has been recorded.
    pub(crate) fn new(extent: Extent, name: &str) -> Result<Self> {
        let function = functions().into_iter().find(|function| function.name == name);
        let function = function.with_context(|| format!("no function is named {name:?}"))?;
        let recorded = match extent {
            Extent::Full => None,
            Extent::Quick => table::recorded(name)?,
        };
        Ok(Self { extent, bound: recorded.unwrap_or(function.promised), function, backends: backends() })
    }

    fn judge(&self, block: &mut Block, is_mirrored: bool) {
        let exact = block.exact.iter_mut().zip(&block.inputs);
        match self.function.symmetry {
            Symmetry::Even if is_mirrored => {}
            Symmetry::Odd if is_mirrored => exact.for_each(|(exact, _)| *exact = -*exact),
            _ => exact.for_each(|(exact, input)| *exact = (self.function.judge)(f64::from(*input))),
        }
    }

    fn count_errors(&self, block: &Block, tally: &mut Tally) {
        // Most blocks have nothing to tell, and that is soon seen.
        if largest(&block.judged, &block.exact) <= tally.worst.ulps.min(self.bound) {
            return;
        }
        for ((input, got), exact) in block.inputs.iter().zip(&block.judged).zip(&block.exact) {
            let error = ulps(*got, *exact);
            if error <= self.bound {
                if error > tally.worst.ulps {
                    tally.worst = WorstError { ulps: error, input: input.to_bits() };
                }
            } else {
                tally.mismatch(|| Mismatch {
                    input: format!("{:#010x} ({input:e})", input.to_bits()),
                    got: format!("{got:e}, off by {error:.4} ulp"),
                    expected: format!("{exact:e} to {} ulp", self.bound),
                });
            }
        }
    }

    fn count_differences(block: &Block, tally: &mut Tally) {
        if !differ(&block.others, &block.judged) {
            return;
        }
        for ((input, got), expected) in block.inputs.iter().zip(&block.others).zip(&block.judged) {
            if got.to_bits() != expected.to_bits() && !(got.is_nan() && expected.is_nan()) {
                tally.mismatch(|| Mismatch {
                    input: format!("{:#010x} ({input:e})", input.to_bits()),
                    got: format!("{:#010x} ({got:e})", got.to_bits()),
                    expected: format!("{:#010x} ({expected:e})", expected.to_bits()),
                });
            }
        }
    }
}

/// Whether any two results differ; any NaN equals any other. Without a branch, so that whole vectors are compared.
fn differ(left: &[f32], right: &[f32]) -> bool {
    let differences = left.iter().zip(right).map(|(left, right)| {
        let are_nan = left.is_nan() & right.is_nan();
        (left.to_bits() != right.to_bits()) & !are_nan
    });
    differences.fold(false, |any, differs| any | differs)
}

impl Sweep for UnarySweep {
    fn rows(&self) -> Vec<Row> {
        let judged = self.backends[0].name;
        let rows = self.backends.iter().enumerate().map(|(place, backend)| Row {
            backend: backend.name,
            against: if place == 0 { "f64" } else { judged },
            deviations: None,
            error_bound: (place == 0).then_some(self.bound),
        });
        rows.collect()
    }

    fn parts(&self) -> Vec<Part> {
        let parts = (0..plan::PARTS).map(|number| {
            let blocks = plan::blocks(self.extent, number).count() as u64;
            Part { number, patterns: 2 * u64::from(BLOCK) * blocks }
        });
        parts.collect()
    }

    fn count(&self, part: u32) -> Vec<Tally> {
        let mut tallies = vec![Tally::default(); self.backends.len()];
        let (values, exact) = (vec![0.0; BLOCK as usize], vec![0.0; BLOCK as usize]);
        let mut block = Block { inputs: values.clone(), exact, judged: values.clone(), others: values };
        for (number, index) in (0_u32..).zip(plan::blocks(self.extent, part)) {
            for sign in [0, 1 << 31] {
                let first = sign + index * BLOCK;
                for (input, bits) in block.inputs.iter_mut().zip(first..=first + (BLOCK - 1)) {
                    *input = f32::from_bits(bits);
                }
                self.judge(&mut block, sign != 0);
                for (place, (backend, tally)) in self.backends.iter().zip(&mut tallies).enumerate() {
                    // The parts begin at different places, so that all positions within a binade get their turn.
                    if !(number + part).is_multiple_of(backend.every) {
                        continue;
                    }
                    let start = Instant::now();
                    if place == 0 {
                        self.function.formula.apply(*backend, &block.inputs, &mut block.judged);
                        self.count_errors(&block, tally);
                    } else {
                        self.function.formula.apply(*backend, &block.inputs, &mut block.others);
                        Self::count_differences(&block, tally);
                    }
                    tally.count(BLOCK as usize, start);
                }
            }
        }
        tallies
    }
}

#[cfg(test)]
mod tests {
    use stratal_kernels::{
        map::{self, Log, Unary, UnaryFormula},
        simd::{Isa, Simd},
    };
    use stratal_tensor_base::{DType, Scalar};

    use super::{super::functions::function, *};

    /// The part with the numbers from 1/2 to 2.
    const AROUND_ONE: u32 = 0x3F;

    fn quick(function: Function) -> UnarySweep {
        UnarySweep { extent: Extent::Quick, bound: function.promised, function, backends: backends() }
    }

    /// The logarithm with a last digit that is off where lanes are `sixteen` or where they are not.
    #[derive(Debug, Clone, Copy)]
    struct Nudged {
        is_everywhere: bool,
    }

    impl UnaryFormula for Nudged {
        const NAME: &'static str = "nudged";

        #[inline(always)]
        fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
            let is_portable = std::any::type_name::<S>().contains("Portable");
            let log = Log.f32(simd, x);
            if self.is_everywhere || is_portable { log * simd.f32(1.0 + 2.0 * f32::EPSILON) } else { log }
        }

        fn f64(self, x: f64) -> f64 {
            x
        }
    }

    impl Unary for Nudged {
        fn name(&self) -> &'static str {
            Self::NAME
        }

        fn is_defined(&self, dtype: DType) -> bool {
            map::Formula(*self).is_defined(dtype)
        }

        fn element(&self, x: Scalar) -> Scalar {
            map::Formula(*self).element(x)
        }

        fn run(&self, isa: Isa, dtype: DType, x: &[u8], result: &mut [u8]) {
            map::Formula(*self).run(isa, dtype, x, result);
        }

        fn run_in_place(&self, isa: Isa, dtype: DType, x: &mut [u8]) {
            map::Formula(*self).run_in_place(isa, dtype, x);
        }
    }

    #[test]
    fn a_right_function_passes_everywhere() {
        for tally in quick(function("log", Log, f64::ln, Symmetry::No, 1.0)).count(AROUND_ONE) {
            assert_eq!(tally.first, []);
        }
    }

    #[test]
    fn an_error_above_the_bound_shows() {
        let nudged = Nudged { is_everywhere: true };
        let tallies = quick(function("nudged", nudged, f64::ln, Symmetry::No, 1.0)).count(AROUND_ONE);
        assert!(tallies[0].mismatches > 0);
        assert_eq!(tallies[1].mismatches, 0);
    }

    #[test]
    fn a_backend_with_other_bits_shows() {
        let sweep = quick(function("nudged", Nudged { is_everywhere: false }, f64::ln, Symmetry::No, 1.0));
        if !cfg!(target_arch = "x86_64") || sweep.backends[0].name == "scalar" {
            return;
        }
        let tallies = sweep.count(AROUND_ONE);
        assert_eq!(tallies[0].mismatches, 0);
        let scalar = sweep.backends.iter().position(|backend| backend.name == "scalar").unwrap();
        assert!(tallies[scalar].mismatches > 0);
    }
}
