//! `Multinomial`: samples from classes.

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::{Exp, UnaryFormula};
use stratal_tensor_base::{DType, Scalar, Shape};

use super::fill::fill_with;
use super::random::{seed, uniform};
use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, attribute, dtypes,
};

/// For each row of an operand, which holds the logarithms of the weights of classes, some classes drawn with probabilities
/// in proportion to the weights.
///
/// With `u` the next number of [`fill_uniform`](stratal_tensor::Tensor::fill_uniform) from 0 to 1, row by row, the class
/// drawn is the first one at which the sum of the weights up to there is above `u` times the sum of all. Computed in f64. A row
/// without a class of some weight, or with one of infinite weight or NaN, is an error.
#[derive(Debug, Clone, Copy)]
pub struct Multinomial {
    /// The dtype of the result: int32 or int64.
    pub dtype: DType,
    /// How many classes are drawn for each row.
    pub sample_size: usize,
    /// What the generator starts from. Without one each use takes another one from the context. ONNX's attribute is a float:
    /// a whole one is the seed, any other one seeds by its bits.
    pub seed: Option<u64>,
}

impl Multinomial {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Multinomial",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["dtype", "sample_size", "seed"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let dtype = node.dtype_or("dtype", DType::I32)?;
            if !dtypes::INDICES.contains(&dtype) {
                return Err(attribute("dtype", dtype, "int32 or int64"));
            }
            Ok(Box::new(Self { dtype, sample_size: node.size_or("sample_size", 1)?, seed: seed(node)? }))
        },
    };
}

impl Operator for Multinomial {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape_of_rank(0, 2)?;
        let samples = (self.sample_size as i64).into();
        Ok(vec![Fact::new(self.dtype, SymbolicShape::new([shape[0].clone(), samples]))])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let (rows, classes) = (x.shape().extent(0), x.shape().extent(1));
        let weights = context.converted(x, DType::F64)?;
        let mut weights = weights.data_mut::<f64>()?;
        if classes == 0 && rows > 0 {
            let shape = x.shape().to_string();
            return Err(Cause::Shape { input: 0, shape, expected: "at least one class".into() });
        }
        for row in weights.chunks_mut(classes.max(1)) {
            sums_of_weights(row)?;
        }
        let seed = self.seed.unwrap_or_else(|| context.next_seed());
        let shape = Shape::new(&[rows as i64, self.sample_size as i64])?;
        let numbers = uniform(context, &shape, DType::F64, 0.0..1.0, seed)?;
        let numbers = numbers.data::<f64>()?;
        let class = |position: usize| {
            let row = &weights[position / self.sample_size * classes..][..classes];
            drawn(row, numbers[position])
        };
        outputs.write(0, |result: &mut AnyViewMut<'_>| match self.dtype {
            DType::I32 => fill_with(result, |position| class(position) as i32),
            _ => fill_with(result, |position| class(position) as i64),
        })
    }
}

/// The class at which a number from 0 to 1 ends up, given the sums of weights, of which there is one at least.
fn drawn(sums: &[f64], number: f64) -> usize {
    let all = sums.last().copied().unwrap_or_default();
    // Rounding may make the product the sum itself; the last class with a weight is the one then.
    let last = sums.partition_point(|&sum| sum < all);
    sums.partition_point(|&sum| sum <= number * all).min(last)
}

/// Replaces logarithms of weights by the sums of the weights up to each, with the greatest weight as the unit.
fn sums_of_weights(row: &mut [f64]) -> Result<(), Cause> {
    let greatest =
        row.iter().copied().fold(f64::NEG_INFINITY, |a, b| if b.is_nan() || a.is_nan() { f64::NAN } else { a.max(b) });
    if !greatest.is_finite() {
        let expected = "rows with a finite greatest element".into();
        return Err(Cause::Element { input: 0, value: Scalar::F64(greatest), expected });
    }
    let mut sum = 0.0;
    for element in row {
        sum += Exp.f64(*element - greatest);
        *element = sum;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn classes_come_in_proportion_to_their_weights() {
        let multinomial = Multinomial { dtype: DType::I64, sample_size: 10_000, seed: Some(2) };
        let (none, three) = (f32::NEG_INFINITY, 3_f32.ln());
        let x = Tensor::from_slice(&[none, 0.0, none, three, none, 900.0, 0.0, none, none, none], &[2, 5]).unwrap();
        let classes = Context::new().unwrap().run(&multinomial, &[Some(&x)]).unwrap().remove(0);
        let classes = classes.to_vec::<i64>().unwrap();
        let count = |class| classes[..10_000].iter().filter(|&&other| other == class).count();
        assert_eq!(count(1) + count(3), 10_000);
        assert!((7300..7700).contains(&count(3)), "{}", count(3));
        assert!(classes[10_000..].iter().all(|&class| class == 0));
    }

    #[test]
    fn classes_without_weight_are_never_drawn() {
        let sums = [0.0, 1.0, 1.0, 4.0, 4.0];
        assert_eq!([0.0, 0.24, 0.25, 0.99, 1.0].map(|number| drawn(&sums, number)), [1, 1, 3, 3, 3]);
    }

    #[test]
    fn rows_without_a_distribution_are_errors() {
        let context = Context::new().unwrap();
        let multinomial = Multinomial { dtype: DType::I32, sample_size: 3, seed: None };
        let error = |x: &[f32], shape: &[i64]| {
            context.run(&multinomial, &[Some(&Tensor::from_slice(x, shape).unwrap())]).unwrap_err().to_string()
        };
        let expected = "Multinomial: input 0 holds -inf: expected rows with a finite greatest element";
        assert_eq!(error(&[0.0, f32::NEG_INFINITY], &[2, 1]), expected);
        assert!(error(&[f32::NAN, 0.0], &[1, 2]).contains("NaN"));
        assert!(error(&[f32::INFINITY, 0.0], &[1, 2]).contains("inf"));
        assert_eq!(error(&[], &[2, 0]), "Multinomial: input 0 has shape [2, 0]: expected at least one class");
        assert_eq!(error(&[0.0], &[1]), "Multinomial: input 0 has shape [1]: expected rank 2");
        let none = Tensor::zeros(&[0, 0], DType::F32).unwrap();
        assert_eq!(context.run(&multinomial, &[Some(&none)]).unwrap()[0].shape().to_string(), "[0, 3]");
    }
}
