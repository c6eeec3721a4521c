//! The list of all operations on rows, and one case of one of them through every backend.

use std::sync::LazyLock;

use stratal_kernels::reduce::{
    All, Any, ArgReduction, Extreme, L1Norm, L2Norm, LogSum, LogSumExp, Max, Mean, Min, Prod, Reduction, Sum,
    SumSquare, Tie,
};
use stratal_kernels::{
    Accumulation, AnyView, AnyViewMut, BatchNorm, Centre, KernelError, Kernels, Normalization, Saved, Scan, Softmax,
};
use stratal_tensor_base::DType;

use crate::array::Array;
use crate::backends::{BACKENDS, reference};
use crate::place::Place;
use crate::runner::compare;
use crate::values::{Generator, mixed};

/// An operation on rows along some axes.
#[derive(Debug)]
pub(crate) enum Call {
    Reduce(Box<dyn Reduction>),
    /// With the dtype of indices.
    Arg(ArgReduction, DType),
    Scan(Scan),
    /// With scale, and whether the logarithm is wanted.
    Softmax(f32, bool),
    SoftmaxInPlace(f32, bool),
    /// With or without scale and bias; and which places for what is saved are given.
    Normalize {
        centre: Centre,
        has_scale: bool,
        has_bias: bool,
        kept: Kept,
    },
    BatchNorm,
}

/// What a normalisation saves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kept {
    Nothing,
    /// Numbers of rows.
    Statistics,
    /// Those and normalised elements.
    All,
}

const EPSILON: f32 = 1e-5;

/// Every operation, those with attributes once for each kind of them.
pub(crate) static CALLS: LazyLock<Vec<Call>> = LazyLock::new(|| {
    let mut calls = vec![
        reduce(Sum),
        reduce(Mean),
        reduce(Prod),
        reduce(Min),
        reduce(Max),
        reduce(L1Norm),
        reduce(L2Norm),
        reduce(SumSquare),
        reduce(LogSum),
        reduce(LogSumExp),
        reduce(Any),
        reduce(All),
        Call::Softmax(1.0, false),
        Call::Softmax(-0.125, false),
        Call::Softmax(1.0, true),
        Call::SoftmaxInPlace(1.0, false),
        Call::SoftmaxInPlace(0.3, true),
        Call::BatchNorm,
    ];
    for extreme in [Extreme::Min, Extreme::Max] {
        calls.push(Call::Arg(ArgReduction { extreme, tie: Tie::First }, DType::I64));
        calls.push(Call::Arg(ArgReduction { extreme, tie: Tie::Last }, DType::I32));
    }
    for accumulation in [Accumulation::Sum, Accumulation::Product] {
        for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
            calls.push(Call::Scan(Scan { accumulation, exclusive, reverse }));
        }
    }
    for centre in [Centre::Mean, Centre::Zero] {
        for (has_scale, has_bias, kept) in [
            (true, true, Kept::Nothing),
            (true, true, Kept::Statistics),
            (true, true, Kept::All),
            (true, false, Kept::Nothing),
            (false, true, Kept::Nothing),
            (false, false, Kept::Statistics),
            (false, false, Kept::All),
        ] {
            calls.push(Call::Normalize { centre, has_scale, has_bias, kept });
        }
    }
    calls
});

fn reduce<T: Reduction + 'static>(operation: T) -> Call {
    Call::Reduce(Box::new(operation))
}

impl Call {
    pub(crate) fn is_defined(&self, dtype: DType) -> bool {
        match self {
            Self::Reduce(operation) => operation.is_defined(dtype),
            Self::Arg(operation, _) => operation.is_defined(dtype),
            Self::Scan(operation) => operation.is_defined(dtype),
            _ => dtype.is_float(),
        }
    }

    /// Whether rows along these axes have a result.
    pub(crate) fn accepts(&self, dtype: DType, extents: &[i64], axes: &[usize]) -> bool {
        let is_empty = axes.iter().any(|axis| extents[*axis] == 0);
        match self {
            Self::Reduce(operation) => !(is_empty && operation.needs_elements(dtype)),
            Self::Arg(..) => axes.len() == 1 && !is_empty,
            Self::Scan(_) | Self::Softmax(..) | Self::SoftmaxInPlace(..) => axes.len() == 1,
            Self::Normalize { .. } | Self::BatchNorm => true,
        }
    }

    /// How many operands there are, the one with the rows first.
    pub(crate) fn operands(&self) -> usize {
        match self {
            Self::Normalize { has_scale, has_bias, .. } => 1 + usize::from(*has_scale) + usize::from(*has_bias),
            Self::BatchNorm => 5,
            _ => 1,
        }
    }

    /// The dtypes and extents of what is written.
    pub(crate) fn results(&self, dtype: DType, extents: &[i64], axes: &[usize]) -> Vec<(DType, Vec<i64>)> {
        let reduced: Vec<i64> =
            extents.iter().enumerate().map(|(axis, extent)| if axes.contains(&axis) { 1 } else { *extent }).collect();
        let computed = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let same = (dtype, extents.to_vec());
        match self {
            Self::Reduce(_) => vec![(dtype, reduced)],
            Self::Arg(_, index) => vec![(*index, reduced)],
            Self::Normalize { kept: Kept::All, .. } => {
                let statistics = (computed, reduced);
                vec![same, (computed, extents.to_vec()), statistics.clone(), statistics.clone(), statistics]
            }
            Self::Normalize { kept: Kept::Statistics, .. } => {
                let statistics = (computed, reduced);
                vec![same, statistics.clone(), statistics.clone(), statistics]
            }
            _ => vec![same],
        }
    }

    pub(crate) fn run(
        &self,
        kernels: &dyn Kernels,
        axes: &[usize],
        operands: &[AnyView<'_>],
        results: &mut [AnyViewMut<'_>],
    ) -> Result<(), KernelError> {
        let x = &operands[0];
        let (result, saved) = results.split_first_mut().unwrap();
        match self {
            Self::Reduce(operation) => kernels.reduce(&**operation, x, result),
            Self::Arg(operation, _) => kernels.arg_reduce(*operation, axes[0], x, result),
            Self::Scan(operation) => kernels.scan(*operation, axes[0], x, result),
            Self::Softmax(scale, is_logarithm) => {
                kernels.softmax(&Softmax { axis: axes[0], scale: *scale, is_logarithm: *is_logarithm }, x, result)
            }
            Self::SoftmaxInPlace(scale, is_logarithm) => {
                kernels.copy(x, result)?;
                let operation = Softmax { axis: axes[0], scale: *scale, is_logarithm: *is_logarithm };
                kernels.softmax_in_place(&operation, result)
            }
            Self::Normalize { centre, has_scale, has_bias, .. } => {
                let operation = Normalization { centre: *centre, axes, epsilon: EPSILON };
                let scale = has_scale.then(|| &operands[1]);
                let bias = has_bias.then(|| &operands[operands.len() - 1]);
                let saved = match saved {
                    [] => Saved::default(),
                    [mean, variance, inverse_deviation] => Saved {
                        normalized: None,
                        mean: Some(mean),
                        variance: Some(variance),
                        inverse_deviation: Some(inverse_deviation),
                    },
                    [normalized, mean, variance, inverse_deviation] => Saved {
                        normalized: Some(normalized),
                        mean: Some(mean),
                        variance: Some(variance),
                        inverse_deviation: Some(inverse_deviation),
                    },
                    _ => panic!("three places, four or none"),
                };
                kernels.normalize(&operation, x, scale, bias, result, saved)
            }
            Self::BatchNorm => {
                let [x, mean, variance, scale, bias] = operands else { panic!("five operands") };
                kernels.batch_norm(BatchNorm { epsilon: EPSILON }, x, [mean, variance, scale, bias], result)
            }
        }
    }

    /// Whether this kind of call may be left out where time is short: attributes that change little.
    pub(crate) fn is_minor(&self) -> bool {
        match self {
            Self::Reduce(operation) => !matches!(operation.name(), "sum" | "max" | "mean" | "log_sum_exp" | "all"),
            Self::Arg(operation, _) => operation.tie == Tie::Last,
            Self::Scan(scan) => scan.accumulation == Accumulation::Product,
            Self::Softmax(scale, _) => *scale != 1.0,
            Self::SoftmaxInPlace(..) | Self::BatchNorm => false,
            Self::Normalize { has_scale, has_bias, .. } => has_scale != has_bias,
        }
    }
}

/// How results are laid out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Layout {
    Dense,
    /// Every second element, in reverse.
    Sparse,
}

impl Layout {
    fn place(self, extents: &[i64]) -> Place {
        let dense = Place::dense(extents, 1);
        match self {
            Self::Dense => dense,
            Self::Sparse => {
                let strides: Vec<i64> = dense.strides.iter().map(|stride| -2 * stride).collect();
                Place::new(extents, &strides, 1)
            }
        }
    }
}

/// One case: where the operands are, and along which axes the rows.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) call: &'a Call,
    pub(crate) dtype: DType,
    pub(crate) axes: &'a [usize],
    /// Of `x`, and of all others.
    pub(crate) places: [&'a Place; 2],
    pub(crate) layout: Layout,
}

impl Case<'_> {
    /// Random operands: special values and any bits among them.
    pub(crate) fn check_mixed(&self, seed: u64) {
        self.check_with_mixed(BACKENDS.iter().map(|kernels| &**kernels), seed);
    }

    /// Random ordinary operands, so that sums depend on their order and are no NaN.
    pub(crate) fn check_plain(&self, seed: u64) {
        self.check_with_plain(BACKENDS.iter().map(|kernels| &**kernels), seed);
    }

    pub(crate) fn check_with_mixed<'k>(&self, backends: impl Iterator<Item = &'k dyn Kernels>, seed: u64) {
        let mut generator = Generator(seed);
        let arrays = self.arrays(|place, _| mixed(self.dtype, place.buffer, &mut generator));
        self.check(backends, &arrays);
    }

    pub(crate) fn check_with_plain<'k>(&self, backends: impl Iterator<Item = &'k dyn Kernels>, seed: u64) {
        let mut generator = Generator(seed);
        let is_batch = matches!(self.call, Call::BatchNorm);
        let arrays = self.arrays(|place, index| {
            // Variances are positive.
            plain(self.dtype, place.buffer, is_batch && index == 2, &mut generator)
        });
        self.check(backends, &arrays);
    }

    fn arrays(&self, mut make: impl FnMut(&Place, usize) -> Array) -> Vec<Array> {
        (0..self.call.operands()).map(|index| make(self.places[index.min(1)], index)).collect()
    }

    /// Every backend on these operands where they lie, against the reference on copies in plain rows.
    fn check<'k>(&self, backends: impl Iterator<Item = &'k dyn Kernels>, arrays: &[Array]) {
        let extents = &self.places[0].extents;
        if !self.call.accepts(self.dtype, extents, self.axes) {
            return;
        }
        let place_of = |index: usize| self.places[index.min(1)];
        let dense = Place { buffer: self.places[0].count(), ..Place::dense(extents, 0) };
        let copies: Vec<Array> =
            arrays.iter().enumerate().map(|(index, array)| array.gather(&place_of(index).positions())).collect();
        let forms = self.call.results(self.dtype, extents, self.axes);

        let views: Vec<_> = copies.iter().map(|copy| copy.view(&dense)).collect();
        let plain: Vec<Place> = forms
            .iter()
            .map(|(_, extents)| Place { buffer: Place::dense(extents, 0).count(), ..Place::dense(extents, 0) })
            .collect();
        let mut expected: Vec<Array> =
            forms.iter().zip(&plain).map(|((dtype, _), place)| Array::canary(*dtype, place.buffer)).collect();
        let mut targets: Vec<_> = expected.iter_mut().zip(&plain).map(|(array, place)| array.view_mut(place)).collect();
        self.call.run(reference(), self.axes, &views, &mut targets).unwrap();

        let places: Vec<Place> = forms.iter().map(|(_, extents)| self.layout.place(extents)).collect();
        let canaries: Vec<Array> =
            forms.iter().zip(&places).map(|((dtype, _), place)| Array::canary(*dtype, place.buffer)).collect();
        let views: Vec<_> = arrays.iter().enumerate().map(|(index, array)| array.view(place_of(index))).collect();
        for kernels in backends {
            let mut found = canaries.clone();
            let mut targets: Vec<_> =
                found.iter_mut().zip(&places).map(|(array, place)| array.view_mut(place)).collect();
            self.call.run(kernels, self.axes, &views, &mut targets).unwrap();
            for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let positions = places[number].positions();
                let mut whole = canaries[number].clone();
                whole.scatter(&positions, expected);
                compare(found, &whole, &positions, false, || format!("result {number} of {self:?} on {kernels:?}"));
            }
        }
    }
}

/// Numbers of many magnitudes, for integers any; positive ones if asked for.
pub(crate) fn plain(dtype: DType, count: usize, is_positive: bool, generator: &mut Generator) -> Array {
    let mut number = || {
        let fraction = 1.0 + generator.below(1 << 20) as f32 / (1 << 20) as f32;
        let magnitude = fraction * 2_f32.powi(generator.below(12) as i32 - 6);
        if is_positive || generator.below(2) == 0 { magnitude } else { -magnitude }
    };
    match dtype {
        DType::F32 => Array::of(&(0..count).map(|_| number()).collect::<Vec<_>>()),
        DType::F64 => Array::of(&(0..count).map(|_| f64::from(number()) * 1.1).collect::<Vec<_>>()),
        DType::F16 => Array::of(&(0..count).map(|_| stratal_tensor_base::f16::from_f32(number())).collect::<Vec<_>>()),
        DType::BF16 => {
            Array::of(&(0..count).map(|_| stratal_tensor_base::bf16::from_f32(number())).collect::<Vec<_>>())
        }
        _ => mixed(dtype, count, generator),
    }
}

#[test]
fn every_exported_reduction_is_listed() {
    let source = include_str!("../../../src/reduce.rs");
    let besides =
        ["ArgReduction", "Extreme", "Tie", "Rows", "Domain", "Reduction", "ReductionFormula", "Wide", "map::Formula"];
    let mut exported: Vec<&str> = source
        .split(';')
        .filter_map(|item| item.trim_start().strip_prefix("pub use "))
        .filter_map(|path| path.split_once("::"))
        .flat_map(|(_, names)| names.trim_matches(['{', '}']).split(','))
        .map(str::trim)
        .filter(|name| !besides.contains(name))
        .collect();
    exported.sort_unstable();
    let mut listed: Vec<String> = CALLS
        .iter()
        .filter_map(|call| if let Call::Reduce(operation) = call { Some(format!("{operation:?}")) } else { None })
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, exported);
    assert_eq!(listed.len(), 12);
}
