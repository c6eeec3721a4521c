//! Places that are none, boxes that see nothing, and ties.

use stratal_eager::{EagerError, Var, apply};
use stratal_ops as ops;
use stratal_ops::{GridMode, GridPadding, RoiMode};

/// The gradients of an image of one row and of the places in it.
fn sampled(operator: ops::GridSample, x: &[f64], places: &[f64]) -> Result<[Vec<f64>; 2], EagerError> {
    let x = Var::leaf(x, &[1, 1, x.len() as i64])?;
    let grid = Var::leaf(places, &[1, places.len() as i64, 1])?;
    apply(&operator, &[Some(&x), Some(&grid)])?.sum(&[], false)?.backward()?;
    Ok([x.gradient().unwrap().to_vec()?, grid.gradient().unwrap().to_vec()?])
}

#[test]
fn a_place_that_is_nan_leaves_the_image_alone() -> Result<(), EagerError> {
    for mode in [GridMode::Linear, GridMode::Cubic] {
        for padding in [GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection] {
            let operator = ops::GridSample { mode, padding, align_corners: true };
            let [x, grid] = sampled(operator, &[1.0, 2.0], &[f64::NAN, 1e20, -0.5])?;
            assert!(x.iter().all(|gradient| gradient.is_finite()), "{operator:?}: {x:?}");
            assert!(grid[0].is_nan() && grid[2].is_finite(), "{operator:?}: {grid:?}");
        }
    }
    Ok(())
}

#[test]
fn places_beyond_the_border_do_not_move() -> Result<(), EagerError> {
    let operator = ops::GridSample { padding: GridPadding::Border, align_corners: true, ..Default::default() };
    let [x, grid] = sampled(operator, &[1.0, 3.0], &[-1.5, 0.0, 1.5])?;
    assert_eq!((x, grid), (vec![1.5, 1.5], vec![0.0, 1.0, 0.0]));
    // Mirrored, they move the other way.
    let operator = ops::GridSample { padding: GridPadding::Reflection, ..operator };
    let [x, grid] = sampled(operator, &[1.0, 3.0], &[-1.5, 0.0, 1.5])?;
    assert_eq!((x, grid), (vec![1.5, 1.5], vec![-1.0, 1.0, -1.0]));
    Ok(())
}

#[test]
fn the_nearest_pixel_has_all_of_the_gradient() -> Result<(), EagerError> {
    let operator = ops::GridSample { mode: GridMode::Nearest, align_corners: true, ..Default::default() };
    // Halfway is the even one.
    assert_eq!(sampled(operator, &[1.0, 3.0], &[0.0, 0.1, 2.0])?, [vec![1.0, 1.0], vec![0.0; 3]]);
    Ok(())
}

fn aligned(mode: RoiMode, x: &[f64; 4], corners: [f64; 4]) -> Result<[Vec<f64>; 2], EagerError> {
    let operator = ops::RoiAlign {
        half_pixel: true,
        mode,
        output_height: 1,
        output_width: 1,
        sampling_ratio: 1,
        spatial_scale: 1.0,
    };
    let (x, corners) = (Var::leaf(x, &[1, 1, 2, 2])?, Var::leaf(&corners, &[1, 4])?);
    let pooled = apply(&operator, &[Some(&x), Some(&corners), Some(&Var::from_slice(&[0_i64], &[1])?)])?;
    pooled.sum(&[], false)?.backward()?;
    Ok([x.gradient().unwrap().to_vec()?, corners.gradient().unwrap().to_vec()?])
}

#[test]
fn the_first_of_equal_pixels_has_the_gradient() -> Result<(), EagerError> {
    let whole = [0.0, 0.0, 2.0, 2.0];
    assert_eq!(aligned(RoiMode::Max, &[4.0; 4], whole)?[0], [0.25, 0.0, 0.0, 0.0]);
    assert_eq!(aligned(RoiMode::Mean, &[4.0; 4], whole)?[0], [0.25; 4]);
    Ok(())
}

#[test]
fn a_box_that_sees_nothing_gives_nothing() -> Result<(), EagerError> {
    for mode in [RoiMode::Mean, RoiMode::Max] {
        for corners in [[100.0, 100.0, 102.0, 102.0], [1e30, 1e30, 1e30, 1e30], [f64::NAN, 0.0, 1.0, 1.0]] {
            assert_eq!(aligned(mode, &[1.0, 2.0, 3.0, 4.0], corners)?, [vec![0.0; 4], vec![0.0; 4]], "{corners:?}");
        }
    }
    Ok(())
}
