//! Products whose results are known, and sizes beyond one block or thread.

use stratal_tensor_base::DType;

use super::{ALL, Case, Operand};
use crate::EMULATED;
use crate::array::Array;
use crate::laid::dense;
use crate::values::Generator;

fn of(dtype: DType, extents: &[i64], bytes: impl Fn(usize) -> u8) -> Operand {
    let place = dense(extents);
    Operand { array: Array::new(dtype, (0..place.buffer).map(|index| bytes(index).into())), place }
}

fn case(a: Operand, b: Operand, zero_a: Option<Operand>, zero_b: Option<Operand>) -> Case {
    let rank = a.place.extents.len();
    let batch = a.place.extents[..rank - 2].to_vec();
    let last = [a.place.extents[rank - 2], *b.place.extents.last().unwrap()];
    let result = dense(&[&batch[..], &last].concat());
    Case { a, b, zero_a, zero_b, batch, result }
}

/// An instruction that adds products of pairs in 16 bits would give 32767 and -262144 or thereabouts.
#[test]
fn pairs_of_extremes_do_not_saturate() {
    let two = case(of(DType::U8, &[1, 2], |_| 255), of(DType::I8, &[2, 1], |_| 127), None, None);
    assert_eq!(two.expected(), [64_770]);
    two.check(&ALL);
    let eight = case(of(DType::U8, &[1, 8], |_| 255), of(DType::I8, &[8, 1], |_| 0x80), None, None);
    assert_eq!(eight.expected(), [-261_120]);
    eight.check(&ALL);
}

/// The example of the operator's definition in ONNX.
#[test]
fn the_example_of_the_operator() {
    let a = of(DType::U8, &[4, 3], |index| [11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0][index]);
    let b = of(DType::U8, &[3, 2], |index| [1, 4, 2, 5, 3, 6][index]);
    let product = case(a, b, Some(of(DType::U8, &[1], |_| 12)), Some(of(DType::U8, &[1], |_| 0)));
    assert_eq!(product.expected(), [-38, -83, -44, -98, -50, -113, -56, -128]);
    product.check(&ALL);
}

/// Deep enough that sums leave the range of i32: they wrap.
#[test]
fn sums_wrap() {
    let depth = 70_000;
    let zero = |byte: u8| Some(of(DType::U8, &[], move |_| byte));
    let product = case(of(DType::U8, &[2, depth], |_| 255), of(DType::U8, &[depth, 1], |_| 255), zero(0), zero(0));
    assert_eq!(product.expected(), [(70_000_i64 * 255 * 255) as i32; 2]);
    product.check(&ALL);
}

/// More than a block of depth, a group of columns and a task of rows, with what is left over of each.
#[test]
fn sizes_beyond_blocks_groups_and_tasks() {
    let large = [(1, 2051, 1030), (3, 1025, 530), (130, 1027, 70), (270, 70, 530), (257, 1024, 16), (37, 2048, 1)];
    for (index, (m, k, n)) in large.into_iter().enumerate() {
        if EMULATED && index > 1 {
            break;
        }
        for signs in 0..4 {
            let dtype = |bit: usize| if signs >> bit & 1 == 0 { DType::U8 } else { DType::I8 };
            let bytes = |seed: u64, count: i64| -> Vec<u8> {
                let mut generator = Generator(seed);
                (0..count).map(|_| generator.next() as u8).collect()
            };
            let operand = |dtype, extents: &[i64], seed| {
                let bytes = bytes(seed, extents.iter().product());
                of(dtype, extents, |index| bytes[index])
            };
            let (a, b) = (operand(dtype(0), &[m, k], 3), operand(dtype(1), &[k, n], 5));
            let (zero_a, zero_b) = (operand(dtype(0), &[m, 1], 7), operand(dtype(1), &[1, n], 9));
            case(a.clone(), b.clone(), None, None).check(&ALL[1..]);
            case(a, b, Some(zero_a), Some(zero_b)).check(&ALL[1..]);
        }
    }
}

/// Batches that share one right side are one product; those with their own zero points are not.
#[test]
fn batches_with_zero_points_of_their_own() {
    let byte = |index: usize| (index * 37 % 251) as u8;
    let a = || of(DType::I8, &[3, 5, 9], byte);
    let b = || of(DType::U8, &[9, 17], byte);
    case(a(), b(), Some(of(DType::I8, &[5, 1], byte)), Some(of(DType::U8, &[1, 17], byte))).check(&ALL);
    case(a(), b(), Some(of(DType::I8, &[3, 5, 1], byte)), Some(of(DType::U8, &[3, 1, 17], byte))).check(&ALL);
    case(a(), b(), Some(of(DType::I8, &[3, 1, 1], byte)), Some(of(DType::U8, &[3, 1, 1], byte))).check(&ALL);
}

/// A matrix that one backend packed is the same for all.
#[test]
fn packed_matrices_are_the_same_for_all() {
    let product = case(
        of(DType::U8, &[2, 13], |index| index as u8),
        of(DType::U8, &[13, 19], |index| 255 - index as u8),
        None,
        None,
    );
    let expected = Array::of(&product.expected());
    for packer in ALL.iter() {
        let packed = packer.pack_matrix(&product.b.view()).unwrap();
        for kernels in ALL.iter() {
            let mut found = Array::canary(DType::I32, 38);
            let (a, zero_points) = (product.a.view(), stratal_kernels::ZeroPoints::default());
            kernels.matmul_integer_packed(&a, &packed, &zero_points, &mut found.view_mut(&product.result)).unwrap();
            assert_eq!(found, expected, "{kernels:?}, packed by {packer:?}");
        }
    }
}
