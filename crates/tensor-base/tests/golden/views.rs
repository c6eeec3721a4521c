//! `views.json`: chains of views over contiguous tensors, and views that must be refused.

use serde::Deserialize;
use stratal_tensor_base::{Error, Geometry, Shape};

use crate::load::fixture;

#[derive(Deserialize)]
struct Fixture {
    cases: Vec<Case>,
    errors: Vec<Refused>,
}

#[derive(Deserialize)]
struct Case {
    base: Vec<i64>,
    steps: Vec<Step>,
    first: Vec<usize>,
}

#[derive(Deserialize)]
struct Step {
    #[serde(flatten)]
    operation: Operation,
    out: (Vec<u32>, Option<Vec<i32>>, Option<usize>),
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
    fn apply(&self, source: &Geometry) -> Result<Geometry, Error> {
        Ok(match self {
            Self::Permute { axes } => source.permute(axes)?,
            Self::Transpose { a, b } => source.transpose(*a, *b)?,
            Self::Movedim { from, to } => source.movedim(*from, *to)?,
            Self::Slice { axis, start, stop, step } => source.slice(*axis, *start, *stop, *step)?,
            Self::Narrow { axis, start, length } => source.narrow(*axis, *start, *length)?,
            Self::Select { axis, index } => source.select(*axis, *index)?,
            Self::Flip { axes } => source.flip(axes)?,
            Self::Squeeze { axis: Some(axis) } => source.squeeze(&[*axis])?,
            Self::Squeeze { axis: None } => source.squeeze_all(),
            Self::Unsqueeze { axis } => source.unsqueeze(*axis)?,
            Self::BroadcastTo { shape } => source.broadcast_to(&Shape::new(shape)?)?,
            Self::Unfold { axis, size, step } => source.unfold(*axis, *size, *step)?,
            Self::Diagonal { offset, axis1, axis2 } => source.diagonal(*offset, *axis1, *axis2)?,
            Self::Reshape { shape } => {
                let shape = source.shape().reshaped(shape)?;
                source.try_reshape(&shape).expect("every reshape of the fixture is a view")
            }
        })
    }
}

fn load() -> Fixture {
    fixture(include_str!("../fixtures/views.json"))
}

#[test]
fn chains_of_views_reach_the_elements_they_should() {
    for case in load().cases {
        let mut view = Geometry::contiguous(Shape::new(&case.base).unwrap());
        for step in &case.steps {
            let next = step.operation.apply(&view).unwrap();
            let (extents, strides, offset) = &step.out;
            let context = || format!("{:?} of {view:?} gave {next:?}", step.operation);
            assert_eq!(next.shape().extents(), extents, "{}", context());
            if let Some(strides) = strides {
                let axes = extents.iter().zip(next.strides().iter().zip(strides));
                let is_equal = axes.into_iter().all(|(extent, (got, expected))| *extent == 1 || got == expected);
                assert!(is_equal, "{}, not {strides:?}", context());
            }
            if let Some(offset) = offset {
                assert_eq!(next.offset(), *offset, "{}", context());
            }
            view = next;
        }
        // The base holds 0, 1, 2, ..., so an offset is the element itself.
        assert_eq!(view.offsets().take(20).collect::<Vec<_>>(), case.first);
    }
}

#[test]
fn impossible_views_are_refused() {
    for refused in load().errors {
        let base = Geometry::contiguous(Shape::new(&refused.base).unwrap());
        let result = refused.op.apply(&base);
        assert!(result.is_err(), "{:?} of {base:?} gave {result:?}", refused.op);
    }
}
