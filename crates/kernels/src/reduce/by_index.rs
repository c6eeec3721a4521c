//! A formula of a reduction on one row, by index and without vectors: what the order of evaluation means.

mod order;

use stratal_tensor_base::{Bool, CastFromAny, DType, Element, Scalar, bf16, f16};

use super::{Max, ReductionFormula, wrapped};
use crate::Integer;
use crate::integer::match_integer;
use crate::simd::{Float, LANES, Portable, Simd};
pub(crate) use order::total;

/// The reduction of one row.
pub(super) fn row_of<F: ReductionFormula>(formula: F, dtype: DType, row: &[Scalar]) -> Scalar {
    match dtype {
        DType::F32 => of_f32(formula, &floats(row)).into(),
        DType::F16 => Scalar::from(of_f32(formula, &floats(row))).cast::<f16>().into(),
        DType::BF16 => Scalar::from(of_f32(formula, &floats(row))).cast::<bf16>().into(),
        DType::F64 => of_f64(formula, &elements(row)).into(),
        DType::Bool => {
            let truths = elements::<Bool>(row).into_iter().map(|truth| i128::from(truth.get()));
            Bool::from(of_integers(formula, truths) != 0).into()
        }
        _ => {
            let mut result = Scalar::from(Bool::from(false));
            match_integer!(dtype, T => result = integer::<F, T>(formula, row));
            result
        }
    }
}

/// The elements as values of their type.
pub(crate) fn elements<T: Element>(row: &[Scalar]) -> Vec<T> {
    row.iter().filter_map(|scalar| scalar.get()).collect()
}

/// Floats in f32, in which all but f64 compute.
pub(crate) fn floats(row: &[Scalar]) -> Vec<f32> {
    row.iter().map(|scalar| scalar.cast()).collect()
}

/// One lane of sixteen.
fn lane(x: <Portable<1> as Simd>::F32) -> f32 {
    let mut lanes = [0.0; LANES];
    x.store(&mut lanes);
    lanes[0]
}

fn of_f32<F: ReductionFormula>(formula: F, row: &[f32]) -> f32 {
    let simd = Portable::<1>;
    let mut shift = 0.0;
    if F::IS_SHIFTED {
        let greatest = of_f32(Max, row);
        shift = if greatest.is_finite() { greatest } else { 0.0 };
    }
    let terms: Vec<f32> = row.iter().map(|x| lane(formula.term(simd, simd.f32(*x), simd.f32(shift)))).collect();
    let combine = |a, b| lane(formula.combine(simd, simd.f32(a), simd.f32(b)));
    let total = total(&terms, F::NEUTRAL, &combine);
    lane(formula.finish(simd, simd.f32(total), simd.f32(row.len() as f32), simd.f32(shift)))
}

fn of_f64<F: ReductionFormula>(formula: F, row: &[f64]) -> f64 {
    let mut shift = 0.0;
    if F::IS_SHIFTED {
        let greatest = of_f64(Max, row);
        shift = if greatest.is_finite() { greatest } else { 0.0 };
    }
    let terms: Vec<f64> = row.iter().map(|x| formula.term_f64(*x, shift)).collect();
    let total = total(&terms, F::NEUTRAL.into(), &|a, b| formula.combine_f64(a, b));
    formula.finish_f64(total, row.len() as f64, shift)
}

fn integer<F: ReductionFormula, T: Integer + Into<Scalar> + CastFromAny>(formula: F, row: &[Scalar]) -> Scalar {
    let wide = |x: &Scalar| if T::SIGNED { i128::from(x.cast::<i64>()) } else { i128::from(x.cast::<u64>()) };
    let total = of_integers(formula, row.iter().map(wide));
    // The neutral value of an extreme is beyond the type's own.
    let result: T = if row.is_empty() { T::nearest(total) } else { wrapped(total) };
    result.into()
}

fn of_integers<F: ReductionFormula>(formula: F, row: impl ExactSizeIterator<Item = i128>) -> i128 {
    let count = row.len();
    let terms = row.map(|x| formula.term_integer(x));
    formula.finish_integer(terms.fold(formula.neutral_integer(), |a, b| formula.combine_integer(a, b)), count)
}
