//! Problems of resizing.

use stratal_kernels::resize::{Coordinates, Interpolation, Nearest};
use stratal_ops as ops;
use stratal_ops::{Aspect, Resize};
use stratal_tensor::Tensor;

use super::super::problem::{Problem, integers, numbers};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    let interpolations = [
        Interpolation::Nearest(Nearest::RoundPreferFloor),
        Interpolation::Nearest(Nearest::Ceil),
        Interpolation::Linear,
        Interpolation::Cubic(-0.5),
    ];
    for interpolation in interpolations {
        for coordinates in COORDINATES {
            let resize = Resize { interpolation, coordinates, ..Resize::default() };
            problems.extend([
                to(&resize, &[2, 3], &[5, 2]),
                by(&resize, &[4], &[1.7]),
                by(&resize, &[2, 5], &[1.0, 0.6]),
            ]);
        }
        let resize = Resize { interpolation, ..Resize::default() };
        problems.extend([
            to(&Resize { exclude_outside: true, ..resize.clone() }, &[2, 4], &[3, 7]),
            to(&Resize { antialias: true, ..resize.clone() }, &[9, 2], &[4, 3]),
            by(&Resize { antialias: true, ..resize.clone() }, &[11], &[0.3]),
            to(&Resize { axes: Some(vec![-1, 1]), ..resize.clone() }, &[2, 2, 3], &[4, 3]),
            to(&Resize { aspect: Aspect::NotLarger, ..resize.clone() }, &[3, 4], &[5, 5]),
            to(&resize, &[2, 3], &[0, 4]),
            to(&resize, &[2, 3], &[2, 3]),
        ]);
        let cropped = Resize { coordinates: Coordinates::CropAndResize, extrapolation: 7.0, ..resize };
        problems.extend([
            crop(&cropped, &[5], &[0.2, 0.9], 4),
            crop(&cropped, &[5], &[-0.3, 1.4], 6),
            crop(&cropped, &[4], &[0.9, 0.1], 4),
        ]);
        let region = Tensor::from_slice(&[-0.2_f32, 0.3, 1.0, 1.2], &[4]).unwrap();
        let factors = Tensor::from_slice(&[1.5_f32, 2.0], &[2]).unwrap();
        problems.push(Problem::new(cropped, [numbers(&[3, 4]), region, factors]));
    }
    for is_linear in [false, true] {
        for (shape, factors) in [(&[3][..], &[2.0][..]), (&[1, 2, 3], &[1.0, 1.5, 2.0]), (&[4], &[0.6]), (&[0], &[2.0])]
        {
            problems.push(Problem::new(ops::Upsample { is_linear }, [numbers(shape), singles(factors)]));
        }
    }
}

const COORDINATES: [Coordinates; 5] = [
    Coordinates::HalfPixel,
    Coordinates::HalfPixelSymmetric,
    Coordinates::PytorchHalfPixel,
    Coordinates::AlignCorners,
    Coordinates::Asymmetric,
];

fn to(resize: &Resize, shape: &[i64], extents: &[i64]) -> Problem {
    Problem::with_missing(resize.clone(), [Some(numbers(shape)), None, None, Some(integers(extents))])
}

fn by(resize: &Resize, shape: &[i64], factors: &[f32]) -> Problem {
    Problem::with_missing(resize.clone(), [Some(numbers(shape)), None, Some(singles(factors))])
}

fn crop(resize: &Resize, shape: &[i64], region: &[f32], extent: i64) -> Problem {
    let inputs = [Some(numbers(shape)), Some(singles(region)), None, Some(integers(&[extent]))];
    Problem::with_missing(resize.clone(), inputs)
}

/// Numbers that have no gradient.
fn singles(numbers: &[f32]) -> Tensor {
    Tensor::from_slice(numbers, &[numbers.len() as i64]).unwrap()
}
