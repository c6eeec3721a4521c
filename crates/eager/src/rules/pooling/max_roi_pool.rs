//! `MaxRoiPool`: the gradient goes to the maximum of each part, the first of equal ones. Corners are rounded, so regions have
//! none.

use stratal_ops::{MaxRoiPool, read};
use stratal_tensor::Tensor;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::views::extents;
use crate::{EagerError, Var};

impl Derivative for MaxRoiPool {
    fn saves(&self, need: &Need<'_>) -> Saves {
        if need.input(0) { Saves::inputs([0, 1]) } else { Saves::nothing() }
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let x = call.wanted(0, || {
            let indices = maxima(self, &call.input(0)?.detach(), &call.input(1)?, call)?;
            call.gradient()?.added_at(&indices, call.shape(0))
        })?;
        let regions = call.wanted(1, || call.zeros_like(1))?;
        Ok([x, regions].into())
    }
}

/// Where the maximum of each part is, for each channel; -1 where there is none.
fn maxima(operator: &MaxRoiPool, x: &Var, regions: &Var, call: &Call<'_>) -> Result<Var, EagerError> {
    let shape = call.output_shape(0);
    let mut indices = vec![-1; shape.count()];
    let [_, channels, height, width] = [0, 1, 2, 3].map(|axis| x.shape().extent(axis) as i64);
    if channels > 0 {
        let [down, across] = operator.parts;
        let held = read(regions.tensor())?;
        for part in operator.region_parts(x.shape(), &held.view()?)? {
            let (rows, columns) = (part.rows.end - part.rows.start, part.columns.end - part.columns.start);
            if rows <= 0 || columns <= 0 {
                continue;
            }
            let seen = x.select(0, part.image)?.narrow(1, part.rows.start, rows)?;
            let seen = seen.narrow(2, part.columns.start, columns)?.flatten(1, 2)?;
            for (channel, within) in (0..).zip(seen.arg_max(1)?.to_vec::<i64>()?) {
                let (row, column) = (part.rows.start + within / columns, part.columns.start + within % columns);
                let to = ((part.region * channels + channel) * down + part.place[0]) * across + part.place[1];
                indices[to as usize] = ((part.image * channels + channel) * height + row) * width + column;
            }
        }
    }
    Ok(Tensor::from_vec(indices, &extents(shape))?.into())
}
