//! Calls of movement operations, as values.

use bytemuck::Pod;
use stratal_kernels::movement::{PadMode, Padding, ScatterReduction, Triangle};
use stratal_kernels::{AnyView, AnyViewMut, KernelError, Kernels};
use stratal_tensor_base::{DType, Scalar, match_dtype};

/// An operation with its attributes. What it works on comes with the call.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    Concat { axis: i64 },
    Tile { repeats: Vec<i64> },
    Pad { before: Vec<i64>, after: Vec<i64>, mode: Mode },
    Gather { axis: i64 },
    GatherElements { axis: i64 },
    GatherNd { batch_axes: usize },
    ScatterElements { axis: i64, reduction: ScatterReduction },
    ScatterNd { reduction: ScatterReduction },
    OneHot { depth: i64, axis: i64, values: [Pattern; 2] },
    Triangular { triangle: Triangle, diagonal: i64 },
    NonZero,
    Compress { axis: Option<i64> },
    ReverseSequence { batch_axis: i64, time_axis: i64 },
}

/// What a pad adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    Constant(Pattern),
    Reflect,
    Edge,
    Wrap,
}

/// An element's bits, with its dtype.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pattern(pub(crate) DType, pub(crate) u64);

impl Pattern {
    pub(crate) fn scalar(self) -> Scalar {
        fn read<T: Pod>(bits: u64) -> T {
            bytemuck::pod_read_unaligned(&bits.to_le_bytes()[..size_of::<T>()])
        }
        match_dtype!(self.0, T => Scalar::from(read::<T>(self.1)))
    }
}

impl Call {
    pub(crate) fn run(
        &self,
        kernels: &dyn Kernels,
        operands: &[AnyView<'_>],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        match (self, operands) {
            (Self::Concat { axis }, parts) => kernels.concat(parts, *axis, result),
            (Self::Tile { repeats }, [x]) => kernels.tile(x, repeats, result),
            (Self::Pad { before, after, mode }, [x]) => {
                let mode = match mode {
                    Mode::Constant(value) => PadMode::Constant(value.scalar()),
                    Mode::Reflect => PadMode::Reflect,
                    Mode::Edge => PadMode::Edge,
                    Mode::Wrap => PadMode::Wrap,
                };
                kernels.pad(x, &Padding { before, after, mode }, result)
            }
            (Self::Gather { axis }, [x, indices]) => kernels.gather(x, indices, *axis, result),
            (Self::GatherElements { axis }, [x, indices]) => kernels.gather_elements(x, indices, *axis, result),
            (Self::GatherNd { batch_axes }, [x, indices]) => kernels.gather_nd(x, indices, *batch_axes, result),
            (Self::ScatterElements { axis, reduction }, [x, indices, updates]) => {
                kernels.scatter_elements(x, indices, updates, *axis, *reduction, result)
            }
            (Self::ScatterNd { reduction }, [x, indices, updates]) => {
                kernels.scatter_nd(x, indices, updates, *reduction, result)
            }
            (Self::OneHot { depth, axis, values }, [indices]) => {
                kernels.one_hot(indices, *depth, *axis, values.map(Pattern::scalar), result)
            }
            (Self::Triangular { triangle, diagonal }, [x]) => kernels.triangular(x, *triangle, *diagonal, result),
            (Self::NonZero, [x]) => kernels.non_zero(x, result),
            (Self::Compress { axis }, [x, condition]) => kernels.compress(x, condition, *axis, result),
            (Self::ReverseSequence { batch_axis, time_axis }, [x, lengths]) => {
                kernels.reverse_sequence(x, lengths, *batch_axis, *time_axis, result)
            }
            _ => panic!("{self:?} of {} operands", operands.len()),
        }
    }

    /// The form that works on the first operand where it is, if there is one.
    pub(crate) fn run_in_place(
        &self,
        kernels: &dyn Kernels,
        x: &mut AnyViewMut<'_>,
        others: &[AnyView<'_>],
    ) -> Option<Result<(), KernelError>> {
        match (self, others) {
            (Self::ScatterElements { axis, reduction }, [indices, updates]) => {
                Some(kernels.scatter_elements_in_place(x, indices, updates, *axis, *reduction))
            }
            (Self::ScatterNd { reduction }, [indices, updates]) => {
                Some(kernels.scatter_nd_in_place(x, indices, updates, *reduction))
            }
            _ => None,
        }
    }

    /// Whether bits are only moved.
    pub(crate) fn moves_bits(&self) -> bool {
        match self {
            Self::ScatterElements { reduction, .. } | Self::ScatterNd { reduction } => {
                *reduction == ScatterReduction::None
            }
            _ => true,
        }
    }
}
