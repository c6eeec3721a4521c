//! Large convolutions: the same bits on any number of threads, for an image alone and in a batch, in either layout.

use stratal_kernels::convolution::{Convolution, ConvolutionAxis};
use stratal_kernels::{Backend, Epilogue, Kernels, Selection, Threads};
use stratal_tensor_base::DType;

use super::model::Problem;
use super::properties::ordinary;
use crate::EMULATED;
use crate::array::Array;
use crate::place::{Place, in_order};
use crate::values::Generator;

fn run(
    kernels: &dyn Kernels,
    problem: &Problem,
    x: (&Array, &Place),
    weights: (&Array, &Place),
    result: &Place,
) -> Array {
    let mut found = Array::canary(x.0.dtype, result.buffer);
    let (x, weights) = (x.0.view(x.1), weights.0.view(weights.1));
    let mut view = found.view_mut(result);
    kernels.convolve(&problem.convolution, &x, &weights, &Epilogue::default(), &mut view).unwrap();
    found.gather(&result.positions())
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_in_any_batch() {
    let axis = ConvolutionAxis { stride: 1, dilation: 1, pad_begin: 1, pad_end: 1 };
    let steps = ConvolutionAxis { stride: 2, ..axis };
    let size = if EMULATED { 12 } else { 40 };
    let problems = [
        (vec![axis; 2], 1, vec![3, 40, size, size], vec![24, 40, 3, 3]),
        (vec![steps; 2], 1, vec![3, 3, 2 * size, 2 * size], vec![16, 3, 3, 3]),
        (vec![axis; 2], 48, vec![3, 48, size, size], vec![48, 1, 3, 3]),
        (vec![ConvolutionAxis::default(); 2], 1, vec![3, 70, size, size], vec![140, 70, 1, 1]),
    ];
    for (axes, groups, images, weights) in problems {
        let problem = Problem { convolution: Convolution { axes, groups, strategy: None }, images, weights };
        let mut generator = Generator(5);
        let (images, output) = (&problem.images, problem.output());
        let layouts = [[0, 1, 2, 3], [0, 2, 3, 1]];
        let x = ordinary(DType::F32, Place::dense(images, 1).buffer, &mut generator);
        let weight_place = Place::dense(&problem.weights, 1);
        let weights = ordinary(DType::F32, weight_place.buffer, &mut generator);
        let dense = Place::dense(images, 1);
        let logical = x.gather(&dense.positions());
        let mut first: Option<Array> = None;
        for (backend, threads) in [
            (Backend::best(), 1),
            (Backend::best(), 2),
            (Backend::best(), 3),
            (Backend::best(), 8),
            (Backend::Scalar, 2),
        ] {
            if backend == Backend::Scalar && problem.weights[0] == 140 {
                continue;
            }
            let threads = Threads::own(threads).unwrap();
            let kernels = Selection::new().backend(backend).threads(threads).kernels().unwrap();
            for layout in layouts {
                let place = Place::new(images, &in_order(images, &layout, 1), 1);
                let mut laid = Array::canary(DType::F32, place.buffer);
                laid.scatter(&place.positions(), &logical);
                let result = Place::new(&output, &in_order(&output, &layout, 1), 1);
                let found = run(&*kernels, &problem, (&laid, &place), (&weights, &weight_place), &result);
                let expected = first.get_or_insert_with(|| found.clone());
                assert_eq!(found, *expected, "{problem:?} on {kernels:?} as {layout:?}");
            }
        }
        // The last image alone.
        let mut alone = problem.clone();
        alone.images[0] = 1;
        let of_image = images[1..].iter().product::<i64>() as usize;
        let last = logical.gather(&(2 * of_image..3 * of_image).collect::<Vec<_>>());
        let place = Place { buffer: of_image, ..Place::dense(&alone.images, 0) };
        let result = Place::dense(&alone.output(), 1);
        let kernels = Selection::new().threads(Threads::calling()).kernels().unwrap();
        let found = run(&*kernels, &alone, (&last, &place), (&weights, &weight_place), &result);
        let whole = first.unwrap();
        let expected = whole.gather(&(whole.count() - found.count()..whole.count()).collect::<Vec<_>>());
        assert_eq!(found, expected, "{alone:?}");
    }
}
