//! `com.microsoft.QuickGelu`: that of [`Swish`](stratal_ops::Swish).

use stratal_ops::QuickGelu;

use super::swish::SwishSlope;
use super::unary;

unary::derivative!(QuickGelu, slope at input, |gelu| SwishSlope { alpha: gelu.alpha });
