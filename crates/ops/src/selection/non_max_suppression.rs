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
/// those of the lower number first. A box with a NaN is never chosen. The overlap is the area of the intersection by that of the union; two boxes without area
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
        // Without scores there may be as many batches as extents go.
        for batch in if scores.shape().is_empty() { 0..0 } else { 0..batches } {
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

/// A box by its lower and upper bounds along both axes. No area of f32 numbers overflows f64.
#[derive(Debug, Clone, Copy)]
struct Rectangle([[f64; 2]; 2]);

impl Rectangle {
    fn is_nan(self) -> bool {
        self.0.as_flattened().iter().any(|bound| bound.is_nan())
    }

    fn area(self) -> f64 {
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
        (shared / (self.area() + other.area() - shared)) as f32
    }
}

impl NonMaxSuppression {
    fn rectangle(&self, boxes: &View<'_, f32>, batch: usize, number: usize) -> Result<Rectangle, Cause> {
        let mut numbers = [0.0; 4];
        for (place, to) in numbers.iter_mut().enumerate() {
            *to = f64::from(boxes.get(&[batch as i64, number as i64, place as i64])?);
        }
        if numbers.iter().any(|number| number.is_nan()) {
            return Ok(Rectangle([[f64::NAN; 2]; 2]));
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
        let is_candidate = |number: &usize| scores[*number] >= self.score && !rectangles[*number].is_nan();
        let mut order: Vec<usize> = (0..scores.len()).filter(is_candidate).collect();
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

    fn all_chosen(boxes: &[f32]) -> Vec<i64> {
        let count = boxes.len() as i64 / 4;
        let boxes = Tensor::from_slice(boxes, &[1, count, 4]).unwrap();
        let scores = Tensor::ones(&[1, 1, count], DType::F32).unwrap();
        let inputs = [
            Some(&boxes),
            Some(&scores),
            Some(&Tensor::scalar(9_i64).unwrap()),
            Some(&Tensor::scalar(0.5_f32).unwrap()),
        ];
        let rows = Context::new().unwrap().run(&NonMaxSuppression::default(), &inputs).unwrap().remove(0);
        rows.to_vec::<i64>().unwrap().chunks(3).map(|row| row[2]).collect()
    }

    #[test]
    fn areas_do_not_overflow_and_nan_is_no_box() {
        // The area of each is beyond f32; the second is the same box again.
        assert_eq!(all_chosen(&[0.0, 0.0, 1e30, 1e30, 0.0, 0.0, 1e30, 1e30]), [0]);
        assert_eq!(all_chosen(&[f32::NAN, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, f32::NAN, 2.0, 2.0, 3.0, 3.0]), [2]);
    }

    #[test]
    fn batches_without_boxes_take_no_time() {
        let boxes = Tensor::zeros(&[i64::from(i32::MAX), 0, 4], DType::F32).unwrap();
        let scores = Tensor::zeros(&[i64::from(i32::MAX), 1, 0], DType::F32).unwrap();
        let rows = Context::new().unwrap().run(&NonMaxSuppression::default(), &[Some(&boxes), Some(&scores)]).unwrap();
        assert_eq!(rows[0].shape().extents(), [0, 3]);
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
