//! `Sliding`: how windows move over images, the same for pooling and convolutions.

use stratal_kernels::pool::{AutoPad, WindowAxis};
use stratal_tensor_base::MAX_EXTENT;

use crate::{Cause, Extent, Node, attribute};

/// How a window moves over images of shape (batch, channels, ...). Each list has a number for each axis after the channels;
/// one without any stands for its default. The default moves by one, without padding.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sliding {
    /// Elements between the starts of neighbouring windows; 1 by default.
    pub strides: Vec<i64>,
    /// Elements between neighbours within a window; 1 by default.
    pub dilations: Vec<i64>,
    /// What lies around the images.
    pub padding: SlidingPadding,
}

/// Padding around images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlidingPadding {
    /// So many elements before the image along each axis, then so many behind it along each axis; 0 by default.
    Explicit(Vec<i64>),
    /// As many as follow from the extents of images and windows, dilated ones too. Windows that do not reach each other need
    /// none, and nothing is cut off. (ONNX Runtime pools without a look at dilations, and cuts off.)
    Auto(AutoPad),
}

impl Default for SlidingPadding {
    fn default() -> Self {
        Self::Explicit(Vec::new())
    }
}

impl Sliding {
    /// What a node's attributes say. Pads beside an `auto_pad` are ignored if they are zeros, and else an error.
    pub(crate) fn of_node(node: &Node<'_>) -> Result<Self, Cause> {
        let list = |name| Ok::<_, Cause>(node.ints(name)?.unwrap_or_default().to_vec());
        let words = [
            ("NOTSET", None),
            ("SAME_UPPER", Some(AutoPad::SameUpper)),
            ("SAME_LOWER", Some(AutoPad::SameLower)),
            ("VALID", Some(AutoPad::Valid)),
        ];
        let auto = node.word("auto_pad", "NOTSET, SAME_UPPER, SAME_LOWER or VALID", &words)?;
        let pads = list("pads")?;
        let padding = match auto {
            None => SlidingPadding::Explicit(pads),
            Some(_) if pads.iter().any(|pad| *pad != 0) => {
                return Err(attribute("pads", format!("{pads:?}"), "none beside auto_pad"));
            }
            Some(auto) => SlidingPadding::Auto(auto),
        };
        Ok(Self { strides: list("strides")?, dilations: list("dilations")?, padding })
    }

    /// What is known of a window of these extents along each axis, with explicit padding; that which follows from the extents
    /// is not there.
    pub(crate) fn axes(&self, kernel: &[i64]) -> Result<Vec<WindowAxis>, Cause> {
        let count = kernel.len();
        check_sizes("kernel_shape", kernel)?;
        let strides = list("strides", &self.strides, count, 1)?;
        let dilations = list("dilations", &self.dilations, count, 1)?;
        let pads = match &self.padding {
            SlidingPadding::Explicit(pads) => list("pads", pads, 2 * count, 0)?,
            SlidingPadding::Auto(_) => vec![0; 2 * count],
        };
        let axis = |number: usize| WindowAxis {
            kernel: kernel[number],
            stride: strides[number],
            dilation: dilations[number],
            pad_begin: pads[number],
            pad_end: pads[count + number],
        };
        Ok((0..count).map(axis).collect())
    }

    /// The window on images of these extents.
    pub(crate) fn axes_on(&self, kernel: &[i64], images: &[u32]) -> Result<Vec<WindowAxis>, Cause> {
        let axes = self.axes(kernel)?;
        let SlidingPadding::Auto(auto) = self.padding else { return Ok(axes) };
        // Nothing is put around nothing: there is no window then.
        let padded = |(axis, &extent): (WindowAxis, &u32)| {
            if extent == 0 { Ok(axis) } else { Ok(axis.with_auto_pad(auto, extent)?) }
        };
        axes.into_iter().zip(images).map(padded).collect()
    }

    /// How many windows there are along an axis of images that are not known yet.
    pub(crate) fn windows(
        &self,
        axis: &WindowAxis,
        image: &Extent,
        kernel: &Extent,
        ceil: bool,
    ) -> Result<Extent, Cause> {
        let (one, stride) = (Extent::from(1), Extent::from(axis.stride));
        let before_last = image.subtract(&one)?;
        if let SlidingPadding::Auto(AutoPad::SameUpper | AutoPad::SameLower) = self.padding {
            return Ok(before_last.divide_floor(&stride)?.add(&one)?);
        }
        let reach = kernel.subtract(&one)?.multiply(&axis.dilation.into())?.add(&one)?;
        let (begin, end) = (Extent::from(axis.pad_begin), Extent::from(axis.pad_end));
        let room = image.add(&begin)?.add(&end)?.subtract(&reach)?;
        if !ceil {
            return Ok(room.divide_floor(&stride)?.add(&one)?);
        }
        // None begins behind the image.
        let most = before_last.add(&begin)?.divide_floor(&stride)?;
        Ok(room.divide_ceil(&stride)?.minimum(&most)?.add(&one)?)
    }
}

/// From the first element of a window to the last, both included: an extent of images that any padding lets it fit into.
pub(crate) fn reach(axis: &WindowAxis) -> i64 {
    let reach = axis.kernel.saturating_sub(1).saturating_mul(axis.dilation).saturating_add(1);
    reach.clamp(1, MAX_EXTENT.into())
}

/// Checks that no number is greater than an extent can be: sums of a few never overflow then.
fn check_sizes(name: &'static str, list: &[i64]) -> Result<(), Cause> {
    match list.iter().find(|&&size| size > MAX_EXTENT.into()) {
        Some(size) => Err(attribute(name, size, "at most 2147483647")),
        None => Ok(()),
    }
}

/// A list of an attribute with a number for each of its places.
pub(crate) fn list(name: &'static str, list: &[i64], count: usize, default: i64) -> Result<Vec<i64>, Cause> {
    check_sizes(name, list)?;
    match list.len() {
        0 => Ok(vec![default; count]),
        length if length == count => Ok(list.to_vec()),
        _ => Err(attribute(name, format!("{list:?}"), "as many numbers as the axes after the channels ask for")),
    }
}
