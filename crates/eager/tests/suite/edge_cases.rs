//! Kinks, ties, zeros, infinities and NaN: where central differences say nothing, exact values.

mod elementwise;
