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

            #[doc = concat!("Computes the ", $word, " of a number and a variable, as the method of this name does.")]
            ///
            /// # Panics
            /// Where that method returns an error, with its text.
            impl $trait<&Var> for f64 {
                type Output = Var;

                fn $method(self, other: &Var) -> Var {
                    let number = other.number(self).unwrap_or_else(|error| panic!("{error}"));
                    $trait::$method(&number, other)
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

#[cfg(test)]
mod tests {
    use crate::{EagerError, Var};

    #[test]
    fn numbers_stand_on_either_side() -> Result<(), EagerError> {
        let x = Var::from_slice(&[1.0_f32, 4.0], &[2])?;
        assert_eq!((2.0 - &x).to_vec::<f32>()?, [1.0, -2.0]);
        assert_eq!((2.0 / &x).to_vec::<f32>()?, [2.0, 0.5]);
        assert_eq!((-(&x * 3.0 + &x) - x / 2.0).to_vec::<f32>()?, [-4.5, -18.0]);
        Ok(())
    }
}
