//! The witnesses: conversions of the `half` crate, which may differ from either NaN rule but from nothing else.

use stratal_tensor_base::{bf16, f16};

use super::backends::{Conversions, each};

/// All of them.
pub(crate) const WITNESSES: &[Witness] = &[SOFTWARE, MACHINE];

/// An implementation by others, with one NaN rule or the other, or by turns.
#[derive(Clone, Copy)]
pub(crate) struct Witness {
    pub(crate) name: &'static str,
    pub(crate) conversions: Conversions,
}

/// The software path, the same on every machine.
const SOFTWARE: Witness = Witness {
    name: "half, software",
    conversions: Conversions {
        f32_to_f16: |source, target| each(source, target, f16::from_f32_const),
        f16_to_f32: |source, target| each(source, target, f16::to_f32_const),
        f32_to_bf16: |source, target| each(source, target, bf16::from_f32_const),
        bf16_to_f32: |source, target| each(source, target, bf16::to_f32_const),
    },
};

/// The machine's own instructions, where it has them.
const MACHINE: Witness = Witness {
    name: "half, machine",
    conversions: Conversions {
        f32_to_f16: |source, target| each(source, target, f16::from_f32),
        f16_to_f32: |source, target| each(source, target, f16::to_f32),
        f32_to_bf16: |source, target| each(source, target, bf16::from_f32),
        bf16_to_f32: |source, target| each(source, target, bf16::to_f32),
    },
};
