//! Views that reorder, add, drop and merge axes. No data moves.

use crate::{Tensor, TensorError};

impl Tensor {
    /// Axis `i` of the result is axis `axes[i]` of this; negative axes count from the end.
    ///
    /// # Errors
    /// As for [`Geometry::permute`](stratal_tensor_base::Geometry::permute); [`TensorError::Blocked`].
    pub fn permute(&self, axes: &[i64]) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("permute")?.permute(axes)?))
    }

    /// Swaps two axes.
    ///
    /// # Errors
    /// As for [`Geometry::transpose`](stratal_tensor_base::Geometry::transpose); [`TensorError::Blocked`].
    pub fn transpose(&self, first: i64, second: i64) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("transpose")?.transpose(first, second)?))
    }

    /// Swaps the last two axes: the transposed matrix, or a batch of them.
    ///
    /// # Errors
    /// As for [`Geometry::t`](stratal_tensor_base::Geometry::t); [`TensorError::Blocked`].
    pub fn t(&self) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("t")?.t()?))
    }

    /// Takes an axis out and puts it back so that it ends up at `to`.
    ///
    /// # Errors
    /// As for [`Geometry::movedim`](stratal_tensor_base::Geometry::movedim); [`TensorError::Blocked`].
    pub fn movedim(&self, from: i64, to: i64) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("movedim")?.movedim(from, to)?))
    }

    /// Drops axes of extent 1.
    ///
    /// # Errors
    /// As for [`Geometry::squeeze`](stratal_tensor_base::Geometry::squeeze); [`TensorError::Blocked`].
    pub fn squeeze(&self, axes: &[i64]) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("squeeze")?.squeeze(axes)?))
    }

    /// Drops every axis of extent 1.
    ///
    /// # Errors
    /// [`TensorError::Blocked`].
    pub fn squeeze_all(&self) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("squeeze")?.squeeze_all()))
    }

    /// Adds an axis of extent 1 that ends up at `axis`.
    ///
    /// # Errors
    /// As for [`Geometry::unsqueeze`](stratal_tensor_base::Geometry::unsqueeze); [`TensorError::Blocked`].
    pub fn unsqueeze(&self, axis: i64) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("unsqueeze")?.unsqueeze(axis)?))
    }

    /// Repeats elements without copying: axes of extent 1 grow, new ones appear in front, -1 keeps an extent. The
    /// result can be read but not written where it repeats.
    ///
    /// # Errors
    /// As for [`Geometry::expand`](stratal_tensor_base::Geometry::expand); [`TensorError::Blocked`].
    pub fn expand(&self, extents: &[i64]) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("expand")?.expand(extents)?))
    }

    /// The diagonal of the matrices spanned by two axes, as a new last axis.
    ///
    /// # Errors
    /// As for [`Geometry::diagonal`](stratal_tensor_base::Geometry::diagonal); [`TensorError::Blocked`].
    pub fn diagonal(&self, offset: i64, first: i64, second: i64) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("diagonal")?.diagonal(offset, first, second)?))
    }
}
