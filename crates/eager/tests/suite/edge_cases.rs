//! Gradients where other libraries went wrong: ties, special points, unused elements, unusual shapes.

mod convolution;
mod pooling;
mod product;
