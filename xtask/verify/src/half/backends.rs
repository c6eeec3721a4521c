//! The backends: every implementation of the 16-bit conversions that must give the rule's bits.

use stratal_tensor_base::{CastError, bf16, f16, half, half_slices, payload};

use crate::reference::nan::NanRule;

/// All of them. A crate with an implementation of its own adds a line here.
pub(crate) const BACKENDS: &[Backend] = &[SCALAR, SLICES];

/// One implementation of all conversions.
#[derive(Clone, Copy)]
pub(crate) struct Backend {
    pub(crate) name: &'static str,
    pub(crate) quiet: Conversions,
    pub(crate) preserving: Conversions,
}

/// The conversions under one NaN rule.
#[derive(Clone, Copy)]
pub(crate) struct Conversions {
    pub(crate) f32_to_f16: Convert<f32, f16>,
    pub(crate) f16_to_f32: Convert<f16, f32>,
    pub(crate) f32_to_bf16: Convert<f32, bf16>,
    pub(crate) bf16_to_f32: Convert<bf16, f32>,
}

/// Fills the second slice with the conversions of the first.
pub(crate) type Convert<S, T> = fn(&[S], &mut [T]) -> Result<(), CastError>;

impl Backend {
    pub(crate) fn under(&self, rule: NanRule) -> &Conversions {
        match rule {
            NanRule::Quiet => &self.quiet,
            NanRule::Preserving => &self.preserving,
        }
    }
}

/// The rule itself: a `const fn` from bits to bits.
pub(crate) const SCALAR: Backend = Backend {
    name: "scalar",
    quiet: Conversions {
        f32_to_f16: |source, target| {
            each(source, target, |value| f16::from_bits(half::f32_to_f16_bits(value.to_bits())))
        },
        f16_to_f32: |source, target| {
            each(source, target, |value| f32::from_bits(half::f16_to_f32_bits(value.to_bits())))
        },
        f32_to_bf16: |source, target| {
            each(source, target, |value| bf16::from_bits(half::f32_to_bf16_bits(value.to_bits())))
        },
        bf16_to_f32: |source, target| {
            each(source, target, |value| f32::from_bits(half::bf16_to_f32_bits(value.to_bits())))
        },
    },
    preserving: Conversions {
        f32_to_f16: |source, target| {
            each(source, target, |value| f16::from_bits(payload::f32_to_f16_bits_preserving_nan(value.to_bits())))
        },
        f16_to_f32: |source, target| {
            each(source, target, |value| f32::from_bits(payload::f16_to_f32_bits_preserving_nan(value.to_bits())))
        },
        f32_to_bf16: |source, target| {
            each(source, target, |value| bf16::from_bits(payload::f32_to_bf16_bits_preserving_nan(value.to_bits())))
        },
        bf16_to_f32: |source, target| {
            each(source, target, |value| f32::from_bits(payload::bf16_to_f32_bits_preserving_nan(value.to_bits())))
        },
    },
};

/// The portable form for slices.
const SLICES: Backend = Backend {
    name: "slices",
    quiet: Conversions {
        f32_to_f16: half_slices::f32_to_f16_slice,
        f16_to_f32: half_slices::f16_to_f32_slice,
        f32_to_bf16: half_slices::f32_to_bf16_slice,
        bf16_to_f32: half_slices::bf16_to_f32_slice,
    },
    preserving: Conversions {
        f32_to_f16: half_slices::f32_to_f16_slice_preserving_nan,
        f16_to_f32: half_slices::f16_to_f32_slice_preserving_nan,
        f32_to_bf16: half_slices::f32_to_bf16_slice_preserving_nan,
        bf16_to_f32: half_slices::bf16_to_f32_slice_preserving_nan,
    },
};

/// A conversion of single elements in the form for slices.
#[inline(always)]
pub(crate) fn each<S: Copy, T>(source: &[S], target: &mut [T], rule: impl Fn(S) -> T) -> Result<(), CastError> {
    for (target, value) in target.iter_mut().zip(source) {
        *target = rule(*value);
    }
    Ok(())
}
