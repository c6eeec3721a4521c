//! `com.microsoft.Gelu`: the Gaussian error linear unit.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, MICROSOFT, dtypes};

/// The [`Gelu`](crate::Gelu) by the error function, under the name that ONNX Runtime gives it.
#[derive(Debug, Clone, Copy, Default)]
pub struct MicrosoftGelu;

impl MicrosoftGelu {
    /// What is known of it.
    pub const DEFINITION: Definition =
        Definition { domain: MICROSOFT, ..unary::definition("Gelu", 1, dtypes::FLOATS, &[], |_| Ok(Box::new(Self))) };
}

unary::operator!(MicrosoftGelu, |_| map::Gelu);
