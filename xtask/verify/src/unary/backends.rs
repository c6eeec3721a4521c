//! The backends that must give the same bits, and how much of a full sweep each one does.

use bytemuck::{cast_slice, cast_slice_mut};
#[cfg(target_arch = "x86_64")]
use stratal_kernels::simd::Avx2 as Fused;
#[cfg(target_arch = "aarch64")]
use stratal_kernels::simd::Neon as Fused;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use stratal_kernels::simd::Portable as Fused;
use stratal_kernels::{
    map::{Unary, UnaryFormula},
    simd::{Float, Isa, LANES, Portable, Simd, Task},
};
use stratal_tensor_base::{DType, Scalar};

/// One way to run a formula.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Backend {
    pub(crate) name: &'static str,
    text: Text,
    /// Of so many blocks of a sweep one is done.
    pub(crate) every: u32,
}

/// The text that is run. The portable one is the same for every machine; compiled where a fused multiply-add is an
/// instruction, it is many times as fast as where it is a call.
#[derive(Debug, Clone, Copy)]
enum Text {
    /// What the crate compiled for an instruction set.
    Compiled(Isa),
    /// What the crate compiled for one element.
    Elements,
    /// Arrays of sixteen, compiled with fused multiply-add.
    Scalar(Fused),
    /// One element at a time, compiled with fused multiply-add.
    Reference(Fused),
}

/// Those that this machine can run, the fastest first.
pub(crate) fn backends() -> Vec<Backend> {
    let vectors = vector_isas().into_iter();
    let mut all: Vec<_> = vectors.map(|(name, isa)| Backend { name, text: Text::Compiled(isa), every: 1 }).collect();
    let plain = Text::Compiled(Isa::Scalar(Portable));
    let fused = fused();
    all.push(Backend { name: "scalar", text: fused.map_or(plain, Text::Scalar), every: 16 });
    all.push(Backend { name: "reference", text: fused.map_or(Text::Elements, Text::Reference), every: 16 });
    all.push(Backend { name: "scalar, no FMA", text: plain, every: 256 });
    all
}

/// The instruction sets with vectors, the widest first.
fn vector_isas() -> Vec<(&'static str, Isa)> {
    let vectors = stratal_kernels::Backend::available().into_iter().rev();
    let vectors = vectors.filter(|backend| *backend != stratal_kernels::Backend::Scalar);
    vectors.filter_map(|backend| Some((backend.name(), backend.isa()?))).collect()
}

/// The instruction set that has a fused multiply-add, if this machine has it.
fn fused() -> Option<Fused> {
    vector_isas().into_iter().find_map(|(_, isa)| match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(token) => Some(token),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon(token) => Some(token),
        _ => None,
    })
}

impl Backend {
    /// Fills `outputs` with the results for `inputs`, which have a multiple of sixteen values.
    pub(crate) fn apply(self, formula: impl UnaryFormula + Unary, inputs: &[f32], outputs: &mut [f32]) {
        match self.text {
            Text::Compiled(isa) => formula.run(isa, DType::F32, cast_slice(inputs), cast_slice_mut(outputs)),
            Text::Elements => {
                for (input, output) in inputs.iter().zip(outputs) {
                    *output = formula.element(Scalar::F32(*input)).get().unwrap_or(f32::NAN);
                }
            }
            Text::Scalar(token) => token.vectorize(Portably(Apply { formula, inputs, outputs })),
            Text::Reference(token) => token.vectorize(Portably(ApplySingly { formula, inputs, outputs })),
        }
    }
}

/// Sixteen elements at a time.
struct Apply<'a, F> {
    formula: F,
    inputs: &'a [f32],
    outputs: &'a mut [f32],
}

impl<F: UnaryFormula> Apply<'_, F> {
    #[inline(always)]
    fn run(self) {
        let simd = Portable::<LANES>;
        let (inputs, rest) = self.inputs.as_chunks::<LANES>();
        assert!(rest.is_empty(), "inputs come in whole vectors");
        let (outputs, _) = self.outputs.as_chunks_mut::<LANES>();
        for (input, output) in inputs.iter().zip(outputs) {
            self.formula.f32(simd, simd.load(input)).store(output);
        }
    }
}

/// The first lane alone.
struct ApplySingly<'a, F> {
    formula: F,
    inputs: &'a [f32],
    outputs: &'a mut [f32],
}

impl<F: UnaryFormula> ApplySingly<'_, F> {
    #[inline(always)]
    fn run(self) {
        let mut vector = [0.0; LANES];
        for (input, output) in self.inputs.iter().zip(self.outputs) {
            vector[0] = *input;
            self.formula.f32(Portable::<1>, Portable::<1>.load(&vector)).store(&mut vector);
            *output = vector[0];
        }
    }
}

/// A task for the portable text, whatever instruction set it is compiled for.
struct Portably<T>(T);

impl<F: UnaryFormula> Task for Portably<Apply<'_, F>> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.0.run();
    }
}

impl<F: UnaryFormula> Task for Portably<ApplySingly<'_, F>> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.0.run();
    }
}
