//! `Col2Im`: each element of a block has the gradient of the pixel that it was added to, or none outside of the image.

use stratal_ops::Col2Im;
use stratal_tensor_base::Bool;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::indices;
use crate::{EagerError, Var};

impl Derivative for Col2Im {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([1, 2])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (image, block) = (call.integers(1)?.unwrap_or_default(), call.integers(2)?.unwrap_or_default());
        let gradient = call.gradient()?;
        if gradient.shape().is_empty() {
            return Ok(call.zeros_like(0)?.into());
        }
        let pixels = self.pixels(&image, &block);
        let is_inside: Vec<Bool> = pixels.iter().map(|pixel| pixel.is_some().into()).collect();
        let is_inside = Var::from_slice(&is_inside, &[pixels.len() as i64])?;
        let pixels = indices(pixels.into_iter().map(|pixel| pixel.unwrap_or(0)).collect())?;
        let leading = [0, 1].map(|axis| gradient.shape().extent(axis) as i64);
        let flat = gradient.reshape(&[leading[0], leading[1], image.iter().product()])?;
        let blocks = is_inside.select_by(&flat.gather(2, &pixels)?, &gradient.number(0.0)?)?;
        Ok(blocks.reshape_to(call.shape(0))?.into())
    }
}

/// The places of all blocks along one axis.
struct Axis {
    extent: i64,
    /// The place of each element of each block, blocks within elements.
    places: Vec<Vec<i64>>,
}

trait Blocks {
    fn pixels(&self, image: &[i64], block: &[i64]) -> Vec<Option<i64>>;
}

impl Blocks for Col2Im {
    /// The pixel, in row-major order, of each element of a block in each block: elements first, then blocks, row by row.
    fn pixels(&self, image: &[i64], block: &[i64]) -> Vec<Option<i64>> {
        let rank = image.len();
        let number = |list: &Option<Vec<i64>>, place: usize, default| list.as_ref().map_or(default, |list| list[place]);
        let axes: Vec<Axis> = (0..rank)
            .map(|axis| {
                let (before, after) = (number(&self.pads, axis, 0), number(&self.pads, axis + rank, 0));
                let (stride, dilation) = (number(&self.strides, axis, 1), number(&self.dilations, axis, 1));
                let reach = (block[axis] - 1) * dilation + 1;
                let count = (image[axis] + before + after - reach) / stride + 1;
                let place = |element: i64, block: i64| block * stride + element * dilation - before;
                let of_element = |element| (0..count).map(|block| place(element, block)).collect();
                Axis { extent: image[axis], places: (0..block[axis]).map(of_element).collect() }
            })
            .collect();
        let elements = combinations(&axes.iter().map(|axis| axis.places.len()).collect::<Vec<_>>());
        let blocks = combinations(&axes.iter().map(|axis| axis.places.first().map_or(0, Vec::len)).collect::<Vec<_>>());
        let pixel = |element: &[usize], block: &[usize]| {
            axes.iter().zip(element.iter().zip(block)).try_fold(0, |pixel, (axis, (&element, &block))| {
                let place = axis.places[element][block];
                (0..axis.extent).contains(&place).then_some(pixel * axis.extent + place)
            })
        };
        elements.iter().flat_map(|element| blocks.iter().map(|block| pixel(element, block))).collect()
    }
}

/// All tuples of numbers below limits, the last one counting fastest.
fn combinations(limits: &[usize]) -> Vec<Vec<usize>> {
    let none = vec![Vec::with_capacity(limits.len())];
    limits.iter().fold(none, |tuples, &limit| {
        let longer = |tuple: &Vec<usize>| {
            let tuple = tuple.clone();
            (0..limit).map(move |number| tuple.iter().copied().chain([number]).collect())
        };
        tuples.iter().flat_map(longer).collect()
    })
}
