//! Casts of every pair of dtypes, by the scalar rule of `stratal_tensor_base::cast`.
//!
//! 16-bit floats go through f32 in blocks, which changes nothing: widening is exact, integers up to the largest binary16 are
//! exact in f32, and what is larger becomes infinite either way. Only from wide integers to bfloat16 would that round twice,
//! so those take the rule itself.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{Bool, CastFrom, DType, DTypeKind, Element, cast};

use crate::convert::{Half, narrow, widen};
use crate::integer::match_integer;
use crate::simd::{Isa, Simd, Task};

/// Elements of a block: its f32 stay in the first-level cache.
const BLOCK: usize = 1024;

/// Casts elements given as bytes. The slices hold equally many elements and are aligned for them.
pub(crate) fn run(isa: Isa, from: DType, to: DType, x: &[u8], result: &mut [u8]) {
    if from == to && from != DType::Bool {
        return result.copy_from_slice(x);
    }
    match (Half::of(from), Half::of(to)) {
        (Some(half), None) if to == DType::F32 => widen(isa, half, cast_slice(x), cast_slice_mut(result)),
        (None, Some(half)) if from == DType::F32 => narrow(isa, half, cast_slice(x), cast_slice_mut(result)),
        (Some(half), _) => through_f32(
            x,
            result,
            from.size(),
            to.size(),
            |x, block| widen(isa, half, cast_slice(x), block),
            |block, result| run(isa, DType::F32, to, cast_slice(block), result),
        ),
        (None, Some(Half::BF16)) if is_wide_integer(from) => match_integer!(from, S => {
            isa.run(Cast { x: cast_slice::<u8, S>(x), result: cast_slice_mut::<u8, stratal_tensor_base::bf16>(result) });
        }),
        (None, Some(half)) => through_f32(
            x,
            result,
            from.size(),
            to.size(),
            |x, block| run(isa, from, DType::F32, x, cast_slice_mut(block)),
            |block, result| narrow(isa, half, block, cast_slice_mut(result)),
        ),
        (None, None) => match from {
            DType::F32 => from_type::<f32>(isa, to, cast_slice(x), result),
            DType::F64 => from_type::<f64>(isa, to, cast_slice(x), result),
            DType::Bool => from_type::<Bool>(isa, to, cast_slice(x), result),
            _ => match_integer!(from, S => from_type::<S>(isa, to, cast_slice(x), result)),
        },
    }
}

/// Whether values may have more digits than f32.
fn is_wide_integer(dtype: DType) -> bool {
    matches!(dtype.kind(), DTypeKind::Signed | DTypeKind::Unsigned) && dtype.size() > 2
}

fn through_f32(
    x: &[u8],
    result: &mut [u8],
    size: usize,
    size_of_result: usize,
    to_f32: impl Fn(&[u8], &mut [f32]),
    from_f32: impl Fn(&[f32], &mut [u8]),
) {
    let mut block = [0.0; BLOCK];
    for (x, result) in x.chunks(BLOCK * size).zip(result.chunks_mut(BLOCK * size_of_result)) {
        let block = &mut block[..x.len() / size];
        to_f32(x, block);
        from_f32(block, result);
    }
}

fn from_type<S>(isa: Isa, to: DType, x: &[S], result: &mut [u8])
where
    S: Element,
    f32: CastFrom<S>,
    f64: CastFrom<S>,
    Bool: CastFrom<S>,
    i8: CastFrom<S>,
    i16: CastFrom<S>,
    i32: CastFrom<S>,
    i64: CastFrom<S>,
    u8: CastFrom<S>,
    u16: CastFrom<S>,
    u32: CastFrom<S>,
    u64: CastFrom<S>,
{
    match to {
        DType::F32 => isa.run(Cast { x, result: cast_slice_mut::<u8, f32>(result) }),
        DType::F64 => isa.run(Cast { x, result: cast_slice_mut::<u8, f64>(result) }),
        DType::Bool => isa.run(Cast { x, result: cast_slice_mut::<u8, Bool>(result) }),
        _ => match_integer!(to, T => isa.run(Cast { x, result: cast_slice_mut::<u8, T>(result) })),
    }
}

struct Cast<'a, S, T> {
    x: &'a [S],
    result: &'a mut [T],
}

impl<S: Element, T: Element + CastFrom<S>> Task for Cast<'_, S, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Simd>(self, _simd: V) {
        for (x, result) in self.x.iter().zip(self.result) {
            *result = cast(*x);
        }
    }
}
