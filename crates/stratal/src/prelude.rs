//! What most programs need: `use stratal::prelude::*`.

pub use stratal_eager::loss::{CrossEntropy, LossReduction, bce_with_logits, cross_entropy, huber, mse};
pub use stratal_eager::{Adam, AdamW, Initializer, Optimizer, Parameters, Schedule, Sgd, Var, apply, grad, no_grad};
pub use stratal_tensor::Tensor;
pub use stratal_tensor_base::{DType, Shape};
