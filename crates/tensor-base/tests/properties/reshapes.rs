//! Reshape as a view, against asking of every element whether strides could reach it.

use proptest::prelude::*;
use stratal_tensor_base::{Geometry, Shape};

use crate::{
    naive::{Naive, indices},
    numbers::small_geometry,
};

/// A shape of the same count: the prime factors of the source's extents, shuffled and grouped anew, with ones between.
fn request(source: &Geometry) -> impl Strategy<Value = Vec<i64>> + use<> {
    let mut factors: Vec<i64> = Vec::new();
    for extent in source.shape().extents() {
        match extent {
            4 => factors.extend([2, 2]),
            extent => factors.push(i64::from(*extent)),
        }
    }
    factors.push(1);
    (Just(factors).prop_shuffle(), any::<u16>(), any::<bool>()).prop_map(|(mut factors, cuts, is_sorted)| {
        if is_sorted {
            factors.sort_unstable();
        }
        let mut extents = vec![1];
        for (position, factor) in factors.into_iter().enumerate() {
            if cuts >> (position % 16) & 1 == 1 && extents.len() < 8 {
                extents.push(factor);
            } else if let Some(last) = extents.last_mut() {
                *last *= factor;
            }
        }
        extents
    })
}

/// Whether some strides give these elements in this order: the steps along single axes decide what they must be.
fn is_affine(elements: &[usize], extents: &[usize]) -> bool {
    let weights: Vec<usize> = (0..extents.len()).map(|axis| extents[axis + 1..].iter().product()).collect();
    let strides = weights
        .iter()
        .zip(extents)
        .map(|(weight, extent)| if *extent > 1 { elements[*weight] as i64 - elements[0] as i64 } else { 0 });
    let strides: Vec<i64> = strides.collect();
    indices(extents).zip(elements).all(|(index, element)| {
        let distance: i64 = index.iter().zip(&strides).map(|(index, stride)| *index as i64 * stride).sum();
        elements[0] as i64 + distance == *element as i64
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8192))]

    #[test]
    fn a_reshape_is_a_view_exactly_when_strides_exist(
        (source, request) in small_geometry().prop_flat_map(|source| (Just(source), request(&source))),
    ) {
        let shape = source.shape().reshaped(&request).unwrap();
        let elements = Naive::of(&source).elements;
        let view = source.try_reshape(&shape);
        let extents: Vec<usize> = request.iter().map(|extent| *extent as usize).collect();
        prop_assert_eq!(view.is_some(), shape.is_empty() || is_affine(&elements, &extents), "{:?} to {}", source, shape);
        if let Some(view) = view {
            prop_assert_eq!(Naive::of(&view), Naive { extents, elements });
        }
    }

    #[test]
    fn contiguous_elements_take_every_shape_of_their_count(
        (source, request) in small_geometry().prop_flat_map(|source| (Just(source), request(&source))),
    ) {
        let shape = Shape::new(&request).unwrap();
        let view = Geometry::contiguous(*source.shape()).try_reshape(&shape);
        prop_assert_eq!(view, Some(Geometry::contiguous(shape)));
        let other = Shape::new(&[request.iter().product::<i64>() + 1]).unwrap();
        prop_assert_eq!(source.try_reshape(&other), None);
    }
}
