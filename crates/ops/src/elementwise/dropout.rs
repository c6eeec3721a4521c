//! `Dropout`: a random part of the elements.

use stratal_kernels::map::{BinaryFormula, Formula, GreaterOrEqual};
use stratal_kernels::simd::Simd;
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor::{Tensor, View};
use stratal_tensor_base::{DType, Geometry, Shape};

use crate::creation::{fill, uniform};
use crate::operands::broadcast;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes, read, write};

/// The elements as they are; or in training, of which a third operand says whether it is, a random part of them, scaled, and
/// zeros for the others. The second output says which ones are kept.
///
/// The second operand is the ratio of those that are dropped, from 0 up to, but not including, 1; by default one half. An
/// element is kept where the next number of [`fill_uniform`](stratal_tensor::Tensor::fill_uniform) from 0 to 1 is not below
/// the ratio, and divided by the ratio of those that are kept. One that is dropped is multiplied by zero: NaN stays NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dropout {
    /// What random numbers start from. Without one each use takes another one from the context.
    pub seed: Option<u64>,
}

impl Dropout {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Dropout",
        since: 22,
        inputs: 1..=3,
        outputs: 1..=2,
        attributes: &["seed"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { seed: node.int("seed")?.map(|seed| seed as u64) })),
    };
}

impl Operator for Dropout {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        if inputs.get(1).is_some() {
            inputs.dtype(1, dtypes::FLOATS)?;
        }
        if inputs.get(2).is_some() {
            inputs.dtype(2, dtypes::TRUTHS)?;
        }
        let shape = inputs.required(0)?.shape.clone();
        let mask = Fact { dtype: DType::Bool, shape: shape.clone(), elements: None };
        Ok(vec![Fact { dtype, shape, elements: None }, mask])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let is_training = inputs.integer(2)?.is_some_and(|truth| truth != 0);
        if !is_training {
            outputs.write(0, |result| context.kernels().copy(x, result))?;
            return outputs.write(1, |mask| fill(context, true.into(), mask));
        }
        let ratio = ratio(inputs)?;
        let mask = self.mask(context, x.shape(), ratio)?;
        let mask = read(&mask)?;
        let mask = mask.view()?;
        outputs.write(0, |result| keep(context, x, &mask, ratio, result))?;
        outputs.write(1, |result| context.kernels().copy(&mask, result))
    }
}

/// The ratio of elements that are dropped.
fn ratio(inputs: &Inputs<'_>) -> Result<f64, Cause> {
    let Some(value) = inputs.scalar(1)? else { return Ok(0.5) };
    let ratio: f64 = value.cast();
    if (0.0..1.0).contains(&ratio) {
        return Ok(ratio);
    }
    Err(Cause::Element { input: 1, value, expected: "a ratio from 0 up to, but not including, 1".into() })
}

impl Dropout {
    /// Which elements are kept.
    fn mask(&self, context: &Context<'_>, shape: &Shape, ratio: f64) -> Result<Tensor, Cause> {
        let seed = self.seed.unwrap_or_else(|| context.next_seed());
        let numbers = uniform(context, shape, DType::F64, 0.0..1.0, seed)?;
        let mask = context.scratch(DType::Bool, shape)?;
        let ratio = [ratio];
        let ratio = AnyView::from(View::new(&ratio, Geometry::contiguous(Shape::SCALAR))?);
        write(&mask, |mask| {
            let numbers = read(&numbers)?;
            let ratio = broadcast(&ratio, shape)?;
            Ok::<_, Cause>(context.kernels().compare(&GreaterOrEqual, &numbers.view()?, &ratio, mask)?)
        })?;
        Ok(mask)
    }
}

fn keep(
    context: &Context<'_>,
    x: &AnyView<'_>,
    mask: &AnyView<'_>,
    ratio: f64,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    // Ones and zeros first, then the products.
    context.kernels().cast(mask, result)?;
    Ok(context.kernels().binary_in_place(&Formula(Kept { scale: 1.0 / (1.0 - ratio) }), result, x)?)
}

/// The product of an element, 1 or 0 and a scale.
#[derive(Debug, Clone, Copy)]
struct Kept {
    scale: f64,
}

impl BinaryFormula for Kept {
    const NAME: &'static str = "dropout";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, mask: S::F32, x: S::F32) -> S::F32 {
        x * simd.f32(self.scale as f32) * mask
    }

    fn f64(self, mask: f64, x: f64) -> f64 {
        x * self.scale * mask
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::Bool;

    use super::*;

    fn run(dropout: Dropout, count: i64, ratio: Option<f32>, context: &Context<'_>) -> (Vec<f32>, Vec<Bool>) {
        let x = Tensor::full(&[count], 3.0, DType::F32).unwrap();
        let (ratio, training) =
            (ratio.map(|ratio| Tensor::scalar(ratio).unwrap()), Tensor::scalar(Bool::TRUE).unwrap());
        let outputs = context.run(&dropout, &[Some(&x), ratio.as_ref(), Some(&training)]).unwrap();
        (outputs[0].to_vec().unwrap(), outputs[1].to_vec().unwrap())
    }

    #[test]
    fn what_is_kept_is_scaled() {
        let context = Context::new().unwrap();
        let (result, mask) = run(Dropout { seed: Some(7) }, 10_000, Some(0.25), &context);
        let kept = mask.iter().filter(|kept| kept.get()).count();
        assert!((7300..7700).contains(&kept), "{kept}");
        assert!(result.iter().zip(&mask).all(|(&x, kept)| x == if kept.get() { 4.0 } else { 0.0 }));
        // The numbers are those of the tensor.
        let numbers = Tensor::empty(&[10_000], DType::F64).unwrap();
        numbers.fill_uniform(0.0, 1.0, 7).unwrap();
        let expected: Vec<_> = numbers.to_vec::<f64>().unwrap().into_iter().map(|x| Bool::from(x >= 0.25)).collect();
        assert_eq!(mask, expected);
        let (result, mask) = run(Dropout { seed: Some(7) }, 100, Some(0.0), &context);
        assert!(result.iter().all(|&x| x == 3.0) && mask.iter().all(|kept| kept.get()));
    }

    #[test]
    fn without_a_seed_each_use_differs_and_contexts_repeat() {
        let (context, again) = (Context::new().unwrap().seed(5), Context::new().unwrap().seed(5));
        let first = run(Dropout::default(), 100, None, &context);
        assert_ne!(first, run(Dropout::default(), 100, None, &context));
        assert_eq!(first, run(Dropout::default(), 100, None, &again));
    }

    #[test]
    fn nothing_is_dropped_without_training() {
        let x = Tensor::from_slice(&[1.0_f64, f64::NAN], &[2]).unwrap();
        let (ratio, training) = (Tensor::scalar(2.0_f32).unwrap(), Tensor::scalar(Bool::FALSE).unwrap());
        let inputs = [Some(&x), Some(&ratio), Some(&training)];
        let outputs = Context::new().unwrap().run(&Dropout::default(), &inputs).unwrap();
        assert_eq!(outputs[0].item::<f64>(&[0]).unwrap(), 1.0);
        assert!(outputs[0].item::<f64>(&[1]).unwrap().is_nan());
        assert_eq!(outputs[1].to_vec::<Bool>().unwrap(), [Bool::TRUE, Bool::TRUE]);
    }

    #[test]
    fn ratios_are_checked() {
        let (x, training) = (Tensor::scalar(1.0_f32).unwrap(), Tensor::scalar(Bool::TRUE).unwrap());
        for (ratio, text) in [(1.0, "1"), (-0.5, "-0.5"), (f32::NAN, "NaN")] {
            let ratio = Tensor::scalar(ratio).unwrap();
            let inputs = [Some(&x), Some(&ratio), Some(&training)];
            let error = Context::new().unwrap().run(&Dropout::default(), &inputs).unwrap_err();
            let expected =
                format!("Dropout: input 1 holds {text}: expected a ratio from 0 up to, but not including, 1");
            assert_eq!(error.to_string(), expected);
        }
    }
}
