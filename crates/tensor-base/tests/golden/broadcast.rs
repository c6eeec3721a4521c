//! `broadcast.json`: shapes broadcast together, and geometries expanded to a shape.

use stratal_tensor_base::Shape;

use crate::{load::fixture, placed};

#[derive(serde::Deserialize)]
struct Fixture {
    pairs: Vec<BroadcastCase>,
    expand: Vec<ExpandCase>,
}

/// Shapes, and what they broadcast to.
type BroadcastCase = (Vec<Vec<i64>>, Option<Vec<u32>>);

/// Extents, strides, the extents asked for, and the strides they get.
type ExpandCase = (Vec<i64>, Vec<i64>, Vec<i64>, Option<Vec<i32>>);

fn load() -> Fixture {
    fixture(include_str!("../fixtures/broadcast.json"))
}

#[test]
fn shapes_broadcast_together() {
    for (shapes, expected) in load().pairs {
        let parsed: Result<Vec<Shape>, _> = shapes.iter().map(|extents| Shape::new(extents)).collect();
        let result = parsed.and_then(|shapes| Shape::broadcast_all(&shapes));
        assert_eq!(result.ok().map(|shape| shape.extents().to_vec()), expected, "{shapes:?}");
    }
}

#[test]
fn geometries_expand_with_stride_zero() {
    for (extents, strides, target, expected) in load().expand {
        let source = placed(&extents, &strides);
        let expanded = source.expand(&target).ok();
        assert_eq!(expanded.is_some(), expected.is_some(), "{source:?} to {target:?}");
        for (expanded, expected) in expanded.iter().zip(&expected) {
            assert_eq!(source.broadcast_to(&Shape::new(&target).unwrap()), Ok(*expanded));
            let axes = expanded.shape().extents().iter().zip(expanded.strides().iter().zip(expected));
            for (extent, (stride, expected)) in axes {
                assert!(*extent == 1 || stride == expected, "{source:?} to {expanded:?}, not {expected:?}");
            }
        }
    }
}
