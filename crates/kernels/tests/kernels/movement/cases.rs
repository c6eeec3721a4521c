//! Calls made up: any operation, dtypes, extents and strides.

use stratal_kernels::movement::{ScatterReduction, Triangle};
use stratal_tensor_base::DType;

use super::calls::{Call, Mode, Pattern};
use super::runner::Operand;
use crate::array::Array;
use crate::place::{Place, in_order};
use crate::values::{Generator, mixed};

/// The operations by name.
pub(crate) const OPERATIONS: [&str; 13] = [
    "concat",
    "tile",
    "pad",
    "gather",
    "gather_elements",
    "gather_nd",
    "scatter_elements",
    "scatter_nd",
    "one_hot",
    "triangular",
    "non_zero",
    "compress",
    "reverse_sequence",
];

pub(crate) const REDUCTIONS: [ScatterReduction; 5] = [
    ScatterReduction::None,
    ScatterReduction::Add,
    ScatterReduction::Mul,
    ScatterReduction::Min,
    ScatterReduction::Max,
];

/// A call of an operation that can be done.
pub(crate) fn case(operation: &str, dtype: DType, generator: &mut Generator) -> (Call, Vec<Operand>) {
    match operation {
        "concat" => concat(dtype, generator),
        "tile" => {
            let extents = extents(0, 4, generator);
            let repeats = extents.iter().map(|_| [0, 1, 1, 2, 3, 7][generator.below(6)]).collect();
            (Call::Tile { repeats }, vec![operand(dtype, &extents, generator)])
        }
        "pad" => pad(dtype, generator),
        "gather" => {
            let x = extents(1, 4, generator);
            let axis = generator.below(x.len());
            let shape = index_extents(extents(0, 3, generator), x[axis]);
            let operands = vec![operand(dtype, &x, generator), indices(&shape, |_| x[axis], generator)];
            (Call::Gather { axis: signed(axis, x.len(), generator) }, operands)
        }
        "gather_elements" => {
            let (x, axis, shape) = elements(generator);
            let operands = vec![operand(dtype, &x, generator), indices(&shape, |_| x[axis], generator)];
            (Call::GatherElements { axis: signed(axis, x.len(), generator) }, operands)
        }
        "gather_nd" => {
            let x = extents(1, 4, generator);
            let batch_axes = generator.below(x.len());
            let coordinates = 1 + generator.below(x.len() - batch_axes);
            let own = index_extents(extents(0, 2, generator), *x[batch_axes..][..coordinates].iter().min().unwrap());
            let shape = [&x[..batch_axes], &own, &[coordinates as i64]].concat();
            let limit = |position: usize| x[batch_axes + position % coordinates];
            let operands = vec![operand(dtype, &x, generator), indices(&shape, limit, generator)];
            (Call::GatherNd { batch_axes }, operands)
        }
        "scatter_elements" => {
            let (x, axis, shape) = elements(generator);
            let indices = indices(&shape, |_| x[axis], generator);
            let operands = vec![operand(dtype, &x, generator), indices, operand(dtype, &shape, generator)];
            let reduction = reduction(dtype, generator);
            (Call::ScatterElements { axis: signed(axis, x.len(), generator), reduction }, operands)
        }
        "scatter_nd" => {
            let x = extents(1, 4, generator);
            let coordinates = 1 + generator.below(x.len());
            let own = index_extents(extents(0, 2, generator), *x[..coordinates].iter().min().unwrap());
            let shape = [&own[..], &[coordinates as i64]].concat();
            let indices = indices(&shape, |position| x[position % coordinates], generator);
            let updates = [&own[..], &x[coordinates..]].concat();
            let operands = vec![operand(dtype, &x, generator), indices, operand(dtype, &updates, generator)];
            (Call::ScatterNd { reduction: reduction(dtype, generator) }, operands)
        }
        "one_hot" => {
            let shape = extents(0, 3, generator);
            let depth = generator.below(6) as i64;
            let axis = generator.below(shape.len() + 1);
            let values = [Pattern(dtype, any(dtype, generator)), Pattern(dtype, any(dtype, generator))];
            // Some indices outside.
            let operands = vec![indices(&shape, |_| depth + 2, generator)];
            (Call::OneHot { depth, axis: signed(axis, shape.len() + 1, generator), values }, operands)
        }
        "triangular" => {
            let x = extents(2, 4, generator);
            let triangle = [Triangle::Upper, Triangle::Lower][generator.below(2)];
            let diagonal = match generator.below(8) {
                0 => i64::MIN,
                1 => i64::MAX,
                _ => generator.below(15) as i64 - 7,
            };
            (Call::Triangular { triangle, diagonal }, vec![operand(dtype, &x, generator)])
        }
        "non_zero" => {
            let x = extents(0, 4, generator);
            (Call::NonZero, vec![operand(dtype, &x, generator)])
        }
        "compress" => {
            let x = extents(0, 4, generator);
            let axis = (!x.is_empty() && generator.below(3) > 0).then(|| generator.below(x.len()));
            let most = axis.map_or(x.iter().product(), |axis| x[axis]);
            let length = if generator.below(3) == 0 { generator.below(most as usize + 1) as i64 } else { most };
            let operands = vec![operand(dtype, &x, generator), operand(DType::Bool, &[length], generator)];
            (Call::Compress { axis: axis.map(|axis| signed(axis, x.len(), generator)) }, operands)
        }
        _ => {
            let x = extents(2, 4, generator);
            let batch = generator.below(x.len());
            let time = (batch + 1 + generator.below(x.len() - 1)) % x.len();
            let place = place(&[x[batch]], true, generator);
            let length = |generator: &mut Generator| generator.below(x[time] as usize + 1) as u64;
            let lengths: Vec<u64> = (0..place.buffer).map(|_| length(generator)).collect();
            let lengths = Array::new([DType::I32, DType::I64][generator.below(2)], lengths);
            let call = Call::ReverseSequence {
                batch_axis: signed(batch, x.len(), generator),
                time_axis: signed(time, x.len(), generator),
            };
            (call, vec![operand(dtype, &x, generator), (lengths, place)])
        }
    }
}

fn concat(dtype: DType, generator: &mut Generator) -> (Call, Vec<Operand>) {
    let first = extents(1, 4, generator);
    let axis = generator.below(first.len());
    let part = |generator: &mut Generator| {
        let mut extents = first.clone();
        extents[axis] = extent(generator);
        operand(dtype, &extents, generator)
    };
    let parts = (0..1 + generator.below(5)).map(|_| part(generator)).collect();
    (Call::Concat { axis: signed(axis, first.len(), generator) }, parts)
}

fn pad(dtype: DType, generator: &mut Generator) -> (Call, Vec<Operand>) {
    let x = extents(0, 4, generator);
    let value = Pattern(dtype, any(dtype, generator));
    let mode = [Mode::Constant(value), Mode::Reflect, Mode::Edge, Mode::Wrap][generator.below(4)];
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for extent in &x {
        let cut = |generator: &mut Generator| -(generator.below(3) as i64);
        let (mut first, mut last) = match generator.below(3) {
            0 => (0, 0),
            1 => (cut(generator), generator.below(8) as i64),
            _ => (generator.below(8) as i64, cut(generator)),
        };
        if generator.below(2) == 0 {
            (first, last) = (first.max(0), last.max(0) + generator.below(3) as i64);
        }
        let left = extent + first.min(0) + last.min(0);
        let most = match mode {
            Mode::Constant(_) => 8,
            Mode::Reflect => (left - 1).max(0),
            _ if left > 0 => 30,
            _ => 0,
        };
        (first, last) = (first.min(most), last.min(most));
        if extent + first + last < 0 {
            (first, last) = (0, 0);
        }
        before.push(first);
        after.push(last);
    }
    (Call::Pad { before, after, mode }, vec![operand(dtype, &x, generator)])
}

/// Extents of an operand, an axis, and extents of indices along it.
fn elements(generator: &mut Generator) -> (Vec<i64>, usize, Vec<i64>) {
    let x = extents(1, 4, generator);
    let axis = generator.below(x.len());
    let others = x
        .iter()
        .map(|extent| if generator.below(3) == 0 { generator.below(*extent as usize + 1) as i64 } else { *extent });
    let mut shape: Vec<i64> = others.collect();
    shape[axis] = if x[axis] == 0 { 0 } else { extent(generator) };
    (x, axis, shape)
}

fn reduction(dtype: DType, generator: &mut Generator) -> ScatterReduction {
    if dtype == DType::Bool { ScatterReduction::None } else { REDUCTIONS[generator.below(5)] }
}

fn extent(generator: &mut Generator) -> i64 {
    [0, 1, 1, 2, 2, 3, 3, 4, 5, 7][generator.below(10)]
}

fn extents(least: usize, most: usize, generator: &mut Generator) -> Vec<i64> {
    let rank = least + generator.below(most + 1 - least);
    (0..rank).map(|_| extent(generator)).collect()
}

/// Extents of indices, empty where there is nothing to point to.
fn index_extents(mut extents: Vec<i64>, limit: i64) -> Vec<i64> {
    if limit == 0 {
        extents.push(0);
    }
    extents
}

/// An axis that counts from the start or from the end.
fn signed(axis: usize, rank: usize, generator: &mut Generator) -> i64 {
    if generator.below(2) == 0 { axis as i64 } else { axis as i64 - rank as i64 }
}

fn any(dtype: DType, generator: &mut Generator) -> u64 {
    mixed(dtype, 1, generator).get(0)
}

/// Elements of any kind that lie anywhere, several indices on one element perhaps.
pub(crate) fn operand(dtype: DType, extents: &[i64], generator: &mut Generator) -> Operand {
    let place = place(extents, true, generator);
    (mixed(dtype, place.buffer, generator), place)
}

/// Indices from either end below limits, which are told the position.
fn indices(extents: &[i64], limit: impl Fn(usize) -> i64, generator: &mut Generator) -> Operand {
    // Each with elements of its own, since limits differ.
    let place = place(extents, false, generator);
    let mut array = Array::canary([DType::I32, DType::I64][generator.below(2)], place.buffer);
    for (position, element) in place.positions().into_iter().enumerate() {
        let limit = limit(position);
        let index = generator.below(2 * limit as usize) as i64 - limit;
        array.set(element, index as u64 & (u64::MAX >> (64 - 8 * array.dtype.size() as u32)));
    }
    (array, place)
}

/// A place of elements in any order, some axes backwards, with gaps; perhaps some repeated.
pub(crate) fn place(extents: &[i64], may_overlap: bool, generator: &mut Generator) -> Place {
    let mut order: Vec<usize> = (0..extents.len()).collect();
    let before = generator.below(4) as i64;
    if generator.below(3) == 0 {
        return Place::dense(extents, before);
    }
    if generator.below(2) == 0 {
        for position in (1..order.len()).rev() {
            order.swap(position, generator.below(position + 1));
        }
    }
    let with_gaps: Vec<i64> =
        extents.iter().map(|extent| extent + if generator.below(5) == 0 { 2 } else { 0 }).collect();
    let innermost = [1, 1, 1, 2][generator.below(4)];
    let mut strides = in_order(&with_gaps, &order, innermost);
    for stride in &mut strides {
        match generator.below(8) {
            0 => *stride = -*stride,
            1 if may_overlap => *stride = 0,
            2 if may_overlap => *stride = generator.below(9) as i64 - 4,
            _ => {}
        }
    }
    Place::new(extents, &strides, before)
}
