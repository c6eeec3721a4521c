//! The backends that must give the same bits, and how much of a full sweep each one does.

use stratal_kernels::{
    map::UnaryFormula,
    simd::{Float, Isa, LANES, Portable, Simd, Task},
};

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
    Vectors(Isa),
    /// Arrays of sixteen, compiled for an instruction set.
    Scalar(Isa),
    /// One element at a time, compiled for an instruction set.
    Reference(Isa),
}

/// Those that this machine can run, the fastest first.
pub(crate) fn backends() -> Vec<Backend> {
    let plain = Isa::Scalar(Portable);
    let vectors = vector_isas();
    let fused = vectors.last().map_or(plain, |(_, isa)| *isa);
    let mut all: Vec<_> =
        vectors.into_iter().map(|(name, isa)| Backend { name, text: Text::Vectors(isa), every: 1 }).collect();
    all.push(Backend { name: "scalar", text: Text::Scalar(fused), every: 16 });
    all.push(Backend { name: "reference", text: Text::Reference(fused), every: 16 });
    all.push(Backend { name: "scalar, no FMA", text: Text::Scalar(plain), every: 256 });
    all
}

/// The instruction sets with vectors, the widest first.
fn vector_isas() -> Vec<(&'static str, Isa)> {
    let vectors = stratal_kernels::Backend::available().into_iter().rev();
    let vectors = vectors.filter(|backend| *backend != stratal_kernels::Backend::Scalar);
    vectors.filter_map(|backend| Some((backend.name(), backend.isa()?))).collect()
}

impl Backend {
    /// Fills `outputs` with the results for `inputs`, which have a multiple of sixteen values.
    pub(crate) fn apply(self, formula: impl UnaryFormula, inputs: &[f32], outputs: &mut [f32]) {
        match self.text {
            Text::Vectors(isa) => isa.run(Apply { formula, inputs, outputs }),
            Text::Scalar(isa) => isa.run(Portably(Apply { formula, inputs, outputs })),
            Text::Reference(isa) => isa.run(Portably(ApplySingly { formula, inputs, outputs })),
        }
    }
}

/// Sixteen elements at a time.
struct Apply<'a, F> {
    formula: F,
    inputs: &'a [f32],
    outputs: &'a mut [f32],
}

impl<F: UnaryFormula> Task for Apply<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
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
        self.0.run(Portable::<LANES>);
    }
}

impl<F: UnaryFormula> Task for Portably<ApplySingly<'_, F>> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.0.run();
    }
}
