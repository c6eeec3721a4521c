//! `MaxUnpool`: maxima put back to where they were found.

use stratal_kernels::AnyViewMut;
use stratal_tensor::View;
use stratal_tensor_base::{Geometry, Shape, match_dtype};

use super::sliding::list;
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// Puts elements to indices, and zeros everywhere else. Where an index comes again, the last element stays.
///
/// Indices count through all images of the extents that windows, one for each element, reach over. A third input gives the
/// shape of the result, which may be larger: there are zeros behind those images then. (ONNX Runtime counts through the
/// result.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaxUnpool {
    /// The extents of a window.
    pub kernel: Vec<i64>,
    /// Elements between the starts of windows along each axis; none mean 1.
    pub strides: Vec<i64>,
    /// Elements cut off before the images along each axis, then those behind along each axis; none mean 0.
    pub pads: Vec<i64>,
}

impl MaxUnpool {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "MaxUnpool",
        since: 22,
        inputs: 2..=3,
        outputs: 1..=1,
        attributes: &["kernel_shape", "pads", "strides"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let list = |name| Ok::<_, Cause>(node.ints(name)?.unwrap_or_default().to_vec());
            let kernel = node.needed("kernel_shape", node.ints("kernel_shape")?)?.to_vec();
            Ok(Box::new(Self { kernel, strides: list("strides")?, pads: list("pads")? }))
        },
    };

    /// The shape of images that windows reach over.
    fn unpooled(&self, shape: &SymbolicShape) -> Result<SymbolicShape, Cause> {
        let axes = self.kernel.len();
        if shape.rank() != axes + 2 {
            let expected = format!("rank {}: a batch, channels, and the {axes} axes of the kernel", axes + 2);
            return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected });
        }
        let strides = list("strides", &self.strides, axes, 1)?;
        let pads = list("pads", &self.pads, 2 * axes, 0)?;
        let mut unpooled = shape.clone();
        for axis in 0..axes {
            let windows = shape[axis + 2].subtract(&1.into())?;
            let reached = windows.multiply(&strides[axis].into())?.add(&self.kernel[axis].into())?;
            let extent = reached.subtract(&pads[axis].into())?.subtract(&pads[axes + axis].into())?;
            if extent.known().is_some_and(i64::is_negative) {
                let (begin, end) = (pads[axis], pads[axes + axis]);
                let text =
                    format!("padding of {begin} and {end} leaves nothing of {reached} elements along axis {axis}");
                return Err(Cause::Unfit(text));
            }
            unpooled.extents_mut()[axis + 2] = extent;
        }
        Ok(unpooled)
    }

    fn shape(&self, x: &SymbolicShape, given: &[Extent]) -> Result<SymbolicShape, Cause> {
        let unpooled = self.unpooled(x)?;
        let given = SymbolicShape::new(given.iter().cloned());
        let is_too_small = |(least, extent): (&Extent, &Extent)| {
            least.known().zip(extent.known()).is_some_and(|(least, extent)| extent < least)
        };
        if given.rank() != unpooled.rank() || unpooled.iter().zip(given.iter()).any(is_too_small) {
            return Err(Cause::Unfit(format!("an output of shape {given} does not hold images of shape {unpooled}")));
        }
        Ok(given)
    }
}

impl Operator for MaxUnpool {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[2]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.dtype(1, dtypes::INDICES)?;
        let x = inputs.shape(0)?;
        let shape = match inputs.get(2) {
            None => self.unpooled(x)?,
            Some(given) => {
                inputs.dtype(2, dtypes::INDICES)?;
                match given.integers() {
                    Some(given) => self.shape(x, given)?,
                    None => inputs.unknown_shape(self.unpooled(x)?.rank()),
                }
            }
        };
        Ok(vec![Fact::new(dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, indices) = (inputs.required(0)?, inputs.required(1)?);
        let symbolic = SymbolicShape::from(x.shape());
        let unknown = || Cause::Unfit("the shape of the images is not known".into());
        let unpooled = self.unpooled(&symbolic)?.known()?.ok_or_else(unknown)?;
        let shape = match inputs.integers(2)? {
            None => unpooled,
            Some(given) => {
                let given: Vec<_> = given.into_iter().map(Extent::from).collect();
                self.shape(&symbolic, &given)?.known()?.ok_or_else(unknown)?
            }
        };
        outputs.write_shaped(0, &shape, |result| {
            if shape == unpooled {
                return Ok::<_, Cause>(context.kernels().max_unpool(x, indices, result)?);
            }
            fill_with_zeros(context, result)?;
            let mut images = result.seen::<Cause>(|geometry| {
                let extents = unpooled.extents().iter().enumerate();
                extents.into_iter().try_fold(*geometry, |geometry, (axis, extent)| {
                    Ok(geometry.narrow(axis as i64, 0, (*extent).into())?)
                })
            })?;
            Ok(context.kernels().max_unpool(x, indices, &mut images)?)
        })
    }
}

pub(super) fn fill_with_zeros(context: &Context<'_>, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    let zero = Geometry::contiguous(Shape::SCALAR).broadcast_to(result.shape())?;
    match_dtype!(result.dtype(), T => {
        let element = [T::default()];
        Ok(context.kernels().copy(&View::new(&element, zero)?.into(), result)?)
    })
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    fn unpooled(indices: &[i64], shape: Option<&[i64]>) -> Result<Vec<f32>, String> {
        let unpool = MaxUnpool { kernel: vec![2], strides: vec![2], pads: Vec::new() };
        let x = Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[1, 2, 2]).unwrap();
        let indices = Tensor::from_slice(indices, &[1, 2, 2]).unwrap();
        let shape = shape.map(|shape| Tensor::from_slice(shape, &[shape.len() as i64]).unwrap());
        let outputs = Context::new().unwrap().run(&unpool, &[Some(&x), Some(&indices), shape.as_ref()]);
        Ok(outputs.map_err(|error| error.to_string())?[0].to_vec().unwrap())
    }

    #[test]
    fn a_larger_result_has_zeros_behind() {
        assert_eq!(unpooled(&[0, 3, 5, 6], None).unwrap(), [1.0, 0.0, 0.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
        let expected = [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0];
        assert_eq!(unpooled(&[0, 3, 5, 6], Some(&[1, 2, 5])).unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        insta::assert_snapshot!(
            [
                unpooled(&[0, 3, 5, 8], None).unwrap_err(),
                unpooled(&[0, 3, 5, 7], Some(&[1, 2, 3])).unwrap_err(),
                unpooled(&[0, 3, 5, 7], Some(&[5])).unwrap_err(),
            ]
            .join("\n")
        );
    }
}
