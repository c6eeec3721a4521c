//! `com.microsoft.QuickGelu`: an operand times its logistic function.

use stratal_kernels::map::Formula;

use super::unary;
use crate::{Definition, MICROSOFT, Swish, dtypes};

/// `x * sigmoid(alpha * x)`: a [`Swish`] that is near the [`Gelu`](crate::Gelu) by default.
#[derive(Debug, Clone, Copy)]
pub struct QuickGelu {
    /// What the operand of the logistic function is multiplied by.
    pub alpha: f32,
}

impl QuickGelu {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        ..unary::definition("QuickGelu", 1, dtypes::FLOATS, &["alpha"], |node| {
            Ok(Box::new(Self { alpha: node.float_or("alpha", 1.702)? }))
        })
    };
}

unary::operator!(QuickGelu, |gelu| Formula(Swish { alpha: gelu.alpha }));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::testing::floats;

    #[test]
    fn it_is_a_swish() {
        let x: &[f32] = &[-3.0, 0.5, 8.0];
        assert_eq!(floats(&QuickGelu { alpha: 1.702 }, &[x]), floats(&Swish { alpha: 1.702 }, &[x]));
    }
}
