//! Products that cannot be: which error, on every backend the same, and nothing written.

use std::fmt::Write;

use stratal_kernels::map::{Not, Relu, Tanh, Unary};
use stratal_kernels::{Epilogue, KernelError};
use stratal_tensor_base::DType;

use super::problem::KERNELS;
use crate::array::Array;
use crate::laid::dense;

/// An operand or a result by dtype and extents.
type Part<'a> = (DType, &'a [i64]);

/// What is made of a product, but for its bias.
#[derive(Debug, Clone, Copy)]
struct Rest<'a> {
    alpha: f32,
    beta: f32,
    bias: Option<Part<'a>>,
    activation: Option<&'static dyn Unary>,
}

const NOTHING: Rest<'static> = Rest { alpha: 1.0, beta: 0.0, bias: None, activation: None };

/// The error that every backend gives, with the result as it was. With a packed matrix it is the same, if one can be packed.
fn refused(a: Part<'_>, b: Part<'_>, rest: Rest<'_>, result: Part<'_>) -> KernelError {
    let array = |(dtype, extents): Part<'_>| Array::canary(dtype, dense(extents).count());
    let (of_a, of_b, of_bias) = (array(a), array(b), rest.bias.map(array));
    let (a, b) = (of_a.view(&dense(a.1)), of_b.view(&dense(b.1)));
    let bias = of_bias.as_ref().zip(rest.bias).map(|(array, (_, extents))| array.view(&dense(extents)));
    let Rest { alpha, beta, activation, .. } = rest;
    let epilogue = Epilogue { alpha, beta, bias: bias.as_ref(), activation };
    let mut errors: Vec<KernelError> = Vec::new();
    for kernels in KERNELS.iter() {
        let canary = array(result);
        let mut found = canary.clone();
        errors.push(kernels.matmul(&a, &b, &epilogue, &mut found.view_mut(&dense(result.1))).unwrap_err());
        if let Ok(packed) = kernels.pack_matrix(&b) {
            errors.push(
                kernels.matmul_packed(&a, &packed, &epilogue, &mut found.view_mut(&dense(result.1))).unwrap_err(),
            );
        }
        assert_eq!(found, canary, "something was written on {kernels:?}");
    }
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors[0]
}

#[test]
fn errors_of_products() {
    const F32: DType = DType::F32;
    const I32: DType = DType::I32;
    let mut text = String::new();
    let mut note = |a: Part<'_>, b: Part<'_>, rest: Rest<'_>, result: Part<'_>| {
        writeln!(text, "{}", refused(a, b, rest, result)).unwrap();
    };
    let (a, b, result): (Part<'_>, Part<'_>, Part<'_>) = ((F32, &[2, 3]), (F32, &[3, 4]), (F32, &[2, 4]));

    note((F32, &[]), b, NOTHING, result);
    note((F32, &[3]), b, NOTHING, (F32, &[4]));
    note(a, (F32, &[3]), NOTHING, (F32, &[2]));
    note(a, (F32, &[4, 3]), NOTHING, result);
    note((F32, &[2, 1]), b, NOTHING, result);
    note((F32, &[2, 2, 3]), (F32, &[3, 3, 4]), NOTHING, (F32, &[2, 2, 4]));
    note((F32, &[2, 2, 3]), (F32, &[0, 3, 4]), NOTHING, (F32, &[0, 2, 4]));
    note(a, (DType::F16, &[3, 4]), NOTHING, result);
    note(a, b, NOTHING, (DType::F64, &[2, 4]));
    note(a, b, NOTHING, (F32, &[4, 2]));
    note(a, b, NOTHING, (F32, &[1, 2, 4]));
    note((F32, &[2, 2, 3]), b, NOTHING, result);
    note(a, b, Rest { bias: Some((DType::F64, &[4])), ..NOTHING }, result);
    note(a, b, Rest { bias: Some((F32, &[2])), ..NOTHING }, result);
    note(a, b, Rest { bias: Some((F32, &[3, 2, 4])), ..NOTHING }, result);
    note(a, b, Rest { bias: Some((F32, &[1, 2, 4])), ..NOTHING }, result);
    note(a, b, Rest { activation: Some(&Not), ..NOTHING }, result);
    for dtype in [DType::Bool, DType::I8, DType::U8, DType::I16, DType::U16] {
        note((dtype, &[2, 3]), (dtype, &[3, 4]), NOTHING, (dtype, &[2, 4]));
    }
    let integers: [Part<'_>; 3] = [(I32, &[2, 3]), (I32, &[3, 4]), (I32, &[2, 4])];
    for rest in [
        Rest { activation: Some(&Tanh), ..NOTHING },
        Rest { alpha: 2.0, ..NOTHING },
        Rest { alpha: f32::NAN, ..NOTHING },
        Rest { beta: 0.5, activation: Some(&Relu), ..NOTHING },
    ] {
        note(integers[0], integers[1], rest, integers[2]);
    }
    insta::assert_snapshot!(text);
}

#[test]
fn errors_of_packing() {
    let mut text = String::new();
    for (dtype, extents) in [
        (DType::Bool, &[2, 3][..]),
        (DType::U16, &[2, 3]),
        (DType::F32, &[]),
        (DType::F32, &[3]),
        (DType::I64, &[1, 2, 3]),
    ] {
        let matrix = Array::canary(dtype, dense(extents).count());
        let mut errors =
            KERNELS.iter().map(|kernels| kernels.pack_matrix(&matrix.view(&dense(extents))).unwrap_err().to_string());
        let error = errors.next().unwrap();
        assert!(errors.all(|other| other == error));
        writeln!(text, "{error}").unwrap();
    }
    insta::assert_snapshot!(text);
}
