//! `MaxPool`: the maximum of each window, and where it was found.

use stratal_kernels::AnyViewMut;
use stratal_tensor_base::{DType, Shape};

use super::Windows;
use crate::operands::unfit;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// The maximum of each window; padding never wins. The second output, if it is wanted, says where each was found, counting
/// through all images.
///
/// The first NaN of a window wins, else the first of the largest elements in row-major order. A window of negative infinities
/// has the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaxPool {
    /// The windows.
    pub windows: Windows,
    /// How the elements of an image are counted.
    pub storage_order: StorageOrder,
}

/// How elements of an image are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StorageOrder {
    /// Along the last axis first.
    #[default]
    RowMajor,
    /// Along the first axis after the channels first. Channels and batch are counted in row-major order still.
    ColumnMajor,
}

impl MaxPool {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "MaxPool",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=2,
        attributes: &["auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"],
        dtypes: dtypes::NUMBERS,
        build: |node| {
            let is_column_major = node.flag("storage_order", false)?;
            let storage_order = if is_column_major { StorageOrder::ColumnMajor } else { StorageOrder::RowMajor };
            Ok(Box::new(Self { windows: Windows::of_node(node)?, storage_order }))
        },
    };
}

impl Operator for MaxPool {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::NUMBERS)?;
        let shape = self.windows.infer(inputs.shape(0)?)?;
        Ok(vec![Fact::new(dtype, shape.clone()), Fact::new(DType::I64, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let window = self.windows.on(x.shape())?;
        let [maxima, indices] = outputs.places([0, 1])?;
        let Some(mut indices) = indices else {
            return match maxima {
                Some(mut maxima) => Ok(context.kernels().max_pool(&window, x, &mut maxima.view()?, None)?),
                None => Ok(()),
            };
        };
        let mut indices = indices.view()?;
        match maxima {
            Some(mut maxima) => {
                context.kernels().max_pool(&window, x, &mut maxima.view()?, Some(&mut indices))?;
            }
            None => {
                let maxima = context.scratch(x.dtype(), indices.shape())?;
                crate::write(&maxima, |maxima| context.kernels().max_pool(&window, x, maxima, Some(&mut indices)))?;
            }
        }
        count_through_all(x.shape(), self.storage_order, &mut indices)
    }
}

/// Makes indices within an image, in row-major order, such that count through all images.
fn count_through_all(images: &Shape, order: StorageOrder, indices: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    let image: Vec<i64> = images.extents()[2..].iter().map(|extent| i64::from(*extent)).collect();
    let elements: i64 = image.iter().product();
    let windows = indices.shape().extents()[2..].iter().map(|extent| *extent as usize).product::<usize>();
    let geometry = *indices.geometry();
    let unfit = unfit(indices.dtype(), indices.shape());
    let Some(mut indices) = indices.typed::<i64>() else { return Err(unfit) };
    let indices = indices.elements_mut();
    for (position, offset) in geometry.offsets().enumerate() {
        let index = match order {
            StorageOrder::RowMajor => indices[offset],
            StorageOrder::ColumnMajor => column_major(indices[offset], &image),
        };
        indices[offset] = (position / windows) as i64 * elements + index;
    }
    Ok(())
}

/// An index in row-major order as one in column-major order.
fn column_major(mut index: i64, extents: &[i64]) -> i64 {
    extents.iter().rev().fold(0, |counted, extent| {
        let place = index % extent;
        index /= extent;
        counted * extent + place
    })
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    fn pooled(pool: &MaxPool, x: &Tensor) -> (Vec<f32>, Vec<i64>) {
        let outputs = Context::new().unwrap().run(pool, &[Some(x)]).unwrap();
        (outputs[0].to_vec().unwrap(), outputs[1].to_vec().unwrap())
    }

    #[test]
    fn indices_count_through_batch_and_channels() {
        let x = Tensor::arange(0, 24, 1, DType::F32).unwrap().reshape(&[1, 2, 3, 4]).unwrap();
        let mut pool = MaxPool { windows: Windows::of_kernel([2, 3]), storage_order: StorageOrder::RowMajor };
        let (maxima, indices) = pooled(&pool, &x);
        assert_eq!(maxima, [6.0, 7.0, 10.0, 11.0, 18.0, 19.0, 22.0, 23.0]);
        assert_eq!(indices, [6, 7, 10, 11, 18, 19, 22, 23]);
        pool.storage_order = StorageOrder::ColumnMajor;
        // Row 1, column 2 of three rows: 1 + 2 * 3.
        assert_eq!(pooled(&pool, &x).1, [7, 10, 8, 11, 19, 22, 20, 23]);
    }

    #[test]
    fn infinities_and_nan_have_a_place() {
        let pool = MaxPool { windows: Windows::of_kernel([2]), storage_order: StorageOrder::RowMajor };
        let x = Tensor::from_slice(&[f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NAN], &[1, 1, 3]).unwrap();
        let (maxima, indices) = pooled(&pool, &x);
        assert!(maxima[0] == f32::NEG_INFINITY && maxima[1].is_nan());
        assert_eq!(indices, [0, 2]);
    }

    #[test]
    fn maxima_need_not_be_wanted() {
        let pool = MaxPool { windows: Windows::of_kernel([2]), storage_order: StorageOrder::RowMajor };
        let x = Tensor::from_slice(&[1_u8, 3, 2], &[1, 1, 3]).unwrap();
        let outputs = Context::new().unwrap().run_wanted(&pool, &[Some(&x)], |output| output == 1).unwrap();
        assert_eq!(outputs[1].as_ref().unwrap().to_vec::<i64>().unwrap(), [1, 1]);
    }
}
