//! Tests: every operation of the vocabulary gives, lane by lane, the bits of plain Rust, on each instruction set there is.
//!
//! An [`Operation`] is written twice: over the vocabulary, and on one element. [`check`] feeds both with a [`Panel`] in
//! which each odd value passes through every lane, and compares all lanes. `cargo xtask test kernels` covers what this
//! machine has, `cargo xtask aarch64 kernels` covers NEON under emulation. An x86-64 test binary also runs under
//! `qemu-x86_64-static -cpu Haswell` (AVX2, no AVX-512) and `-cpu Nehalem` (neither); with `--nocapture` it says which
//! instruction sets ran.

mod deinterleave;
mod dots;
mod doubles;
mod floats;
mod halves;
mod integers;
mod lane;
mod masks;
mod memory;
mod panel;

use super::{Isa, LANES, Portable, Simd, Task};
use panel::Panel;

#[cfg(target_arch = "aarch64")]
use super::Neon;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};

/// One operation, written over the vocabulary and on one element.
///
/// Up to three operands, each in the bits of its type; the result in the bits of its own.
trait Operation: Copy {
    /// What failures call it.
    const NAME: &str;
    /// How many operands count.
    const OPERANDS: usize;
    /// Which results are the same.
    const SAME: Same;

    /// The operation over the vocabulary. Mark it `#[inline(always)]`.
    fn on_vectors<S: Simd>(self, simd: S, operands: &[[u32; LANES]; 3]) -> [u64; LANES];

    /// What it means, in plain Rust.
    fn on_one(self, operands: [u32; 3]) -> u64;
}

/// Which results count as the same.
#[derive(Debug, Clone, Copy)]
enum Same {
    /// The same bits.
    Bits,
    /// The same bits, or two NaN of the result's type.
    BitsOrNan(fn(u64) -> bool),
}

impl Same {
    fn holds(self, left: u64, right: u64) -> bool {
        let both_nan = match self {
            Self::Bits => false,
            Self::BitsOrNan(is_nan) => is_nan(left) && is_nan(right),
        };
        left == right || both_nan
    }
}

/// An operation on every sixteen neighbours of a panel.
#[derive(Debug, Clone, Copy)]
struct Sweep<'panel, O> {
    operation: O,
    panel: &'panel Panel,
}

impl<O: Operation> Task for Sweep<'_, O> {
    type Output = Vec<[u64; LANES]>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        self.panel.windows().map(|operands| self.operation.on_vectors(simd, &operands)).collect()
    }
}

/// Compares an operation with its meaning, over a panel, on every instruction set.
///
/// # Panics
/// With what [`differences`] says.
fn check<O: Operation>(operation: O, panel: &Panel) {
    let differences = differences(operation, panel);
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

/// The operands and both results, for the first lanes that differ on each instruction set.
fn differences<O: Operation>(operation: O, panel: &Panel) -> Vec<String> {
    let expected: Vec<u64> = panel.elements().map(|operands| operation.on_one(operands)).collect();
    let mut differences = Vec::new();
    for (isa, lanes) in instruction_sets() {
        let vectors = isa.run(Sweep { operation, panel });
        let results = vectors.iter().zip(expected.windows(LANES)).enumerate();
        let differing = results.flat_map(|(start, (got, expected))| {
            let lanes = (0..lanes).filter(|&lane| !O::SAME.holds(got[lane], expected[lane]));
            lanes.map(move |lane| {
                let operands = &panel.element(start + lane)[..O::OPERANDS];
                let (got, expected) = (got[lane], expected[lane]);
                format!("{isa:?}: {}{operands:x?} in lane {lane} is {got:#x}, not {expected:#x}", O::NAME)
            })
        });
        differences.extend(differing.take(4));
    }
    differences
}

/// All that this machine has, each with the number of lanes that it computes.
fn instruction_sets() -> impl Iterator<Item = (Isa, usize)> {
    let everywhere = [(Isa::Reference(Portable), 1), (Isa::Scalar(Portable), LANES)];
    #[cfg(target_arch = "x86_64")]
    let special = {
        let wide = Avx512::detect();
        let with_dots = wide.and_then(Avx512::with_vnni);
        [Avx2::detect().map(Isa::Avx2), wide.map(Isa::Avx512), with_dots.map(Isa::Avx512Vnni)]
    };
    #[cfg(target_arch = "aarch64")]
    let special = [Neon::detect().map(Isa::Neon)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let special = [None];
    everywhere.into_iter().chain(special.into_iter().flatten().map(|isa| (isa, LANES)))
}

/// Writes operations as a table, and a function that checks each of them over the panels given.
///
/// `name(operand: type, ..) -> type, same: token => over the vocabulary, plainly on one element;`
macro_rules! operations {
    ($function:ident: $($name:ident($($operand:ident: $type:ty),+) -> $result:ty, $same:ident:
        $simd:ident => $vectors:expr, plainly $plain:expr;)+) => {
        fn $function(panels: &crate::simd::agreement::panel::Panels) {
            use crate::simd::agreement::{Operation, Same, differences, lane::Lane};
            use crate::simd::{LANES, Simd};

            let mut found = Vec::new();
            $({
                #[derive(Debug, Clone, Copy)]
                struct Entry;

                impl Operation for Entry {
                    const NAME: &str = stringify!($name);
                    const OPERANDS: usize = [$(stringify!($operand)),+].len();
                    const SAME: Same = operations!(@same $same, $result);

                    #[inline(always)]
                    fn on_vectors<S: Simd>(self, $simd: S, operands: &[[u32; LANES]; 3]) -> [u64; LANES] {
                        let [$($operand,)+ ..] = operands;
                        $(let $operand = <$type as Lane>::load($simd, $operand);)+
                        <$result as Lane>::store::<S>($simd, $vectors)
                    }

                    fn on_one(self, operands: [u32; 3]) -> u64 {
                        let [$($operand,)+ ..] = operands;
                        $(let $operand = <$type as Lane>::from_bits($operand);)+
                        let result: $result = $plain;
                        Lane::to_bits(result)
                    }
                }

                found.extend(differences(Entry, panels.of(Entry::OPERANDS)));
            })+
            assert!(found.is_empty(), "\n{}", found.join("\n"));
        }
    };
    (@same bits, $result:ty) => {
        Same::Bits
    };
    (@same nan, $result:ty) => {
        Same::BitsOrNan(<$result as Lane>::is_nan)
    };
}
use operations;

#[test]
fn every_instruction_set_is_found_and_named() {
    let found: Vec<_> = instruction_sets().map(|(isa, lanes)| format!("{isa:?} ({lanes})")).collect();
    eprintln!("vocabulary checked on: {}", found.join(", "));
    assert!(found.len() >= 2);
}
