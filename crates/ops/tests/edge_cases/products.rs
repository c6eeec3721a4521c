//! Products of nothing, products that leave their third operand alone, and Einstein sums.

use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::every_way::{FLOATS, gives, plain, refusal, tensor, typed};

const PRODUCTS: [DType; 6] = [DType::F16, DType::BF16, DType::F32, DType::F64, DType::I32, DType::I64];

#[test]
fn a_factor_of_zero_does_not_read_what_it_multiplies() {
    for dtype in FLOATS {
        for (rows, depth, columns) in [(20, 20, 20), (1, 20, 20), (7, 13, 5), (20, 1, 1), (33, 40, 17)] {
            let ones = |a: i64, b: i64| typed(dtype, &vec![1.0; (a * b) as usize], &[a, b]);
            let (a, b) = (ones(rows, depth), ones(depth, columns));
            let expected = typed(dtype, &vec![depth as f64; (rows * columns) as usize], &[rows, columns]);
            for extents in [vec![rows, columns], vec![1, columns], vec![rows, 1], vec![1]] {
                let count: i64 = extents.iter().product();
                for odd in [f64::NAN, f64::INFINITY] {
                    let c = typed(dtype, &vec![odd; count as usize], &extents);
                    gives("Gemm", &plain().with("beta", 0.0_f32), &[&a, &b, &c], &expected);
                }
            }
        }
    }
}

#[test]
fn a_product_over_nothing_is_zero_and_the_bias_stands_where_it_belongs() {
    for dtype in PRODUCTS {
        let zeros = |extents: &[i64]| Tensor::zeros(extents, dtype).unwrap();
        let bias = typed(dtype, &[1.0, 2.0], &[2, 1]);
        let expected = typed(dtype, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], &[2, 3]);
        gives("Gemm", &plain(), &[&zeros(&[2, 0]), &zeros(&[0, 3]), &bias], &expected);
        gives("Gemm", &plain(), &[&zeros(&[2, 4]), &zeros(&[4, 3]), &bias], &expected);
        let column: Vec<_> = (1..=5).map(f64::from).collect();
        let (wide, bias) = (column.iter().flat_map(|x| [*x; 7]).collect::<Vec<_>>(), typed(dtype, &column, &[5, 1]));
        gives("Gemm", &plain(), &[&zeros(&[5, 0]), &zeros(&[0, 7]), &bias], &typed(dtype, &wide, &[5, 7]));
        let across: Vec<_> = (1..=7).map(f64::from).collect();
        let bias = typed(dtype, &across, &[7]);
        gives("Gemm", &plain(), &[&zeros(&[5, 0]), &zeros(&[0, 7]), &bias], &typed(dtype, &across.repeat(5), &[5, 7]));
        gives("MatMul", &plain(), &[&zeros(&[2, 0]), &zeros(&[0, 3])], &zeros(&[2, 3]));
        gives("MatMul", &plain(), &[&zeros(&[4, 2, 0]), &zeros(&[0])], &zeros(&[4, 2]));
        gives("MatMul", &plain(), &[&zeros(&[0, 2]), &zeros(&[2, 3])], &zeros(&[0, 3]));
    }
}

#[test]
fn zero_times_infinity_is_nan_in_products() {
    for dtype in FLOATS {
        for depth in [1, 3, 16, 300] {
            let mut right = vec![1.0; depth];
            right[depth - 1] = f64::INFINITY;
            let (a, b) =
                (typed(dtype, &vec![0.0; depth], &[1, depth as i64]), typed(dtype, &right, &[depth as i64, 1]));
            gives("MatMul", &plain(), &[&a, &b], &typed(dtype, &[f64::NAN], &[1, 1]));
        }
    }
}

/// An Einstein sum of operands given by elements and extents.
#[track_caller]
fn einsum(equation: &str, operands: &[(&[f64], &[i64])], expected: &[f64], extents: &[i64]) {
    for dtype in PRODUCTS {
        if dtype.is_integer() && operands.iter().any(|(elements, _)| elements.iter().any(|x| x.fract() != 0.0)) {
            continue;
        }
        let operands: Vec<_> = operands.iter().map(|(elements, extents)| typed(dtype, elements, extents)).collect();
        let operands: Vec<_> = operands.iter().collect();
        gives("Einsum", &plain().with("equation", equation), &operands, &typed(dtype, expected, extents));
    }
}

#[test]
fn einstein_sums_broadcast_repeat_and_reduce() {
    let twelve: Vec<_> = (1..=12).map(f64::from).collect();
    // An axis of one stands for every index.
    einsum("ij,ij->j", &[(&[1.0, 2.0, 3.0], &[1, 3]), (&twelve, &[4, 3])], &[22.0, 52.0, 90.0], &[3]);
    einsum("ij,ij->j", &[(&twelve, &[4, 3]), (&[1.0, 2.0, 3.0], &[1, 3])], &[22.0, 52.0, 90.0], &[3]);
    einsum("ij,ij->", &[(&[], &[0, 3]), (&[], &[0, 3])], &[0.0], &[]);
    einsum("ij->j", &[(&[], &[0, 3])], &[0.0; 3], &[3]);
    // A diagonal, and a factor that is summed alone.
    let square: (&[f64], &[i64]) = (&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    einsum("ii,j,i->", &[square, (&[1.0, 2.0, 3.0], &[3]), (&[5.0, 7.0], &[2])], &[198.0], &[]);
    einsum("ii->i", &[square], &[1.0, 4.0], &[2]);
    einsum("ii", &[square], &[5.0], &[]);
    einsum("->", &[(&[2.5], &[])], &[2.5], &[]);
    let pairs: [(&[f64], &[i64]); 3] = [(&[1.0, 2.0], &[2]), (&[3.0, 4.0], &[2]), (&[5.0, 6.0], &[2])];
    einsum("...,...,...->...", &pairs, &[15.0, 48.0], &[2]);
    einsum("...,...,...", &pairs, &[15.0, 48.0], &[2]);
    einsum("ba->a", &[(&[3.0, 4.0], &[2, 1])], &[7.0], &[1]);
    einsum("ba->b", &[(&[3.0, 4.0], &[2, 1])], &[3.0, 4.0], &[2]);
}

#[test]
fn an_einstein_sum_of_one_axis_in_the_midst_is_a_product_for_each_matrix() {
    let (m, c, h, k) = (3, 2, 4, 5);
    let left: Vec<_> = (0..m * c).map(|x| f64::from(x) - 2.0).collect();
    let right: Vec<_> = (0..h * c * k).map(|x| f64::from(x % 7) - 3.0).collect();
    let mut expected = Vec::new();
    for (at_h, at_m, at_k) in (0..h).flat_map(|h| (0..m).flat_map(move |m| (0..k).map(move |k| (h, m, k)))) {
        let term = |at_c| left[(at_m * c + at_c) as usize] * right[((at_h * c + at_c) * k + at_k) as usize];
        expected.push((0..c).map(term).sum::<f64>());
    }
    let extents = [h, m, k].map(i64::from);
    let operands: [(&[f64], &[i64]); 2] = [(&left, &[m.into(), c.into()]), (&right, &[h.into(), c.into(), k.into()])];
    einsum("mc,hck->hmk", &operands, &expected, &extents);
}

#[test]
fn einstein_sums_that_do_not_fit_are_refused() {
    let x = tensor(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    for equation in ["ii->i", "ijk->i", "ij->k", "ij,ij->ij", "ij->ii"] {
        let message = refusal("Einsum", &plain().with("equation", equation), &[&x]);
        assert!(message.starts_with("Einsum: "), "{message}");
    }
}
