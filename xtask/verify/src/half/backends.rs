//! The backends: every implementation of the 16-bit conversions that must give the rule's bits.

use std::sync::LazyLock;

use stratal_kernels::{Selection, Threads};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{CastError, Element, Geometry, Shape, bf16, f16, half, half_slices, payload};

use crate::reference::nan::NanRule;

/// All that this machine can run. A crate with an implementation of its own adds a line here.
pub(crate) static BACKENDS: LazyLock<Vec<Backend>> = LazyLock::new(|| {
    let kernels = [KERNELS_SCALAR, KERNELS_AVX2, KERNELS_AVX512, KERNELS_NEON];
    let kernels = kernels.into_iter().filter(|(backend, _)| backend.is_available()).map(|(_, backend)| backend);
    [SCALAR, SLICES].into_iter().chain(kernels).collect()
});

/// One implementation of all conversions.
#[derive(Clone, Copy)]
pub(crate) struct Backend {
    pub(crate) name: &'static str,
    pub(crate) quiet: Conversions,
    /// Not every implementation has a form that preserves NaN.
    pub(crate) preserving: Option<Conversions>,
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
    pub(crate) fn under(&self, rule: NanRule) -> Option<&Conversions> {
        match rule {
            NanRule::Quiet => Some(&self.quiet),
            NanRule::Preserving => self.preserving.as_ref(),
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
    preserving: Some(Conversions {
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
    }),
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
    preserving: Some(Conversions {
        f32_to_f16: half_slices::f32_to_f16_slice_preserving_nan,
        f16_to_f32: half_slices::f16_to_f32_slice_preserving_nan,
        f32_to_bf16: half_slices::f32_to_bf16_slice_preserving_nan,
        bf16_to_f32: half_slices::bf16_to_f32_slice_preserving_nan,
    }),
};

/// The casts of one backend of the kernels, with the name of the backend.
macro_rules! kernels {
    ($constant:ident, $backend:ident, $name:literal) => {
        const $constant: (stratal_kernels::Backend, Backend) = (
            stratal_kernels::Backend::$backend,
            Backend {
                name: $name,
                quiet: Conversions {
                    f32_to_f16: |source, target| by_kernels(stratal_kernels::Backend::$backend, source, target),
                    f16_to_f32: |source, target| by_kernels(stratal_kernels::Backend::$backend, source, target),
                    f32_to_bf16: |source, target| by_kernels(stratal_kernels::Backend::$backend, source, target),
                    bf16_to_f32: |source, target| by_kernels(stratal_kernels::Backend::$backend, source, target),
                },
                preserving: None,
            },
        );
    };
}

kernels!(KERNELS_SCALAR, Scalar, "kernels, scalar");
kernels!(KERNELS_AVX2, Avx2, "kernels, avx2");
kernels!(KERNELS_AVX512, Avx512, "kernels, avx512");
kernels!(KERNELS_NEON, Neon, "kernels, neon");

/// A cast through the seam, on this thread.
fn by_kernels<S: Element, T: Element>(
    backend: stratal_kernels::Backend,
    source: &[S],
    target: &mut [T],
) -> Result<(), CastError> {
    let kernels = Selection::new().backend(backend).threads(Threads::calling()).kernels();
    let kernels = kernels.expect("only backends that this machine can run are listed");
    let shape = Shape::new(&[source.len() as i64]).expect("blocks are small");
    let geometry = Geometry::contiguous(shape);
    let source = View::new(source, geometry).expect("the geometry is the slice's");
    let target = ViewMut::new(target, geometry).expect("blocks of one length are converted");
    kernels.cast(&source.into(), &mut target.into()).expect("any float converts");
    Ok(())
}

/// A conversion of single elements in the form for slices.
#[inline(always)]
pub(crate) fn each<S: Copy, T>(source: &[S], target: &mut [T], rule: impl Fn(S) -> T) -> Result<(), CastError> {
    for (target, value) in target.iter_mut().zip(source) {
        *target = rule(*value);
    }
    Ok(())
}
