//! The walk over one or several geometries: every element once, in order, in as few runs as strides allow.

use proptest::prelude::*;
use stratal_tensor_base::{Geometry, Shape, ShapeError, Walk};

use crate::{naive::Naive, numbers::small_geometry};

/// Geometries of one shape with unrelated strides.
fn geometries_of_one_shape() -> impl Strategy<Value = [Geometry; 3]> {
    small_geometry().prop_flat_map(|first| {
        let rank = first.shape().rank();
        let strides = || proptest::collection::vec(prop_oneof![Just(0_i64), Just(1), -9..10_i64], rank);
        (Just(first), strides(), any::<bool>()).prop_map(|(first, strides, is_flipped)| {
            let shape = *first.shape();
            let second = Geometry::strided(shape, &strides, 10_000, 20_000).unwrap();
            let all: Vec<i64> = (0..shape.rank() as i64).collect();
            let third = Geometry::contiguous(shape).flip(if is_flipped { &all } else { &[] }).unwrap();
            [first, second, third]
        })
    })
}

/// The offsets of all elements, taken from the runs.
fn unrolled<const N: usize>(walk: &Walk<N>) -> Vec<[usize; N]> {
    let strides = walk.run_strides();
    walk.runs()
        .flat_map(|starts| {
            (0..walk.run_length()).map(move |step| {
                core::array::from_fn(|operand| starts[operand].wrapping_add_signed(strides[operand] * step as isize))
            })
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8192))]

    #[test]
    fn runs_visit_every_element_in_order(geometries in geometries_of_one_shape()) {
        let [first, second, third] = &geometries;
        let walk = Walk::new([first, second, third]).unwrap();
        let [a, b, c] = geometries.map(|geometry| Naive::of(&geometry).elements);
        let expected: Vec<[usize; 3]> = a.iter().zip(&b).zip(&c).map(|((a, b), c)| [*a, *b, *c]).collect();
        prop_assert_eq!(unrolled(&walk), expected);
        prop_assert_eq!(walk.runs().len(), walk.run_count());
        prop_assert_eq!(walk.runs().count(), walk.run_count());
        if !first.shape().is_empty() {
            prop_assert_eq!(walk.run_count() * walk.run_length(), first.shape().count());
        }
    }

    #[test]
    fn no_walk_has_fewer_runs(geometries in geometries_of_one_shape()) {
        let [first, second, _] = &geometries;
        let walk = Walk::new([first, second]).unwrap();
        let elements: Vec<[usize; 2]> = unrolled(&walk);
        // Any longer uniform run length that divides the count would have to break somewhere.
        for length in walk.run_length() + 1..=elements.len() {
            if elements.len().is_multiple_of(length) {
                let is_run = |run: &[[usize; 2]]| {
                    let step = |pair: &[[usize; 2]]| [pair[1][0].wrapping_sub(pair[0][0]), pair[1][1].wrapping_sub(pair[0][1])];
                    run.windows(2).all(|pair| step(pair) == step(&elements[..2]))
                };
                prop_assert!(!elements.chunks(length).all(is_run), "{:?} {:?} also go in runs of {}", first, second, length);
            }
        }
    }

    #[test]
    fn parts_of_a_walk_join_to_the_whole(geometries in geometries_of_one_shape(), cut in 0..200_usize) {
        let [first, second, _] = &geometries;
        let walk = Walk::new([first, second]).unwrap();
        let parts = walk.runs_in(0..cut).chain(walk.runs_in(cut..usize::MAX));
        prop_assert!(parts.eq(walk.runs()));
        prop_assert_eq!(walk.runs_in(5..5).next(), None);
    }

    #[test]
    fn contiguous_operands_are_one_run(geometry in small_geometry()) {
        let contiguous = Geometry::contiguous(*geometry.shape());
        let walk = Walk::new([&contiguous, &contiguous]).unwrap();
        prop_assert!(walk.run_count() <= 1);
        prop_assert!(geometry.shape().is_empty() || walk.is_dense());
    }
}

#[test]
fn operands_of_another_shape_are_refused() {
    let left = Shape::new(&[2, 3]).unwrap();
    let right = Shape::new(&[3, 2]).unwrap();
    let error = Walk::new([&Geometry::contiguous(left), &Geometry::contiguous(right)]).unwrap_err();
    assert_eq!(error, ShapeError::Different { left, right });
}

#[test]
fn a_walk_of_nothing_is_one_step_or_none() {
    assert_eq!(Walk::new([]).unwrap().run_count(), 1);
    let scalar = Geometry::contiguous(Shape::SCALAR);
    let walk = Walk::new([&scalar]).unwrap();
    assert_eq!((walk.run_length(), walk.runs().collect::<Vec<_>>()), (1, vec![[0]]));
    let empty = Geometry::contiguous(Shape::new(&[0, 3]).unwrap());
    assert_eq!(Walk::new([&empty]).unwrap().runs().next(), None);
}
