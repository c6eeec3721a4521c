//! `NonMaxSuppression`: boxes without those that overlap better ones.

use std::cmp::Ordering;

use stratal_kernels::AnyView;
use stratal_tensor::View;
use stratal_tensor_base::{DType, Scalar, Shape};

use crate::movement::axes::{check_extent, check_single};
use crate::movement::elements::write_integers;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// For each class of each batch the boxes of the best scores, without those that overlap a better one too much. Inputs are
/// boxes of shape (batch, boxes, 4), scores of shape (batch, classes, boxes), the most boxes of a class (0 if it is not
/// given), the greatest overlap that is allowed (0), and the least score (any).
///
/// The result is a row for each box chosen: batch, class and box; classes in order, boxes from the best on, of equal scores
/// those of the lower number first. The overlap is the area of the intersection by that of the union; two boxes without area
/// have none. A score that equals the least one is enough, as ONNX's text has it; ONNX Runtime wants more. A score of NaN is
/// never enough.
#[derive(Debug, Clone, Copy, Default)]
pub struct NonMaxSuppression {
    /// What the four numbers of a box are.
    pub format: BoxFormat,
}

/// What the four numbers of a box are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BoxFormat {
    /// `y` and `x` of one corner, then of the corner across, in any order.
    #[default]
    Corners,
    /// `x` and `y` of the middle, then width and height.
    Center,
}

impl NonMaxSuppression {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "NonMaxSuppression",
        since: 11,
        inputs: 2..=5,
        outputs: 1..=1,
        attributes: &["center_point_box"],
        dtypes: &[DType::F32],
        build: |node| {
            let format = if node.flag("center_point_box", false)? { BoxFormat::Center } else { BoxFormat::Corners };
            Ok(Box::new(Self { format }))
        },
    };
}

impl Operator for NonMaxSuppression {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, Self::DEFINITION.dtypes)?;
        inputs.dtype(1, Self::DEFINITION.dtypes)?;
        let boxes = inputs.shape_of_rank(0, 3)?;
        inputs.shape_of_rank(1, 3)?;
        check_extent(inputs, 0, 2, &4.into())?;
        check_extent(inputs, 1, 0, &boxes[0])?;
        check_extent(inputs, 1, 2, &boxes[1])?;
        check_single(inputs, 2, dtypes::INDICES)?;
        check_single(inputs, 3, Self::DEFINITION.dtypes)?;
        check_single(inputs, 4, Self::DEFINITION.dtypes)?;
        Ok(vec![Fact::new(DType::I64, SymbolicShape::new([inputs.unknown("count"), 3.into()]))])
    }

    fn compute(&self, _context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (boxes, scores) = (floats(inputs, 0)?, floats(inputs, 1)?);
        let most = usize::try_from(inputs.integer(2)?.unwrap_or(0)).unwrap_or(0);
        let number = |input, default: f32| Ok::<_, Cause>(inputs.scalar(input)?.map_or(default, Scalar::cast::<f32>));
        let limits = Limits { most, overlap: number(3, 0.0)?, score: number(4, f32::NEG_INFINITY)? };
        if !(0.0..=1.0).contains(&limits.overlap) {
            let value = Scalar::from(limits.overlap);
            return Err(Cause::Element { input: 3, value, expected: "0 to 1".into() });
        }
        let [batches, classes, count] = [0, 1, 2].map(|axis| scores.shape().extent(axis));
        let mut chosen = Vec::new();
        for batch in 0..batches {
            let rectangles = (0..count).map(|number| self.rectangle(&boxes, batch, number));
            let rectangles = rectangles.collect::<Result<Vec<_>, _>>()?;
            for class in 0..classes {
                let score = |number: usize| scores.get(&[batch as i64, class as i64, number as i64]);
                let scores = (0..count).map(score).collect::<Result<Vec<_>, _>>()?;
                for number in limits.choose(&rectangles, &scores) {
                    chosen.extend([batch as i64, class as i64, number as i64]);
                }
            }
        }
        let shape = Shape::new(&[(chosen.len() / 3) as i64, 3])?;
        outputs.write_shaped(0, &shape, |result| write_integers(result, &chosen))
    }
}

/// A box by its lower and upper bounds along both axes.
#[derive(Debug, Clone, Copy)]
struct Rectangle([[f32; 2]; 2]);

impl Rectangle {
    fn area(self) -> f32 {
        let [y, x] = self.0;
        (y[1] - y[0]) * (x[1] - x[0])
    }

    /// The area of the intersection by that of the union; NaN for boxes without area.
    fn overlap(self, other: Self) -> f32 {
        let length = |axis: usize| {
            let [a, b] = [self.0[axis], other.0[axis]];
            (a[1].min(b[1]) - a[0].max(b[0])).max(0.0)
        };
        let shared = length(0) * length(1);
        shared / (self.area() + other.area() - shared)
    }
}

impl NonMaxSuppression {
    fn rectangle(&self, boxes: &View<'_, f32>, batch: usize, number: usize) -> Result<Rectangle, Cause> {
        let mut numbers = [0.0; 4];
        for (place, to) in numbers.iter_mut().enumerate() {
            *to = boxes.get(&[batch as i64, number as i64, place as i64])?;
        }
        let [a, b, c, d] = numbers;
        Ok(match self.format {
            BoxFormat::Corners => Rectangle([[a.min(c), a.max(c)], [b.min(d), b.max(d)]]),
            BoxFormat::Center => Rectangle([[b - d / 2.0, b + d / 2.0], [a - c / 2.0, a + c / 2.0]]),
        })
    }
}

/// How many boxes are chosen, and which are not.
struct Limits {
    most: usize,
    overlap: f32,
    score: f32,
}

impl Limits {
    /// The numbers of the boxes of one class, the best first.
    fn choose(&self, rectangles: &[Rectangle], scores: &[f32]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..scores.len()).filter(|number| scores[*number] >= self.score).collect();
        // Stable: equal scores stay in order. None is NaN.
        order.sort_by(|a, b| scores[*b].partial_cmp(&scores[*a]).unwrap_or(Ordering::Equal));
        let mut chosen: Vec<usize> = Vec::new();
        for number in order {
            if chosen.len() == self.most {
                break;
            }
            let overlaps = |other: &usize| rectangles[number].overlap(rectangles[*other]) > self.overlap;
            if !chosen.iter().any(overlaps) {
                chosen.push(number);
            }
        }
        chosen
    }
}

fn floats<'a>(inputs: &Inputs<'a>, input: usize) -> Result<View<'a, f32>, Cause> {
    let view: &AnyView<'a> = inputs.required(input)?;
    view.typed().ok_or(Cause::DType { input, dtype: view.dtype(), expected: NonMaxSuppression::DEFINITION.dtypes })
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::infer;

    fn chosen(scores: &[f32], most: Option<i64>, overlap: f32, least: Option<f32>) -> Result<Vec<i64>, String> {
        // Boxes 0 and 1 share a half of each, a third of their union; box 2 is a point within both.
        let boxes = [0.0_f32, 0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 3.0, 0.5, 1.5, 0.5, 1.5];
        let boxes = Tensor::from_slice(&boxes, &[1, 3, 4]).unwrap();
        let scores = Tensor::from_slice(scores, &[1, 1, 3]).unwrap();
        let most = most.map(|most| Tensor::scalar(most).unwrap());
        let (overlap, least) = (Tensor::scalar(overlap).unwrap(), least.map(|least| Tensor::scalar(least).unwrap()));
        let inputs = [Some(&boxes), Some(&scores), most.as_ref(), Some(&overlap), least.as_ref()];
        let rows = Context::new().unwrap().run(&NonMaxSuppression::default(), &inputs);
        let rows = rows.map_err(|error| error.to_string())?[0].to_vec::<i64>().unwrap();
        Ok(rows.chunks(3).map(|row| row[2]).collect())
    }

    #[test]
    fn boxes_are_chosen_by_score_and_overlap() {
        assert_eq!(chosen(&[0.5, 0.9, 0.7], Some(9), 0.0, None).unwrap(), [1, 2]);
        assert_eq!(chosen(&[0.5, 0.9, 0.7], Some(9), 0.5, None).unwrap(), [1, 2, 0]);
        assert_eq!(chosen(&[-0.0, 0.0, -0.0], Some(9), 1.0, None).unwrap(), [0, 1, 2]);
        assert_eq!(chosen(&[0.5, f32::NAN, 0.7], Some(9), 1.0, Some(0.5)).unwrap(), [2, 0]);
        assert!(chosen(&[0.5, 0.9, 0.7], None, 0.5, None).unwrap().is_empty());
        assert!(chosen(&[0.5, 0.9, 0.7], Some(-1), 0.5, None).unwrap().is_empty());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = chosen(&[0.0; 3], Some(1), 1.5, None).unwrap_err();
        assert_eq!(error, "NonMaxSuppression: input 3 holds 1.5: expected 0 to 1");
        let error = |boxes: [i64; 3], scores: [i64; 3]| {
            let facts = [boxes, scores].map(|shape| Fact::new(DType::F32, shape));
            infer(&NonMaxSuppression::default(), "node", &[Some(&facts[0]), Some(&facts[1])])
                .unwrap_err()
                .cause
                .to_string()
        };
        assert_eq!(error([1, 6, 5], [1, 2, 6]), "input 0 has shape [1, 6, 5]: expected extent 4 at axis 2");
        assert_eq!(error([1, 6, 4], [1, 2, 7]), "input 1 has shape [1, 2, 7]: expected extent 6 at axis 2");
    }
}
