//! Gradients where other libraries went wrong, and where central differences say nothing: kinks, ties, zeros, infinities and NaN,
//! unused elements, unusual shapes.

mod attention;
mod convolution;
mod elementwise;
mod image;
mod loss;
mod movement;
mod pooling;
mod product;
mod recurrent;
mod reduction;
