//! The derivatives of operators: a file each, by the families of `stratal_ops`.

mod attention;
pub(crate) mod convolution;
mod creation;
mod elementwise;
mod image;
pub(crate) mod loss;
mod movement;
pub(crate) mod normalization;
pub(crate) mod pooling;
mod product;
mod recurrent;
pub(crate) mod reduction;
mod selection;
mod signal;
mod windows;

use crate::derivative::Registered;

/// Declares the files of derivatives and lists what is in them: one line for each. An operator of another domain than ONNX's own
/// has the name that its records have beside it: `bias_gelu::BiasGelu as "com.microsoft.BiasGelu"`.
macro_rules! derivatives {
    ($($module:ident::$operator:ident $(as $name:literal)?),* $(,)?) => {
        $(mod $module;)*

        /// The derivatives of this family.
        pub(crate) const DERIVATIVES: &[$crate::derivative::Registered] = &[$(
            $crate::derivative::Registered::of::<stratal_ops::$operator>(
                &stratal_ops::$operator::DEFINITION,
                $crate::rules::derivatives!(@name $operator $($name)?),
            )
        ),*];
    };
    (@name $operator:ident) => { stratal_ops::$operator::DEFINITION.name };
    (@name $operator:ident $name:literal) => { $name };
}
pub(crate) use derivatives;

/// The derivatives of each family.
pub(crate) const FAMILIES: &[&[Registered]] = &[
    attention::DERIVATIVES,
    convolution::DERIVATIVES,
    creation::DERIVATIVES,
    elementwise::DERIVATIVES,
    image::DERIVATIVES,
    loss::DERIVATIVES,
    movement::DERIVATIVES,
    normalization::DERIVATIVES,
    pooling::DERIVATIVES,
    product::DERIVATIVES,
    recurrent::DERIVATIVES,
    reduction::DERIVATIVES,
    selection::DERIVATIVES,
    signal::DERIVATIVES,
];

/// The operators of floats that have no derivative, and why not.
pub(crate) const WITHOUT_DERIVATIVE: &[(&str, &str)] = &[
    // Attention.
    // Convolutions.
    // Creation.
    ("Bernoulli", "what is drawn does not change smoothly with probabilities"),
    ("Constant", "it has no operands"),
    ("Multinomial", "the result is integers"),
    ("RandomNormal", "it has no operands"),
    ("RandomUniform", "it has no operands"),
    // Element by element.
    ("BitCast", "what bits mean in another dtype does not change smoothly"),
    ("Equal", "the result is true or false"),
    ("Greater", "the result is true or false"),
    ("GreaterOrEqual", "the result is true or false"),
    ("IsInf", "the result is true or false"),
    ("IsNaN", "the result is true or false"),
    ("Less", "the result is true or false"),
    ("LessOrEqual", "the result is true or false"),
    // Images.
    // Losses and optimisers.
    ("ai.onnx.preview.training.Adagrad", "a step of an optimiser, which follows gradients and has none"),
    ("ai.onnx.preview.training.Adam", "a step of an optimiser, which follows gradients and has none"),
    ("ai.onnx.preview.training.Momentum", "a step of an optimiser, which follows gradients and has none"),
    // Movement.
    ("Shape", "results are extents"),
    ("Size", "results are extents"),
    // Normalisations.
    ("Hardmax", "piecewise constant: it says where the greatest element is, and no slope leads there"),
    // Pooling.
    // Products.
    // Quantisation.
    ("DequantizeLinear", "operands are integers, and scales are not trained"),
    ("DynamicQuantizeLinear", "the result is integers"),
    ("QLinearConv", "operands are integers, and scales are not trained"),
    ("QLinearMatMul", "operands are integers, and scales are not trained"),
    ("QuantizeLinear", "the result is integers"),
    ("com.microsoft.DynamicQuantizeMatMul", "operands are rounded to integers"),
    ("com.microsoft.MatMulIntegerToFloat", "operands are integers, and scales are not trained"),
    // Recurrent layers.
    ("com.microsoft.DynamicQuantizeLSTM", "operands and states are rounded to integers"),
    // Reductions.
    // Selection.
    ("ArgMax", "results are indices"),
    ("ArgMin", "results are indices"),
    ("NonMaxSuppression", "results are indices"),
    ("NonZero", "results are indices"),
    // Signals.
];
