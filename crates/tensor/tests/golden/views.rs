//! `views.json`: chains of views over a tensor that holds 0, 1, 2, ...

use serde::Deserialize;
use stratal_tensor::{
    Tensor, TensorError,
    base::{DType, Shape},
};

use crate::load::fixture;

#[derive(Deserialize)]
struct Fixture {
    cases: Vec<Case>,
    errors: Vec<Refused>,
}

#[derive(Deserialize)]
struct Case {
    base: Vec<i64>,
    steps: Vec<Operation>,
    first: Vec<i32>,
}

#[derive(Deserialize)]
struct Refused {
    base: Vec<i64>,
    op: Operation,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Operation {
    Permute { axes: Vec<i64> },
    Transpose { a: i64, b: i64 },
    Movedim { from: i64, to: i64 },
    Slice { axis: i64, start: Option<i64>, stop: Option<i64>, step: i64 },
    Narrow { axis: i64, start: i64, length: i64 },
    Select { axis: i64, index: i64 },
    Flip { axes: Vec<i64> },
    Squeeze { axis: Option<i64> },
    Unsqueeze { axis: i64 },
    BroadcastTo { shape: Vec<i64> },
    Unfold { axis: i64, size: i64, step: i64 },
    Diagonal { offset: i64, axis1: i64, axis2: i64 },
    Reshape { shape: Vec<i64> },
}

impl Operation {
    fn apply(&self, tensor: &Tensor) -> Result<Tensor, TensorError> {
        match self {
            Self::Permute { axes } => tensor.permute(axes),
            Self::Transpose { a, b } => tensor.transpose(*a, *b),
            Self::Movedim { from, to } => tensor.movedim(*from, *to),
            Self::Slice { axis, start, stop, step } => tensor.slice(*axis, *start, *stop, *step),
            Self::Narrow { axis, start, length } => tensor.narrow(*axis, *start, *length),
            Self::Select { axis, index } => tensor.select(*axis, *index),
            Self::Flip { axes } => tensor.flip(axes),
            Self::Squeeze { axis: Some(axis) } => tensor.squeeze(&[*axis]),
            Self::Squeeze { axis: None } => tensor.squeeze_all(),
            Self::Unsqueeze { axis } => tensor.unsqueeze(*axis),
            // -1 keeps an extent in `expand`, but is no extent of a shape.
            Self::BroadcastTo { shape } => Shape::new(shape).map_err(Into::into).and_then(|_| tensor.expand(shape)),
            Self::Unfold { axis, size, step } => tensor.unfold(*axis, *size, *step),
            Self::Diagonal { offset, axis1, axis2 } => tensor.diagonal(*offset, *axis1, *axis2),
            Self::Reshape { shape } => tensor.reshape(shape),
        }
    }
}

fn load() -> Fixture {
    fixture(include_str!("../../../tensor-base/tests/fixtures/views.json"))
}

fn counted(extents: &[i64]) -> Tensor {
    let count = Shape::new(extents).unwrap().count() as i64;
    Tensor::arange(0, count, 1, DType::I32).unwrap().reshape(extents).unwrap()
}

#[test]
fn chains_of_views_read_the_elements_they_should_and_share_the_buffer() {
    for case in load().cases {
        let base = counted(&case.base);
        let mut view = base.clone();
        for step in &case.steps {
            view = step.apply(&view).unwrap();
            assert!(view.shares_buffer(&base), "{step:?}");
        }
        let read: Vec<i32> = view.view::<i32>().unwrap().as_view().iter().take(20).collect();
        assert_eq!(read, case.first);
        assert_eq!(view.to_vec::<i32>().unwrap()[..case.first.len()], case.first);
    }
}

#[test]
fn impossible_views_are_refused() {
    for refused in load().errors {
        let base = counted(&refused.base);
        assert!(refused.op.apply(&base).is_err(), "{:?} of {base:?}", refused.op);
    }
}
