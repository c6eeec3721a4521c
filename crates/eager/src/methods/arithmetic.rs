//! The operators of the language, on references.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::Var;

macro_rules! operators {
    ($($trait:ident $method:ident $word:literal),* $(,)?) => {
        $(
            #[doc = concat!("Computes the ", $word, ", as the method of this name does.")]
            ///
            /// # Panics
            /// Where that method returns an error, with its text.
            impl $trait<&Var> for &Var {
                type Output = Var;

                fn $method(self, other: &Var) -> Var {
                    Var::$method(self, other).unwrap_or_else(|error| panic!("{error}"))
                }
            }

            #[doc = concat!("Computes the ", $word, " with a number, as the method of this name does.")]
            ///
            /// # Panics
            /// Where that method returns an error, with its text.
            impl $trait<f64> for &Var {
                type Output = Var;

                fn $method(self, other: f64) -> Var {
                    Var::$method(self, other).unwrap_or_else(|error| panic!("{error}"))
                }
            }

            #[doc = concat!("Computes the ", $word, ", as the method of this name does.")]
            ///
            /// # Panics
            /// Where that method returns an error, with its text.
            impl $trait<Var> for Var {
                type Output = Var;

                fn $method(self, other: Var) -> Var {
                    $trait::$method(&self, &other)
                }
            }

            #[doc = concat!("Computes the ", $word, ", as the method of this name does.")]
            ///
            /// # Panics
            /// Where that method returns an error, with its text.
            impl $trait<&Var> for Var {
                type Output = Var;

                fn $method(self, other: &Var) -> Var {
                    $trait::$method(&self, other)
                }
            }

            #[doc = concat!("Computes the ", $word, ", as the method of this name does.")]
            ///
            /// # Panics
            /// Where that method returns an error, with its text.
            impl $trait<Var> for &Var {
                type Output = Var;

                fn $method(self, other: Var) -> Var {
                    $trait::$method(self, &other)
                }
            }

            #[doc = concat!("Computes the ", $word, " with a number, as the method of this name does.")]
            ///
            /// # Panics
            /// Where that method returns an error, with its text.
            impl $trait<f64> for Var {
                type Output = Var;

                fn $method(self, other: f64) -> Var {
                    $trait::$method(&self, other)
                }
            }
        )*
    };
}

operators! {
    Add add "sum",
    Sub sub "difference",
    Mul mul "product",
    Div div "quotient",
}

/// Computes the opposite, as the method of this name does.
///
/// # Panics
/// Where that method returns an error, with its text.
impl Neg for &Var {
    type Output = Var;

    fn neg(self) -> Var {
        Var::neg(self).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Computes the opposite, as the method of this name does.
///
/// # Panics
/// Where that method returns an error, with its text.
impl Neg for Var {
    type Output = Var;

    fn neg(self) -> Var {
        Neg::neg(&self)
    }
}
