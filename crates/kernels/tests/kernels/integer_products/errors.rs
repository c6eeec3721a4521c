//! Operands that do not fit: refused in words, with nothing written.

use std::fmt::Write;

use stratal_kernels::{KernelError, ZeroPoints};
use stratal_tensor_base::DType;

use super::ALL;
use crate::array::Array;
use crate::laid::dense;

type Kind<'a> = (DType, &'a [i64]);

const A: Kind<'_> = (DType::U8, &[2, 3, 4]);
const B: Kind<'_> = (DType::I8, &[4, 5]);
const RESULT: Kind<'_> = (DType::I32, &[2, 3, 5]);

/// The error that all kernels give, packed and not, with the result as it was.
fn refused(a: Kind<'_>, b: Kind<'_>, zeros: [Option<Kind<'_>>; 2], result: Kind<'_>) -> KernelError {
    let canary = |(dtype, extents): Kind<'_>| Array::canary(dtype, dense(extents).count());
    let (x, y, to) = (canary(a), canary(b), canary(result));
    let (x, y) = (x.view(&dense(a.1)), y.view(&dense(b.1)));
    let zero_arrays = zeros.map(|zero| zero.map(|kind| (canary(kind), dense(kind.1))));
    let views = [&zero_arrays[0], &zero_arrays[1]].map(|zero| zero.as_ref().map(|(array, place)| array.view(place)));
    let zero_points = ZeroPoints { a: views[0].as_ref(), b: views[1].as_ref() };
    let mut errors = Vec::new();
    for kernels in ALL.iter() {
        let mut found = to.clone();
        errors.push(kernels.matmul_integer(&x, &y, &zero_points, &mut found.view_mut(&dense(result.1))).unwrap_err());
        if let Ok(packed) = kernels.pack_matrix(&y) {
            let result = &mut found.view_mut(&dense(result.1));
            errors.push(kernels.matmul_integer_packed(&x, &packed, &zero_points, result).unwrap_err());
        }
        assert_eq!(found, to);
    }
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors[0]
}

#[test]
fn errors_of_products_of_bytes() {
    let mut text = String::new();
    let mut note = |error: KernelError| writeln!(text, "{error}").unwrap();
    let none = [None, None];
    // Dtypes.
    for dtype in [DType::Bool, DType::I16, DType::F32] {
        note(refused((dtype, A.1), B, none, RESULT));
        note(refused(A, (dtype, B.1), none, RESULT));
    }
    for dtype in [DType::U8, DType::U32, DType::I64] {
        note(refused(A, B, none, (dtype, RESULT.1)));
    }
    // Shapes.
    note(refused((A.0, &[4]), B, none, RESULT));
    note(refused(A, (B.0, &[4]), none, RESULT));
    note(refused(A, (B.0, &[5, 4]), none, RESULT));
    note(refused(A, (B.0, &[3, 4, 5]), none, RESULT));
    note(refused(A, B, none, (DType::I32, &[2, 5, 3])));
    note(refused(A, B, none, (DType::I32, &[3, 5])));
    // Zero points.
    note(refused(A, B, [Some((DType::I8, &[])), None], RESULT));
    note(refused(A, B, [None, Some((DType::I32, &[]))], RESULT));
    for extents in [&[3][..], &[3, 4], &[4, 1], &[3, 3, 1], &[1, 2, 3, 1]] {
        note(refused(A, B, [Some((A.0, extents)), None], RESULT));
    }
    for extents in [&[4][..], &[5, 1], &[4, 5], &[3, 1, 5]] {
        note(refused(A, B, [None, Some((B.0, extents))], RESULT));
    }
    insta::assert_snapshot!(text);
}

/// Bytes can be packed, though they have no products of their own dtype.
#[test]
fn packed_bytes_are_for_products_of_bytes_alone() {
    for kernels in ALL.iter() {
        let bytes = Array::canary(DType::U8, 20);
        let packed = kernels.pack_matrix(&bytes.view(&dense(&[4, 5]))).unwrap();
        let mut found = Array::canary(DType::U8, 10);
        let (place, epilogue) = (dense(&[2, 5]), stratal_kernels::Epilogue::default());
        let error = kernels
            .matmul_packed(&bytes.view(&dense(&[2, 4])), &packed, &epilogue, &mut found.view_mut(&place))
            .unwrap_err();
        assert_eq!(error.to_string(), "matmul is not defined for uint8");
        let floats = Array::canary(DType::F32, 20);
        let packed = kernels.pack_matrix(&floats.view(&dense(&[4, 5]))).unwrap();
        let mut found = Array::canary(DType::I32, 10);
        let error = kernels
            .matmul_integer_packed(
                &bytes.view(&dense(&[2, 4])),
                &packed,
                &ZeroPoints::default(),
                &mut found.view_mut(&place),
            )
            .unwrap_err();
        assert_eq!(error.to_string(), "matmul_integer is not defined for float32");
        assert_eq!(found, Array::canary(DType::I32, 10));
        let row = bytes.view(&dense(&[20]));
        assert_eq!(
            kernels.pack_matrix(&row).unwrap_err().to_string(),
            "pack_matrix needs a matrix of rank 2, found [20]"
        );
    }
}
