//! `MaxRoiPool`: maxima of the parts of regions.

use std::ops::Range;

use stratal_kernels::{AnyView, AnyViewMut, reduce};
use stratal_tensor_base::{DType, Scalar, Shape, match_dtype};

use super::max_unpool::fill_with_zeros;
use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, SymbolicShape, attribute, dtypes,
};

/// The maximum of each part of each region of images, where regions are rows of (image, x1, y1, x2, y2).
///
/// Corners are scaled and rounded, half to even (ONNX Runtime: half away from zero), and belong to the region, which has an
/// element at least. It is divided into
/// as many parts as the result has, which share the elements that their borders cut. A part outside the image is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaxRoiPool {
    /// The number of parts downward and across.
    pub parts: [i64; 2],
    /// What corners are multiplied by to count in elements of the images.
    pub spatial_scale: f32,
}

impl MaxRoiPool {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "MaxRoiPool",
        since: 22,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["pooled_shape", "spatial_scale"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { parts: parts(node)?, spatial_scale: node.float_or("spatial_scale", 1.0)? })),
    };

    /// The elements of each part of each region, on images of a shape.
    ///
    /// # Errors
    /// [`Cause::UnknownRank`] unless the images have four axes, [`Cause::Element`] for an image that does not exist.
    pub fn region_parts(&self, images: &Shape, regions: &AnyView<'_>) -> Result<Vec<RegionPart>, Cause> {
        let [images, _, rows, columns] = *images.extents() else { return Err(Cause::UnknownRank { input: 0 }) };
        let numbers = Inputs::new(&[Some(*regions)]).numbers(0).unwrap_or_default();
        let [height, width] = self.parts;
        let places = || (0..height).flat_map(move |down| (0..width).map(move |across| [down, across]));
        let regions = self.regions(regions, &numbers, images)?.into_iter().enumerate();
        let parts = regions.flat_map(|(number, region)| {
            places().map(move |place| RegionPart {
                region: number as i64,
                place,
                image: region.image,
                rows: elements(region.rows, place[0], height, rows),
                columns: elements(region.columns, place[1], width, columns),
            })
        });
        Ok(parts.collect())
    }

    /// The regions of a matrix, scaled.
    fn regions(&self, regions: &AnyView<'_>, numbers: &[f64], images: u32) -> Result<Vec<Region>, Cause> {
        let is_wide = regions.dtype() == DType::F64;
        let scaled = |corner: &f64| {
            let narrow = || f64::from(*corner as f32 * self.spatial_scale);
            let scaled = if is_wide { corner * f64::from(self.spatial_scale) } else { narrow() };
            scaled.round_ties_even() as i64
        };
        let region = |row: &[f64]| {
            let image = row[0];
            if !(image >= 0.0 && image < f64::from(images) && image.fract() == 0.0) {
                let value = match_dtype!(regions.dtype(), T => Scalar::from(Scalar::from(image).cast::<T>()));
                let expected = format!("the number of one of {images} images");
                return Err(Cause::Element { input: 1, value, expected });
            }
            let corners = [&row[2], &row[4], &row[1], &row[3]].map(scaled);
            Ok(Region { image: image as i64, rows: [corners[0], corners[1]], columns: [corners[2], corners[3]] })
        };
        numbers.chunks_exact(5).map(region).collect()
    }
}

/// A part of a region: where its maxima go, and which elements of an image it has. There may be none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegionPart {
    /// The number of the region.
    pub region: i64,
    /// The number of the part downward and across.
    pub place: [i64; 2],
    /// The number of the image.
    pub image: i64,
    /// Rows of the image.
    pub rows: Range<i64>,
    /// Columns of the image.
    pub columns: Range<i64>,
}

/// A region of an image: the first and the last of its rows and columns.
struct Region {
    image: i64,
    rows: [i64; 2],
    columns: [i64; 2],
}

/// The elements of one of some parts, within an image.
fn elements([first, last]: [i64; 2], part: i64, parts: i64, image: u32) -> Range<i64> {
    let [first, last, part, parts] = [first, last, part, parts].map(i128::from);
    let extent = (last - first + 1).max(1);
    let (begin, end) = (part * extent / parts, ((part + 1) * extent + parts - 1) / parts);
    let within = |place: i128| (first + place).clamp(0, image.into()) as i64;
    within(begin)..within(end)
}

/// What the numbers of parts may be.
const EXPECTED: &str = "two numbers, each 1 or more";

fn parts(node: &Node<'_>) -> Result<[i64; 2], Cause> {
    let parts = node.needed("pooled_shape", node.ints("pooled_shape")?)?;
    <[i64; 2]>::try_from(parts).map_err(|_| attribute("pooled_shape", format!("{parts:?}"), EXPECTED))
}

impl Operator for MaxRoiPool {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtype(1, dtype)?;
        let (images, regions) = (inputs.shape_of_rank(0, 4)?, inputs.shape_of_rank(1, 2)?);
        if regions[1].known().is_some_and(|columns| columns != 5) {
            let expected = "rows of (image, x1, y1, x2, y2)".into();
            return Err(Cause::Shape { input: 1, shape: regions.to_string(), expected });
        }
        let [height, width] = self.parts;
        if height < 1 || width < 1 {
            return Err(attribute("pooled_shape", format!("{:?}", self.parts), EXPECTED));
        }
        let shape = SymbolicShape::new([regions[0].clone(), images[1].clone(), height.into(), width.into()]);
        Ok(vec![Fact::new(dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| {
            // Without channels there may be as many parts as extents go, and nothing to write.
            if result.shape().is_empty() {
                return Ok(());
            }
            for RegionPart { region, place, image, rows, columns } in
                self.region_parts(x.shape(), inputs.required(1)?)?
            {
                let image = x.seen::<Cause>(|geometry| Ok(geometry.select(0, image)?))?;
                let mut maxima = result.seen::<Cause>(|geometry| {
                    let region = geometry.select(0, region)?;
                    Ok(region.narrow(1, place[0], 1)?.narrow(2, place[1], 1)?)
                })?;
                pool(context, &image, rows, columns, &mut maxima)?;
            }
            Ok::<_, Cause>(())
        })
    }
}

/// The maxima of a part of an image, one a channel.
fn pool(
    context: &Context<'_>,
    image: &AnyView<'_>,
    rows: Range<i64>,
    columns: Range<i64>,
    maxima: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    if rows.is_empty() || columns.is_empty() {
        return fill_with_zeros(context, maxima);
    }
    let part = image.seen::<Cause>(|geometry| {
        let rows = geometry.narrow(1, rows.start, rows.end - rows.start)?;
        Ok(rows.narrow(2, columns.start, columns.end - columns.start)?)
    })?;
    Ok(context.kernels().reduce(&reduce::Max, &part, maxima)?)
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, build, infer};

    fn pooled(regions: &[f32], scale: f32) -> Result<Vec<f32>, String> {
        let x = Tensor::arange(0, 32, 1, DType::F32).unwrap().reshape(&[2, 1, 4, 4]).unwrap();
        let regions = Tensor::from_slice(regions, &[regions.len() as i64 / 5, 5]).unwrap();
        let pool = MaxRoiPool { parts: [2, 2], spatial_scale: scale };
        let outputs = Context::new().unwrap().run(&pool, &[Some(&x), Some(&regions)]);
        Ok(outputs.map_err(|error| error.to_string())?[0].to_vec().unwrap())
    }

    #[test]
    fn parts_share_what_their_borders_cut() {
        assert_eq!(pooled(&[0.0, 0.0, 0.0, 3.0, 3.0], 1.0).unwrap(), [5.0, 7.0, 13.0, 15.0]);
        // Three rows and columns in two parts: the middle is in both.
        assert_eq!(pooled(&[1.0, 0.0, 0.0, 2.0, 2.0], 1.0).unwrap(), [21.0, 22.0, 25.0, 26.0]);
        // Corners at 2.5 and 5 halves: 2, and a region of one element.
        assert_eq!(pooled(&[0.0, 5.0, 5.0, 5.0, 5.0], 0.5).unwrap(), [10.0; 4]);
    }

    #[test]
    fn parts_outside_are_zero_and_far_corners_do_no_harm() {
        assert_eq!(pooled(&[0.0, 2.0, 2.0, 9.0, 9.0], 1.0).unwrap(), [15.0, 0.0, 0.0, 0.0]);
        assert_eq!(pooled(&[0.0, -1e30, f32::NAN, 1e30, f32::INFINITY], 1.0).unwrap().len(), 4);
        assert_eq!(pooled(&[], 1.0).unwrap(), [0.0; 0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fault = pooled(&[2.0, 0.0, 0.0, 1.0, 1.0], 1.0).unwrap_err();
        assert_eq!(fault, "MaxRoiPool: input 1 holds 2: expected the number of one of 2 images");
        assert!(pooled(&[f32::NAN, 0.0, 0.0, 1.0, 1.0], 1.0).is_err());
        let x = Fact::new(DType::F32, [1, 1, 2, 2]);
        let none = MaxRoiPool { parts: [0, 2], spatial_scale: 1.0 };
        let fault = infer(&none, "pool", &[Some(&x), Some(&Fact::new(DType::F32, [1, 5]))]).unwrap_err();
        assert!(build("", "MaxRoiPool", &Attributes::new().with("pooled_shape", vec![2]), 2, 1).is_err());
        assert_eq!(
            fault.to_string(),
            "MaxRoiPool: attribute pooled_shape is [0, 2]: expected two numbers, each 1 or more"
        );
    }
}
