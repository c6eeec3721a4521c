//! Random expressions beside central differences: operations that no problem has thought of together.

use proptest::prelude::*;
use stratal_eager::{EagerError, GradientCheck, Var};
use stratal_tensor::Tensor;

/// One operation: which one, on which of the values so far, and how.
type Step = (u8, u8, u8, i8);

/// What an expression may hold. Those that grow are bounded, so that differences keep their digits; none has a kink.
fn applied(step: Step, values: &[Var]) -> Result<Var, EagerError> {
    let (which, first, second, how) = step;
    let (a, b) = (&values[first as usize % values.len()], &values[second as usize % values.len()]);
    let axis = i64::from(how) % a.rank().max(1) as i64;
    let extent = if a.rank() == 0 { 0 } else { a.extent(axis)? as i64 };
    match which % 36 {
        0 => a.add(b),
        1 => a.sub(b),
        2 => a.mul(b)?.sin(),
        3 => a.div(&b.sin()?.add(2.0)?),
        4 => a.tanh(),
        5 => a.sigmoid(),
        6 => a.sin()?.exp(),
        7 => a.cos(),
        8 => a.softplus(),
        9 => a.sin()?.add(1.5)?.log(),
        10 => a.sin()?.add(1.5)?.sqrt(),
        11 => a.sin()?.add(1.5)?.pow(f64::from(how % 4)),
        12 => a.erf(),
        13 => a.sum(&[axis], how % 2 == 0)?.sin(),
        14 => a.mean(&[axis], how % 2 == 0),
        15 => a.log_sum_exp(&[axis], how % 2 == 0),
        16 => a.sin()?.mul(0.3)?.add(1.0)?.product(&[axis], false),
        17 => a.variance(&[axis], 0.0, true)?.sin(),
        18 => a.softmax(axis),
        19 => a.log_softmax(axis)?.sin(),
        20 => a.matmul(b)?.sin(),
        21 => a.t(),
        22 => a.permute(&(0..a.rank() as i64).rev().collect::<Vec<_>>()),
        23 => a.reshape(&[-1, 2]),
        24 => a.flatten(0, -1),
        25 => a.unsqueeze(axis),
        26 => a.narrow(axis, extent / 2, extent - extent / 2),
        27 => a.slice(axis, None, None, if how % 2 == 0 { -2 } else { 2 }),
        28 => a.select(axis, -1),
        29 => a.diagonal(i64::from(how) % 2, 0, -1),
        30 => a.flip(&[axis]),
        31 => a.unsqueeze(0)?.expand(&[&[3][..], &vec![-1; a.rank()]].concat()),
        32 => Var::concat(&[a, b, a], axis),
        33 => a.cumulative_sum(axis)?.sin(),
        34 => a.gather(axis, &Var::from_slice(&[0_i64, -1, 0], &[3])?),
        _ => a.pad(&vec![1; a.rank()], &vec![0; a.rank()], 0.5),
    }
}

/// The last value of an expression. Steps that do not fit are left out; whether they do follows from shapes alone.
fn evaluated(steps: &[Step], leaves: &[Var]) -> Vec<Var> {
    let mut values = leaves.to_vec();
    for &step in steps {
        match applied(step, &values) {
            Ok(value) if value.shape().count() <= 64 && value.rank() <= 5 && is_finite(&value) => values.push(value),
            Ok(_) | Err(_) => {}
        }
    }
    values.split_off(values.len() - 1)
}

/// The mean of nothing is NaN, and so is what comes of it.
fn is_finite(value: &Var) -> bool {
    value.to_vec::<f64>().unwrap().iter().all(|element| element.is_finite())
}

fn leaf(extents: &[i64], seed: u32) -> Var {
    let count = extents.iter().product::<i64>() as usize;
    let at = |element: usize| 3.0 * (f64::from(seed) * 0.137 + (element + 1) as f64 * 0.754_877_666).fract() - 1.5;
    Var::parameter(Tensor::from_vec((0..count).map(at).collect(), extents).unwrap()).unwrap()
}

fn shapes() -> impl Strategy<Value = Vec<Vec<i64>>> {
    let shape = prop::collection::vec(prop_oneof![6 => 1..4_i64, 1 => Just(0_i64)], 0..4);
    // Shapes that fit each other are more fun.
    let any = prop::collection::vec(shape.clone(), 1..4);
    let alike = (shape, 1..4_usize).prop_map(|(shape, count)| vec![shape; count]);
    prop_oneof![any, alike, Just(vec![vec![2, 3], vec![3, 2], vec![3]]), Just(vec![vec![2, 2], vec![2], vec![]])]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn gradients_of_expressions_are_those_of_differences(
        shapes in shapes(),
        steps in prop::collection::vec(any::<Step>(), 1..12),
        seed in any::<u32>(),
    ) {
        let leaves: Vec<Var> = shapes.iter().enumerate().map(|(place, shape)| leaf(shape, seed % 1000 + place as u32)).collect();
        let check = GradientCheck { absolute: 1e-6, relative: 1e-5, second_order: true, ..GradientCheck::default() };
        let report = check.run(|leaves| Ok(evaluated(&steps, leaves)), &leaves).unwrap();
        prop_assert!(report.is_close(), "{report}");
    }
}
