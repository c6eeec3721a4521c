//! `reshape_viewable.json`: which reshapes are views, with which strides, and what -1 stands for.

use stratal_tensor_base::Shape;

use crate::{load::fixture, placed};

#[derive(serde::Deserialize)]
struct Fixture {
    cases: Vec<ReshapeCase>,
    infer: Vec<InferCase>,
}

/// Extents, strides, the extents asked for, and the strides of the view if there is one.
type ReshapeCase = (Vec<i64>, Vec<i64>, Vec<i64>, Option<Vec<i32>>);

/// Extents, the request, and what it means if anything.
type InferCase = (Vec<i64>, Vec<i64>, Option<Vec<u32>>);

fn load() -> Fixture {
    fixture(include_str!("../fixtures/reshape_viewable.json"))
}

#[test]
fn reshapes_are_views_exactly_where_strides_can_say_them() {
    let mut views = 0;
    for (extents, strides, target, expected) in load().cases {
        let source = placed(&extents, &strides);
        let view = source.try_reshape(&Shape::new(&target).unwrap());
        assert_eq!(view.map(|view| view.strides().to_vec()), expected, "{source:?} to {target:?}");
        if let Some(view) = view {
            views += 1;
            assert!(view.offsets().take(4096).eq(source.offsets().take(4096)), "{source:?} to {view:?}");
        }
    }
    assert!(views > 2000, "{views}");
}

#[test]
fn an_open_extent_is_inferred_or_refused() {
    for (extents, target, expected) in load().infer {
        let inferred = Shape::new(&extents).unwrap().reshaped(&target);
        assert_eq!(inferred.ok().map(|shape| shape.extents().to_vec()), expected, "{extents:?} to {target:?}");
    }
}
