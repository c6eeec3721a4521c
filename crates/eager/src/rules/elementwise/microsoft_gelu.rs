//! `com.microsoft.Gelu`: that of [`Gelu`](stratal_ops::Gelu) by the error function.

use stratal_ops::MicrosoftGelu;

use super::gelu::GeluSlope;
use super::unary;

unary::derivative!(MicrosoftGelu, slope at input, |_| GeluSlope);
