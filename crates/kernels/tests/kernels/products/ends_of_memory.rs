//! Operands and results that end right before, or begin right behind, a page that nobody may touch.

use stratal_kernels::Epilogue;
use stratal_tensor_base::DType;

use super::problem::{KERNELS, Operand, Problem};
use crate::EMULATED;
use crate::array::{Array, view, view_mut};
use crate::guarded::Guarded;
use crate::place::{Place, in_order};

/// Without gaps in a buffer of no more, nested in an order.
fn tight(extents: &[i64], order: &[usize]) -> Place {
    let place = Place::new(extents, &in_order(extents, order, 1), 0);
    Place { buffer: place.count(), ..place }
}

fn place_at<'a>(area: &'a mut Guarded, array: &Array, is_last: bool) -> &'a mut [u8] {
    let count = array.bytes().len();
    let bytes = if is_last { area.last(count) } else { area.first(count) };
    bytes.copy_from_slice(array.bytes());
    bytes
}

fn check_at_the_end(problem: &Problem, areas: &mut [Guarded; 4], is_last: bool) {
    let dtype = problem.dtype();
    let [of_a, of_b, of_bias, of_result] = areas;
    let at = |area, (array, place): &Operand| (place_at(area, array, is_last), place.geometry());
    let (a, b, bias) = (at(of_a, &problem.a), at(of_b, &problem.b), at(of_bias, problem.bias.as_ref().unwrap()));
    let [a, b, bias] = [a, b, bias].map(|(bytes, geometry)| view(dtype, bytes, geometry));
    let epilogue = Epilogue { bias: Some(&bias), beta: problem.beta, ..Epilogue::default() };
    for kernels in KERNELS.iter() {
        let expected = problem.expected(kernels.precision());
        for is_packed in [false, true] {
            let mut before = Array::canary(dtype, problem.result.buffer);
            before.scatter(&problem.result.positions(), &problem.before);
            let target = place_at(of_result, &before, is_last);
            let result = &mut view_mut(dtype, target, problem.result.geometry());
            match is_packed {
                true => kernels.matmul_packed(&a, &kernels.pack_matrix(&b).unwrap(), &epilogue, result),
                false => kernels.matmul(&a, &b, &epilogue, result),
            }
            .unwrap();
            let mut found = before.clone();
            found.bytes_mut().copy_from_slice(target);
            problem.compare(&found, &expected, || format!("{kernels:?} at the end of memory"));
        }
    }
}

fn at_the_end_of_memory(is_last: bool) {
    let sizes: &[[i64; 3]] = match EMULATED {
        true => &[[3, 19, 17]],
        // Read in place and packed: tails of rows, of columns and of depth, and of vectors that are transposed.
        false => {
            &[[1, 1, 1], [1, 37, 33], [2, 3, 15], [3, 19, 17], [7, 16, 16], [13, 33, 47], [15, 259, 70], [130, 5, 3]]
        }
    };
    let areas = &mut [0; 4].map(|_| Guarded::new(8 * 70 * 260));
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I64] {
        for (seed, [m, k, n]) in sizes.iter().enumerate() {
            for orders in [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]] {
                let order = |number: usize| if orders[number] == 0 { [0, 1] } else { [1, 0] };
                let problem = Problem::new(dtype, &[*m, *k], &[*k, *n], seed as u64).with_bias(&[*n]);
                let moved = |(array, place): &Operand, to: Place| {
                    let mut moved = Array::canary(dtype, to.buffer);
                    moved.scatter(&to.positions(), &array.gather(&place.positions()));
                    (moved, to)
                };
                let problem = Problem {
                    a: moved(&problem.a, tight(&[*m, *k], &order(0))),
                    b: moved(&problem.b, tight(&[*k, *n], &order(1))),
                    bias: problem.bias.as_ref().map(|bias| moved(bias, tight(&[*n], &[0]))),
                    result: tight(&[*m, *n], &order(2)),
                    beta: if seed % 2 == 0 { 1.0 } else { 0.0 },
                    ..problem
                };
                check_at_the_end(&problem, areas, is_last);
            }
        }
    }
}

#[test]
fn nothing_is_touched_behind_the_last_element() {
    at_the_end_of_memory(true);
}

#[test]
fn nothing_is_touched_before_the_first_element() {
    at_the_end_of_memory(false);
}
