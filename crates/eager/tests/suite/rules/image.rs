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
                problems.extend([
                    sample(&[1, 1, 4], &[1, 5, 1]),
                    sample(&[2, 2, 3, 4], &[2, 2, 2, 2]),
                    sample(&[1, 2, 1, 3], &[1, 2, 1, 2]),
                    sample(&[1, 1, 2, 3], &[1, 0, 1, 2]),
                ]);
                if mode != GridMode::Cubic {
                    problems.push(sample(&[1, 1, 2, 3, 2], &[1, 1, 2, 1, 3]));
                }
            }
        }
    }
    regions(problems);
}

fn regions(problems: &mut Vec<Problem>) {
    let corners: &[f64] = &[0.37, 0.81, 3.4, 4.17, -1.3, 0.6, 2.9, 1.83, 1.21, 1.33, 6.77, 5.71];
    let boxes = |count: usize| Tensor::from_slice(&corners[..4 * count], &[count as i64, 4]).unwrap();
    for half_pixel in [true, false] {
        for mode in [RoiMode::Mean, RoiMode::Max] {
            for (sampling_ratio, spatial_scale) in [(0, 1.0), (2, 0.5), (3, 1.0)] {
                let align = ops::RoiAlign {
                    half_pixel,
                    mode,
                    output_height: 2,
                    output_width: 3,
                    sampling_ratio,
                    spatial_scale,
                };
                problems.extend([
                    Problem::new(align, [spread(&[2, 2, 5, 4], 0.1, 2.0), boxes(3), integers(&[1, 0, 1])]),
                    Problem::new(align, [numbers(&[1, 1, 1, 3]), boxes(1), integers(&[0])]),
                    Problem::new(align, [numbers(&[1, 1, 2, 3]), boxes(0), integers(&[])]),
                ]);
            }
        }
    }
}
