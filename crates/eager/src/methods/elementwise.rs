//! Element by element.

use std::sync::LazyLock;

use stratal_ops as ops;
use stratal_tensor_base::DType;

use crate::elementwise::{Operand, Shared, binary, unary};
use crate::var::number;
use crate::{EagerError, Var, apply};

macro_rules! unary_methods {
    ($($(#[$about:meta])* $name:ident => $operator:expr),* $(,)?) => {
        impl Var {
            $(
                $(#[$about])*
                ///
                /// # Errors
                /// [`EagerError::Operator`] for a dtype that it is not defined for.
                pub fn $name(&self) -> Result<Self, EagerError> {
                    static SHARED: LazyLock<Shared> = LazyLock::new(|| Shared::new($operator));
                    unary(&SHARED, self)
                }
            )*
        }
    };
}

macro_rules! binary_methods {
    ($($(#[$about:meta])* $name:ident => $operator:expr),* $(,)?) => {
        impl Var {
            $(
                $(#[$about])*
                /// The other operand is a variable that broadcasts with this one, or a number.
                ///
                /// # Errors
                /// [`EagerError::Operator`] when the two do not fit.
                pub fn $name<'b>(&self, other: impl Into<Operand<'b>>) -> Result<Self, EagerError> {
                    static SHARED: LazyLock<Shared> = LazyLock::new(|| Shared::new($operator));
                    binary(&SHARED, self, other)
                }
            )*
        }
    };
}

unary_methods! {
    /// The size of each element, without its sign. Its gradient at 0 is 0.
    abs => ops::Abs,
    /// The arc cosine.
    acos => ops::Acos,
    /// The arc sine.
    asin => ops::Asin,
    /// The arc tangent.
    atan => ops::Atan,
    /// The next integer up. Its gradient is 0.
    ceil => ops::Ceil,
    /// The cosine.
    cos => ops::Cos,
    /// The hyperbolic cosine.
    cosh => ops::Cosh,
    /// The error function.
    erf => ops::Erf,
    /// The exponential function.
    exp => ops::Exp,
    /// The next integer down. Its gradient is 0.
    floor => ops::Floor,
    /// Each element times the share of a standard normal distribution that lies below it.
    gelu => ops::Gelu::default(),
    /// The natural logarithm.
    log => ops::Log,
    /// The opposite.
    neg => ops::Neg,
    /// One through each element.
    reciprocal => ops::Reciprocal,
    /// Each element, or 0 where it is less. Its gradient at 0 is 0.
    relu => ops::Relu,
    /// The nearest integer, and of two the even one. Its gradient is 0.
    round => ops::Round,
    /// The logistic function.
    sigmoid => ops::Sigmoid,
    /// -1, 0 or 1. Its gradient is 0.
    sign => ops::Sign,
    /// The sine.
    sin => ops::Sin,
    /// The hyperbolic sine.
    sinh => ops::Sinh,
    /// The logarithm of one more than the exponential.
    softplus => ops::Softplus,
    /// The square root.
    sqrt => ops::Sqrt,
    /// The tangent.
    tan => ops::Tan,
    /// The hyperbolic tangent.
    tanh => ops::Tanh,
}

binary_methods! {
    /// The sum.
    add => ops::Add,
    /// The difference.
    sub => ops::Sub,
    /// The product.
    mul => ops::Mul,
    /// The quotient.
    div => ops::Div,
    /// The greater of two; NaN if one is NaN. Of equal ones each has half of the gradient.
    maximum => ops::Max,
    /// The lesser of two; NaN if one is NaN. Of equal ones each has half of the gradient.
    minimum => ops::Min,
}

impl Var {
    /// The power. The exponent is a variable that broadcasts with this one, or a number.
    ///
    /// # Errors
    /// [`EagerError::Operator`] when the two do not fit.
    pub fn pow<'b>(&self, exponent: impl Into<Operand<'b>>) -> Result<Self, EagerError> {
        static SHARED: LazyLock<Shared> = LazyLock::new(|| Shared::new(ops::Pow));
        binary(&SHARED, self, exponent)
    }

    /// The square.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for a dtype that has no products.
    pub fn square(&self) -> Result<Self, EagerError> {
        self.mul(self)
    }

    /// `x * sigmoid(x)`.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for a dtype that it is not defined for.
    pub fn silu(&self) -> Result<Self, EagerError> {
        apply(&ops::Swish { alpha: 1.0 }, &[Some(self)])
    }

    /// Each element, or `alpha` times one less than its exponential where it is negative.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for a dtype that it is not defined for.
    pub fn elu(&self, alpha: f32) -> Result<Self, EagerError> {
        apply(&ops::Elu { alpha }, &[Some(self)])
    }

    /// Each element, times `alpha` where it is negative.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for a dtype that it is not defined for.
    pub fn leaky_relu(&self, alpha: f32) -> Result<Self, EagerError> {
        apply(&ops::LeakyRelu { alpha }, &[Some(self)])
    }

    /// Zeros for a random part of the elements, of this ratio, and the others scaled so that sums stay what they are on average.
    ///
    /// It is for training alone. What is drawn follows from the [seed](crate::set_seed) of this thread.
    ///
    /// ```
    /// use stratal_eager::{Var, set_seed};
    ///
    /// set_seed(1)?;
    /// let kept = Var::leaf(&[1.0_f32; 8], &[8])?.dropout(0.5)?.to_vec::<f32>()?;
    /// assert!(kept.iter().all(|&element| element == 0.0 || element == 2.0));
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] for a ratio below 0, or not below 1.
    pub fn dropout(&self, ratio: f64) -> Result<Self, EagerError> {
        let (ratio, training) = (number(DType::F64, ratio)?, number(DType::Bool, 1.0)?);
        apply(&ops::Dropout { seed: None }, &[Some(self), Some(&ratio), Some(&training)])
    }

    /// Each element within limits. Where it is outside, the gradient is 0; at a limit it is the element's own.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for a dtype that it is not defined for.
    pub fn clip(&self, least: f64, greatest: f64) -> Result<Self, EagerError> {
        apply(&ops::Clip, &[Some(self), Some(&self.number(least)?), Some(&self.number(greatest)?)])
    }

    /// Elements of one of two variables: of the first where this one is true. All broadcast.
    ///
    /// # Errors
    /// [`EagerError::Operator`] when they do not fit.
    pub fn select_by(&self, if_true: &Self, if_false: &Self) -> Result<Self, EagerError> {
        apply(&ops::Where, &[Some(self), Some(if_true), Some(if_false)])
    }

    /// In another dtype. Only between floats there is a gradient.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] when no memory can be had.
    pub fn cast(&self, dtype: DType) -> Result<Self, EagerError> {
        if self.dtype() == dtype { Ok(self.clone()) } else { apply(&ops::Cast { to: dtype }, &[Some(self)]) }
    }
}

macro_rules! comparisons {
    ($($(#[$about:meta])* $name:ident => $operator:expr),* $(,)?) => {
        impl Var {
            $(
                $(#[$about])*
                /// The other operand is a variable that broadcasts with this one, or a number. There is no gradient.
                ///
                /// # Errors
                /// [`EagerError::Operator`] when the two do not fit.
                pub fn $name<'b>(&self, other: impl Into<Operand<'b>>) -> Result<Self, EagerError> {
                    match other.into() {
                        Operand::Var(other) => apply(&$operator, &[Some(&self.detach()), Some(&other.detach())]),
                        Operand::Number(value) => apply(&$operator, &[Some(&self.detach()), Some(&self.number(value)?)]),
                    }
                }
            )*
        }
    };
}

comparisons! {
    /// Where elements are equal.
    equal => ops::Equal,
    /// Where elements are greater.
    greater => ops::Greater,
    /// Where elements are greater or equal.
    greater_or_equal => ops::GreaterOrEqual,
    /// Where elements are less.
    less => ops::Less,
    /// Where elements are less or equal.
    less_or_equal => ops::LessOrEqual,
}
