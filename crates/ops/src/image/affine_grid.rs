//! `AffineGrid`: where an affine map takes the pixels of an image.

use stratal_tensor_base::{DType, Shape};

use crate::operands::unfit;
use crate::{
    Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes, read,
    write,
};

/// Places of pixels between -1 and 1, mapped by matrices `[batch, axes, axes + 1]` of 2 or 3 axes, for images of the shape that
/// the second input gives, `[batch, channels, ..]`.
///
/// The result `[batch, .., axes]` holds coordinates from the innermost axis out, as [`GridSample`](crate::GridSample) takes
/// them. -1 and 1 are the centres of the outermost pixels if `align_corners`, else their outer edges; the centre of an axis of
/// one pixel is 0 either way. Everything is computed in f64 and rounded once.
#[derive(Debug, Clone, Copy, Default)]
pub struct AffineGrid {
    /// Whether -1 and 1 are centres of pixels.
    pub align_corners: bool,
}

impl AffineGrid {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "AffineGrid",
        since: 20,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["align_corners"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { align_corners: node.flag("align_corners", false)? })),
    };

    /// The place of a pixel on an axis.
    fn place(self, pixel: usize, pixels: usize) -> f64 {
        let (pixel, pixels) = (pixel as f64, pixels as f64);
        if !self.align_corners {
            return (2.0 * pixel + 1.0) / pixels - 1.0;
        }
        if pixels == 1.0 { 0.0 } else { 2.0 * pixel / (pixels - 1.0) - 1.0 }
    }
}

impl Operator for AffineGrid {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.dtype(1, dtypes::INDICES)?;
        let theta = inputs.shape_of_rank(0, 3)?;
        let axes = match inputs.vector_length(1)?.map(|length| length.checked_sub(2)) {
            Some(Some(axes @ (2 | 3))) => axes,
            None => match theta[1].known() {
                Some(axes @ (2 | 3)) => axes as usize,
                // The length of the sizes, which says the rank, is not known, and neither is what might say it too.
                None => return Ok(vec![Fact::of_dtype(dtype)]),
                Some(_) => {
                    let (shape, expected) = (theta.to_string(), "2 or 3 rows".into());
                    return Err(Cause::Shape { input: 0, shape, expected });
                }
            },
            _ => {
                let shape = inputs.shape(1)?.to_string();
                return Err(Cause::Shape { input: 1, shape, expected: "[4] or [5]".into() });
            }
        };
        let count = Extent::from(axes as i64);
        let given = match inputs.required(1)?.integers() {
            Some(given) => given.to_vec(),
            None => {
                let unknown = |axis: usize| inputs.unknown(&axis.to_string());
                [theta[0].clone(), 0.into()].into_iter().chain((0..axes).map(unknown)).collect()
            }
        };
        if let Some(extent) = given.iter().find(|extent| extent.known().is_some_and(|extent| extent < 0)) {
            return Err(Cause::Unfit(format!("an image cannot have an extent of {extent}")));
        }
        inputs.check_shape(0, &SymbolicShape::new([given[0].clone(), count.clone(), (axes as i64 + 1).into()]))?;
        let extents = [theta[0].clone()].into_iter().chain(given[2..].iter().cloned()).chain([count]);
        Ok(vec![Fact::new(dtype, SymbolicShape::new(extents))])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let theta = context.converted(inputs.required(0)?, DType::F64)?;
        let sizes = inputs.integers(1)?.unwrap_or_default();
        let &[batch, axes, columns] = theta.shape().extents() else {
            return Err(unfit(theta.dtype(), theta.shape()));
        };
        let (axes, columns) = (axes as usize, columns as usize);
        let pixels = sizes.get(2..).unwrap_or_default();
        let shape: Vec<_> = [i64::from(batch)].iter().chain(pixels).copied().chain([axes as i64]).collect();
        let shape = Shape::new(&shape)?;
        if shape.is_empty() {
            // Of an image without elements one side may be as long as extents go: no table of its places.
            return outputs.write_shaped(0, &shape, |_| Ok::<_, Cause>(()));
        }
        let grid = context.scratch(DType::F64, &shape)?;
        if shape.count() == 0 {
            return outputs.write_shaped(0, &shape, |_| Ok::<_, Cause>(()));
        }
        // From the outermost axis in.
        let places: Vec<Vec<_>> = pixels
            .iter()
            .map(|&pixels| (0..pixels as usize).map(|pixel| self.place(pixel, pixels as usize)).collect())
            .collect();
        let theta = read(&theta)?;
        let theta = theta.view()?.typed::<f64>();
        write(&grid, |grid| {
            let unfit = unfit(grid.dtype(), grid.shape());
            let (Some(theta), Some(mut grid)) =
                (theta.as_ref().and_then(|theta| theta.as_slice()), grid.typed::<f64>())
            else {
                return Err(unfit);
            };
            let Some(grid) = grid.as_mut_slice() else { return Err(unfit) };
            let of_batch = grid.len() / batch as usize;
            for (grid, theta) in grid.chunks_exact_mut(of_batch).zip(theta.chunks_exact(axes * columns)) {
                for (index, point) in grid.chunks_exact_mut(axes).enumerate() {
                    let mut rest = index;
                    let mut place = [0.0; 3];
                    // Coordinates are counted from the innermost axis out.
                    for (place, places) in place.iter_mut().zip(places.iter().rev()) {
                        *place = places[rest % places.len()];
                        rest /= places.len();
                    }
                    for (mapped, row) in point.iter_mut().zip(theta.chunks_exact(columns)) {
                        let products = row[..axes].iter().zip(place).map(|(factor, place)| factor * place);
                        *mapped = products.sum::<f64>() + row[axes];
                    }
                }
            }
            Ok::<_, Cause>(())
        })?;
        outputs.write_shaped(0, &shape, |result| Ok::<_, Cause>(context.kernels().cast(&read(&grid)?.view()?, result)?))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::infer;

    #[test]
    fn the_rank_follows_from_either_input() {
        let shape = |theta: SymbolicShape, sizes: SymbolicShape| {
            let (theta, sizes) = (Fact::new(DType::F32, theta), Fact::new(DType::I64, sizes));
            let facts = infer(&AffineGrid { align_corners: false }, "node", &[Some(&theta), Some(&sizes)]).unwrap();
            facts[0].shape.as_ref().map(SymbolicShape::rank)
        };
        let unknown = |rank| (0..rank).map(|axis| Extent::symbol(format!("e{axis}"))).collect::<SymbolicShape>();
        assert_eq!(shape(unknown(3), unknown(1)), None);
        assert_eq!(shape(unknown(3), [5].into()), Some(5));
        assert_eq!(shape([1, 3, 4].into(), unknown(1)), Some(5));
    }

    #[test]
    fn one_pixel_lies_at_the_centre() {
        let theta = Tensor::from_slice(&[1.0_f32, 0.0, 0.5, 0.0, 1.0, 0.25], &[1, 2, 3]).unwrap();
        let size = Tensor::from_slice(&[1_i64, 1, 1, 3], &[4]).unwrap();
        let run = |align_corners| {
            let outputs =
                Context::new().unwrap().run(&AffineGrid { align_corners }, &[Some(&theta), Some(&size)]).unwrap();
            outputs[0].to_vec::<f32>().unwrap()
        };
        assert_eq!(run(true), [-0.5, 0.25, 0.5, 0.25, 1.5, 0.25]);
        assert_eq!(run(false), [(-1.0_f64 / 6.0) as f32, 0.25, 0.5, 0.25, (7.0_f64 / 6.0) as f32, 0.25]);
    }

    #[test]
    fn empty_images_have_no_places() {
        let theta = Tensor::from_slice(&[0.0_f32; 12], &[1, 3, 4]).unwrap();
        let size = Tensor::from_slice(&[1_i64, 1, 2, 0, 3], &[5]).unwrap();
        let outputs = Context::new().unwrap().run(&AffineGrid::default(), &[Some(&theta), Some(&size)]).unwrap();
        assert_eq!(outputs[0].shape().extents(), [1, 2, 0, 3, 3]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let message = |theta: [i64; 3], size: &[i64]| {
            let theta = Fact::new(DType::F32, theta);
            let size = Fact::of_extents(DType::I64, size.iter().map(|&x| x.into()).collect());
            infer(&AffineGrid::default(), "grid", &[Some(&theta), Some(&size)]).unwrap_err().to_string()
        };
        insta::assert_snapshot!([
            message([1, 2, 3], &[1, 1, 4]),
            message([1, 2, 3], &[1, 1, 4, 4, 4]),
            message([2, 2, 3], &[1, 1, 4, 4]),
            message([1, 2, 3], &[1, 1, -4, 4]),
        ].join("\n"), @r"
        AffineGrid: input 1 has shape [3]: expected [4] or [5]
        AffineGrid: input 0 has shape [1, 2, 3]: expected [1, 3, 4]
        AffineGrid: input 0 has shape [2, 2, 3]: expected [1, 2, 3]
        AffineGrid: an image cannot have an extent of -4
        ");
    }
}
