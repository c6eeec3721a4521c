//! Calls that cannot be done: which error, on every backend the same, and nothing written.

use std::fmt::Write;

use stratal_kernels::convolution::{Convolution, ConvolutionAxis, Strategy, TransposedConvolution};
use stratal_kernels::map::Not;
use stratal_kernels::{Epilogue, KernelError, Kernels, ZeroPoints};
use stratal_tensor_base::DType;

use super::model::BY_PRECISION;
use crate::array::Array;
use crate::place::Place;

type Part<'a> = (DType, &'a [i64]);

fn place(extents: &[i64]) -> Place {
    let place = Place::dense(extents, 0);
    Place { buffer: place.count(), ..place }
}

fn zeros((dtype, extents): Part<'_>) -> (Array, Place) {
    (Array::new(dtype, vec![0; place(extents).count()]), place(extents))
}

/// The error that every backend gives.
fn refusal(
    parts: [Part<'_>; 3],
    call: impl Fn(
        &dyn Kernels,
        [&stratal_kernels::AnyView<'_>; 2],
        &mut stratal_kernels::AnyViewMut<'_>,
    ) -> Result<(), KernelError>,
) -> KernelError {
    let [x, weights, (dtype, extents)] = parts;
    let ((x, x_place), (weights, weight_place)) = (zeros(x), zeros(weights));
    let mut errors = Vec::new();
    for (_, kernels) in BY_PRECISION.iter() {
        let canary = Array::canary(dtype, place(extents).count());
        let mut result = canary.clone();
        let views = [x.view(&x_place), weights.view(&weight_place)];
        let outcome = call(&**kernels, views.each_ref(), &mut result.view_mut(&place(extents)));
        assert_eq!(result, canary, "written on {kernels:?}");
        errors.push(outcome.unwrap_err());
    }
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors[0]
}

#[test]
fn errors_of_convolutions() {
    const F: DType = DType::F32;
    let axis = ConvolutionAxis::default();
    let plain = Convolution::new(vec![axis; 2]);
    let with = |axis: ConvolutionAxis| Convolution::new(vec![axis; 2]);
    let mut text = String::new();
    let mut convolve = |convolution: &Convolution, parts: [Part<'_>; 3]| {
        let error = refusal(parts, |kernels, [x, weights], result| {
            kernels.convolve(convolution, x, weights, &Epilogue::default(), result)
        });
        writeln!(text, "{error}").unwrap();
    };
    let (x, w, y): (&[i64], &[i64], &[i64]) = (&[1, 2, 5, 5], &[3, 2, 3, 3], &[1, 3, 3, 3]);
    convolve(&Convolution::new(vec![]), [(F, &[1, 2]), (F, &[3, 2]), (F, &[1, 3])]);
    convolve(&Convolution::new(vec![axis; 4]), [(F, x), (F, w), (F, y)]);
    convolve(&plain, [(F, &[1, 2, 5]), (F, w), (F, y)]);
    convolve(&plain, [(F, x), (F, &[3, 2, 3]), (F, y)]);
    convolve(&plain, [(F, &[1, 3, 5, 5]), (F, w), (F, y)]);
    convolve(&Convolution { groups: 0, ..plain.clone() }, [(F, x), (F, w), (F, y)]);
    convolve(&Convolution { groups: 2, ..plain.clone() }, [(F, &[1, 4, 5, 5]), (F, w), (F, y)]);
    convolve(&with(ConvolutionAxis { stride: 0, ..axis }), [(F, x), (F, w), (F, y)]);
    convolve(&with(ConvolutionAxis { dilation: -1, ..axis }), [(F, x), (F, w), (F, y)]);
    convolve(&with(ConvolutionAxis { pad_begin: -1, ..axis }), [(F, x), (F, w), (F, y)]);
    convolve(&with(ConvolutionAxis { pad_end: -2, ..axis }), [(F, x), (F, w), (F, y)]);
    convolve(&with(ConvolutionAxis { dilation: 3, ..axis }), [(F, x), (F, w), (F, y)]);
    convolve(&with(ConvolutionAxis { dilation: i64::MAX, ..axis }), [(F, x), (F, w), (F, y)]);
    convolve(&with(ConvolutionAxis { pad_begin: i64::MAX, pad_end: i64::MAX, ..axis }), [(F, x), (F, w), (F, y)]);
    let far = ConvolutionAxis { stride: 1 << 20, pad_begin: 1 << 20, pad_end: 1 << 20, ..axis };
    convolve(&with(far), [(F, x), (F, w), (F, &[1, 3, 3, 3])]);
    // Padding of no channels is no way around the limit.
    convolve(&with(far), [(F, &[1, 0, 5, 5]), (F, &[3, 0, 3, 3]), (F, &[1, 3, 3, 3])]);
    // Nor are many images, each of them small and padded widely.
    let wide = ConvolutionAxis { stride: 1 << 20, pad_begin: 1 << 12, pad_end: 1 << 12, ..axis };
    convolve(&with(wide), [(F, &[1 << 16, 1, 1, 1]), (F, &[1, 1, 3, 3]), (F, &[1, 1, 1, 1])]);
    let many = ConvolutionAxis { stride: 1 << 20, pad_begin: 1 << 8, pad_end: 1 << 8, ..axis };
    convolve(&with(many), [(F, &[1 << 16, 1, 1, 1]), (F, &[1, 1, 3, 3]), (F, &[1, 1, 1, 1])]);
    convolve(&plain, [(F, x), (F, &[3, 2, 0, 3]), (F, y)]);
    convolve(&plain, [(DType::I32, x), (DType::I32, w), (DType::I32, y)]);
    convolve(&plain, [(F, x), (DType::F64, w), (F, y)]);
    convolve(&plain, [(F, x), (F, w), (DType::F16, y)]);
    convolve(&plain, [(F, x), (F, w), (F, &[1, 3, 3, 4])]);
    convolve(&Convolution { strategy: Some(Strategy::Pointwise), ..plain.clone() }, [(F, x), (F, w), (F, y)]);

    let mut finished = |bias: Option<Part<'_>>, activation| {
        let error = refusal([(F, x), (F, w), (F, y)], |kernels, [x, weights], result| {
            let bias = bias.map(zeros);
            let bias = bias.as_ref().map(|(array, place)| array.view(place));
            let epilogue = Epilogue { bias: bias.as_ref(), activation, ..Epilogue::default() };
            kernels.convolve(&plain, x, weights, &epilogue, result)
        });
        writeln!(text, "{error}").unwrap();
    };
    finished(Some((F, &[2, 1, 1])), None);
    finished(Some((DType::F64, &[3, 1, 1])), None);
    finished(None, Some(&Not));

    let mut transposed = |convolution: &TransposedConvolution, parts: [Part<'_>; 3]| {
        let error = refusal(parts, |kernels, [x, weights], result| {
            kernels.convolve_transposed(convolution, x, weights, &Epilogue::default(), result)
        });
        writeln!(text, "{error}").unwrap();
    };
    let plain = TransposedConvolution::new(vec![axis]);
    let cut = ConvolutionAxis { pad_begin: 3, pad_end: 3, ..axis };
    let (x, w, y): (&[i64], &[i64], &[i64]) = (&[1, 2, 3], &[2, 4, 3], &[1, 4, 5]);
    transposed(&plain, [(F, x), (F, &[3, 4, 3]), (F, y)]);
    transposed(&TransposedConvolution { groups: 0, ..plain.clone() }, [(F, x), (F, w), (F, y)]);
    transposed(&TransposedConvolution { output_padding: vec![], ..plain.clone() }, [(F, x), (F, w), (F, y)]);
    transposed(&TransposedConvolution { output_padding: vec![-1], ..plain.clone() }, [(F, x), (F, w), (F, y)]);
    transposed(&TransposedConvolution::new(vec![cut]), [(F, x), (F, w), (F, y)]);
    transposed(&plain, [(F, &[1, 2, 0]), (F, w), (F, y)]);
    transposed(&plain, [(F, x), (F, &[2, 4, 0]), (F, y)]);
    let far = ConvolutionAxis { stride: 1 << 40, pad_begin: (1 << 40) + 1, ..axis };
    transposed(&TransposedConvolution::new(vec![far]), [(F, x), (F, w), (F, y)]);
    transposed(&plain, [(F, x), (F, w), (F, &[1, 4, 4])]);

    let convolution = Convolution::new(vec![axis]);
    let mut gradient = |parts: [Part<'_>; 3]| {
        let error = refusal(parts, |kernels, [x, gradient], result| {
            kernels.convolve_weight_gradient(&convolution, x, gradient, result)
        });
        writeln!(text, "{error}").unwrap();
    };
    gradient([(F, &[1, 2, 5]), (F, &[1, 4, 4]), (F, &[4, 2, 3])]);
    gradient([(F, &[1, 2, 5]), (DType::F64, &[1, 4, 3]), (F, &[4, 2, 3])]);
    gradient([(DType::U8, &[1, 2, 5]), (F, &[1, 4, 3]), (F, &[4, 2, 3])]);

    let convolution = Convolution::new(vec![axis]);
    let mut integer = |zero_points: [Option<Part<'_>>; 2], parts: [Part<'_>; 3]| {
        let error = refusal(parts, |kernels, [x, weights], result| {
            let zeros = zero_points.map(|zero_points| zero_points.map(zeros));
            let views = zeros.each_ref().map(|zeros| zeros.as_ref().map(|(array, place)| array.view(place)));
            let points = ZeroPoints { a: views[0].as_ref(), b: views[1].as_ref() };
            kernels.convolve_integer(&convolution, x, weights, &points, result)
        });
        writeln!(text, "{error}").unwrap();
    };
    let (x, w, y): (&[i64], &[i64], &[i64]) = (&[1, 2, 5], &[4, 2, 3], &[1, 4, 3]);
    const U: DType = DType::U8;
    integer([None; 2], [(F, x), (U, w), (DType::I32, y)]);
    integer([None; 2], [(U, x), (DType::I16, w), (DType::I32, y)]);
    integer([None; 2], [(U, x), (U, w), (DType::I64, y)]);
    integer([None; 2], [(U, x), (U, w), (DType::I32, &[1, 4, 2])]);
    integer([Some((DType::I8, &[1])), None], [(U, x), (U, w), (DType::I32, y)]);
    integer([Some((U, &[2])), None], [(U, x), (U, w), (DType::I32, y)]);
    integer([None, Some((U, &[4]))], [(U, x), (U, w), (DType::I32, y)]);
    integer([None, Some((DType::I8, &[4, 1]))], [(U, x), (U, w), (DType::I32, y)]);
    insta::assert_snapshot!(text);
}
