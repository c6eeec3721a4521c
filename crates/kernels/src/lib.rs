//! Arithmetic on tensor views: one text, every instruction set, the same bits.

pub mod map;
pub mod simd;
