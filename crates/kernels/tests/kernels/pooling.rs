//! Pooling: golden vectors, every backend against the reference, the reference against a model, known mistakes, errors.

mod edge_cases;
mod errors;
mod golden;
mod model;
mod sweep;

use stratal_kernels::pool::{Window, WindowAxis};
use stratal_kernels::{AnyView, AnyViewMut, KernelError, Kernels};
use stratal_tensor_base::{DType, Shape};

/// What is pooled.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Max,
    MaxWithIndices(DType),
    Average(bool),
    Power(i64),
}

impl Kind {
    fn is_defined(self, dtype: DType) -> bool {
        match self {
            Self::Max | Self::MaxWithIndices(_) => dtype != DType::Bool,
            _ => dtype.is_float(),
        }
    }

    /// Whether NaN keep their bits.
    fn moves_bits(self) -> bool {
        matches!(self, Self::Max | Self::MaxWithIndices(_))
    }

    /// The dtypes of the results.
    fn results(self, dtype: DType) -> Vec<DType> {
        match self {
            Self::MaxWithIndices(indices) => vec![dtype, indices],
            _ => vec![dtype],
        }
    }

    fn call(
        self,
        kernels: &dyn Kernels,
        window: &Window,
        x: &AnyView<'_>,
        results: &mut [AnyViewMut<'_>],
    ) -> Result<(), KernelError> {
        match (self, results) {
            (Self::MaxWithIndices(_), [result, indices]) => kernels.max_pool(window, x, result, Some(indices)),
            (Self::Average(counts), [result]) => kernels.average_pool(window, counts, x, result),
            (Self::Power(power), [result]) => kernels.lp_pool(window, power, x, result),
            (_, results) => kernels.max_pool(window, x, &mut results[0], None),
        }
    }
}

/// A window of equal steps: kernel, stride and padding of each axis.
fn window(axes: &[(i64, i64, i64)]) -> Window {
    let axis = |(kernel, stride, pad): &(i64, i64, i64)| WindowAxis {
        kernel: *kernel,
        stride: *stride,
        pad_begin: *pad,
        pad_end: *pad,
        ..WindowAxis::default()
    };
    Window { axes: axes.iter().map(axis).collect(), ceil: false }
}

fn extents(shape: &Shape) -> Vec<i64> {
    shape.extents().iter().map(|extent| i64::from(*extent)).collect()
}
