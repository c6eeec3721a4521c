//! Shapes, strides and broadcasts of hostile numbers, held to arithmetic that cannot overflow.

use proptest::prelude::*;
use stratal_tensor_base::{
    DType, Geometry, MAX_BYTES, MAX_COUNT, MAX_EXTENT, MAX_RANK, Shape, ShapeError, Strides, ViewError,
};

use crate::numbers::{hostile, hostile_list, small_extents};

/// The product of leading extents while it is within the limit, then nothing.
///
/// Each factor is below 2^63 and each product kept below 2^31, so nothing here overflows.
fn model_count(extents: &[i64]) -> Option<i128> {
    let is_valid = |extent: &i64| (0..=i64::from(MAX_EXTENT)).contains(extent);
    if extents.len() > MAX_RANK || !extents.iter().all(is_valid) {
        return None;
    }
    extents
        .iter()
        .try_fold(1_i128, |count, extent| Some(count * i128::from(*extent)).filter(|count| *count <= MAX_COUNT.into()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_list_is_a_shape_exactly_within_the_limits(extents in hostile_list()) {
        let shape = Shape::new(&extents);
        prop_assert_eq!(shape.map(|shape| shape.count() as i128).ok(), model_count(&extents));
        match shape {
            Ok(shape) => {
                prop_assert_eq!(shape.extents().iter().map(|extent| i64::from(*extent)).collect::<Vec<_>>(), extents);
                for dtype in DType::ALL {
                    let bytes = shape.count() as u64 * dtype.size() as u64;
                    prop_assert_eq!(shape.bytes(dtype).is_ok(), bytes <= u64::from(MAX_BYTES));
                }
            }
            Err(ShapeError::RankTooLarge { rank }) => prop_assert_eq!(rank, extents.len()),
            Err(ShapeError::NegativeExtent { axis, extent }) => prop_assert_eq!(extents[axis], extent),
            Err(ShapeError::ExtentTooLarge { axis, extent }) => prop_assert_eq!(extents[axis] as u64, extent),
            Err(ShapeError::TooManyElements { extents: named }) => {
                prop_assert!(extents.starts_with(named.as_slice()));
                prop_assert!(named.as_slice().iter().map(|extent| i128::from(*extent)).product::<i128>() > MAX_COUNT.into());
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn unsigned_lists_follow_the_same_rule(extents in proptest::collection::vec(any::<usize>(), 0..10), small in small_extents()) {
        let signed: Vec<i64> = extents.iter().map(|extent| i64::try_from(*extent).unwrap_or(i64::MAX)).collect();
        let is_valid = model_count(&signed).is_some();
        prop_assert_eq!(Shape::try_from(&extents[..]).is_ok(), is_valid);
        let small_unsigned: Vec<usize> = small.iter().map(|extent| *extent as usize).collect();
        prop_assert_eq!(Shape::try_from(&small_unsigned[..]), Shape::new(&small));
    }

    #[test]
    fn row_major_strides_are_products_or_zero_when_too_large(extents in hostile_list()) {
        if let Ok(shape) = Shape::new(&extents) {
            for axis in 0..shape.rank() {
                let right = &extents[axis + 1..];
                // Up to seven factors below 2^31 may pass i128, unless one of them is 0.
                let product = if right.contains(&0) { Some(0) } else {
                    right.iter().try_fold(1_i128, |product, extent| product.checked_mul((*extent).into()))
                };
                let expected = product.and_then(|product| i32::try_from(product).ok()).unwrap_or(0);
                prop_assert_eq!(Strides::contiguous(&shape).first(shape.rank())[axis], expected);
            }
        }
    }

    #[test]
    fn a_strided_view_exists_exactly_inside_its_buffer(
        extents in prop_oneof![hostile_list(), small_extents()],
        strides in hostile_list(),
        offset in hostile(),
        count in any::<u64>(),
    ) {
        let Ok(shape) = Shape::new(&extents) else { return Ok(()) };
        let strides: Vec<i64> = strides.iter().copied().chain([1; MAX_RANK]).take(shape.rank()).collect();
        let view = Geometry::strided(shape, &strides, offset, count);
        if let Some(axis) = strides.iter().position(|stride| i32::try_from(*stride).is_err()) {
            prop_assert_eq!(view, Err(ViewError::StrideTooLarge { stride: strides[axis], axis }));
            return Ok(());
        }
        let distances = || extents.iter().zip(&strides).map(|(extent, stride)| i128::from(extent - 1) * i128::from(*stride));
        let lowest = i128::from(offset) + distances().map(|distance| distance.min(0)).sum::<i128>();
        let highest = i128::from(offset) + distances().map(|distance| distance.max(0)).sum::<i128>();
        let fits = lowest >= 0 && highest < i128::from(count.min(MAX_COUNT.into()));
        prop_assert_eq!(view.is_ok(), shape.is_empty() || fits, "{:?}", view);
        if let (Ok(view), false) = (view, shape.is_empty()) {
            prop_assert_eq!(view.span().map(|span| (*span.start() as i128, *span.end() as i128)), Some((lowest, highest)));
        }
    }

    #[test]
    fn a_window_exists_exactly_inside_its_buffer(
        extents in small_extents(),
        byte_offset in prop_oneof![0..200_u64, any::<u64>()],
        buffer_bytes in prop_oneof![0..2000_u64, any::<u64>()],
        dtype in proptest::sample::select(DType::ALL.to_vec()),
    ) {
        let shape = Shape::new(&extents).unwrap();
        let bytes = shape.count() as u128 * dtype.size() as u128;
        let is_aligned = byte_offset.is_multiple_of(dtype.size() as u64);
        let fits = u128::from(byte_offset) + bytes <= u128::from(buffer_bytes.min(MAX_BYTES.into()));
        let window = Geometry::window(shape, dtype, byte_offset, buffer_bytes);
        prop_assert_eq!(window.is_ok(), is_aligned && fits, "{:?}", window);
        if let Ok(window) = window {
            prop_assert!(window.is_contiguous());
            prop_assert!(shape.is_empty() || window.offset() * dtype.size() == byte_offset as usize);
        }
    }

    #[test]
    fn broadcasting_pairs_equal_extents_or_ones(left in small_extents(), right in small_extents()) {
        let rank = left.len().max(right.len());
        let aligned = |extents: &[i64]| [vec![1; rank - extents.len()], extents.to_vec()].concat();
        let pairs = aligned(&left).into_iter().zip(aligned(&right));
        let expected: Option<Vec<i64>> = pairs
            .map(|pair| match pair {
                (left, right) if left == right => Some(left),
                (1, other) | (other, 1) => Some(other),
                _ => None,
            })
            .collect();
        let (left, right) = (Shape::new(&left).unwrap(), Shape::new(&right).unwrap());
        let result = left.broadcast(&right);
        prop_assert_eq!(result, right.broadcast(&left).map_err(|_| ShapeError::Broadcast { left, right }));
        prop_assert_eq!(result.ok(), expected.map(|extents| Shape::new(&extents).unwrap()));
        for source in [left, right] {
            if let Ok(result) = result {
                let expanded = Geometry::contiguous(source).broadcast_to(&result).unwrap();
                prop_assert_eq!(expanded.shape(), &result);
            }
        }
    }

    #[test]
    fn a_reshape_request_is_served_or_refused_without_wrapping(extents in small_extents(), request in hostile_list()) {
        let shape = Shape::new(&extents).unwrap();
        let open = request.iter().filter(|extent| **extent == -1).count();
        let known: Vec<i64> = request.iter().copied().filter(|extent| *extent != -1).collect();
        let expected = match (open, model_count(&request)) {
            (0, Some(count)) => (count == shape.count() as i128).then(|| request.clone()),
            (1, None) if request.len() <= MAX_RANK && known.iter().all(|extent| (1..=i64::from(MAX_EXTENT)).contains(extent)) => {
                let product = known.iter().try_fold(1_i128, |product, extent| product.checked_mul((*extent).into()));
                product.filter(|product| shape.count() as i128 % product == 0).and_then(|product| {
                    let inferred = (shape.count() as i128 / product) as i64;
                    let completed: Vec<i64> = request.iter().map(|extent| if *extent == -1 { inferred } else { *extent }).collect();
                    model_count(&completed).is_some().then_some(completed)
                })
            }
            _ => None,
        };
        prop_assert_eq!(
            shape.reshaped(&request).ok(),
            expected.map(|extents| Shape::new(&extents).unwrap()),
            "{} to {:?}", shape, request
        );
    }
}
