//! Problems of operators on images.

use stratal_ops as ops;
use stratal_ops::{GridMode, GridPadding, RoiMode};
use stratal_tensor::Tensor;

use super::problem::{Problem, integers, numbers, spread, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for align_corners in [false, true] {
        let grid = |theta: &[i64], size: &[i64]| {
            Problem::new(ops::AffineGrid { align_corners }, [numbers(theta), integers(size)])
        };
        problems.extend([
            grid(&[2, 2, 3], &[2, 1, 3, 2]),
            grid(&[1, 3, 4], &[1, 2, 2, 1, 3]),
            grid(&[0, 2, 3], &[0, 1, 2, 2]),
            grid(&[1, 2, 3], &[1, 1, 0, 2]),
        ]);
        for mode in [GridMode::Linear, GridMode::Nearest, GridMode::Cubic] {
            for padding in [GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection] {
                let sample = |x: &[i64], grid: &[i64]| {
                    let operator = ops::GridSample { align_corners, mode, padding };
                    Problem::new(operator, [numbers(x), spread_from(1, grid, -1.7, 1.7)])
                };
                problems.extend([sample(&[2, 1, 3], &[2, 2, 1]), sample(&[1, 1, 2, 3], &[1, 0, 1, 2])]);
                // Of cubics each sample is made of more pixels than these images have.
                problems.push(match mode {
                    GridMode::Cubic => sample(&[1, 1, 1, 3], &[1, 2, 1, 2]),
                    _ => sample(&[1, 2, 2, 3], &[1, 2, 1, 2]),
                });
                if mode == GridMode::Linear && !align_corners {
                    problems.push(sample(&[2, 1, 1, 3, 2], &[2, 1, 1, 1, 3]));
                }
            }
        }
    }
    regions(problems);
}

fn regions(problems: &mut Vec<Problem>) {
    let corners: &[f64] = &[-1.3, 0.37, 1.83, 2.9, 0.81, 1.21, 4.17, 3.77];
    let boxes = |count: usize| Tensor::from_slice(&corners[..4 * count], &[count as i64, 4]).unwrap();
    let mut add = |half_pixel, mode, sampling_ratio, spatial_scale, x: &[i64], of_boxes: &[i64]| {
        let (output_height, output_width) = (1, 2);
        let align = ops::RoiAlign { half_pixel, mode, output_height, output_width, sampling_ratio, spatial_scale };
        problems.push(Problem::new(align, [spread(x, 0.1, 2.0), boxes(of_boxes.len()), integers(of_boxes)]));
    };
    for half_pixel in [true, false] {
        add(half_pixel, RoiMode::Mean, 0, 1.0, &[2, 2, 2, 3], &[1, 0]);
        add(half_pixel, RoiMode::Mean, 2, 0.5, &[2, 1, 3, 2], &[1, 1]);
        add(half_pixel, RoiMode::Max, 0, 1.0, &[2, 1, 2, 3], &[0, 1]);
        add(half_pixel, RoiMode::Max, 1, 0.5, &[1, 2, 3, 2], &[0]);
        add(half_pixel, RoiMode::Max, 2, 1.0, &[1, 1, 1, 3], &[]);
    }
}
