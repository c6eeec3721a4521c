//! How tensors print: a header, and nested rows with long axes cut in the middle.

use std::fmt;

use stratal_tensor_base::{Element, match_dtype};

use crate::{Tensor, TensorError, View};

/// A tensor as it is about to be printed; made by [`Tensor::printed`].
#[derive(Debug, Clone)]
pub struct Printed<'a> {
    tensor: &'a Tensor,
    edge_items: usize,
    uncut_count: usize,
}

impl Printed<'_> {
    /// How many items are shown at each end of an axis that is cut; at least one. By default 3.
    pub fn edge_items(self, edge_items: usize) -> Self {
        Self { edge_items: edge_items.max(1), ..self }
    }

    /// Up to how many elements a tensor is shown whole. By default 1000.
    pub fn uncut_count(self, uncut_count: usize) -> Self {
        Self { uncut_count, ..self }
    }
}

impl Tensor {
    /// The tensor's dtype, shape and elements, for printing with other settings than `Display` has.
    ///
    /// ```
    /// use stratal_tensor::{Tensor, base::DType};
    ///
    /// let numbers = Tensor::arange(0, 100, 1, DType::I32)?;
    /// let printed = numbers.printed().edge_items(2).uncut_count(50).to_string();
    /// assert_eq!(printed, "int32 [100]\n[ 0,  1, ..., 98, 99]");
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn printed(&self) -> Printed<'_> {
        Printed { tensor: self, edge_items: 3, uncut_count: 1000 }
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.printed(), formatter)
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Tensor {{ {} {}, strides {:?}, offset {}, {}, generation {}, version {} }}",
            self.dtype(),
            self.shape(),
            self.strides(),
            self.offset(),
            self.layout(),
            self.buffer().generation(),
            self.version(),
        )
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tensor = self.tensor;
        write!(formatter, "{} {}", tensor.dtype(), tensor.shape())?;
        let rows = match_dtype!(tensor.dtype(), T => {
            tensor.view::<T>().map(|view| Rows::new(view.as_view(), self))
        });
        match rows {
            Ok(rows) => write!(formatter, "\n{rows}"),
            Err(TensorError::Blocked { layout, .. }) => write!(formatter, " in layout {layout}"),
            // Printing is for looking: what cannot be looked at says why.
            Err(error) => write!(formatter, " ({error})"),
        }
    }
}

/// The shown elements as text, nested like the axes.
enum Rows {
    Element(String),
    Axis(Vec<Rows>),
    Gap,
}

impl Rows {
    fn new<T: Element>(view: View<'_, T>, printed: &Printed<'_>) -> Self {
        if view.shape().is_empty() {
            // However many rows of nothing there are.
            return Self::Axis(Vec::new());
        }
        let is_cut = view.shape().count() > printed.uncut_count;
        let edge_items = if is_cut { printed.edge_items } else { usize::MAX };
        Self::of_axes(&view, edge_items, &mut Vec::new())
    }

    fn of_axes<T: Element>(view: &View<'_, T>, edge_items: usize, index: &mut Vec<i64>) -> Self {
        let Some(extent) = view.shape().extents().get(index.len()).map(|extent| *extent as usize) else {
            // The index is of the shape it was built from.
            return Self::Element(view.get(index).map_or_else(|error| error.to_string(), |value| format!("{value:?}")));
        };
        let mut item = |position: usize| {
            index.push(position as i64);
            let item = Self::of_axes(view, edge_items, index);
            index.pop();
            item
        };
        if extent <= edge_items.saturating_mul(2) {
            return Self::Axis((0..extent).map(item).collect());
        }
        let mut items: Vec<Self> = (0..edge_items).map(&mut item).collect();
        items.push(Self::Gap);
        items.extend((extent - edge_items..extent).map(item));
        Self::Axis(items)
    }

    fn width(&self) -> usize {
        match self {
            Self::Element(text) => text.chars().count(),
            Self::Axis(items) => items.iter().map(Self::width).max().unwrap_or(0),
            Self::Gap => 0,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::Axis(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    fn write(&self, formatter: &mut fmt::Formatter<'_>, width: usize, indent: usize) -> fmt::Result {
        match self {
            Self::Element(text) => write!(formatter, "{text:>width$}"),
            Self::Gap => formatter.write_str("..."),
            Self::Axis(items) => {
                // Inside the innermost axis a space, between rows a line break, between matrices an empty line more.
                let depth = self.depth();
                let separator = match depth {
                    1 => ", ".to_owned(),
                    _ => format!(",{}{:indent$}", "\n".repeat(depth - 1), "", indent = indent + 1),
                };
                formatter.write_str("[")?;
                for (position, item) in items.iter().enumerate() {
                    formatter.write_str(if position == 0 { "" } else { &separator })?;
                    item.write(formatter, width, indent + 1)?;
                }
                formatter.write_str("]")
            }
        }
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, self.width(), 0)
    }
}
