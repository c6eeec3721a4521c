//! Problems of losses.

use stratal_ops as ops;
use stratal_ops::LossReduction;
use stratal_tensor::Tensor;

use super::problem::{Problem, numbers, spread};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for reduction in [LossReduction::Mean, LossReduction::Sum, LossReduction::None] {
        for (shape, samples, classes, ignore_index) in SAMPLES {
            let classes = Tensor::from_slice(classes, samples).unwrap();
            let weights = || spread(&[shape[1]], 0.5, 2.0);
            let (ignore_index, x) = (*ignore_index, || numbers(shape));
            let likelihood = ops::NegativeLogLikelihoodLoss { reduction, ignore_index };
            problems.push(Problem::new(likelihood, [x(), classes.clone()]));
            // A mean of nothing is NaN, whatever its weights: of their gradient, see the edge cases.
            let is_nothing = classes.count() == 0 && reduction == LossReduction::Mean;
            let of_weights = |problem: Problem| if is_nothing { problem.constant(2) } else { problem };
            problems.push(of_weights(Problem::new(likelihood, [x(), classes.clone(), weights()])));
            problems.push(Problem::new(likelihood, [x(), classes.clone(), weights()]).constant(2));
            let entropy = ops::SoftmaxCrossEntropyLoss { reduction, ignore_index };
            for outputs in [1, 2] {
                problems.push(Problem::new(entropy, [x(), classes.clone()]).outputs(outputs));
                let problem = Problem::new(entropy, [x(), classes.clone(), weights()]).outputs(outputs);
                problems.push(of_weights(problem));
                problems.push(Problem::new(entropy, [x(), classes.clone(), weights()]).constant(2).outputs(outputs));
            }
        }
    }
}

/// Shapes of scores and of classes, classes, and which does not count.
type SampleCase = (&'static [i64], &'static [i64], &'static [i64], Option<i64>);

const SAMPLES: &[SampleCase] = &[
    (&[3, 4], &[3], &[2, 0, 3], None),
    (&[3, 2], &[3], &[1, -100, 0], Some(-100)),
    (&[1, 2, 2], &[1, 2], &[1, 0], Some(0)),
    (&[0, 3], &[0], &[], None),
];
