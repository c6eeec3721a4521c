//! What losses made of logarithms of probabilities have in common.

use stratal_kernels::{AnyView, reduce};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Geometry, Scalar, Shape, match_dtype};

use crate::normalization::precision::write_numbers;
use crate::{Cause, Context, Extent, Fact, Facts, Inputs, Node, Outputs, SymbolicShape, dtypes, read, write};

/// What is made of the losses of all samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LossReduction {
    /// Their sum, divided by the sum of the weights of the samples that count.
    #[default]
    Mean,
    /// Their sum.
    Sum,
    /// Nothing: there is one for each sample.
    None,
}

impl LossReduction {
    pub(crate) fn of(node: &Node<'_>) -> Result<Self, Cause> {
        let words = [("mean", Self::Mean), ("sum", Self::Sum), ("none", Self::None)];
        node.word("reduction", "none, sum or mean", &words)
    }
}

/// The loss of each sample, `-x[its class] * weight[its class]`, and what is made of all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogLikelihood {
    pub(crate) reduction: LossReduction,
    /// The class of samples that do not count.
    pub(crate) ignore_index: Option<i64>,
}

impl LogLikelihood {
    /// What is known of the loss. Inputs are of `[N, C, ..]`, classes of `[N, ..]` and weights of `[C]`.
    pub(crate) fn infer(self, inputs: &Facts<'_>) -> Result<Fact, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.dtype(1, dtypes::INDICES)?;
        inputs.check_dtype(2, dtype)?;
        let shape = inputs.shape(0)?;
        let [images, channels, places @ ..] = shape.extents() else {
            return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected: "rank 2 or more".into() });
        };
        let mut samples = SymbolicShape::new([images].into_iter().chain(places).cloned());
        let given = inputs.shape_of_rank(1, samples.rank())?;
        let fits = |(a, b): (&Extent, &Extent)| a.known().zip(b.known()).is_none_or(|(a, b)| a == b);
        if !samples.iter().zip(given.iter()).all(fits) {
            let expected = format!("{samples}, a class for each sample");
            return Err(Cause::Shape { input: 1, shape: given.to_string(), expected });
        }
        for (extent, given) in samples.extents_mut().iter_mut().zip(given.iter()) {
            if given.known().is_some() {
                *extent = given.clone();
            }
        }
        if inputs.get(2).is_some() {
            let weights = inputs.shape_of_rank(2, 1)?;
            if !fits((&weights[0], channels)) {
                let expected = format!("a weight for each of {channels} classes");
                return Err(Cause::Shape { input: 2, shape: weights.to_string(), expected });
            }
        }
        let is_one = self.reduction != LossReduction::None;
        Ok(Fact::new(dtype, if is_one { SymbolicShape::default() } else { samples }))
    }

    /// Computes the loss into output 0. `x` stands for input 0.
    pub(crate) fn compute(
        self,
        context: &Context<'_>,
        x: &AnyView<'_>,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<(), Cause> {
        let target = inputs.required(1)?;
        let classes = context.converted(target, DType::I64)?;
        let weights = inputs.numbers(2);
        let extent = x.shape().extent(1);
        if let Some(weights) = weights.as_ref().filter(|weights| weights.len() != extent) {
            return Err(Cause::Unfit(format!("{} weights for {extent} classes", weights.len())));
        }
        self.check(&classes, extent)?;
        let samples = Samples { x, classes: &classes, weights: weights.as_deref(), ignored: self.ignore_index };
        // Products and sums are those of f64, rounded once.
        let losses = context.scratch(DType::F64, target.shape())?;
        samples.write(&losses, |x, weight| -x * weight)?;
        if self.reduction == LossReduction::None {
            let losses = read(&losses)?;
            let losses = losses.view()?;
            return outputs.write(0, |result| context.kernels().cast(&losses, result));
        }
        let mut loss = sum(context, &losses)?;
        if self.reduction == LossReduction::Mean {
            samples.write(&losses, |_, weight| weight)?;
            loss /= sum(context, &losses)?;
        }
        outputs.write(0, |result| write_numbers(context, &[loss], result))
    }

    /// Checks that each sample is of a class that there is, unless it does not count.
    fn check(self, classes: &Tensor, extent: usize) -> Result<(), Cause> {
        let is_unfit = |&class: &i64| Some(class) != self.ignore_index && !(0..extent as i64).contains(&class);
        match classes.data::<i64>()?.iter().copied().find(is_unfit) {
            Some(class) => {
                let expected = format!("classes from 0 on, below {extent}");
                Err(Cause::Element { input: 1, value: class.into(), expected })
            }
            None => Ok(()),
        }
    }
}

/// Samples and their classes, each of which there is or does not count.
#[derive(Debug, Clone, Copy)]
struct Samples<'a, 'b> {
    x: &'a AnyView<'b>,
    classes: &'a Tensor,
    /// One for each class; 1 if there are none.
    weights: Option<&'a [f64]>,
    ignored: Option<i64>,
}

impl Samples<'_, '_> {
    /// Writes a number for each sample, made of its element and its weight; 0 for those that do not count.
    fn write(&self, target: &Tensor, number: impl Fn(f64, f64) -> f64) -> Result<(), Cause> {
        let geometry = self.x.geometry();
        let stride = geometry.strides()[1] as isize;
        // Where the elements of class 0 are. Without classes no sample counts, and it does not matter.
        let firsts = if self.x.shape().extent(1) == 0 {
            Geometry::contiguous(*self.classes.shape())
        } else {
            geometry.select(1, 0)?
        };
        let (mut target, classes) = (target.data_mut::<f64>()?, self.classes.data::<i64>()?);
        match_dtype!(self.x.dtype(), T => if let Some(x) = self.x.typed::<T>() {
            for ((target, &class), first) in target.iter_mut().zip(classes.iter()).zip(firsts.offsets()) {
                *target = if Some(class) == self.ignored {
                    0.0
                } else {
                    let element = x.elements()[(first as isize + class as isize * stride) as usize];
                    let weight = self.weights.map_or(1.0, |weights| weights[class as usize]);
                    number(Scalar::from(element).cast(), weight)
                };
            }
        });
        Ok(())
    }
}

/// The sum of all elements of a row-major tensor of f64.
fn sum(context: &Context<'_>, x: &Tensor) -> Result<f64, Cause> {
    let total = context.scratch(DType::F64, &Shape::new(&[1])?)?;
    let x = read(x)?;
    let row = Shape::new(&[x.view()?.shape().count() as i64])?;
    let x =
        x.view()?.seen(|geometry| geometry.try_reshape(&row).ok_or_else(|| Cause::Unfit(format!("{geometry:?}"))))?;
    write(&total, |total| context.kernels().reduce(&reduce::Sum, &x, total))?;
    Ok(total.item(&[0])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, NegativeLogLikelihoodLoss, ONNX, build, infer};

    fn run(operator: &NegativeLogLikelihoodLoss, inputs: &[&Tensor]) -> Result<Tensor, String> {
        let inputs: Vec<_> = inputs.iter().copied().map(Some).collect();
        let results = Context::new().unwrap().run(operator, &inputs).map_err(|error| error.to_string())?;
        Ok(results.into_iter().next().unwrap())
    }

    fn loss(reduction: LossReduction, ignore_index: Option<i64>) -> NegativeLogLikelihoodLoss {
        NegativeLogLikelihoodLoss { reduction, ignore_index }
    }

    #[test]
    fn channels_that_lie_apart() {
        // Two images of two places with three classes, which are the last axis in memory.
        let x = Tensor::arange(0, 12, 1, DType::F32).unwrap().reshape(&[2, 2, 3]).unwrap().transpose(1, 2).unwrap();
        let classes = Tensor::from_slice(&[2_i32, 0, 1, 2], &[2, 2]).unwrap();
        let losses = run(&loss(LossReduction::None, None), &[&x, &classes]).unwrap();
        assert_eq!(losses.to_vec::<f32>().unwrap(), [-2.0, -3.0, -7.0, -11.0]);
        let weights = Tensor::from_slice(&[1.0_f32, 2.0, 3.0], &[3]).unwrap();
        let of =
            |reduction| run(&loss(reduction, Some(0)), &[&x, &classes, &weights]).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(of(LossReduction::None), [-6.0, 0.0, -14.0, -33.0]);
        assert_eq!(of(LossReduction::Sum), [-53.0]);
        assert_eq!(of(LossReduction::Mean), [-53.0 / 8.0]);
    }

    #[test]
    fn samples_that_do_not_count() {
        let x = Tensor::zeros(&[2, 0], DType::F32).unwrap();
        let classes = Tensor::from_slice(&[-1_i64, -1], &[2]).unwrap();
        let of = |reduction| run(&loss(reduction, Some(-1)), &[&x, &classes]).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(of(LossReduction::None), [0.0, 0.0]);
        assert_eq!(of(LossReduction::Sum), [0.0]);
        // A mean of nothing.
        assert!(of(LossReduction::Mean)[0].is_nan());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let x = Tensor::zeros(&[2, 3], DType::F32).unwrap();
        let of = |classes: &[i64]| {
            let classes = Tensor::from_slice(classes, &[classes.len() as i64]).unwrap();
            run(&loss(LossReduction::Sum, Some(7)), &[&x, &classes]).unwrap_err()
        };
        assert_eq!(of(&[7, 3]), "NegativeLogLikelihoodLoss: input 1 holds 3: expected classes from 0 on, below 3");
        assert_eq!(of(&[-1, 0]), "NegativeLogLikelihoodLoss: input 1 holds -1: expected classes from 0 on, below 3");
        assert_eq!(of(&[0]), "NegativeLogLikelihoodLoss: input 1 has shape [1]: expected [2], a class for each sample");
        let classes = Tensor::from_slice(&[0_i64, 0], &[2]).unwrap();
        assert_eq!(
            run(&loss(LossReduction::Sum, None), &[&x, &classes, &Tensor::ones(&[2], DType::F32).unwrap()])
                .unwrap_err(),
            "NegativeLogLikelihoodLoss: input 2 has shape [2]: expected a weight for each of 3 classes"
        );
        let attributes = Attributes::new().with("reduction", "max");
        assert_eq!(
            build(ONNX, "NegativeLogLikelihoodLoss", &attributes, 2, 1).unwrap_err().to_string(),
            r#"NegativeLogLikelihoodLoss: attribute reduction is "max": expected none, sum or mean"#
        );
    }

    #[test]
    fn shapes_of_symbols() {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("n"), 10.into(), Extent::symbol("d")]));
        let classes = Fact::new(DType::I64, SymbolicShape::new([Extent::symbol("n"), 5.into()]));
        let of = |reduction| {
            let facts = infer(&loss(reduction, None), "loss", &[Some(&x), Some(&classes)]).unwrap();
            facts[0].shape.as_ref().unwrap().to_string()
        };
        assert_eq!(of(LossReduction::None), "[n, 5]");
        assert_eq!(of(LossReduction::Mean), "[]");
    }
}
