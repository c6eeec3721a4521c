//! Operations on rows, by index: rows as lists of elements, in the order of evaluation as it is written down.

mod rows;

use stratal_tensor_base::{CastFromAny, DType, MAX_RANK, Scalar, bf16, f16};

use super::{Reference, scalars, write};
use crate::integer::match_integer;
use crate::map::{Exp, Log, Unary};
use crate::reduce::by_index::{elements, floats, total};
use crate::reduce::{ArgReduction, Reduction};
use crate::rows::Along;
use crate::{
    Accumulation, AnyView, AnyViewMut, BatchNorm, Centre, Integer, KernelError, Normalization, ReductionKernels, Saved,
    Scan, Softmax, check,
};
use rows::{rows, write_rows};

/// All axes.
const ALL: Along = [true; MAX_RANK];

impl ReductionKernels for Reference {
    fn reduce(
        &self,
        operation: &dyn Reduction,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let along = check::reductions::reduce(operation, x, result)?;
        write(result, rows(x, &along).iter().map(|row| operation.row(x.dtype(), row)));
        Ok(())
    }

    fn arg_reduce(
        &self,
        operation: ArgReduction,
        axis: usize,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let along = check::reductions::arg_reduce(operation, axis, x, result)?;
        let is_i64 = result.dtype() == DType::I64;
        let index = |index: usize| if is_i64 { Scalar::from(index as i64) } else { Scalar::from(index as i32) };
        write(result, rows(x, &along).iter().map(|row| index(arg(operation, row))));
        Ok(())
    }

    fn scan(
        &self,
        operation: Scan,
        axis: usize,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let along = check::reductions::scan(operation, axis, x, result)?;
        write_rows(result, &along, rows(x, &along).iter().map(|row| scan(operation, x.dtype(), row)).collect());
        Ok(())
    }

    fn softmax(&self, operation: &Softmax, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        let along = check::reductions::softmax(operation, x, result)?;
        write_rows(result, &along, rows(x, &along).iter().map(|row| softmax(operation, x.dtype(), row)).collect());
        Ok(())
    }

    fn softmax_in_place(&self, operation: &Softmax, x: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        let along = check::reductions::softmax_in_place(operation, &x.as_view())?;
        let dtype = x.dtype();
        let results = rows(&x.as_view(), &along).iter().map(|row| softmax(operation, dtype, row)).collect();
        write_rows(x, &along, results);
        Ok(())
    }

    fn normalize(
        &self,
        operation: &Normalization<'_>,
        x: &AnyView<'_>,
        scale: Option<&AnyView<'_>>,
        bias: Option<&AnyView<'_>>,
        result: &mut AnyViewMut<'_>,
        saved: Saved<'_, '_>,
    ) -> Result<(), KernelError> {
        let along = check::reductions::normalize(operation, x, scale, bias, result, &saved)?;
        let dtype = x.dtype();
        let normalized: Vec<Normalized> = rows(x, &along).iter().map(|row| normalize(operation, dtype, row)).collect();
        let beside = |operand: Option<&AnyView<'_>>| operand.map(|operand| rows(operand, &along));
        let (scale, bias) = (beside(scale), beside(bias));
        let finished = |(row, normalized): (usize, &Normalized)| {
            let at = |operand: &Option<Vec<Vec<Scalar>>>, index: usize| operand.as_ref().map(|rows| rows[row][index]);
            let elements = normalized.elements.iter().enumerate();
            elements.map(|(index, x)| affine(dtype, *x, at(&scale, index), at(&bias, index))).collect()
        };
        write_rows(result, &along, normalized.iter().enumerate().map(finished).collect());
        if let Some(target) = saved.normalized {
            write_rows(target, &along, normalized.iter().map(|row| row.elements.clone()).collect());
        }
        for (target, which) in [(saved.mean, 0), (saved.variance, 1), (saved.inverse_deviation, 2)] {
            if let Some(target) = target {
                write(target, normalized.iter().map(|row| row.statistics[which]));
            }
        }
        Ok(())
    }

    fn batch_norm(
        &self,
        operation: BatchNorm,
        x: &AnyView<'_>,
        by: [&AnyView<'_>; 4],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::reductions::batch_norm(x, by, result)?;
        let dtype = x.dtype();
        let [mean, variance, scale, bias] = by.map(|view| rows(view, &ALL).into_iter().flatten());
        let operands = scalars(x).zip(mean).zip(variance).zip(scale).zip(bias);
        write(
            result,
            operands.map(|((((x, mean), variance), scale), bias)| {
                let normalized = if dtype == DType::F64 {
                    let (x, mean, variance): (f64, f64, f64) = (x.cast(), mean.cast(), variance.cast());
                    Scalar::from((x - mean) * (1.0 / (variance + f64::from(operation.epsilon)).sqrt()))
                } else {
                    let (x, mean, variance): (f32, f32, f32) = (x.cast(), mean.cast(), variance.cast());
                    Scalar::from((x - mean) * (1.0 / (variance + operation.epsilon).sqrt()))
                };
                affine(dtype, normalized, Some(scale), Some(bias))
            }),
        );
        Ok(())
    }
}

/// A result that was computed in f32, in the dtype of the operands.
fn narrowed(dtype: DType, x: f32) -> Scalar {
    match dtype {
        DType::F16 => Scalar::from(x).cast::<f16>().into(),
        DType::BF16 => Scalar::from(x).cast::<bf16>().into(),
        _ => x.into(),
    }
}

/// Looks at one element after another.
fn arg(operation: ArgReduction, row: &[Scalar]) -> usize {
    // Every float fits an f64, and every integer an i128, which Rust orders as numbers.
    let is_nan = |x: &Scalar| x.dtype().is_float() && x.cast::<f64>().is_nan();
    let wide = |x: &Scalar| {
        let is_above_i64 = x.dtype() == DType::U64;
        if is_above_i64 { i128::from(x.cast::<u64>()) } else { i128::from(x.cast::<i64>()) }
    };
    if let Some(first) = row.iter().position(is_nan) {
        return first;
    }
    let mut best = 0;
    for (index, x) in row.iter().enumerate().skip(1) {
        let wins = if x.dtype().is_float() {
            operation.wins(x.cast::<f64>(), row[best].cast::<f64>())
        } else {
            operation.wins(wide(x), wide(&row[best]))
        };
        if wins {
            best = index;
        }
    }
    best
}

fn scan(operation: Scan, dtype: DType, row: &[Scalar]) -> Vec<Scalar> {
    match dtype {
        DType::F64 => {
            let (neutral, combine) = rule(operation, (0.0, |a, b| a + b), (1.0, |a, b| a * b));
            accumulate(operation, &elements::<f64>(row), neutral, combine).into_iter().map(Scalar::from).collect()
        }
        DType::F32 | DType::F16 | DType::BF16 => {
            let (neutral, combine) = rule(operation, (0.0, |a, b| a + b), (1.0, |a, b| a * b));
            let results = accumulate(operation, &floats(row), neutral, combine);
            results.into_iter().map(|x| narrowed(dtype, x)).collect()
        }
        _ => match_integer!(dtype, T => integer_scan::<T>(operation, row)),
    }
}

fn integer_scan<T: Integer + Into<Scalar> + CastFromAny>(operation: Scan, row: &[Scalar]) -> Vec<Scalar> {
    let (neutral, combine) = rule(operation, (T::ZERO, T::add), (T::ONE, T::mul));
    accumulate(operation, &elements::<T>(row), neutral, combine).into_iter().map(Into::into).collect()
}

type Rule<T> = (T, fn(T, T) -> T);

fn rule<T>(operation: Scan, sum: Rule<T>, product: Rule<T>) -> Rule<T> {
    match operation.accumulation {
        Accumulation::Sum => sum,
        Accumulation::Product => product,
    }
}

/// For each index, what there is before it, and the element itself unless that is left out.
fn accumulate<T: Copy>(operation: Scan, row: &[T], neutral: T, combine: fn(T, T) -> T) -> Vec<T> {
    let in_order: Vec<T> = if operation.reverse { row.iter().rev().copied().collect() } else { row.to_vec() };
    let mut results = Vec::new();
    let mut total = neutral;
    for x in in_order {
        let before = total;
        total = combine(total, x);
        results.push(if operation.exclusive { before } else { total });
    }
    if operation.reverse {
        results.reverse();
    }
    results
}

fn softmax(operation: &Softmax, dtype: DType, row: &[Scalar]) -> Vec<Scalar> {
    if dtype == DType::F64 {
        let scaled: Vec<f64> = elements::<f64>(row).iter().map(|x| x * f64::from(operation.scale)).collect();
        // Without NaN, which the sum has anyway.
        let greatest = scaled.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        let shifted: Vec<f64> = scaled.iter().map(|t| t - greatest).collect();
        let powers: Vec<f64> = shifted.iter().map(|t| f64_of(&Exp, *t)).collect();
        let sum = total(&powers, 0.0, &|a, b| a + b);
        let logarithm = f64_of(&Log, sum);
        let results = shifted.iter().zip(&powers);
        let result = |(t, e): (&f64, &f64)| if operation.is_logarithm { t - logarithm } else { e * (1.0 / sum) };
        return results.map(|pair| result(pair).into()).collect();
    }
    let scaled: Vec<f32> = floats(row).iter().map(|x| x * operation.scale).collect();
    let greatest = scaled.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    let shifted: Vec<f32> = scaled.iter().map(|t| t - greatest).collect();
    let powers: Vec<f32> = shifted.iter().map(|t| f32_of(&Exp, *t)).collect();
    let sum = total(&powers, 0.0, &|a, b| a + b);
    let logarithm = f32_of(&Log, sum);
    let results = shifted.iter().zip(&powers);
    let result = |(t, e): (&f32, &f32)| if operation.is_logarithm { t - logarithm } else { e * (1.0 / sum) };
    results.map(|pair| narrowed(dtype, result(pair))).collect()
}

fn f32_of(function: &dyn Unary, x: f32) -> f32 {
    function.element(x.into()).cast()
}

fn f64_of(function: &dyn Unary, x: f64) -> f64 {
    function.element(x.into()).cast()
}

/// A row between normalisation and its scale, in the type that it computes in.
struct Normalized {
    elements: Vec<Scalar>,
    /// Mean, variance, inverse deviation.
    statistics: [Scalar; 3],
}

fn normalize(operation: &Normalization<'_>, dtype: DType, row: &[Scalar]) -> Normalized {
    let is_centred = operation.centre == Centre::Mean;
    let in_f64 = |row: &[f64]| {
        let count = row.len() as f64;
        let mean = if is_centred { total(row, 0.0, &|a, b| a + b) / count } else { 0.0 };
        let squares: Vec<f64> = row.iter().map(|x| (x - mean) * (x - mean)).collect();
        let variance = total(&squares, 0.0, &|a, b| a + b) / count;
        let inverse = 1.0 / (variance + f64::from(operation.epsilon)).sqrt();
        let normalized: Vec<f64> = row.iter().map(|x| (x - mean) * inverse).collect();
        (normalized, [mean, variance, inverse])
    };
    if dtype == DType::F64 {
        let (normalized, statistics) = in_f64(&elements::<f64>(row));
        let elements = normalized.into_iter().map(Scalar::from).collect();
        return Normalized { elements, statistics: statistics.map(Scalar::from) };
    }
    let row = floats(row);
    let count = row.len() as f32;
    let mean = if is_centred { total(&row, 0.0, &|a, b| a + b) / count } else { 0.0 };
    let squares: Vec<f32> = row.iter().map(|x| (x - mean) * (x - mean)).collect();
    let variance = total(&squares, 0.0, &|a, b| a + b) / count;
    if !variance.is_finite() {
        let wide: Vec<f64> = row.iter().map(|x| f64::from(*x)).collect();
        let (normalized, statistics) = in_f64(&wide);
        let elements = normalized.into_iter().map(|x| Scalar::from(x as f32)).collect();
        return Normalized { elements, statistics: statistics.map(|x| Scalar::from(x as f32)) };
    }
    let inverse = 1.0 / (variance + operation.epsilon).sqrt();
    let elements = row.iter().map(|x| Scalar::from((x - mean) * inverse)).collect();
    Normalized { elements, statistics: [mean, variance, inverse].map(Scalar::from) }
}

/// Multiplies by a scale and adds a bias, in the type that `x` was computed in, and gives the result in the dtype.
fn affine(dtype: DType, x: Scalar, scale: Option<Scalar>, bias: Option<Scalar>) -> Scalar {
    if dtype == DType::F64 {
        let [x, scale, bias] = [Some(x), scale, bias].map(|operand| operand.map(|operand| operand.cast::<f64>()));
        let x = x.unwrap_or_default();
        return match (scale, bias) {
            (None, None) => x,
            (Some(scale), None) => x * scale,
            (None, Some(bias)) => x + bias,
            (Some(scale), Some(bias)) => x.mul_add(scale, bias),
        }
        .into();
    }
    let [x, scale, bias] = [Some(x), scale, bias].map(|operand| operand.map(|operand| operand.cast::<f32>()));
    let x = x.unwrap_or_default();
    let result = match (scale, bias) {
        (None, None) => x,
        (Some(scale), None) => x * scale,
        (None, Some(bias)) => x + bias,
        (Some(scale), Some(bias)) => x.mul_add(scale, bias),
    };
    narrowed(dtype, result)
}
