//! Slices of 16-bit floats to f32 and back, by the best instructions of an instruction set.
//!
//! The bits are those of the default rule in `stratal_tensor_base::half`, for every length, alignment and NaN.

use stratal_tensor_base::DType;

use crate::simd::{Float, Isa, LANES, Simd, Task};

/// A 16-bit float format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    F16,
    BF16,
}

impl Half {
    /// The format of a dtype, if it is a 16-bit float.
    pub(crate) fn of(dtype: DType) -> Option<Self> {
        match dtype {
            DType::F16 => Some(Self::F16),
            DType::BF16 => Some(Self::BF16),
            _ => None,
        }
    }
}

/// Widens elements, exactly. The slices are equally long.
pub(crate) fn widen(isa: Isa, half: Half, from: &[u16], to: &mut [f32]) {
    match half {
        Half::F16 => isa.run(Widen::<true> { from, to }),
        Half::BF16 => isa.run(Widen::<false> { from, to }),
    }
}

/// Narrows elements, to nearest, ties to even. The slices are equally long.
pub(crate) fn narrow(isa: Isa, half: Half, from: &[f32], to: &mut [u16]) {
    match half {
        Half::F16 => isa.run(Narrow::<true> { from, to }),
        Half::BF16 => isa.run(Narrow::<false> { from, to }),
    }
}

struct Widen<'a, const IS_F16: bool> {
    from: &'a [u16],
    to: &'a mut [f32],
}

impl<const IS_F16: bool> Task for Widen<'_, IS_F16> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (from, from_rest) = self.from.as_chunks::<LANES>();
        let (to, to_rest) = self.to.as_chunks_mut::<LANES>();
        for (from, to) in from.iter().zip(to) {
            let wide = if IS_F16 { simd.load_f16(from) } else { simd.load_bf16(from) };
            wide.store(to);
        }
        if !to_rest.is_empty() {
            let (mut narrow, mut wide) = ([0; LANES], [0.0; LANES]);
            narrow[..from_rest.len()].copy_from_slice(from_rest);
            let values = if IS_F16 { simd.load_f16(&narrow) } else { simd.load_bf16(&narrow) };
            values.store(&mut wide);
            to_rest.copy_from_slice(&wide[..to_rest.len()]);
        }
    }
}

struct Narrow<'a, const IS_F16: bool> {
    from: &'a [f32],
    to: &'a mut [u16],
}

impl<const IS_F16: bool> Task for Narrow<'_, IS_F16> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (from, from_rest) = self.from.as_chunks::<LANES>();
        let (to, to_rest) = self.to.as_chunks_mut::<LANES>();
        for (from, to) in from.iter().zip(to) {
            let wide = simd.load(from);
            if IS_F16 { wide.store_f16(to) } else { wide.store_bf16(to) }
        }
        if !to_rest.is_empty() {
            let (mut wide, mut narrow) = ([0.0; LANES], [0; LANES]);
            wide[..from_rest.len()].copy_from_slice(from_rest);
            let values = simd.load(&wide);
            if IS_F16 {
                values.store_f16(&mut narrow)
            } else {
                values.store_bf16(&mut narrow)
            }
            to_rest.copy_from_slice(&narrow[..to_rest.len()]);
        }
    }
}
