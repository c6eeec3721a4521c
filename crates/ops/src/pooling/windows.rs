//! `Windows`: the windows of an operator that pools, and the rule for its shapes.

use stratal_kernels::pool::Window;
use stratal_tensor_base::Shape;

use super::sliding::{Sliding, SlidingPadding, reach};
use crate::{Cause, Node, SymbolicShape};

/// Windows that slide over images of shape (batch, channels, ...), with one to three axes after the channels.
///
/// Pads stay below the kernel, dilated or not, so that each window sees an element of the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Windows {
    /// The extents of a window.
    pub kernel: Vec<i64>,
    /// How it moves.
    pub sliding: Sliding,
    /// Whether the number of windows is rounded up: a last window may then reach past the padding behind the image, but one
    /// that would begin there is dropped. With an [`AutoPad`](stratal_kernels::pool::AutoPad), nothing is rounded up (ONNX Runtime
    /// does so for that of none).
    pub ceil: bool,
}

impl Windows {
    /// Windows of these extents that move by one, without padding.
    pub fn of_kernel(kernel: impl Into<Vec<i64>>) -> Self {
        Self { kernel: kernel.into(), sliding: Sliding::default(), ceil: false }
    }

    pub(super) fn of_node(node: &Node<'_>) -> Result<Self, Cause> {
        let kernel = node.needed("kernel_shape", node.ints("kernel_shape")?)?.to_vec();
        Ok(Self { kernel, sliding: Sliding::of_node(node)?, ceil: node.flag("ceil_mode", false)? })
    }

    /// The window on images of a shape, with the padding that it has there.
    ///
    /// # Errors
    /// A [`Cause`] when the attributes do not fit the shape.
    pub fn on(&self, images: &Shape) -> Result<Window, Cause> {
        let extents = images.extents().get(2..).unwrap_or_default();
        Ok(Window { axes: self.sliding.axes_on(&self.kernel, extents)?, ceil: self.rounds_up() })
    }

    /// The shape of what is pooled.
    pub(super) fn infer(&self, images: &SymbolicShape) -> Result<SymbolicShape, Cause> {
        let rank = self.kernel.len() + 2;
        if images.rank() != rank {
            let expected = format!("rank {rank}: a batch, channels, and the {} axes of the kernel", self.kernel.len());
            return Err(Cause::Shape { input: 0, shape: images.to_string(), expected });
        }
        // What is known is checked, with extents that fit in place of those that are not.
        let axes = self.sliding.axes(&self.kernel)?;
        let stand_ins = axes.iter().zip(&images[2..]).map(|(axis, image)| image.known().unwrap_or_else(|| reach(axis)));
        let stand_in = Shape::new(&[1, 1].into_iter().chain(stand_ins).collect::<Vec<_>>())?;
        let known = self.on(&stand_in)?.output_shape(&stand_in)?;
        let mut shape = images.clone();
        for (number, axis) in axes.iter().enumerate() {
            let extent = &mut shape.extents_mut()[number + 2];
            *extent = match extent.known() {
                Some(_) => i64::from(known.extents()[number + 2]).into(),
                None => self.sliding.windows(axis, extent, &axis.kernel.into(), self.rounds_up())?,
            };
        }
        Ok(shape)
    }

    const fn rounds_up(&self) -> bool {
        self.ceil && matches!(self.sliding.padding, SlidingPadding::Explicit(_))
    }
}

#[cfg(test)]
mod tests {
    use stratal_kernels::pool::AutoPad;

    use super::*;
    use crate::Extent;

    fn symbolic() -> SymbolicShape {
        SymbolicShape::new([Extent::symbol("batch"), 3.into(), Extent::symbol("height"), 7.into()])
    }

    fn windows(kernel: i64, stride: i64, pad: i64, ceil: bool) -> Windows {
        let padding = SlidingPadding::Explicit(vec![pad; 4]);
        let sliding = Sliding { strides: vec![stride; 2], padding, ..Sliding::default() };
        Windows { kernel: vec![kernel; 2], sliding, ceil }
    }

    #[test]
    fn extents_follow_from_those_of_images() {
        let shape = windows(3, 2, 1, false).infer(&symbolic()).unwrap();
        assert_eq!(shape.to_string(), "[batch, 3, floor((height - 1) / 2) + 1, 4]");
        let same = Sliding { padding: SlidingPadding::Auto(AutoPad::SameLower), ..windows(3, 2, 1, false).sliding };
        let shape = Windows { sliding: same, ..windows(3, 2, 0, true) }.infer(&symbolic()).unwrap();
        assert_eq!(shape.to_string(), "[batch, 3, floor((height - 1) / 2) + 1, 4]");
    }

    #[test]
    fn symbolic_and_known_extents_agree() {
        for (kernel, stride, pad, ceil) in (1..4).flat_map(|kernel| {
            (1..5).flat_map(move |stride| {
                (0..kernel).flat_map(move |pad| [(kernel, stride, pad, false), (kernel, stride, pad, true)])
            })
        }) {
            let windows = windows(kernel, stride, pad, ceil);
            let symbolic = windows.infer(&symbolic()).unwrap();
            for height in kernel..12 {
                let known = windows.infer(&SymbolicShape::from([2, 3, height, 7])).unwrap();
                let evaluated = symbolic.evaluate(&|name| Some(if name == "height" { height } else { 2 }));
                assert_eq!(known.known_extents(), evaluated.ok(), "{windows:?} on {height}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fault = |windows: &Windows, images: SymbolicShape| windows.infer(&images).unwrap_err().to_string();
        insta::assert_snapshot!(
            [
                fault(&windows(3, 1, 0, false), [1, 3, 8].into()),
                fault(&windows(3, 1, 3, false), symbolic()),
                fault(&windows(3, 0, 0, false), symbolic()),
                fault(&windows(9, 1, 0, false), symbolic()),
                fault(&windows(3, 1, 0, false), [1, 3, 0, 8].into()),
                fault(&Windows::of_kernel([2; 4]), [1; 6].into()),
                fault(&Windows::of_kernel([2, i64::MAX]), symbolic()),
                fault(
                    &Windows { sliding: Sliding { strides: vec![1], ..Sliding::default() }, ..windows(3, 1, 0, false) },
                    symbolic()
                ),
            ]
            .join("\n")
        );
    }
}
