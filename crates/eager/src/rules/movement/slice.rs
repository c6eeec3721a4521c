//! `Slice`: zeros, with the gradient where the elements were taken from.

use stratal_ops::Slice;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::views::Window;

impl Derivative for Slice {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs(1..5)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shape = call.shape(0);
        let (starts, ends) = (call.integers(1)?.unwrap_or_default(), call.integers(2)?.unwrap_or_default());
        let axes = call.integers(3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
        let steps = call.integers(4)?.unwrap_or_else(|| vec![1; starts.len()]);
        let mut windows = Vec::with_capacity(axes.len());
        for (position, &axis) in axes.iter().enumerate() {
            let (mut start, step) = (starts[position], steps[position]);
            if step < 0 {
                // Backward from before the first element is from the first one, as ONNX clamps; Python takes nothing then.
                start = start.max(-(shape.extent(shape.axis(axis)?) as i64));
            }
            windows.push(Window::Slice { axis, start: Some(start), stop: Some(ends[position]), step });
        }
        Ok(call.gradient()?.placed(shape, &Window::Nested(windows))?.into())
    }
}
