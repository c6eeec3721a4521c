//! Every operator once: its rule for dtypes and shapes, and its computation into given outputs.
//!
//! # How it fits together
//! ```text
//!   registry ── (domain, name, attributes) ──> Box<dyn Operator>     or a struct built by hand: Softmax { axis: -1 }
//!                                                   │
//!                        ┌──────────────────────────┴────────────────────────────┐
//!        infer: Facts ──> Vec<Fact>                          compute: Context, Inputs ──> Outputs
//!        dtypes and symbolic shapes, no data                 views and kernels; memory is given, or from a pool or an arena
//! ```
//!
//! # Where to look
//! | for | see |
//! |---|---|
//! | computing with tensors | [`Context::run`] |
//! | computing into memory that is there | [`compute`], [`compute_in_place`], [`Outputs`], [`Slot`] |
//! | shapes without data | [`infer`], [`Fact`], [`SymbolicShape`], [`Extent`] |
//! | operators by name | [`build`], [`definitions`], [`Attributes`] |
//! | what operators mean | each operator's own page, and `docs/operators.md` |
//! | an operator of one's own | [`Operator`], and `docs/extending.md` |
//!
//! Whatever ONNX leaves open, or other libraries answer differently, follows the numeric policy of `docs/numerics.md`.
#![forbid(unsafe_code)]

mod attention;
mod attributes;
mod context;
mod convolution;
mod creation;
mod definition;
pub mod dtypes;
mod elementwise;
mod error;
mod extent;
mod fact;
mod facts;
mod image;
mod inputs;
mod loss;
mod movement;
mod normalization;
mod operands;
mod operator;
mod outputs;
mod pooling;
mod product;
mod quantization;
mod recurrent;
mod reduction;
mod registry;
mod selection;
mod signal;
mod symbolic_shape;

pub use attention::*;
pub use attributes::{Attribute, Attributes, Node, attribute};
pub use context::{Context, Reading, read, write};
pub use convolution::*;
pub use creation::*;
pub use definition::{ANY_NUMBER, Definition, MICROSOFT, ONNX, PREVIEW, PREVIEW_TRAINING};
pub use elementwise::*;
pub use error::{Cause, OperatorError};
pub use extent::{Extent, ExtentError};
pub use fact::{Elements, Fact, MAX_FACT_ELEMENTS};
pub use facts::{Facts, axes, axis};
pub use image::*;
pub use inputs::Inputs;
pub use loss::*;
pub use movement::*;
pub use normalization::*;
pub use operator::{Operator, compute, compute_in_place, infer};
pub use outputs::{Outputs, Place, Slot};
pub use pooling::*;
pub use product::*;
pub use quantization::*;
pub use recurrent::*;
pub use reduction::*;
pub use registry::{build, definition, definitions};
pub use selection::*;
pub use signal::*;
pub use symbolic_shape::SymbolicShape;

/// The operators of each family.
const FAMILIES: &[&[&Definition]] = &[
    attention::DEFINITIONS,
    convolution::DEFINITIONS,
    creation::DEFINITIONS,
    elementwise::DEFINITIONS,
    image::DEFINITIONS,
    loss::DEFINITIONS,
    movement::DEFINITIONS,
    normalization::DEFINITIONS,
    pooling::DEFINITIONS,
    product::DEFINITIONS,
    quantization::DEFINITIONS,
    recurrent::DEFINITIONS,
    reduction::DEFINITIONS,
    selection::DEFINITIONS,
    signal::DEFINITIONS,
];

/// The example of the README, as a test.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct Crate;
}
