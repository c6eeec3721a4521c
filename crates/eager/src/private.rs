//! Operators that gradients are made of and nobody builds by name: what they have in common, and all of them.
//!
//! Most live in the family whose rules apply them; here are those that several families share. Each is an `Operator` with a
//! `Derivative` like any other, so that gradients made of them can be differentiated again.

mod elements;
mod scatter;
mod sum_at;

use stratal_ops::{Cause, Definition, Node, Operator, dtypes};

pub(crate) use self::elements::{COMPUTED, Number, sum_of, with_elements, write_elements};
pub(crate) use self::sum_at::{At, indices, places};
use crate::derivative::Registered;
use crate::rules::convolution::correlation::{Convolved, ImageGradient, WeightGradient};
use crate::rules::normalization::rows_gradient::RowsGradient;
use crate::rules::pooling::spread::Spread;
use crate::rules::reduction::recurrence::Recurrence;
use scatter::{Scatter, Take};
use sum_at::SumAt;

/// Lists operators by their types. Records name them as `stratal.eager.Scatter`.
macro_rules! operators {
    ($($operator:ident),* $(,)?) => {
        &[$(Registered::of::<$operator>(&$operator::DEFINITION, concat!("stratal.eager.", stringify!($operator)))),*]
    };
}

/// The derivatives of all of them.
pub(crate) const DERIVATIVES: &[Registered] =
    operators![Convolved, ImageGradient, Recurrence, RowsGradient, Scatter, Spread, SumAt, Take, WeightGradient];

/// What is known of an operator that is no part of any model.
pub(crate) const fn definition(name: &'static str, inputs: usize) -> Definition {
    Definition {
        domain: "stratal.eager",
        name,
        since: 1,
        inputs: inputs..=inputs,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::FLOATS,
        build: no_build,
    }
}

#[expect(clippy::result_large_err, reason = "the signature is that of all operators")]
fn no_build(_: &Node<'_>) -> Result<Box<dyn Operator>, Cause> {
    Err(Cause::Unsupported { what: "built by its name".into() })
}
