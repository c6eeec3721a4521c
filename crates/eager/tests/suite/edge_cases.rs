//! Kinks, ties, zeros, infinities, NaN, unused elements and unusual shapes: where central differences say nothing, exact values.

mod convolution;
mod elementwise;
mod pooling;
mod product;
mod reduction;
