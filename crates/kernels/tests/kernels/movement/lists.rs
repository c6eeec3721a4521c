//! `Lists`: what each operation means, told with lists within lists.

use stratal_kernels::movement::{ScatterReduction, Triangle};
use stratal_tensor_base::{DType, bf16, f16};

use super::calls::{Call, Mode};
use crate::array::Array;
use crate::place::Place;

/// A tensor as lists within lists of bit patterns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lists {
    One(u64),
    Many(Vec<Lists>),
}

/// Lists with what they cannot say of themselves.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(crate) dtype: DType,
    pub(crate) extents: Vec<i64>,
    pub(crate) lists: Lists,
}

impl Tensor {
    pub(crate) fn new(array: &Array, place: &Place) -> Self {
        let patterns: Vec<u64> = place.positions().into_iter().map(|position| array.get(position)).collect();
        let lists = Lists::nest(&place.extents, &mut patterns.into_iter());
        Self { dtype: array.dtype, extents: place.extents.clone(), lists }
    }

    pub(crate) fn patterns(&self) -> Vec<u64> {
        self.lists.flat()
    }

    fn number(&self, pattern: u64) -> i64 {
        if self.dtype == DType::I32 { i64::from(pattern as i32) } else { pattern as i64 }
    }

    /// The lists with each pattern as a number.
    fn numbers(&self) -> Lists {
        self.lists.map(&|pattern| self.number(pattern) as u64)
    }

    fn axis(&self, axis: i64) -> usize {
        if axis < 0 { (axis + self.extents.len() as i64) as usize } else { axis as usize }
    }
}

impl Lists {
    fn nest(extents: &[i64], patterns: &mut impl Iterator<Item = u64>) -> Self {
        match extents {
            [] => Self::One(patterns.next().unwrap()),
            [extent, rest @ ..] => Self::Many((0..*extent).map(|_| Self::nest(rest, patterns)).collect()),
        }
    }

    fn all(extents: &[i64], pattern: u64) -> Self {
        Self::nest(extents, &mut std::iter::repeat(pattern))
    }

    fn flat(&self) -> Vec<u64> {
        match self {
            Self::One(pattern) => vec![*pattern],
            Self::Many(lists) => lists.iter().flat_map(Self::flat).collect(),
        }
    }

    fn one(&self) -> u64 {
        match self {
            Self::One(pattern) => *pattern,
            Self::Many(_) => panic!("a list"),
        }
    }

    fn many(&self) -> &[Self] {
        match self {
            Self::One(_) => panic!("an element"),
            Self::Many(lists) => lists,
        }
    }

    fn map(&self, function: &dyn Fn(u64) -> u64) -> Self {
        match self {
            Self::One(pattern) => Self::One(function(*pattern)),
            Self::Many(lists) => Self::Many(lists.iter().map(|list| list.map(function)).collect()),
        }
    }

    /// The lists with those at a depth replaced.
    fn at_depth(&self, depth: usize, function: &mut dyn FnMut(&[Self]) -> Self) -> Self {
        match depth {
            0 => function(self.many()),
            _ => Self::Many(self.many().iter().map(|list| list.at_depth(depth - 1, function)).collect()),
        }
    }

    /// The part with a number at an index, counted from the end if negative.
    fn part(&self, number: u64) -> &Self {
        let lists = self.many();
        let number = number as i64;
        &lists[if number < 0 { (number + lists.len() as i64) as usize } else { number as usize }]
    }

    fn get_mut(&mut self, path: &[i64]) -> &mut Self {
        match (path, self) {
            ([], here) => here,
            ([first, rest @ ..], Self::Many(lists)) => {
                let count = lists.len() as i64;
                lists[if *first < 0 { first + count } else { *first } as usize].get_mut(rest)
            }
            _ => panic!("a path too long"),
        }
    }

    /// Every element with its path.
    fn paths(&self) -> Vec<(Vec<i64>, u64)> {
        match self {
            Self::One(pattern) => vec![(Vec::new(), *pattern)],
            Self::Many(lists) => {
                let numbered = lists.iter().enumerate();
                let paths = |(number, list): (usize, &Self)| {
                    let with_first = move |(mut path, pattern): (Vec<i64>, u64)| {
                        path.insert(0, number as i64);
                        (path, pattern)
                    };
                    list.paths().into_iter().map(with_first).collect::<Vec<_>>()
                };
                numbered.flat_map(paths).collect()
            }
        }
    }
}

/// What a call gives.
pub(crate) fn model(call: &Call, operands: &[Tensor]) -> Tensor {
    let x = &operands[0];
    let (extents, lists) = match call {
        Call::Concat { axis } => {
            let axis = x.axis(*axis);
            let lists: Vec<&Lists> = operands.iter().map(|part| &part.lists).collect();
            let mut extents = x.extents.clone();
            extents[axis] = operands.iter().map(|part| part.extents[axis]).sum();
            (extents, concat(&lists, axis))
        }
        Call::Tile { repeats } => {
            let extents = x.extents.iter().zip(repeats).map(|(extent, repeat)| extent * repeat).collect();
            (extents, tile(&x.lists, repeats))
        }
        Call::Pad { before, after, mode } => pad(&x.extents, &x.lists, before, after, *mode),
        Call::Gather { axis } => {
            let (axis, indices) = (x.axis(*axis), operands[1].numbers());
            let mut extents = x.extents.clone();
            extents.splice(axis..=axis, operands[1].extents.clone());
            (extents, x.lists.at_depth(axis, &mut |lists| choose(lists, &indices)))
        }
        Call::GatherElements { axis } => {
            (operands[1].extents.clone(), pick(&x.lists, &operands[1].numbers(), x.axis(*axis)))
        }
        Call::GatherNd { batch_axes } => {
            let indices = &operands[1];
            let (coordinates, positions) = indices.extents.split_last().unwrap();
            let rest = &x.extents[batch_axes + *coordinates as usize..];
            ([positions, rest].concat(), follow(&x.lists, &indices.numbers(), *batch_axes, positions.len()))
        }
        Call::ScatterElements { axis, reduction } => {
            let axis = x.axis(*axis);
            let mut lists = x.lists.clone();
            let indices = operands[1].numbers().paths();
            for ((mut path, index), update) in indices.into_iter().zip(operands[2].patterns()) {
                path[axis] = index as i64;
                put(&mut lists, &path, update, *reduction, x.dtype);
            }
            (x.extents.clone(), lists)
        }
        Call::ScatterNd { reduction } => {
            let indices = operands[1].numbers();
            let positions = operands[1].extents.len() - 1;
            let mut lists = x.lists.clone();
            for (path, update) in operands[2].lists.paths() {
                let mut tuple = &indices;
                for position in &path[..positions] {
                    tuple = tuple.part(*position as u64);
                }
                let start = tuple.many().iter().map(|coordinate| coordinate.one() as i64);
                let target: Vec<i64> = start.chain(path[positions..].iter().copied()).collect();
                put(&mut lists, &target, update, *reduction, x.dtype);
            }
            (x.extents.clone(), lists)
        }
        Call::OneHot { depth, axis, values } => {
            let axis = if *axis < 0 { (axis + x.extents.len() as i64 + 1) as usize } else { *axis as usize };
            let mut extents = x.extents.clone();
            extents.insert(axis, *depth);
            let lists = one_hot(&x.numbers(), axis, *depth, [values[0].1, values[1].1]);
            return Tensor { dtype: values[0].0, extents, lists };
        }
        Call::Triangular { triangle, diagonal } => {
            let matrices = x.extents.len() - 2;
            let lists = x.lists.at_depth(matrices, &mut |rows| {
                let numbered = rows.iter().enumerate();
                Lists::Many(numbered.map(|(row, list)| triangular(row, list, *triangle, *diagonal)).collect())
            });
            (x.extents.clone(), lists)
        }
        Call::NonZero => {
            let paths = x.lists.paths().into_iter().filter(|(_, pattern)| is_not_zero(x.dtype, *pattern));
            let paths: Vec<Vec<i64>> = paths.map(|(path, _)| path).collect();
            let row = |axis: usize| Lists::Many(paths.iter().map(|path| Lists::One(path[axis] as u64)).collect());
            let rank = x.extents.len();
            let extents = vec![rank as i64, paths.len() as i64];
            return Tensor { dtype: DType::I64, extents, lists: Lists::Many((0..rank).map(row).collect()) };
        }
        Call::Compress { axis: None } => {
            let chosen = x.patterns().into_iter().zip(operands[1].patterns()).filter(|(_, truth)| *truth != 0);
            let chosen: Vec<Lists> = chosen.map(|(pattern, _)| Lists::One(pattern)).collect();
            (vec![chosen.len() as i64], Lists::Many(chosen))
        }
        Call::Compress { axis: Some(axis) } => {
            let (axis, truths) = (x.axis(*axis), operands[1].patterns());
            let mut extents = x.extents.clone();
            extents[axis] = truths.iter().filter(|truth| **truth != 0).count() as i64;
            let lists = x.lists.at_depth(axis, &mut |lists| {
                let chosen = lists.iter().zip(&truths).filter(|(_, truth)| **truth != 0);
                Lists::Many(chosen.map(|(list, _)| list.clone()).collect())
            });
            (extents, lists)
        }
        Call::ReverseSequence { batch_axis, time_axis } => {
            let (batch, time) = (x.axis(*batch_axis), x.axis(*time_axis));
            let lengths = operands[1].numbers().flat();
            let mut lists = x.lists.clone();
            for (mut path, pattern) in x.lists.paths() {
                let length = lengths[path[batch] as usize] as i64;
                if path[time] < length {
                    path[time] = length - 1 - path[time];
                }
                *lists.get_mut(&path) = Lists::One(pattern);
            }
            (x.extents.clone(), lists)
        }
    };
    Tensor { dtype: x.dtype, extents, lists }
}

fn concat(parts: &[&Lists], axis: usize) -> Lists {
    if axis == 0 {
        return Lists::Many(parts.iter().flat_map(|part| part.many().to_vec()).collect());
    }
    let inside = |number: usize| parts.iter().map(|part| &part.many()[number]).collect::<Vec<_>>();
    Lists::Many((0..parts[0].many().len()).map(|number| concat(&inside(number), axis - 1)).collect())
}

fn tile(x: &Lists, repeats: &[i64]) -> Lists {
    match (x, repeats) {
        (Lists::Many(lists), [repeat, rest @ ..]) => {
            let once: Vec<Lists> = lists.iter().map(|list| tile(list, rest)).collect();
            Lists::Many((0..*repeat).flat_map(|_| once.clone()).collect())
        }
        _ => x.clone(),
    }
}

fn pad(extents: &[i64], x: &Lists, before: &[i64], after: &[i64], mode: Mode) -> (Vec<i64>, Lists) {
    let ([extent, inside @ ..], [before, befores @ ..], [after, afters @ ..]) = (extents, before, after) else {
        return (Vec::new(), x.clone());
    };
    let mut inner_extents: Vec<i64> =
        inside.iter().zip(befores).zip(afters).map(|((extent, before), after)| extent + before + after).collect();
    let mut items: std::collections::VecDeque<Lists> =
        x.many().iter().map(|list| pad(inside, list, befores, afters, mode).1).collect();
    let total = extent + before + after;
    if let Mode::Constant(value) = mode {
        // Added first and cut then, or the other way round: all the same to a constant.
        let blank = Lists::all(&inner_extents, value.1);
        (0..*before).for_each(|_| items.push_front(blank.clone()));
        (0..*after).for_each(|_| items.push_back(blank.clone()));
        // What is cut at one end may be what was added at the other.
        (0..-*before).for_each(|_| drop(items.pop_front()));
        (0..-*after).for_each(|_| drop(items.pop_back()));
    } else {
        (0..-*before).for_each(|_| drop(items.pop_front()));
        (0..-*after).for_each(|_| drop(items.pop_back()));
        let own: Vec<Lists> = items.iter().cloned().collect();
        for step in 0..(*before).max(0) as usize {
            items.push_front(match mode {
                Mode::Edge => own[0].clone(),
                Mode::Wrap => own[own.len() - 1 - step % own.len()].clone(),
                _ => own[step + 1].clone(),
            });
        }
        for step in 0..(*after).max(0) as usize {
            items.push_back(match mode {
                Mode::Edge => own[own.len() - 1].clone(),
                Mode::Wrap => own[step % own.len()].clone(),
                _ => own[own.len() - 2 - step].clone(),
            });
        }
    }
    assert_eq!(items.len() as i64, total);
    inner_extents.insert(0, total);
    (inner_extents, Lists::Many(items.into()))
}

/// For each index the list it names.
fn choose(lists: &[Lists], indices: &Lists) -> Lists {
    match indices {
        Lists::One(index) => Lists::Many(lists.to_vec()).part(*index).clone(),
        Lists::Many(indices) => Lists::Many(indices.iter().map(|indices| choose(lists, indices)).collect()),
    }
}

/// Down to an axis side by side, there by the index, and from there side by side again.
fn pick(x: &Lists, indices: &Lists, axis: usize) -> Lists {
    match axis {
        0 => Lists::Many(indices.many().iter().map(|indices| below(x.many(), indices)).collect()),
        _ => {
            let pairs = indices.many().iter().zip(x.many());
            Lists::Many(pairs.map(|(indices, x)| pick(x, indices, axis - 1)).collect())
        }
    }
}

fn below(lists: &[Lists], indices: &Lists) -> Lists {
    match indices {
        Lists::One(index) => Lists::Many(lists.to_vec()).part(*index).clone(),
        Lists::Many(indices) => {
            let numbered = indices.iter().enumerate();
            let column = |number: usize| lists.iter().map(|list| list.many()[number].clone()).collect::<Vec<_>>();
            Lists::Many(numbered.map(|(number, indices)| below(&column(number), indices)).collect())
        }
    }
}

fn follow(x: &Lists, indices: &Lists, batch_axes: usize, positions: usize) -> Lists {
    match (batch_axes, positions) {
        (0, 0) => indices.many().iter().fold(x, |x, coordinate| x.part(coordinate.one())).clone(),
        (0, _) => Lists::Many(indices.many().iter().map(|indices| follow(x, indices, 0, positions - 1)).collect()),
        _ => {
            let pairs = x.many().iter().zip(indices.many());
            Lists::Many(pairs.map(|(x, indices)| follow(x, indices, batch_axes - 1, positions - 1)).collect())
        }
    }
}

fn one_hot(indices: &Lists, axis: usize, depth: i64, values: [u64; 2]) -> Lists {
    if axis == 0 {
        let is_at =
            |place: i64| move |index: u64| values[usize::from([place, place - depth].contains(&(index as i64)))];
        return Lists::Many((0..depth).map(|place| indices.map(&is_at(place))).collect());
    }
    Lists::Many(indices.many().iter().map(|indices| one_hot(indices, axis - 1, depth, values)).collect())
}

fn triangular(row: usize, list: &Lists, triangle: Triangle, diagonal: i64) -> Lists {
    let columns = list.many().iter().enumerate();
    let kept = |(column, element): (usize, &Lists)| {
        let first = i128::from(diagonal) + row as i128;
        let is_kept = match triangle {
            Triangle::Upper => column as i128 >= first,
            Triangle::Lower => column as i128 <= first,
        };
        if is_kept { element.clone() } else { Lists::One(0) }
    };
    Lists::Many(columns.map(kept).collect())
}

fn put(lists: &mut Lists, path: &[i64], update: u64, reduction: ScatterReduction, dtype: DType) {
    let element = lists.get_mut(path);
    *element = Lists::One(combine(element.one(), update, reduction, dtype));
}

fn combine(x: u64, update: u64, reduction: ScatterReduction, dtype: DType) -> u64 {
    let ordered = |is_less: bool, is_greater: bool| match reduction {
        ScatterReduction::Min => Some(if is_less { x } else { update }),
        ScatterReduction::Max => Some(if is_greater { x } else { update }),
        _ => None,
    };
    let floats = |a: f64, b: f64| {
        let of_nan = if a.is_nan() {
            Some(x)
        } else if b.is_nan() {
            Some(update)
        } else {
            None
        };
        let sum = if reduction == ScatterReduction::Add { a + b } else { a * b };
        (ordered(a < b, a > b).map(|chosen| of_nan.unwrap_or(chosen)), sum)
    };
    if reduction == ScatterReduction::None {
        return update;
    }
    match dtype {
        DType::F64 => {
            let (chosen, sum) = floats(f64::from_bits(x), f64::from_bits(update));
            chosen.unwrap_or(sum.to_bits())
        }
        // The sum and the product of two f32 in f64 round to the right f32.
        DType::F32 => {
            let [a, b] = [x, update].map(|bits| f32::from_bits(bits as u32).into());
            let (chosen, sum) = floats(a, b);
            chosen.unwrap_or((sum as f32).to_bits().into())
        }
        DType::F16 => {
            let [a, b] = [x, update].map(|bits| f16::from_bits(bits as u16).to_f32().into());
            let (chosen, sum) = floats(a, b);
            chosen.unwrap_or(f16::from_f32(sum as f32).to_bits().into())
        }
        DType::BF16 => {
            let [a, b] = [x, update].map(|bits| bf16::from_bits(bits as u16).to_f32().into());
            let (chosen, sum) = floats(a, b);
            chosen.unwrap_or(bf16::from_f32(sum as f32).to_bits().into())
        }
        _ => {
            let bits = 8 * dtype.size() as u32;
            let is_signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
            let widen = |pattern: u64| match is_signed {
                true => i128::from(((pattern << (64 - bits)) as i64) >> (64 - bits)),
                false => i128::from(pattern),
            };
            let [a, b] = [x, update].map(widen);
            let sum = if reduction == ScatterReduction::Add { a + b } else { a.wrapping_mul(b) };
            ordered(a < b, a > b).unwrap_or(sum as u64 & (u64::MAX >> (64 - bits)))
        }
    }
}

fn is_not_zero(dtype: DType, pattern: u64) -> bool {
    match dtype {
        DType::F64 => f64::from_bits(pattern) != 0.0,
        DType::F32 => f32::from_bits(pattern as u32) != 0.0,
        DType::F16 => f16::from_bits(pattern as u16).to_f32() != 0.0,
        DType::BF16 => bf16::from_bits(pattern as u16).to_f32() != 0.0,
        _ => pattern != 0,
    }
}
