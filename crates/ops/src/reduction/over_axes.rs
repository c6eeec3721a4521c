//! What all reductions over axes have in common: which axes, what shape is left, and elements of shapes.

use stratal_kernels::reduce::Reduction;
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::{DType, Shape};

use crate::{
    Cause, Context, Definition, Elements, Extent, ExtentError, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs,
    axes, dtypes, read, write,
};

/// Implements a reduction by a kernel for each dtype: `operator!(ReduceSum, |_| &reduce::Sum)`. With a third argument, an
/// [`OfExtents`], the rule computes elements of shapes too.
macro_rules! operator {
    ($operator:ty, $kernel:expr) => {
        $crate::reduction::over_axes::operator!($operator, $kernel, None);
    };
    ($operator:ty, $kernel:expr, $of_extents:expr) => {
        impl $operator {
            const fn over_axes(&self) -> $crate::reduction::over_axes::OverAxes {
                let Self { keep_dims, noop_with_empty_axes } = *self;
                $crate::reduction::over_axes::OverAxes { keep_dims, noop_with_empty_axes }
            }
        }

        impl Default for $operator {
            /// The attributes that a node has if it says nothing.
            fn default() -> Self {
                Self { keep_dims: true, noop_with_empty_axes: false }
            }
        }

        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn shape_inputs(&self) -> &'static [usize] {
                &[1]
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                self.over_axes().infer(&Self::DEFINITION, inputs, $of_extents)
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                self.over_axes().compute($kernel, context, inputs, outputs)
            }
        }
    };
}
pub(crate) use operator;

/// The definition of a reduction.
pub(crate) const fn definition(
    name: &'static str,
    since: u32,
    dtypes: &'static [DType],
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    Definition {
        domain: ONNX,
        name,
        since,
        inputs: 1..=2,
        outputs: 1..=1,
        attributes: &["keepdims", "noop_with_empty_axes"],
        dtypes,
        build,
    }
}

/// The attributes of a node: whether axes stay, and whether no axes mean none.
pub(crate) fn attributes(node: &Node<'_>) -> Result<(bool, bool), Cause> {
    Ok((node.flag("keepdims", true)?, node.flag("noop_with_empty_axes", false)?))
}

/// What a reduction makes of the elements of a shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfExtents {
    /// What there is of no elements, if anything.
    pub(crate) neutral: Option<i64>,
    pub(crate) combine: fn(&Extent, &Extent) -> Result<Extent, ExtentError>,
}

/// The attributes that all reductions have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OverAxes {
    pub(crate) keep_dims: bool,
    pub(crate) noop_with_empty_axes: bool,
}

impl OverAxes {
    pub(crate) fn infer(
        self,
        definition: &Definition,
        inputs: &Facts<'_>,
        of_extents: Option<OfExtents>,
    ) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, definition.dtypes)?;
        let shape = inputs.shape(0)?;
        let given = match inputs.get(1) {
            None => Some(Vec::new()),
            Some(_) => {
                inputs.dtype(1, dtypes::INDICES)?;
                inputs.integers(1)
            }
        };
        let Some(given) = given else {
            let unknown = |(axis, extent): (usize, &Extent)| {
                if extent.is(1) { extent.clone() } else { inputs.unknown(&axis.to_string()) }
            };
            let shape = self.keep_dims.then(|| shape.iter().enumerate().map(unknown).collect());
            return Ok(vec![Fact { dtype, shape, elements: None }]);
        };
        let reduced = self.reduced(&given, shape.rank())?;
        let left = self.left(&reduced, shape, 1.into());
        let elements = of_extents.and_then(|of_extents| elements(inputs.required(0).ok()?, &reduced, of_extents));
        Ok(vec![Fact::new(dtype, left.into_iter().collect::<crate::SymbolicShape>()).with_elements(elements)])
    }

    pub(crate) fn compute(
        self,
        kernel: fn(DType) -> &'static dyn Reduction,
        context: &Context<'_>,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let extents: Vec<_> = x.shape().extents().iter().map(|&extent| i64::from(extent)).collect();
        let reduced = self.reduced(&inputs.integers(1)?.unwrap_or_default(), extents.len())?;
        let shape = Shape::new(&self.left(&reduced, &extents, 1))?;
        let dropped: &[usize] = if self.keep_dims { &[] } else { &reduced };
        outputs.write_shaped(0, &shape, |result| {
            let mut kept = result.seen(|geometry| {
                dropped
                    .iter()
                    .try_fold(*geometry, |geometry, &axis| geometry.unsqueeze(axis as i64))
                    .map_err(Cause::from)
            })?;
            reduce(context, kernel(x.dtype()), x, &mut kept)
        })
    }

    /// The axes that are reduced.
    fn reduced(self, given: &[i64], rank: usize) -> Result<Vec<usize>, Cause> {
        match given {
            [] if self.noop_with_empty_axes => Ok(Vec::new()),
            [] => Ok((0..rank).collect()),
            given => axes(given, rank),
        }
    }

    /// The extents of the result.
    fn left<T: Clone>(self, reduced: &[usize], extents: &[T], one: T) -> Vec<T> {
        let left = |(axis, extent): (usize, &T)| match reduced.contains(&axis) {
            false => Some(extent.clone()),
            true => self.keep_dims.then(|| one.clone()),
        };
        extents.iter().enumerate().filter_map(left).collect()
    }
}

/// Reduces over the axes along which the result has extent 1. What the kernel has for floats alone is computed in f64 for
/// integers, and converted toward zero.
fn reduce(
    context: &Context<'_>,
    kernel: &dyn Reduction,
    x: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    if kernel.is_defined(x.dtype()) {
        return Ok(context.kernels().reduce(kernel, x, result)?);
    }
    let wide = context.converted(x, DType::F64)?;
    let reduced = context.scratch(DType::F64, result.shape())?;
    let wide = read(&wide)?;
    let wide = wide.view()?;
    write(&reduced, |reduced| context.kernels().reduce(kernel, &wide, reduced))?;
    Ok(context.kernels().cast(&read(&reduced)?.view()?, result)?)
}

/// The elements of what is computed from extents: of all together, or of none.
fn elements(x: &Fact, reduced: &[usize], of_extents: OfExtents) -> Option<Elements> {
    let extents = x.integers()?;
    if reduced.is_empty() {
        return Some(Elements::Integers(extents.to_vec()));
    }
    if reduced.len() < x.shape.as_ref()?.rank() {
        return None;
    }
    let (first, others) = match of_extents.neutral {
        Some(neutral) => (neutral.into(), extents),
        None => {
            let (first, others) = extents.split_first()?;
            (first.clone(), others)
        }
    };
    let combined = others.iter().try_fold(first, |combined, extent| (of_extents.combine)(&combined, extent)).ok()?;
    // Narrower integers may wrap.
    let fits = match x.dtype {
        DType::I64 => true,
        DType::I32 => combined.known().is_none_or(|known| i32::try_from(known).is_ok()),
        _ => false,
    };
    fits.then(|| Elements::Integers(vec![combined]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use super::*;
    use crate::{
        ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp, ReduceMax, ReduceMean, ReduceMin, ReduceProd, ReduceSum,
        ReduceSumSquare, SymbolicShape, infer,
    };

    fn run(operator: &dyn Operator, x: &Tensor, axes: Option<&[i64]>) -> Result<Tensor, String> {
        let axes = axes.map(|axes| Tensor::from_slice(axes, &[axes.len() as i64]).unwrap());
        let results = Context::new().unwrap().run(operator, &[Some(x), axes.as_ref()]);
        results.map(|mut results| results.remove(0)).map_err(|error| error.to_string())
    }

    fn floats(elements: &[f32], extents: &[i64]) -> Tensor {
        Tensor::from_slice(elements, extents).unwrap()
    }

    #[test]
    fn an_axis_named_twice_counts_once() {
        let x = floats(&[1.0, 2.0, 3.0, 4.0], &[2, 2, 1]);
        let sum = run(&ReduceSum { keep_dims: false, ..ReduceSum::default() }, &x, Some(&[1, -2])).unwrap();
        assert_eq!((sum.shape().extents(), sum.to_vec::<f32>().unwrap()), (&[2, 1][..], vec![3.0, 7.0]));
    }

    #[test]
    fn no_axes_mean_all_or_none() {
        let x = floats(&[1.0, -2.0, 3.0], &[1, 3]);
        let all = run(&ReduceSum::default(), &x, Some(&[])).unwrap();
        assert_eq!((all.shape().extents(), all.to_vec::<f32>().unwrap()), (&[1, 1][..], vec![2.0]));
        let none = ReduceSumSquare { noop_with_empty_axes: true, keep_dims: false };
        let squares = run(&none, &x, None).unwrap();
        assert_eq!((squares.shape().extents(), squares.to_vec::<f32>().unwrap()), (&[1, 3][..], vec![1.0, 4.0, 9.0]));
        let magnitudes = run(&ReduceL2 { noop_with_empty_axes: true, keep_dims: true }, &x, None).unwrap();
        assert_eq!(magnitudes.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
        let scalar = run(&ReduceMean::default(), &Tensor::scalar(5.0_f32).unwrap(), None).unwrap();
        assert_eq!((scalar.rank(), scalar.to_vec::<f32>().unwrap()), (0, vec![5.0]));
    }

    #[test]
    fn nothing_is_reduced_to_the_neutral_value() {
        let of = |operator: &dyn Operator| {
            run(operator, &floats(&[], &[3, 0]), Some(&[1])).unwrap().to_vec::<f32>().unwrap()
        };
        assert_eq!(of(&ReduceSum::default()), [0.0; 3]);
        assert_eq!(of(&ReduceL1::default()), [0.0; 3]);
        assert_eq!(of(&ReduceL2::default()), [0.0; 3]);
        assert_eq!(of(&ReduceSumSquare::default()), [0.0; 3]);
        assert_eq!(of(&ReduceProd::default()), [1.0; 3]);
        assert_eq!(of(&ReduceMax::default()), [f32::NEG_INFINITY; 3]);
        assert_eq!(of(&ReduceMin::default()), [f32::INFINITY; 3]);
        assert_eq!(of(&ReduceLogSum::default()), [f32::NEG_INFINITY; 3]);
        assert_eq!(of(&ReduceLogSumExp::default()), [f32::NEG_INFINITY; 3]);
        assert!(of(&ReduceMean::default()).iter().all(|mean| mean.is_nan()));
        let integers = Tensor::from_slice::<i8>(&[], &[0]).unwrap();
        assert_eq!(run(&ReduceMax::default(), &integers, None).unwrap().to_vec::<i8>().unwrap(), [i8::MIN]);
        assert_eq!(run(&ReduceMin::default(), &integers, None).unwrap().to_vec::<i8>().unwrap(), [i8::MAX]);
        assert_eq!(
            run(&ReduceMean::default(), &integers, None).unwrap_err(),
            "ReduceMean: mean of int8 has no result for rows without elements, found shape [0]"
        );
    }

    #[test]
    fn not_a_number_wins_wherever_it_is() {
        for at in 0..9 {
            let mut row = [42.0_f32, -1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
            row[at] = f32::NAN;
            let row = floats(&row, &[9]);
            for operator in [&ReduceMax::default() as &dyn Operator, &ReduceMin::default(), &ReduceLogSumExp::default()]
            {
                assert!(run(operator, &row, None).unwrap().to_vec::<f32>().unwrap()[0].is_nan(), "{operator:?} {at}");
            }
        }
    }

    #[test]
    fn sums_of_exponentials_are_shifted() {
        let x = floats(&[f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, 1.0, 1000.0, 1000.0], &[3, 2]);
        let sums = run(&ReduceLogSumExp::default(), &x, Some(&[1])).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(sums, [f32::NEG_INFINITY, f32::INFINITY, 1000.0 + 2.0_f32.ln()]);
    }

    #[test]
    fn sixteen_bits_are_summed_in_more() {
        let halves: Vec<f16> = (0..1024_u16).map(|x| f16::from_f32(x.into())).collect();
        let mean = run(&ReduceMean::default(), &Tensor::from_slice(&halves, &[1024]).unwrap(), None).unwrap();
        assert_eq!(mean.to_vec::<f16>().unwrap(), [f16::from_f32(511.5)]);
    }

    #[test]
    fn integers() {
        let x = Tensor::from_slice(&[3_i32, -4, i32::MIN, -1], &[2, 2]).unwrap();
        let of = |operator: &dyn Operator| run(operator, &x, Some(&[1])).unwrap().to_vec::<i32>().unwrap();
        assert_eq!(of(&ReduceSum::default()), [-1, i32::MAX]);
        assert_eq!(of(&ReduceMean::default()), [0, -1_073_741_824]);
        assert_eq!(of(&ReduceL2::default()), [5, i32::MAX]);
        assert_eq!(of(&ReduceL1::default()), [7, i32::MIN + 1]);
        assert_eq!(
            run(&ReduceLogSum::default(), &x, None).unwrap_err(),
            "ReduceLogSum: input 0 is int32: expected one of float32, float64, float16, bfloat16"
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let x = floats(&[1.0], &[1]);
        assert_eq!(
            run(&ReduceSum::default(), &x, Some(&[1])).unwrap_err(),
            "ReduceSum: axis 1 does not exist at rank 1"
        );
        let truths = Tensor::zeros(&[1], DType::Bool).unwrap();
        assert!(run(&ReduceSum::default(), &truths, None).unwrap_err().starts_with("ReduceSum: input 0 is bool"));
    }

    fn inferred(operator: &dyn Operator, x: &Fact, axes: Option<&Fact>) -> Fact {
        infer(operator, "r", &[Some(x), axes]).unwrap().remove(0)
    }

    #[test]
    fn shapes_of_symbols() {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("batch"), 1.into(), 8.into()]));
        let last = Fact::of_extents(DType::I64, vec![(-1).into()]);
        let shape = |keep_dims, axes: &Fact| {
            let operator = ReduceSum { keep_dims, noop_with_empty_axes: false };
            inferred(&operator, &x, Some(axes)).shape.map(|shape| shape.to_string())
        };
        assert_eq!(shape(true, &last).as_deref(), Some("[batch, 1, 1]"));
        assert_eq!(shape(false, &last).as_deref(), Some("[batch, 1]"));
        let unknown = Fact::new(DType::I64, [1]);
        assert_eq!(shape(true, &unknown).as_deref(), Some("[r.0, 1, r.2]"));
        assert_eq!(shape(false, &unknown), None);
    }

    #[test]
    fn extents_are_combined() {
        let extents = |dtype| Fact::of_extents(dtype, vec![Extent::symbol("batch"), 2.into(), 3.into()]);
        let of = |operator: &dyn Operator, x: &Fact| inferred(operator, x, None).elements;
        let one = |extent: Extent| Some(Elements::Integers(vec![extent]));
        let batch = Extent::symbol("batch");
        let x = extents(DType::I64);
        assert_eq!(of(&ReduceProd::default(), &x), one(batch.multiply(&6.into()).unwrap()));
        assert_eq!(of(&ReduceSum::default(), &x), one(batch.add(&5.into()).unwrap()));
        let at_least_two = batch.maximum(&2.into()).unwrap();
        assert_eq!(of(&ReduceMax::default(), &x), one(at_least_two.maximum(&3.into()).unwrap()));
        assert_eq!(of(&ReduceProd::default(), &Fact::of_extents(DType::I64, vec![])), one(1.into()));
        assert_eq!(of(&ReduceMin::default(), &Fact::of_extents(DType::I64, vec![])), None);
        let none = ReduceProd { noop_with_empty_axes: true, keep_dims: true };
        assert_eq!(of(&none, &x), x.elements);
        // What wraps in the tensor is not known.
        let wide = Fact::of_extents(DType::I32, vec![65536.into(), 65536.into()]);
        assert_eq!(of(&ReduceProd::default(), &wide), None);
    }

    proptest! {
        /// Sums over any axes of operands with any strides are those of the elements whose other indices are the same.
        #[test]
        fn sums_over_any_axes(
            extents in prop::collection::vec(0_i64..4, 0..4),
            picks in prop::collection::vec(any::<(bool, bool)>(), 4),
            (keep_dims, noop_with_empty_axes, is_transposed) in any::<(bool, bool, bool)>(),
        ) {
            let rank = extents.len() as i64;
            let count = extents.iter().product::<i64>();
            let mut x = Tensor::arange(0, count, 1, DType::I64).unwrap().reshape(&extents).unwrap();
            if is_transposed && rank > 1 {
                x = x.transpose(0, 1).unwrap();
            }
            let picked = picks.iter().zip(0..rank).filter(|((is_picked, _), _)| *is_picked);
            let named = |((_, from_end), axis): (&(bool, bool), i64)| if *from_end { axis - rank } else { axis };
            let axes: Vec<i64> = picked.map(named).collect();
            let is_all = axes.is_empty() && !noop_with_empty_axes;
            let is_reduced = |axis: usize| is_all || picks[axis].0;

            let extents: Vec<usize> = x.shape().extents().iter().map(|&extent| extent as usize).collect();
            let left = |axis: usize| if is_reduced(axis) { 1 } else { extents[axis] };
            let mut sums = vec![0; (0..extents.len()).map(left).product()];
            for (mut index, element) in x.to_vec::<i64>().unwrap().into_iter().enumerate() {
                let (mut place, mut step) = (0, 1);
                for axis in (0..extents.len()).rev() {
                    let coordinate = index % extents[axis];
                    index /= extents[axis];
                    if !is_reduced(axis) {
                        place += coordinate * step;
                        step *= extents[axis];
                    }
                }
                sums[place] += element;
            }
            let stays = |axis: &usize| keep_dims || !is_reduced(*axis);
            let shape: Vec<u32> = (0..extents.len()).filter(stays).map(|axis| left(axis) as u32).collect();
            let result = run(&ReduceSum { keep_dims, noop_with_empty_axes }, &x, Some(&axes)).unwrap();
            prop_assert_eq!(result.shape().extents(), shape);
            prop_assert_eq!(result.to_vec::<i64>().unwrap(), sums);
        }
    }
}
