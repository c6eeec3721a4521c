//! `Col2Im`: blocks added up to images.

use std::ops::Range;

use stratal_kernels::{AnyView, AnyViewMut, map};
use stratal_tensor_base::{DType, Scalar, Shape};

use super::axes::check_extents;
use crate::operands::zeros;
use crate::symbolic_shape::product;
use crate::{
    Cause, Context, Definition, Extent, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, SymbolicShape, attribute,
    dtypes, read, write,
};

/// Adds blocks up to images: inputs are the blocks, of shape (batch, channels of all places of a block, blocks), the extents
/// of the images and those of a block. Blocks are taken to have been cut from padded images, row by row, at a stride.
///
/// Elements of the image that no block holds are zero. Those that several blocks hold are added in the order of their places
/// in the blocks: in f32 for 16-bit floats, which are rounded once. Integers wrap.
#[derive(Debug, Clone, Default)]
pub struct Col2Im {
    /// For each axis of the image how far neighbours in a block are apart; none for 1.
    pub dilations: Option<Vec<i64>>,
    /// For each axis of the image the padding before it, then for each the padding behind it; none for 0.
    pub pads: Option<Vec<i64>>,
    /// For each axis of the image how far blocks are apart; none for 1.
    pub strides: Option<Vec<i64>>,
}

impl Col2Im {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Col2Im",
        since: 18,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &["dilations", "pads", "strides"],
        dtypes: dtypes::NUMBERS,
        build: |node| {
            let dilations = numbers(node, "dilations", 1, "positive numbers")?;
            let pads = numbers(node, "pads", 0, "no negative numbers")?;
            Ok(Box::new(Self { dilations, pads, strides: numbers(node, "strides", 1, "positive numbers")? }))
        },
    };

    /// How blocks lie in an image of some axes.
    fn cut(&self, image: &[i64], block: &[i64]) -> Result<Vec<Cut>, Cause> {
        let rank = image.len();
        if block.len() != rank {
            return Err(Cause::Unfit(format!("blocks {block:?} have other axes than images {image:?}")));
        }
        let list = |list: &Option<Vec<i64>>, name: &'static str, length: usize, default: i64, least: i64| {
            let list = list.clone().unwrap_or_else(|| vec![default; length]);
            let is_fit = list.len() == length && list.iter().all(|number| *number >= least);
            let expected = "as many numbers as the image has axes, or two each for pads, in range";
            if is_fit { Ok(list) } else { Err(attribute(name, format!("{list:?}"), expected)) }
        };
        let dilations = list(&self.dilations, "dilations", rank, 1, 1)?;
        let pads = list(&self.pads, "pads", 2 * rank, 0, 0)?;
        let strides = list(&self.strides, "strides", rank, 1, 1)?;
        let cut = |axis: usize| {
            let (before, after) = (pads[axis], pads[axis + rank]);
            let [dilation, stride, block] = [dilations[axis], strides[axis], block[axis]];
            let padded = image[axis].checked_add(before).and_then(|sum| sum.checked_add(after));
            let reach = (block.checked_sub(1)).and_then(|steps| steps.checked_mul(dilation)?.checked_add(1));
            let unfit = || {
                Cause::Unfit(format!(
                    "blocks of {block} at dilation {dilation} do not fit axis {axis} of the image, {} with pads {before} and {after}",
                    image[axis]
                ))
            };
            let (padded, reach) =
                padded.zip(reach).filter(|(padded, reach)| block > 0 && padded >= reach).ok_or_else(unfit)?;
            Ok(Cut { before, image: image[axis], dilation, stride, block, count: (padded - reach) / stride + 1 })
        };
        (0..rank).map(cut).collect()
    }
}

/// How the blocks lie along one axis.
struct Cut {
    before: i64,
    image: i64,
    dilation: i64,
    stride: i64,
    block: i64,
    /// How many blocks there are.
    count: i64,
}

impl Cut {
    /// The blocks that have a place inside the image; that of the first block is at the start.
    fn inside(&self, start: i64) -> Range<i64> {
        // The quotient is rounded down, so its opposite is rounded up.
        let first = (-start.div_euclid(self.stride)).max(0);
        let end = ((self.image - 1 - start).div_euclid(self.stride) + 1).min(self.count);
        first..end
    }
}

impl Operator for Col2Im {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1, 2]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::NUMBERS)?;
        let shape = inputs.shape_of_rank(0, 3)?;
        let mut lists = [None, None];
        let mut rank = None;
        for (list, input) in lists.iter_mut().zip(1..) {
            inputs.dtype(input, dtypes::INDICES)?;
            let length = inputs.vector_length(input)?;
            *list = inputs.required(input)?.integers();
            check_extents(input, list.unwrap_or_default())?;
            if let Some((expected, found)) = rank.zip(length).filter(|(expected, found)| expected != found) {
                return Err(Cause::Shape { input, shape: format!("[{found}]"), expected: format!("[{expected}]") });
            }
            rank = rank.or(length);
        }
        let Some(rank) = rank else { return Ok(vec![Fact::of_dtype(dtype)]) };
        let [image, block] = lists;
        let image = image.map_or_else(|| inputs.unknown_shape(rank).to_vec(), <[Extent]>::to_vec);
        let channels = match block {
            Some(block) if block.iter().any(|extent| extent.is(0)) => {
                return Err(Cause::Element {
                    input: 2,
                    value: Scalar::from(0_i64),
                    expected: "positive numbers".into(),
                });
            }
            Some(block) => shape[1].divide_floor(&product(block)?)?,
            None => inputs.unknown("channels"),
        };
        let known = |extents: &[Extent]| extents.iter().map(Extent::known).collect::<Option<Vec<_>>>();
        if let Some((image, block)) = known(&image).zip(block.and_then(known)) {
            let cuts = self.cut(&image, &block)?;
            let [places, blocks] = counts(&cuts)?;
            let is_unfit = shape[1].known().is_some_and(|all| all % places != 0)
                || shape[2].known().is_some_and(|count| count != blocks);
            if is_unfit {
                let expected = format!("[batch, channels * {places}, {blocks}]");
                return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected });
            }
        }
        let extents = [shape[0].clone(), channels].into_iter().chain(image);
        Ok(vec![Fact::new(dtype, extents.collect::<SymbolicShape>())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let list = |input| inputs.integers(input)?.ok_or(Cause::MissingInput { input });
        let cuts = self.cut(&list(1)?, &list(2)?)?;
        outputs.write(0, |result| add_up(context, x, &cuts, result))
    }
}

fn add_up(context: &Context<'_>, x: &AnyView<'_>, cuts: &[Cut], result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    let [batch, channels] = [0, 1].map(|axis| result.shape().extent(axis) as i64);
    let leading = [batch, channels];
    if result.shape().is_empty() {
        // Without images or channels a block may have as many places as one likes.
        return Ok(());
    }
    let [places, blocks] = counts(cuts)?;
    let extents_of =
        |extent: fn(&Cut) -> i64| Shape::new(&leading.into_iter().chain(cuts.iter().map(extent)).collect::<Vec<_>>());
    let grid = extents_of(|cut| cut.count)?;
    let dtype = match x.dtype() {
        DType::F16 | DType::BF16 => DType::F32,
        dtype => dtype,
    };
    let converted = if dtype == x.dtype() { None } else { Some(context.converted(x, dtype)?) };
    let converted = converted.as_ref().map(read).transpose()?;
    let converted = converted.as_ref().map(|x| x.view()).transpose()?;
    let x = converted.as_ref().unwrap_or(x);
    let x = reshaped(x, &Shape::new(&[batch, channels, places, blocks])?)?;
    // Of the image alone: what blocks add to pads is dropped, and pads may be far larger.
    let sums = zeros(context, dtype, result.shape())?;
    for place in 0..places {
        let part = reshaped(&x.seen(|geometry| Ok::<_, Cause>(geometry.select(2, place)?))?, &grid)?;
        let mut rest = place;
        let mut starts: Vec<i64> = cuts
            .iter()
            .rev()
            .map(|cut| {
                let index = rest % cut.block;
                rest /= cut.block;
                index * cut.dilation - cut.before
            })
            .collect();
        starts.reverse();
        let inside: Vec<Range<i64>> = cuts.iter().zip(&starts).map(|(cut, start)| cut.inside(*start)).collect();
        if inside.iter().any(Range::is_empty) {
            continue;
        }
        let part = part.seen(|geometry| {
            (2..).zip(&inside).try_fold(*geometry, |geometry, (axis, inside)| {
                Ok::<_, Cause>(geometry.narrow(axis, inside.start, inside.end - inside.start)?)
            })
        })?;
        write(&sums, |sums| {
            let mut at_place = sums.seen(|geometry| {
                (2..).zip(cuts).zip(starts.iter().zip(&inside)).try_fold(*geometry, |geometry, ((axis, cut), at)| {
                    let place = |block: i64| at.0 + block * cut.stride;
                    let (first, last) = (place(at.1.start), place(at.1.end - 1));
                    Ok::<_, Cause>(geometry.slice(axis, Some(first), Some(last + 1), cut.stride)?)
                })
            })?;
            Ok::<_, Cause>(context.kernels().binary_in_place(&map::Add, &mut at_place, &part)?)
        })?;
    }
    Ok(context.kernels().cast(&read(&sums)?.view()?, result)?)
}

fn reshaped<'a>(x: &AnyView<'a>, shape: &Shape) -> Result<AnyView<'a>, Cause> {
    let from = *x.shape();
    x.seen(|geometry| geometry.try_reshape(shape).ok_or_else(|| Cause::Unfit(format!("cannot see {from} as {shape}"))))
}

/// The number of places in a block, and of blocks.
fn counts(cuts: &[Cut]) -> Result<[i64; 2], Cause> {
    let product =
        |number: fn(&Cut) -> i64| cuts.iter().try_fold(1_i64, |product, cut| product.checked_mul(number(cut)));
    let counts = product(|cut| cut.block).zip(product(|cut| cut.count));
    counts.map(|(places, blocks)| [places, blocks]).ok_or(Cause::Extent(crate::ExtentError::Overflow))
}

fn numbers(node: &Node<'_>, name: &'static str, least: i64, expected: &'static str) -> Result<Option<Vec<i64>>, Cause> {
    let Some(numbers) = node.ints(name)? else { return Ok(None) };
    if numbers.iter().any(|number| *number < least) {
        return Err(attribute(name, format!("{numbers:?}"), expected));
    }
    Ok(Some(numbers.to_vec()))
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use super::*;
    use crate::infer;

    #[test]
    fn pads_take_no_memory() {
        // One block of two, the second place of which is the image's first element; all else lies in pads.
        let x = Tensor::from_slice(&[5_i32, 7], &[1, 2, 1]).unwrap();
        let list = |extent: i64| Tensor::from_slice(&[extent], &[1]).unwrap();
        let far = 1 << 40;
        let col2im = Col2Im { dilations: Some(vec![far]), pads: Some(vec![far, 0]), strides: None };
        let outputs = Context::new().unwrap().run(&col2im, &[Some(&x), Some(&list(1)), Some(&list(2))]).unwrap();
        assert_eq!(outputs[0].to_vec::<i32>().unwrap(), [7]);
    }

    #[test]
    fn sixteen_bit_floats_are_rounded_once() {
        // Three blocks of three share the middle element: 2048 + 1 is no f16, but the sum of all three is.
        let x = [0.0, 0.0, 2048.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0].map(f16::from_f32);
        let x = Tensor::from_slice(&x, &[1, 3, 3]).unwrap();
        let list = |extent: i64| Tensor::from_slice(&[extent], &[1]).unwrap();
        let (image, block) = (list(5), list(3));
        let images = Context::new().unwrap().run(&Col2Im::default(), &[Some(&x), Some(&image), Some(&block)]);
        let images: Vec<f32> = images.unwrap()[0].to_vec::<f16>().unwrap().iter().map(|x| x.to_f32()).collect();
        assert_eq!(images, [0.0, 0.0, 2050.0, 0.0, 0.0]);
    }

    fn shape(col2im: &Col2Im, x: [i64; 3], image: &[i64], block: &[i64]) -> Result<String, String> {
        let list = |list: &[i64]| Fact::of_extents(DType::I64, list.iter().map(|&extent| extent.into()).collect());
        let (x, image, block) = (Fact::new(DType::F32, x), list(image), list(block));
        let facts =
            infer(col2im, "node", &[Some(&x), Some(&image), Some(&block)]).map_err(|error| error.cause.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn blocks_must_make_up_the_image() {
        let plain = Col2Im::default();
        assert_eq!(shape(&plain, [2, 12, 6], &[3, 4], &[2, 2]).unwrap(), "[2, 3, 3, 4]");
        let error = shape(&plain, [2, 12, 5], &[3, 4], &[2, 2]).unwrap_err();
        assert_eq!(error, "input 0 has shape [2, 12, 5]: expected [batch, channels * 4, 6]");
        assert!(shape(&plain, [2, 13, 6], &[3, 4], &[2, 2]).is_err());
        let error = shape(&plain, [2, 12, 6], &[3, 4], &[2, 5]).unwrap_err();
        assert_eq!(error, "blocks of 5 at dilation 1 do not fit axis 1 of the image, 4 with pads 0 and 0");
        let error = shape(&plain, [2, 12, 6], &[3, 4], &[2, 0]).unwrap_err();
        assert_eq!(error, "input 2 holds 0: expected positive numbers");
        assert_eq!(shape(&plain, [2, 12, 6], &[3, 4], &[2]).unwrap_err(), "input 2 has shape [1]: expected [2]");
        let strided = Col2Im { strides: Some(vec![1]), ..plain };
        assert!(shape(&strided, [2, 12, 6], &[3, 4], &[2, 2]).unwrap_err().starts_with("attribute strides is [1]"));
    }
}
