//! `Lane`: what the operations of a table take and give, in one lane and in all sixteen.

use std::array::from_fn;

use super::super::{Double, Float, Int, LANES, Mask, Simd};

/// The type of one lane.
pub(super) trait Lane: Copy {
    /// Sixteen of them.
    type Vector<S: Simd>;

    /// A lane from 32 bits, any of which are valid.
    fn from_bits(bits: u32) -> Self;
    /// The bits of a lane.
    fn to_bits(self) -> u64;
    /// Whether these bits are a NaN.
    fn is_nan(_bits: u64) -> bool {
        false
    }

    /// [`from_bits`](Self::from_bits) in sixteen lanes.
    fn load<S: Simd>(simd: S, bits: &[u32; LANES]) -> Self::Vector<S>;
    /// [`to_bits`](Self::to_bits) in sixteen lanes; lanes that the token lacks give anything.
    fn store<S: Simd>(simd: S, vector: Self::Vector<S>) -> [u64; LANES];
}

impl Lane for f32 {
    type Vector<S: Simd> = S::F32;

    fn from_bits(bits: u32) -> Self {
        Self::from_bits(bits)
    }

    fn to_bits(self) -> u64 {
        self.to_bits().into()
    }

    fn is_nan(bits: u64) -> bool {
        Self::from_bits(bits as u32).is_nan()
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, bits: &[u32; LANES]) -> S::F32 {
        simd.load(&bits.map(Self::from_bits))
    }

    #[inline(always)]
    fn store<S: Simd>(_simd: S, vector: S::F32) -> [u64; LANES] {
        let mut to = [0.0; LANES];
        vector.store(&mut to);
        to.map(Lane::to_bits)
    }
}

impl Lane for i32 {
    type Vector<S: Simd> = S::I32;

    fn from_bits(bits: u32) -> Self {
        bits.cast_signed()
    }

    fn to_bits(self) -> u64 {
        self.cast_unsigned().into()
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, bits: &[u32; LANES]) -> S::I32 {
        simd.load_i32(&bits.map(Lane::from_bits))
    }

    #[inline(always)]
    fn store<S: Simd>(_simd: S, vector: S::I32) -> [u64; LANES] {
        let mut to = [0; LANES];
        vector.store(&mut to);
        to.map(Lane::to_bits)
    }
}

/// What loads and stores of 16 bits see: an array in memory.
impl Lane for u16 {
    type Vector<S: Simd> = [u16; LANES];

    fn from_bits(bits: u32) -> Self {
        bits as u16
    }

    fn to_bits(self) -> u64 {
        self.into()
    }

    #[inline(always)]
    fn load<S: Simd>(_simd: S, bits: &[u32; LANES]) -> [u16; LANES] {
        bits.map(Lane::from_bits)
    }

    #[inline(always)]
    fn store<S: Simd>(_simd: S, vector: [u16; LANES]) -> [u64; LANES] {
        vector.map(Lane::to_bits)
    }
}

/// What loads of masks see: an array in memory.
impl Lane for u8 {
    type Vector<S: Simd> = [u8; LANES];

    fn from_bits(bits: u32) -> Self {
        bits as u8
    }

    fn to_bits(self) -> u64 {
        self.into()
    }

    #[inline(always)]
    fn load<S: Simd>(_simd: S, bits: &[u32; LANES]) -> [u8; LANES] {
        bits.map(Lane::from_bits)
    }

    #[inline(always)]
    fn store<S: Simd>(_simd: S, vector: [u8; LANES]) -> [u64; LANES] {
        vector.map(Lane::to_bits)
    }
}

/// True where an odd number of bits is set, so that a panel of floats gives both truths.
impl Lane for bool {
    type Vector<S: Simd> = S::Mask;

    fn from_bits(bits: u32) -> Self {
        bits.count_ones() % 2 == 1
    }

    fn to_bits(self) -> u64 {
        self.into()
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, bits: &[u32; LANES]) -> S::Mask {
        simd.load_mask(&bits.map(|bits| u8::from(<Self as Lane>::from_bits(bits))))
    }

    #[inline(always)]
    fn store<S: Simd>(_simd: S, vector: S::Mask) -> [u64; LANES] {
        let mut to = [0; LANES];
        vector.store(&mut to);
        to.map(u64::from)
    }
}

/// A third of an f32, so that all digits of an f64 are in use.
impl Lane for f64 {
    type Vector<S: Simd> = S::F64;

    fn from_bits(bits: u32) -> Self {
        Self::from(f32::from_bits(bits)) * THIRD
    }

    /// The bits of the sum of three f32: exactly this value, if it is well inside the range of f32.
    fn to_bits(self) -> u64 {
        let first = self as f32;
        let rest = self - Self::from(first);
        let second = rest as f32;
        let third = (rest - Self::from(second)) as f32;
        sum([first, second, third]).to_bits()
    }

    fn is_nan(bits: u64) -> bool {
        Self::from_bits(bits).is_nan()
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, bits: &[u32; LANES]) -> S::F64 {
        <f32 as Lane>::load(simd, bits).widen() * simd.f64(THIRD)
    }

    #[inline(always)]
    fn store<S: Simd>(_simd: S, vector: S::F64) -> [u64; LANES] {
        let first = vector.narrow();
        let rest = vector - first.widen();
        let second = rest.narrow();
        let third = (rest - second.widen()).narrow();
        let [mut firsts, mut seconds, mut thirds] = [[0.0; LANES]; 3];
        first.store(&mut firsts);
        second.store(&mut seconds);
        third.store(&mut thirds);
        from_fn(|lane| sum([firsts[lane], seconds[lane], thirds[lane]]).to_bits())
    }
}

const THIRD: f64 = 1.0 / 3.0;

/// The sum of what a value was parted into. What f32 holds, or overflows it, is in the first part with its sign.
fn sum([first, second, third]: [f32; 3]) -> f64 {
    let first_is_all = !first.is_finite() || second == 0.0;
    if first_is_all { first.into() } else { f64::from(first) + f64::from(second) + f64::from(third) }
}
