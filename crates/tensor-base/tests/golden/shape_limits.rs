//! `shape_limits.json`: which shapes exist, which views stay inside a buffer, which are contiguous.

use stratal_tensor_base::{DType, Geometry, Shape, Strides, ViewError};

use crate::{load::fixture, placed};

#[derive(serde::Deserialize)]
struct Fixture {
    shapes: Vec<ShapeCase>,
    views: Vec<ViewCase>,
    contiguous: Vec<(Vec<i64>, Vec<i64>, u8)>,
}

/// Extents, element size, whether it is a shape, why not, element count, contiguous strides.
type ShapeCase = (Vec<i64>, usize, u8, String, Option<usize>, Option<Vec<i32>>);

/// Extents, strides, offset, elements in the buffer, whether it fits, lowest and highest offset reached.
type ViewCase = (Vec<i64>, Vec<i64>, i64, u64, u8, Option<i64>, Option<i64>);

fn load() -> Fixture {
    fixture(include_str!("../fixtures/shape_limits.json"))
}

#[test]
fn shapes_exist_within_the_limits_only() {
    for (extents, element_size, is_valid, why, count, strides) in load().shapes {
        let dtype = DType::ALL.into_iter().find(|dtype| dtype.size() == element_size).unwrap();
        let shape = Shape::new(&extents);
        let is_accepted = shape.is_ok_and(|shape| shape.bytes(dtype).is_ok());
        assert_eq!(is_accepted, is_valid == 1, "{extents:?} of {element_size} bytes: {why:?}");
        if is_valid == 1 {
            let shape = shape.unwrap();
            assert_eq!(Some(shape.count()), count, "{extents:?}");
            assert_eq!(Strides::contiguous(&shape).first(shape.rank()), strides.unwrap(), "{extents:?}");
        }
    }
}

#[test]
fn views_fit_a_buffer_or_are_refused() {
    for (extents, strides, offset, buffer, is_valid, lowest, highest) in load().views {
        let view = Shape::new(&extents)
            .map_err(ViewError::from)
            .and_then(|shape| Geometry::strided(shape, &strides, offset, buffer));
        assert_eq!(view.is_ok(), is_valid == 1, "{extents:?} {strides:?} {offset} in {buffer}: {view:?}");
        if let Ok(view) = view {
            let span = view.span().map(|span| (*span.start() as i64, *span.end() as i64));
            assert_eq!(span, lowest.zip(highest), "{view:?}");
            assert_eq!(view.check_bounds(buffer), Ok(()));
        }
    }
}

#[test]
fn contiguity_is_told_from_the_strides() {
    for (extents, strides, is_contiguous) in load().contiguous {
        let view = placed(&extents, &strides);
        assert_eq!(view.is_contiguous(), is_contiguous == 1, "{view:?}");
    }
}
