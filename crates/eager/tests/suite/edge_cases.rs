//! Gradients where other libraries went wrong: ties, special points, unused elements, unusual shapes.

mod convolution;
mod pooling;
mod product;
//! Kinks, ties, zeros, infinities and NaN: where central differences say nothing, exact values.

mod elementwise;
