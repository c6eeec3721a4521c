//! Products of matrices.

use stratal_ops as ops;

use crate::views::extents;
use crate::{EagerError, Var, apply};

impl Var {
    /// The product of matrices, or of batches of them that broadcast. A single axis counts as a row on the left, as a column on
    /// the right.
    ///
    /// # Errors
    /// [`EagerError::Operator`] when the two do not fit.
    pub fn matmul(&self, other: &Self) -> Result<Self, EagerError> {
        apply(&ops::MatMul, &[Some(self), Some(other)])
    }

    /// `x * weight^T + bias` along the last axis, with weights of shape (outputs, inputs) and a bias, if there is one, of a number
    /// for each output.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::from_slice(&[1.0_f32, 2.0], &[1, 2])?;
    /// let weight = Var::leaf(&[1.0_f32, 0.0, 0.0, 1.0, 1.0, 1.0], &[3, 2])?;
    /// let bias = Var::leaf(&[0.0_f32, 0.0, 10.0], &[3])?;
    /// assert_eq!(x.linear(&weight, Some(&bias))?.to_vec::<f32>()?, [1.0, 2.0, 13.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] when they do not fit.
    pub fn linear(&self, weight: &Self, bias: Option<&Self>) -> Result<Self, EagerError> {
        let gemm = ops::Gemm { transpose_b: true, ..ops::Gemm::default() };
        let of_rows = |rows: &Self| match bias {
            Some(bias) => apply(&gemm, &[Some(rows), Some(weight), Some(bias)]),
            None => apply(&gemm, &[Some(rows), Some(weight)]),
        };
        if self.rank() == 2 {
            return of_rows(self);
        }
        let mut extents = extents(self.shape());
        let Some(last) = extents.last_mut() else {
            return Err(EagerError::Unfit("a scalar has no axis to multiply along".into()));
        };
        let columns = std::mem::replace(last, weight.extent(0)? as i64);
        let rows = extents[..extents.len() - 1].iter().product();
        of_rows(&self.reshape(&[rows, columns])?)?.reshape(&extents)
    }

    /// Multiplies operands whose axes an equation labels, and sums over the labels that its output does not have.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let a = Var::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!(Var::einsum("ij,ij->i", &[&a, &a])?.to_vec::<f32>()?, [5.0, 25.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Unfit`] for what is no equation, [`EagerError::Operator`] when operands do not fit it.
    pub fn einsum(equation: &str, operands: &[&Self]) -> Result<Self, EagerError> {
        let operands: Vec<_> = operands.iter().map(|&operand| Some(operand)).collect();
        apply(&ops::Einsum { equation: equation.parse()? }, &operands)
    }
}
