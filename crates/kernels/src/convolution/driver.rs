//! Which strategy computes a convolution, and from what to what.

use std::array::from_fn;

use stratal_tensor_base::{DType, Geometry};

use super::filter::Filter;
use super::images::{Images, Steps};
use super::padded::{BEHIND, Layout, Pad};
use super::patches::Patches;
use super::{Convolution, ConvolutionError, Depth, Strategy, direct};
use crate::matmul::{
    Exact, Finish, Grid, Machine, PackedMatrix, Product, Side, Strided, Use, compute, is_parallel, tasks, with_bytes,
    with_scratch,
};
use crate::rows::{Along, Places};
use crate::{AnyView, AnyViewMut, Epilogue, KernelError, Precision};

/// A convolution whose operands were checked; the bias has the result's shape.
#[derive(Debug)]
pub(crate) struct Fitted<'a> {
    pub(crate) x: AnyView<'a>,
    pub(crate) weights: AnyView<'a>,
    pub(crate) bias: Option<AnyView<'a>>,
}

/// Bytes of the copies of images that are made at a time, unless one image has more.
const CHUNK: usize = 4 << 20;

/// Computes a convolution.
pub(crate) fn run(
    machine: Machine<'_>,
    convolution: &Convolution,
    fitted: &Fitted<'_>,
    epilogue: &Epilogue<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let strategy = choose(convolution, &fitted.weights)?;
    if result.shape().is_empty() {
        return Ok(());
    }
    let rank = result.shape().rank();
    let order = Order::of(result.geometry(), convolution, strategy);
    let axis_along = |axis: usize| if order == Order::Interleaved { axis == 1 } else { axis > 1 };
    let along: Along = from_fn(|axis| axis < rank && axis_along(axis));
    let finish = Finish::new(machine.isa, result.dtype(), epilogue, fitted.bias.as_ref(), &along);
    let problem = Problem { machine, convolution, fitted, strategy, order, outputs: Images::new(result.geometry()) };
    with_bytes(machine, result, order != Order::Neither, finish.reads_result(), |bytes| {
        problem.run(&finish, bytes);
        Ok(())
    })
}

/// The strategy asked for, if it fits, or the one that suits the problem.
pub(crate) fn choose(convolution: &Convolution, weights: &AnyView<'_>) -> Result<Strategy, ConvolutionError> {
    let kernel = Images::new(weights.geometry());
    let moves_by_one = convolution.axes.iter().all(|axis| axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0);
    let is_pointwise = moves_by_one && convolution.groups == 1 && kernel.positions() == 1;
    match convolution.strategy {
        Some(Strategy::Pointwise) if !is_pointwise => Err(ConvolutionError::Strategy { strategy: Strategy::Pointwise }),
        Some(strategy) => Ok(strategy),
        None if is_pointwise => Ok(Strategy::Pointwise),
        // One channel and a few outputs of it: too little to be worth packing.
        None if kernel.channels.0 == 1 && kernel.batch.0 <= 2 * convolution.groups => Ok(Strategy::Direct),
        None => Ok(Strategy::Implicit),
    }
}

/// How the images of a result lie, one behind the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Channel by channel.
    Planar,
    /// Position by position.
    Interleaved,
    /// Neither.
    Neither,
}

impl Order {
    fn of(result: &Geometry, convolution: &Convolution, strategy: Strategy) -> Self {
        if result.is_contiguous() {
            return Self::Planar;
        }
        let rank = result.shape().rank() as i64;
        let is_interleaved = result.movedim(1, rank - 1).is_ok_and(|moved| moved.is_contiguous());
        if is_interleaved && convolution.groups == 1 && strategy != Strategy::Direct {
            return Self::Interleaved;
        }
        Self::Neither
    }
}

/// What does not change from dtype to dtype.
struct Problem<'a> {
    machine: Machine<'a>,
    convolution: &'a Convolution,
    fitted: &'a Fitted<'a>,
    strategy: Strategy,
    /// How the result lies; what lies neither way is computed channel by channel.
    order: Order,
    outputs: Images,
}

impl Problem<'_> {
    fn run(&self, finish: &Finish<'_>, result: &mut [u8]) {
        match (self.machine.precision, self.fitted.x.dtype()) {
            (Precision::Exact, _) => self.run_as::<Exact>(finish, result),
            (Precision::Fast, DType::F64) => self.run_as::<f64>(finish, result),
            (Precision::Fast, _) => self.run_as::<f32>(finish, result),
        }
    }

    fn run_as<T: Pad>(&self, finish: &Finish<'_>, result: &mut [u8])
    where
        for<'b> Strided<'b>: Side<T>,
        PackedMatrix: Side<T>,
    {
        match self.strategy {
            Strategy::Pointwise if self.pointwise::<T>(finish, result) => {}
            _ => self.windows::<T>(finish, result),
        }
    }

    /// A product on the images as they lie, if one distance leads through their positions.
    fn pointwise<T: Pad>(&self, finish: &Finish<'_>, result: &mut [u8]) -> bool
    where
        for<'b> Strided<'b>: Side<T>,
    {
        let (x, weights) = (&self.fitted.x, &self.fitted.weights);
        let (geometry, images) = (x.geometry(), Images::new(x.geometry()));
        let rank = geometry.shape().rank();
        let spatial: Along = from_fn(|axis| (2..rank).contains(&axis));
        let image: Along = from_fn(|axis| (1..rank).contains(&axis));
        let Some(line) = Places::new(geometry, &spatial).along().stride() else { return false };
        let (matrices, step) = (Places::new(geometry, &image), images.channels.1);
        let x = Strided { bytes: x.bytes(), dtype: x.dtype(), matrices, line, depth: step };
        let filter = Strided {
            bytes: weights.bytes(),
            dtype: weights.dtype(),
            matrices: Places::new(weights.geometry(), &[true; stratal_tensor_base::MAX_RANK]),
            line: weights.geometry().strides()[0] as isize,
            depth: weights.geometry().strides()[1] as isize,
        };
        let depth = Depth { channels: images.channels.0, taps: 1 };
        let (images, rows, positions) = (images.batch.0, self.outputs.channels.0, self.outputs.positions());
        let product = |left, right| Product { left, right, depth: depth.count(), depth_block: depth.block() };
        if self.order == Order::Interleaved {
            let grid = Grid::new(images, positions, rows);
            compute(self.machine, &product(&x as &dyn Side<T>, &filter), grid, true, finish, result);
        } else {
            let grid = Grid::new(images, rows, positions);
            compute(self.machine, &product(&filter as &dyn Side<T>, &x), grid, false, finish, result);
        }
        true
    }

    /// From padded copies of images.
    fn windows<T: Pad>(&self, finish: &Finish<'_>, result: &mut [u8]) {
        let (x, weights, groups) = (&self.fitted.x, &self.fitted.weights, self.convolution.groups);
        let (images, kernel) = (Images::new(x.geometry()), Images::new(weights.geometry()));
        let (steps, depth) =
            (Steps::new(&self.convolution.axes), Depth { channels: kernel.channels.0, taps: kernel.positions() });
        let layout = Layout::new(&images, &steps, self.order == Order::Interleaved);
        let each = layout.count();
        let together = (CHUNK / size_of::<T>() / each.max(1)).clamp(1, images.batch.0.max(1));
        let outputs = self.outputs.channels.0;
        let of_image = result.len() / images.batch.0;
        // The rows of an image in the result, as an epilogue counts them.
        let rows = if self.order == Order::Interleaved { self.outputs.positions() } else { outputs };
        with_scratch::<T, _>(Use::Filter, outputs * depth.count(), |room| {
            let filter = Filter::new(self.machine.isa, weights, groups, depth, room);
            with_scratch::<T, _>(Use::Images, together * each + BEHIND, |room| {
                let parts = result.chunks_mut(of_image * together).enumerate();
                for (first, result) in parts.map(|(chunk, part)| (chunk * together, part)) {
                    let count = result.len() / of_image;
                    self.machine.threads.for_each_chunk(&mut room[..count * each], each.max(1), |position, to| {
                        T::pad(self.machine.isa, x, &images, first + position / each.max(1), &layout, to);
                    });
                    let moves = (steps.stride, steps.dilation);
                    let windows = self.outputs.extents();
                    let patches = Patches::new(room, &layout, groups, depth, kernel.extents(), moves, windows);
                    self.chunk(&filter, &patches, depth, count, &finish.without_first(first * rows), result);
                }
            });
        });
    }

    /// Some images.
    fn chunk<T: Pad>(
        &self,
        filter: &Filter<'_, T>,
        patches: &Patches<'_, T>,
        depth: Depth,
        images: usize,
        finish: &Finish<'_>,
        result: &mut [u8],
    ) {
        let (machine, groups, positions) = (self.machine, self.convolution.groups, self.outputs.positions());
        let rows = self.outputs.channels.0 / groups;
        let product = |left, right| Product { left, right, depth: depth.count(), depth_block: depth.block() };
        if self.order == Order::Interleaved {
            let grid = Grid::new(images, positions, rows);
            return compute(machine, &product(patches as &dyn Side<T>, filter), grid, true, finish, result);
        }
        let grid = Grid::with_columns(images * groups, rows, positions);
        if self.strategy == Strategy::Direct && depth.count() > 0 {
            let in_parallel = is_parallel(&grid, depth.count());
            tasks(machine, grid, in_parallel, finish, result, |part, terms| {
                direct::compute(machine.isa, filter, patches, depth.block(), part, terms);
            });
        } else {
            compute(machine, &product(filter as &dyn Side<T>, patches), grid, false, finish, result);
        }
    }
}
