//! Problems of products of matrices.

use stratal_ops as ops;
use stratal_ops::Turn;

use super::problem::{Problem, numbers, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (a, b) in MATRICES {
        let operands = || [numbers(a), spread_from(1, b, -1.0, 1.0)];
        problems.push(Problem::new(ops::MatMul, operands()));
        let plain = Turn::default();
        problems.push(Problem::new(ops::FusedMatMul { alpha: -0.5, a: plain, b: plain }, operands()));
    }
    let turn = |batch, matrix| Turn { batch, matrix };
    for (a, turn_a, b, turn_b) in [
        (&[3, 2][..], turn(false, true), &[3, 4][..], turn(true, false)),
        (&[2, 3], turn(false, false), &[4, 3], turn(true, true)),
        (&[3, 2, 2, 3], turn(true, false), &[2, 3, 2], turn(false, false)),
        (&[3, 2, 2], turn(true, true), &[2, 4, 3], turn(false, true)),
        (&[3], turn(true, true), &[2, 3], turn(false, true)),
        (&[2, 2, 3], turn(false, false), &[2, 3], turn(false, true)),
    ] {
        let fused = ops::FusedMatMul { alpha: 1.5, a: turn_a, b: turn_b };
        problems.push(Problem::new(fused, [numbers(a), spread_from(1, b, -1.0, 1.0)]));
    }
    for (transpose_a, transpose_b) in [(false, false), (false, true), (true, false), (true, true)] {
        let turned = |[rows, columns]: [i64; 2], is_turned| if is_turned { [columns, rows] } else { [rows, columns] };
        let sides = [numbers(&turned([2, 3], transpose_a)), spread_from(1, &turned([3, 4], transpose_b), -1.0, 1.0)];
        for (alpha, beta) in [(1.0, 1.0), (-0.5, 2.0), (1.0, 0.0)] {
            let gemm = ops::Gemm { alpha, beta, transpose_a, transpose_b };
            problems.push(Problem::new(gemm, sides.clone()));
            let shapes = [&[4][..], &[], &[2, 1], &[1, 4], &[2, 4]];
            for added in &shapes[..if beta == 2.0 { 5 } else { 1 }] {
                let added = spread_from(2, added, -1.0, 1.0);
                problems.push(Problem::new(gemm, sides.clone().into_iter().chain([added])));
            }
        }
    }
    let empty = [numbers(&[2, 0]), numbers(&[0, 3]), numbers(&[3])];
    problems.push(Problem::new(ops::Gemm::default(), empty));
    for (equation, shapes) in EQUATIONS {
        let operands = shapes.iter().enumerate().map(|(number, shape)| spread_from(number, shape, -1.0, 1.0));
        problems.push(Problem::new(ops::Einsum { equation: equation.parse().unwrap() }, operands));
    }
}

/// Pairs of matrices and batches of them.
const MATRICES: &[(&[i64], &[i64])] = &[
    (&[2, 3], &[3, 4]),
    (&[3], &[3]),
    (&[3], &[3, 2]),
    (&[2, 3], &[3]),
    (&[2, 2, 3], &[3, 2]),
    (&[2, 3], &[2, 3, 2]),
    (&[1, 2, 3], &[2, 3, 2]),
    (&[2, 1, 2, 3], &[3, 3, 2]),
    (&[3], &[2, 3, 2]),
    (&[2, 2, 3], &[3]),
    (&[2, 0], &[0, 3]),
    (&[0, 2], &[2, 3]),
    (&[0, 2, 3], &[3, 2]),
];

/// Equations, and the shapes of their operands.
const EQUATIONS: &[(&str, &[&[i64]])] = &[
    ("ij,jk->ik", &[&[2, 3], &[3, 2]]),
    ("bij,bkj->bik", &[&[2, 2, 3], &[2, 1, 3]]),
    ("ij->ji", &[&[2, 3]]),
    ("ij->", &[&[2, 3]]),
    ("ij->j", &[&[2, 3]]),
    ("->", &[&[]]),
    (",->", &[&[], &[]]),
    ("i,i->", &[&[3], &[3]]),
    ("i,j->ij", &[&[2], &[3]]),
    ("i,j,k->ki", &[&[2], &[3], &[2]]),
    // Diagonals.
    ("ii->i", &[&[3, 3]]),
    ("ii->", &[&[3, 3]]),
    ("iij,j->ji", &[&[2, 2, 3], &[3]]),
    ("abab,a->b", &[&[2, 3, 2, 3], &[2]]),
    ("iii->i", &[&[2, 2, 2]]),
    // Labels of extent 1 broadcast, in one operand or the other.
    ("ij,ij->j", &[&[1, 3], &[4, 3]]),
    ("ij,ij->ij", &[&[2, 1], &[1, 3]]),
    ("ij,jk->ik", &[&[2, 3], &[1, 2]]),
    ("ij,jk->k", &[&[2, 1], &[3, 2]]),
    ("ii,i->", &[&[1, 1], &[3]]),
    // Ellipses of the same and of different ranks.
    ("...ij,...jk->...ik", &[&[2, 2, 3], &[2, 3, 1]]),
    ("...i,...i->...", &[&[2, 1, 2], &[3, 2]]),
    ("i...,...->...", &[&[2, 3], &[3]]),
    ("...i->i", &[&[2, 2, 2]]),
    ("b...i,bi->b...", &[&[2, 3, 2], &[2, 2]]),
    ("ab,bc,cd->ad", &[&[2, 2], &[2, 3], &[3, 2]]),
    ("ij,ij->", &[&[0, 3], &[0, 3]]),
    ("ij,jk->ik", &[&[2, 0], &[0, 2]]),
    ("ij,ij->ij", &[&[1, 2], &[0, 2]]),
];
