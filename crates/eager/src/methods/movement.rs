//! Moving elements: joining, splitting, gathering, scattering, padding.

use stratal_kernels::movement::{ScatterReduction, Triangle};
use stratal_ops as ops;
use stratal_tensor::Tensor;

use crate::{EagerError, Var, apply, apply_outputs};

impl Var {
    /// Variables one behind the other along an axis.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let (a, b) = (Var::leaf(&[1.0_f32, 2.0], &[2])?, Var::leaf(&[3.0_f32], &[1])?);
    /// let joined = Var::concat(&[&a, &b], 0)?;
    /// assert_eq!(joined.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] when other extents than that of the axis differ.
    pub fn concat(parts: &[&Self], axis: i64) -> Result<Self, EagerError> {
        let inputs: Vec<_> = parts.iter().map(|&part| Some(part)).collect();
        apply(&ops::Concat { axis }, &inputs)
    }

    /// Variables of one shape side by side along a new axis, as it is numbered in the result.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let (a, b) = (Var::leaf(&[1.0_f32, 2.0], &[2])?, Var::leaf(&[3.0_f32, 4.0], &[2])?);
    /// assert_eq!(Var::stack(&[&a, &b], 1)?.to_vec::<f32>()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] when shapes differ, [`EagerError::Tensor`] for an axis that the result does not have.
    pub fn stack(parts: &[&Self], axis: i64) -> Result<Self, EagerError> {
        let parts = parts.iter().map(|part| part.unsqueeze(axis)).collect::<Result<Vec<_>, _>>()?;
        Self::concat(&parts.iter().collect::<Vec<_>>(), axis)
    }

    /// Parts of these lengths, which make up an axis.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::leaf(&[1.0_f32, 2.0, 3.0], &[3])?;
    /// let parts = x.split(&[1, 2], 0)?;
    /// assert_eq!(parts[1].to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] when they do not.
    pub fn split(&self, lengths: &[i64], axis: i64) -> Result<Vec<Self>, EagerError> {
        let split = ops::Split { axis, parts: lengths.len() };
        apply_outputs(&split, &[Some(self), Some(&list(lengths)?)], lengths.len())
    }

    /// So many parts of an axis, as equal as can be: the last ones are shorter, or empty, where the extent does not divide.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::leaf(&[1.0_f32, 2.0, 3.0], &[3])?;
    /// let parts = x.chunk(2, 0)?;
    /// assert_eq!(parts[0].to_vec::<f32>()?, [1.0, 2.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist, [`EagerError::Unfit`] for no parts, or more than an axis may have
    /// elements.
    pub fn chunk(&self, parts: usize, axis: i64) -> Result<Vec<Self>, EagerError> {
        if parts == 0 || i32::try_from(parts).is_err() {
            return Err(EagerError::Unfit(format!("cannot cut an axis into {parts} parts")));
        }
        apply_outputs(&ops::Split { axis, parts }, &[Some(self)], parts)
    }

    /// What is at indices along an axis, in their place. Negative ones count from the end.
    ///
    /// Along axis 0 of a table it is what looks embeddings up.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let table = Var::leaf(&[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0], &[3, 2])?;
    /// let rows = table.gather(0, &Var::from_slice(&[2_i64, 0, 2], &[3])?)?;
    /// assert_eq!(rows.to_vec::<f32>()?, [4.0, 5.0, 0.0, 1.0, 4.0, 5.0]);
    /// rows.sum(&[], false)?.backward()?;
    /// assert_eq!(table.gradient().unwrap().to_vec::<f32>()?, [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] for indices that are no integers or do not exist.
    pub fn gather(&self, axis: i64, indices: &Self) -> Result<Self, EagerError> {
        apply(&ops::Gather { axis }, &[Some(self), Some(indices)])
    }

    /// The element at each index along an axis, at the index's own place along all others. Negative ones count from the end.
    ///
    /// The result has the indices' shape, which is nowhere longer than this one but along that axis.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let scores = Var::leaf(&[1.0_f32, 2.0, 3.0, 4.0], &[2, 2])?;
    /// let chosen = scores.gather_elements(1, &Var::from_slice(&[1_i64, 0], &[2, 1])?)?;
    /// assert_eq!(chosen.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] for indices that are no integers, do not fit or do not exist.
    pub fn gather_elements(&self, axis: i64, indices: &Self) -> Result<Self, EagerError> {
        apply(&ops::GatherElements { axis }, &[Some(self), Some(indices)])
    }

    /// With updates in place of the element at each index along an axis, at the index's own place along all others. Of several
    /// for one element the last one stays.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for indices that are no integers, do not fit or do not exist.
    pub fn scatter(&self, axis: i64, indices: &Self, updates: &Self) -> Result<Self, EagerError> {
        self.scattered_elements(axis, indices, updates, ScatterReduction::None)
    }

    /// With updates added to the element at each index along an axis, at the index's own place along all others.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::leaf(&[1.0_f32, 2.0], &[2])?;
    /// let sums = x.scatter_add(0, &Var::from_slice(&[1_i64, 1], &[2])?, &Var::leaf(&[10.0_f32, 20.0], &[2])?)?;
    /// assert_eq!(sums.to_vec::<f32>()?, [1.0, 32.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] for indices that are no integers, do not fit or do not exist.
    pub fn scatter_add(&self, axis: i64, indices: &Self, updates: &Self) -> Result<Self, EagerError> {
        self.scattered_elements(axis, indices, updates, ScatterReduction::Add)
    }

    fn scattered_elements(
        &self,
        axis: i64,
        indices: &Self,
        updates: &Self,
        reduction: ScatterReduction,
    ) -> Result<Self, EagerError> {
        apply(&ops::ScatterElements { axis, reduction }, &[Some(self), Some(indices), Some(updates)])
    }

    /// Extended by a value before and after each axis. Negative numbers crop.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::leaf(&[1.0_f32, 2.0, 3.0], &[3])?;
    /// assert_eq!(x.pad(&[2], &[-1], 0.5)?.to_vec::<f32>()?, [0.5, 0.5, 1.0, 2.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] unless there are two numbers for each axis, and for more cropped than there is.
    pub fn pad(&self, before: &[i64], after: &[i64], value: f64) -> Result<Self, EagerError> {
        let pads = list(&[before, after].concat())?;
        apply(&ops::Pad::default(), &[Some(self), Some(&pads), Some(&self.number(value)?)])
    }

    /// Each axis as many times as a number says.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::leaf(&[1.0_f32, 2.0], &[2])?;
    /// assert_eq!(x.tile(&[2])?.to_vec::<f32>()?, [1.0, 2.0, 1.0, 2.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] unless there is a number for each axis, none of them negative.
    pub fn tile(&self, repeats: &[i64]) -> Result<Self, EagerError> {
        apply(&ops::Tile, &[Some(self), Some(&list(repeats)?)])
    }

    /// The elements of each matrix that are on a diagonal or right of it, which is so far right of the main one; zeros left.
    ///
    /// # Errors
    /// [`EagerError::Operator`] at rank 0 and 1.
    pub fn triu(&self, diagonal: i64) -> Result<Self, EagerError> {
        self.triangle(Triangle::Upper, diagonal)
    }

    /// The elements of each matrix that are on a diagonal or left of it, which is so far right of the main one; zeros right.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::leaf(&[1.0_f32, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!(x.tril(0)?.to_vec::<f32>()?, [1.0, 0.0, 3.0, 4.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] at rank 0 and 1.
    pub fn tril(&self, diagonal: i64) -> Result<Self, EagerError> {
        self.triangle(Triangle::Lower, diagonal)
    }

    fn triangle(&self, triangle: Triangle, diagonal: i64) -> Result<Self, EagerError> {
        apply(&ops::Trilu { triangle }, &[Some(self), Some(&Tensor::scalar(diagonal)?.into())])
    }

    /// With a value where a mask, which broadcasts with this variable, is true.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::leaf(&[1.0_f32, 2.0], &[2])?;
    /// assert_eq!(x.masked_fill(&x.greater(1.5)?, f64::NEG_INFINITY)?.to_vec::<f32>()?, [1.0, f32::NEG_INFINITY]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] when the two do not fit.
    pub fn masked_fill(&self, mask: &Self, value: f64) -> Result<Self, EagerError> {
        mask.select_by(&self.number(value)?, self)
    }
}

/// Integers as an operand.
fn list(integers: &[i64]) -> Result<Var, EagerError> {
    Var::from_slice(integers, &[integers.len() as i64])
}
