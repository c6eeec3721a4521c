//! Tensors from ndarray's arrays, and views as ndarray's views.

use ndarray::{ArrayBase, ArrayViewD, Axis, Data, Dimension, IxDyn, ShapeBuilder};
use stratal_tensor_base::{Element, Shape};

use crate::{Tensor, TensorError, TensorOptions, View};

impl Tensor {
    /// A row-major tensor with a copy of the elements of an array, whatever its strides.
    ///
    /// # Errors
    /// As for [`TensorOptions::empty`].
    pub fn from_ndarray<T: Element, S: Data<Elem = T>, D: Dimension>(
        array: &ArrayBase<S, D>,
    ) -> Result<Self, TensorError> {
        let tensor = TensorOptions::new(T::DTYPE).empty_of(Shape::try_from(array.shape())?)?;
        for (element, value) in tensor.data_mut::<T>()?.iter_mut().zip(array.iter()) {
            *element = *value;
        }
        Ok(tensor)
    }
}

impl<'a, T: Element> View<'a, T> {
    /// The same elements as ndarray sees them: nothing is copied.
    pub fn as_ndarray(&self) -> ArrayViewD<'a, T> {
        let shape: Vec<usize> = self.shape().extents().iter().map(|extent| *extent as usize).collect();
        let Some(span) = self.geometry().span() else {
            return ArrayViewD::from_shape(IxDyn(&shape), &[]).unwrap_or_else(|_| unreachable!("no elements fill it"));
        };
        // ndarray takes distances forwards only; axes that run backwards are turned around afterwards.
        let strides = self.geometry().strides().iter().map(|stride| stride.unsigned_abs() as usize);
        let strides: Vec<usize> = strides.collect();
        let layout = IxDyn(&shape).strides(IxDyn(&strides));
        // The geometry reaches only these elements, and turned forwards it starts at the first.
        let mut view = ArrayViewD::from_shape(layout, &self.elements()[span])
            .unwrap_or_else(|error| unreachable!("a view fits its elements: {error}"));
        for (axis, stride) in self.geometry().strides().iter().enumerate() {
            if *stride < 0 {
                view.invert_axis(Axis(axis));
            }
        }
        view
    }
}
