//! `MaxPool`: the gradient goes to where the maximum was found, the first of equal ones. Where that is, is computed only if
//! someone will go backward.

use stratal_ops::{MaxPool, StorageOrder};
use stratal_tensor::Tensor;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::views::extents;
use crate::{EagerError, Var};

impl Derivative for MaxPool {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let indices = call.output(1)?;
        let indices = match self.storage_order {
            StorageOrder::RowMajor => indices,
            StorageOrder::ColumnMajor => row_major(&indices, &call.shape(0).extents()[2..])?,
        };
        Ok(call.gradient()?.added_at(&indices, call.shape(0))?.into())
    }
}

/// Indices that count along the first axis of each image first, such that count along the last one first.
fn row_major(indices: &Var, image: &[u32]) -> Result<Var, EagerError> {
    let elements: i64 = image.iter().map(|extent| i64::from(*extent)).product();
    let turned = |index: i64| {
        let (mut left, mut weight, mut within) = (index % elements, elements, 0);
        for extent in image.iter().map(|extent| i64::from(*extent)) {
            weight /= extent;
            within += left % extent * weight;
            left /= extent;
        }
        index - index % elements + within
    };
    let turned: Vec<i64> = indices.to_vec::<i64>()?.into_iter().map(turned).collect();
    Ok(Tensor::from_vec(turned, &extents(indices.shape()))?.into())
}
