//! `Unique`: each element once.

use stratal_kernels::{AnyView, sort};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Geometry, Scalar, Shape, match_dtype};

use crate::creation::fill::fill_with;
use crate::movement::copy_reshaped;
use crate::movement::elements::write_integers;
use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, axis, dtypes, read, write,
};

/// Each element once, or each slice of an axis. Outputs are those, where each first was, which one each of the operand is,
/// and how often each was; indices and counts are int64.
///
/// They stand in ascending order, slices as their elements in row-major order say, or in the order in which they first were.
/// NaN is the largest of all; NaNs are one, and so are zeros of both signs: the bits are those of the first.
#[derive(Debug, Clone, Copy)]
pub struct Unique {
    /// The axis of the slices, which may count from the end; none for the elements of the whole operand.
    pub axis: Option<i64>,
    /// Whether they stand in ascending order.
    pub is_sorted: bool,
}

impl Unique {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Unique",
        since: 28,
        inputs: 1..=1,
        outputs: 1..=4,
        attributes: &["axis", "sorted"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { axis: node.int("axis")?, is_sorted: node.flag("sorted", true)? })),
    };
}

impl Operator for Unique {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        let count = inputs.unknown("count");
        let (unique, all) = match self.axis.map(|along| axis(along, shape.rank())).transpose()? {
            Some(along) => {
                let mut unique = shape.clone();
                unique.extents_mut()[along] = count.clone();
                (unique, shape[along].clone())
            }
            None => (SymbolicShape::new([count.clone()]), inputs.or_unknown("elements", shape.count())?),
        };
        let vector = |extent| Fact::new(DType::I64, SymbolicShape::new([extent]));
        Ok(vec![Fact::new(x.dtype, unique), vector(count.clone()), vector(all), vector(count)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let along = self.axis.map(|along| axis(along, x.shape().rank())).transpose()?;
        if let Some(along) = along.filter(|_| x.shape().is_empty()) {
            return write_equal(x.shape(), along, outputs);
        }
        let order = Order::of(context, x)?;
        let groups = match along {
            None => Groups::of_elements(&order),
            Some(along) => Groups::of_slices(&order.numbers(), x.shape(), along)?,
        };
        let groups = if self.is_sorted { groups } else { groups.in_order_of_appearance() };
        let count = groups.first.len() as i64;
        write_unique(context, x, along, &groups, outputs)?;
        let vector = Shape::new(&[count])?;
        outputs.write_shaped(1, &vector, |result| write_integers(result, &groups.first))?;
        outputs.write(2, |result| write_integers(result, &groups.of))?;
        outputs.write_shaped(3, &vector, |result| write_integers(result, &groups.counts))
    }
}

/// Slices without elements, or none: all are equal, however many there are.
fn write_equal(shape: &Shape, along: usize, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
    let mut extents: Vec<_> = shape.extents().iter().map(|extent| i64::from(*extent)).collect();
    let all = extents[along];
    extents[along] = all.min(1);
    let vector = Shape::new(&[extents[along]])?;
    outputs.write_shaped(0, &Shape::new(&extents)?, |_| Ok::<_, Cause>(()))?;
    outputs.write_shaped(1, &vector, |first| write_integers(first, &[0][..all.min(1) as usize]))?;
    outputs.write(2, |groups| fill_with(groups, |_| 0_i64))?;
    outputs.write_shaped(3, &vector, |counts| write_integers(counts, &[all][..all.min(1) as usize]))
}

/// Gathers the first of each group.
fn write_unique(
    context: &Context<'_>,
    x: &AnyView<'_>,
    along: Option<usize>,
    groups: &Groups,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let first = Tensor::from_slice(&groups.first, &[groups.first.len() as i64])?;
    let first = read(&first)?;
    let count = groups.first.len() as i64;
    if let Some(along) = along {
        let mut extents: Vec<_> = x.shape().extents().iter().map(|extent| i64::from(*extent)).collect();
        extents[along] = count;
        let first = first.view()?;
        return outputs.write_shaped(0, &Shape::new(&extents)?, |result| {
            context.kernels().gather(x, &first, along as i64, result)
        });
    }
    let flat = flat(context, x, x.dtype())?;
    let flat = read(&flat)?;
    let (flat, first) = (flat.view()?, first.view()?);
    outputs.write_shaped(0, &Shape::new(&[count])?, |result| context.kernels().gather(&flat, &first, 0, result))
}

/// The elements of a tensor as a vector of some dtype.
fn flat(context: &Context<'_>, x: &AnyView<'_>, dtype: DType) -> Result<Tensor, Cause> {
    let vector = Shape::new(&[x.shape().count() as i64])?;
    let flat = context.scratch(dtype, &vector)?;
    if dtype == x.dtype() {
        write(&flat, |flat| copy_reshaped(context, x, flat))?;
    } else {
        let converted = context.converted(x, dtype)?;
        let converted = read(&converted)?;
        let converted = converted.view()?;
        write(&flat, |flat| copy_reshaped(context, &converted, flat))?;
    }
    Ok(flat)
}

/// All elements in ascending order.
struct Order {
    /// The index of each, in row-major order of the operand; of equal ones in ascending order.
    indices: Vec<i64>,
    /// Whether each equals the one before.
    is_equal: Vec<bool>,
}

impl Order {
    fn of(context: &Context<'_>, x: &AnyView<'_>) -> Result<Self, Cause> {
        // Truths are not sorted by the kernel, but numbers are.
        let dtype = if x.dtype() == DType::Bool { DType::U8 } else { x.dtype() };
        let x = flat(context, x, dtype)?;
        let (values, indices) = (context.scratch(dtype, x.shape())?, context.scratch(DType::I64, x.shape())?);
        let sort = sort::Sort { axis: 0, descending: false };
        let from = read(&x)?;
        let from = from.view()?;
        write(&values, |values| write(&indices, |indices| context.kernels().sort(&sort, &from, values, indices)))?;
        Ok(Self { indices: indices.to_vec()?, is_equal: equals(&values)? })
    }

    /// For each element of the operand how many different ones are smaller.
    fn numbers(&self) -> Vec<usize> {
        let mut numbers = vec![0; self.indices.len()];
        let mut number = 0;
        for (place, (index, is_equal)) in self.indices.iter().zip(&self.is_equal).enumerate() {
            number += usize::from(place > 0 && !is_equal);
            numbers[*index as usize] = number;
        }
        numbers
    }
}

/// Whether each element of a vector equals the one before, as NaN does NaN.
fn equals(values: &Tensor) -> Result<Vec<bool>, Cause> {
    match_dtype!(values.dtype(), T => {
        let values = values.to_vec::<T>()?;
        let is_nan = |value: T| Scalar::from(value).cast::<f64>().is_nan();
        let is_equal = |pair: &[T]| pair[0] == pair[1] || is_nan(pair[0]) && is_nan(pair[1]);
        // The first one has none before.
        Ok(values.first().map(|_| false).into_iter().chain(values.windows(2).map(is_equal)).collect())
    })
}

/// What is equal, in ascending order or in the order of appearance.
struct Groups {
    /// Where each group first is.
    first: Vec<i64>,
    /// The group of each element or slice of the operand.
    of: Vec<i64>,
    /// How many each group has.
    counts: Vec<i64>,
}

impl Groups {
    /// The groups of what is listed in ascending order, equal ones in the order of appearance.
    fn of_sorted(sorted: impl ExactSizeIterator<Item = (usize, bool)>) -> Self {
        let mut groups = Self { first: Vec::new(), of: vec![0; sorted.len()], counts: Vec::new() };
        for (index, is_equal) in sorted {
            match groups.counts.last_mut().filter(|_| is_equal) {
                Some(count) => *count += 1,
                None => {
                    groups.first.push(index as i64);
                    groups.counts.push(1);
                }
            }
            groups.of[index] = groups.first.len() as i64 - 1;
        }
        groups
    }

    fn of_elements(order: &Order) -> Self {
        Self::of_sorted(order.indices.iter().map(|index| *index as usize).zip(order.is_equal.iter().copied()))
    }

    /// The groups of slices, whose elements are given by numbers in row-major order of the operand.
    fn of_slices(numbers: &[usize], shape: &Shape, along: usize) -> Result<Self, Cause> {
        let first = Geometry::contiguous(*shape).movedim(along as i64, 0)?;
        let numbers: Vec<usize> = first.offsets().map(|offset| numbers[offset]).collect();
        let count = shape.extent(along);
        let length = numbers.len().checked_div(count).unwrap_or(0);
        let slice = |index: usize| &numbers[index * length..][..length];
        let mut sorted: Vec<usize> = (0..count).collect();
        sorted.sort_by_key(|index| slice(*index));
        let is_equal = |place: usize| place > 0 && slice(sorted[place]) == slice(sorted[place - 1]);
        Ok(Self::of_sorted((0..count).map(|place| (sorted[place], is_equal(place)))))
    }

    fn in_order_of_appearance(self) -> Self {
        let mut order: Vec<usize> = (0..self.first.len()).collect();
        order.sort_by_key(|group| self.first[*group]);
        let mut numbers = vec![0; order.len()];
        for (number, group) in order.iter().enumerate() {
            numbers[*group] = number as i64;
        }
        Self {
            first: order.iter().map(|group| self.first[*group]).collect(),
            of: self.of.iter().map(|group| numbers[*group as usize]).collect(),
            counts: order.iter().map(|group| self.counts[*group]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::Bool;

    use super::*;
    use crate::{Extent, infer};

    fn unique(x: &Tensor, axis: Option<i64>, is_sorted: bool) -> [Tensor; 4] {
        let outputs = Context::new().unwrap().run(&Unique { axis, is_sorted }, &[Some(x)]).unwrap();
        outputs.try_into().unwrap()
    }

    fn integers(tensors: &[Tensor]) -> Vec<Vec<i64>> {
        tensors.iter().map(|tensor| tensor.to_vec().unwrap()).collect()
    }

    #[test]
    fn nans_are_one_and_zeros_too() {
        let nan = f32::NAN;
        let x = Tensor::from_slice(&[nan, -0.0, 1.0, 0.0, -nan, f32::INFINITY], &[2, 3]).unwrap();
        let [values, rest @ ..] = unique(&x, None, true);
        let values = values.to_vec::<f32>().unwrap();
        assert_eq!(values[..3], [0.0, 1.0, f32::INFINITY]);
        assert!(values[0].is_sign_negative() && values[3].is_nan());
        assert_eq!(integers(&rest), [vec![1, 2, 5, 0], vec![3, 0, 1, 0, 3, 2], vec![2, 1, 1, 2]]);
        let [values, rest @ ..] = unique(&x, None, false);
        assert_eq!(values.to_vec::<f32>().unwrap()[1..], [0.0, 1.0, f32::INFINITY]);
        assert_eq!(integers(&rest), [vec![0, 1, 2, 5], vec![0, 1, 2, 1, 0, 3], vec![2, 2, 1, 1]]);
    }

    #[test]
    fn slices_are_compared_as_a_whole() {
        let x = Tensor::from_slice(&[2, 1, 2, 0, 1, 0, 9, 9, 9], &[3, 3]).unwrap();
        // Columns: [2, 0, 9], [1, 1, 9], [2, 0, 9].
        let [values, rest @ ..] = unique(&x, Some(-1), true);
        assert_eq!((values.shape().extents(), values.to_vec::<i32>().unwrap()), (&[3, 2][..], vec![1, 2, 1, 0, 9, 9]));
        assert_eq!(integers(&rest), [vec![1, 0], vec![1, 0, 1], vec![1, 2]]);
        let [values, rest @ ..] = unique(&x, Some(1), false);
        assert_eq!(values.to_vec::<i32>().unwrap(), [2, 1, 0, 1, 9, 9]);
        assert_eq!(integers(&rest), [vec![0, 1], vec![0, 1, 0], vec![2, 1]]);
    }

    #[test]
    fn truths_and_nothing_have_their_own() {
        let x = Tensor::from_slice(&[true, false, true].map(Bool::from), &[3]).unwrap();
        let [values, rest @ ..] = unique(&x, None, true);
        assert_eq!(values.to_vec::<Bool>().unwrap(), [false, true].map(Bool::from));
        assert_eq!(integers(&rest), [vec![1, 0], vec![1, 0, 1], vec![1, 2]]);
        let [values, rest @ ..] = unique(&Tensor::zeros(&[0, 2], DType::F16).unwrap(), None, true);
        assert_eq!(values.shape().extents(), [0]);
        assert_eq!(integers(&rest), [const { Vec::<i64>::new() }; 3]);
        // Slices without elements are all equal.
        let [values, rest @ ..] = unique(&Tensor::zeros(&[0, 2], DType::F16).unwrap(), Some(1), true);
        assert_eq!(values.shape().extents(), [0, 1]);
        assert_eq!(integers(&rest), [vec![0], vec![0, 0], vec![2]]);
    }

    #[test]
    fn slices_without_elements_take_no_memory() {
        let x = Tensor::zeros(&[i64::from(i32::MAX), 0], DType::F32).unwrap();
        let unique = Unique { axis: Some(0), is_sorted: true };
        let outputs = Context::new().unwrap().run_wanted(&unique, &[Some(&x)], |output| output != 2).unwrap();
        assert_eq!(outputs[0].as_ref().unwrap().shape().extents(), [1, 0]);
        let of = |output: usize| outputs[output].as_ref().unwrap().to_vec::<i64>().unwrap();
        assert_eq!([of(1), of(3)], [[0], [i64::from(i32::MAX)]]);
        let [values, rest @ ..] = super::tests::unique(&Tensor::zeros(&[2, 0], DType::F32).unwrap(), Some(1), true);
        assert_eq!(values.shape().extents(), [2, 0]);
        assert_eq!(integers(&rest), [const { Vec::<i64>::new() }; 3]);
    }

    #[test]
    fn more_parts_than_can_be_said_are_unknown() {
        let axis = |axis: i64| Extent::symbol(format!("a{axis}")).add(&Extent::symbol(format!("b{axis}"))).unwrap();
        let x = Fact::new(DType::F32, (0..12).map(axis).collect::<SymbolicShape>());
        let facts = infer(&Unique { axis: None, is_sorted: true }, "node", &[Some(&x)]).unwrap();
        assert_eq!(facts[2].shape.as_ref().unwrap().to_string(), "[node.elements]");
    }

    #[test]
    fn scalars_are_vectors_of_one() {
        let [values, rest @ ..] = unique(&Tensor::scalar(7_u64).unwrap(), None, false);
        assert_eq!(values.to_vec::<u64>().unwrap(), [7]);
        assert_eq!(integers(&rest), [vec![0], vec![0], vec![1]]);
    }

    #[test]
    fn the_count_is_not_known_before() {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("n"), 3.into()]));
        let shapes = |axis| {
            let facts =
                infer(&Unique { axis, is_sorted: true }, "node", &[Some(&x)]).map_err(|error| error.to_string())?;
            Ok::<_, String>(facts.iter().map(|fact| fact.shape.as_ref().unwrap().to_string()).collect::<Vec<_>>())
        };
        assert_eq!(shapes(None).unwrap(), ["[node.count]", "[node.count]", "[3*n]", "[node.count]"]);
        assert_eq!(shapes(Some(-2)).unwrap(), ["[node.count, 3]", "[node.count]", "[n]", "[node.count]"]);
        assert_eq!(shapes(Some(2)).unwrap_err(), "Unique: axis 2 does not exist at rank 2");
    }
}
