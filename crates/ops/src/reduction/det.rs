//! `Det`: determinants.

use stratal_tensor_base::{DType, Shape};

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes, read};

/// The determinant of each square matrix, which lie along the last two axes.
///
/// It is computed in f64, and rounded once. Of a matrix without elements it is 1, of one with a NaN or an infinity it is not
/// finite.
#[derive(Debug, Clone, Copy, Default)]
pub struct Det;

impl Det {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Det",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::FLOATS,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Det {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape(0)?;
        let unfit = || Cause::Shape { input: 0, shape: shape.to_string(), expected: "square matrices".into() };
        let [batch @ .., rows, columns] = shape.extents() else { return Err(unfit()) };
        if rows.known().zip(columns.known()).is_some_and(|(rows, columns)| rows != columns) {
            return Err(unfit());
        }
        Ok(vec![Fact::new(dtype, SymbolicShape::new(batch.iter().cloned()))])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let extents = x.shape().extents();
        let unfit = || Cause::Shape { input: 0, shape: x.shape().to_string(), expected: "square matrices".into() };
        let [batch @ .., rows, columns] = extents else { return Err(unfit()) };
        if rows != columns {
            return Err(unfit());
        }
        let order = *rows as usize;
        let batch: Vec<_> = batch.iter().map(|&extent| i64::from(extent)).collect();
        let determinants = context.scratch(DType::F64, &Shape::new(&batch)?)?;
        let matrices = context.converted(x, DType::F64)?;
        {
            let (mut matrices, mut determinants) = (matrices.data_mut::<f64>()?, determinants.data_mut::<f64>()?);
            for (index, determinant) in determinants.iter_mut().enumerate() {
                *determinant = of_matrix(&mut matrices[index * order * order..][..order * order], order);
            }
        }
        let determinants = read(&determinants)?;
        let determinants = determinants.view()?;
        outputs.write(0, |result| context.kernels().cast(&determinants, result))
    }
}

/// The product of the pivots, with its sign.
fn of_matrix(matrix: &mut [f64], order: usize) -> f64 {
    let is_finite = matrix.iter().all(|x| x.is_finite());
    let determinant = eliminate(matrix, order);
    // An infinity times its cofactor is infinite, or NaN where that is zero. Elimination may miss either.
    if is_finite || !determinant.is_finite() { determinant } else { f64::NAN }
}

/// Eliminates what is below the diagonal, with the greatest element of each column as its pivot.
fn eliminate(matrix: &mut [f64], order: usize) -> f64 {
    let mut determinant = 1.0;
    for column in 0..order {
        let size = |row: usize| matrix[row * order + column].abs();
        let row = (column..order).fold(column, |best, row| if size(row) > size(best) { row } else { best });
        if row != column {
            let (above, below) = matrix.split_at_mut(row * order);
            above[column * order..][..order].swap_with_slice(&mut below[..order]);
            determinant = -determinant;
        }
        let (above, below) = matrix.split_at_mut((column + 1) * order);
        let pivots = &above[column * order..];
        let pivot = pivots[column];
        if pivot == 0.0 {
            return 0.0;
        }
        determinant *= pivot;
        for row in below.chunks_exact_mut(order) {
            let factor = row[column] / pivot;
            for (element, pivot) in row[column + 1..].iter_mut().zip(&pivots[column + 1..]) {
                *element -= factor * pivot;
            }
        }
    }
    determinant
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use super::*;
    use crate::{Extent, infer};

    fn run<T: stratal_tensor_base::Element>(elements: &[T], extents: &[i64]) -> Result<Vec<T>, String> {
        let x = Tensor::from_slice(elements, extents).unwrap();
        let determinants = Context::new().unwrap().run(&Det, &[Some(&x)]).map_err(|error| error.to_string())?;
        Ok(determinants[0].to_vec().unwrap())
    }

    #[test]
    fn rows_are_exchanged() {
        assert_eq!(run(&[0.0_f32, 1.0, 1.0, 0.0], &[2, 2]), Ok(vec![-1.0]));
        assert_eq!(run(&[0.0_f64, 2.0, 0.0, 0.0, 0.0, 3.0, 5.0, 0.0, 0.0], &[3, 3]), Ok(vec![30.0]));
        let batch = [f16::from_f32(3.0), f16::from_f32(-0.5)];
        assert_eq!(run(&batch, &[2, 1, 1, 1]), Ok(batch.to_vec()));
    }

    #[test]
    fn singular_and_empty_matrices() {
        assert_eq!(run(&[1.0_f32, 2.0, 2.0, 4.0], &[2, 2]), Ok(vec![0.0]));
        assert_eq!(run(&[0.0_f32; 9], &[3, 3]), Ok(vec![0.0]));
        assert_eq!(run::<f32>(&[], &[2, 0, 0]), Ok(vec![1.0; 2]));
        assert_eq!(run::<f32>(&[], &[0, 3, 3]), Ok(vec![]));
    }

    #[test]
    fn what_is_not_finite_stays() {
        for at in 0..4 {
            let mut matrix = [0.0_f32, 1.0, 0.0, 2.0];
            matrix[at] = f32::NAN;
            assert!(run(&matrix, &[2, 2]).unwrap()[0].is_nan(), "NaN at {at}");
        }
        // Zero times infinity is not zero.
        assert!(run(&[0.0_f32, 1.0, 0.0, f32::INFINITY], &[2, 2]).unwrap()[0].is_nan());
        assert_eq!(run(&[f32::INFINITY, 0.0, 0.0, -1.0], &[2, 2]), Ok(vec![f32::NEG_INFINITY]));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_eq!(run(&[0.0_f32; 6], &[2, 3]).unwrap_err(), "Det: input 0 has shape [2, 3]: expected square matrices");
        assert_eq!(run(&[0.0_f32], &[1]).unwrap_err(), "Det: input 0 has shape [1]: expected square matrices");
        let n = Extent::symbol("n");
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("batch"), n.clone(), n]));
        let shape = infer(&Det, "det", &[Some(&x)]).unwrap().remove(0).shape;
        assert_eq!(shape.unwrap().to_string(), "[batch]");
    }

    /// By the definition: along the first row.
    fn expanded(matrix: &[i64], order: usize) -> i64 {
        let minor = |column: usize| {
            let rest = matrix[order..].iter().enumerate().filter(|(index, _)| index % order != column);
            expanded(&rest.map(|(_, element)| *element).collect::<Vec<_>>(), order - 1)
        };
        let term = |column: usize| [1, -1][column % 2] * matrix[column] * minor(column);
        if order == 0 { 1 } else { (0..order).map(term).sum() }
    }

    proptest! {
        #[test]
        fn determinants_are_those_of_the_definition(
            (order, matrix) in (0_usize..5).prop_flat_map(|order| {
                (Just(order), prop::collection::vec(-4_i64..5, order * order))
            }),
        ) {
            let elements: Vec<f64> = matrix.iter().map(|&element| element as f64).collect();
            let determinant = run(&elements, &[order as i64; 2]).unwrap()[0];
            let expected = expanded(&matrix, order) as f64;
            prop_assert!((determinant - expected).abs() <= 1e-10 * expected.abs().max(1.0), "{determinant} {expected}");
        }
    }
}
