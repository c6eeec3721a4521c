//! Random graphs against a naive model: the gradient is the sum over all paths of the product along each.

use proptest::{collection::vec, prelude::*};
use stratal_autograd::{BackwardOptions, GradOptions, Output, Variable};

use crate::toy::{add, engine, gradient, leaf, scale, split, tensor, values};

/// One step of building a graph over values that came before it. All are linear, with small whole factors, so that
/// sums in f32 are exact in any order.
#[derive(Debug, Clone)]
enum Step {
    Leaf,
    Add(usize, usize),
    Scale(usize, i8),
    /// Both halves, which are used as values of half the length and put together again crosswise.
    Swap(usize),
    Detach(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let index = 0..1000_usize;
    let step = prop_oneof![
        1 => Just(Step::Leaf),
        4 => (index.clone(), index.clone()).prop_map(|(left, right)| Step::Add(left, right)),
        3 => (index.clone(), -2..3_i8).prop_map(|(input, factor)| Step::Scale(input, factor)),
        2 => index.clone().prop_map(Step::Swap),
        1 => index.prop_map(Step::Detach),
    ];
    vec(step, 1..18).prop_map(|steps| [vec![Step::Leaf], steps].concat())
}

/// One element of a value as it depends on others: the factors by which each of them counts.
type Row = Vec<(usize, usize, f32)>;

/// The graph as the model sees it: for each value and each of its two elements, what it is made of.
fn build(steps: &[Step]) -> (Vec<Variable>, Vec<[Row; 2]>) {
    let (mut variables, mut rows): (Vec<Variable>, Vec<[Row; 2]>) = (Vec::new(), Vec::new());
    for step in steps {
        let known = variables.len();
        let at = |index: &usize| index % known;
        let (variable, row) = match step {
            Step::Leaf => (leaf(&[1.0, 2.0]), [vec![], vec![]]),
            Step::Add(left, right) => {
                let (left, right) = (at(left), at(right));
                let row = |element| vec![(left, element, 1.0), (right, element, 1.0)];
                (add(&variables[left], &variables[right]).unwrap(), [row(0), row(1)])
            }
            Step::Scale(input, factor) => {
                let (input, factor) = (at(input), f32::from(*factor));
                let row = |element| vec![(input, element, factor)];
                (scale(&variables[input], factor.into()).unwrap(), [row(0), row(1)])
            }
            Step::Swap(input) => {
                let input = at(input);
                let [low, high] = split(&variables[input]).unwrap();
                (crate::toy::join(&high, &low).unwrap(), [vec![(input, 1, 1.0)], vec![(input, 0, 1.0)]])
            }
            Step::Detach(input) => (variables[at(input)].detach(), [vec![], vec![]]),
        };
        variables.push(variable);
        rows.push(row);
    }
    (variables, rows)
}

/// The gradient of one element of a value with respect to one of another, by walking every path.
fn path_sum(rows: &[[Row; 2]], from: (usize, usize), to: (usize, usize)) -> f32 {
    if from == to {
        return 1.0;
    }
    let row = &rows[from.0][from.1];
    row.iter().map(|&(value, element, factor)| factor * path_sum(rows, (value, element), to)).sum()
}

/// The gradient of the seeded outputs with respect to one value.
fn expected(rows: &[[Row; 2]], outputs: &[(usize, [f32; 2])], to: usize) -> [f32; 2] {
    [0, 1].map(|element| {
        let of_output = |&(value, seed): &(usize, [f32; 2])| -> f32 {
            (0..2).map(|start| seed[start] * path_sum(rows, (value, start), (to, element))).sum()
        };
        outputs.iter().map(of_output).sum()
    })
}

/// Whether a value depends on another at all, be it by a factor of 0.
fn depends(rows: &[[Row; 2]], from: usize, to: usize) -> bool {
    from == to || rows[from].iter().flatten().any(|&(value, ..)| depends(rows, value, to))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn backward_and_grad_are_sums_over_paths(
        steps in steps(),
        outputs in vec((0..1000_usize, [-2..3_i8, -2..3_i8]), 1..4),
        inputs in vec(0..1000_usize, 1..5),
    ) {
        let (variables, rows) = build(&steps);
        let chosen: Vec<(usize, [f32; 2])> = outputs
            .into_iter()
            .map(|(index, seed)| (index % variables.len(), seed.map(f32::from)))
            .filter(|&(index, _)| variables[index].requires_grad())
            .collect();
        let seeded: Vec<Output<'_>> =
            chosen.iter().map(|(index, seed)| Output::with_gradient(&variables[*index], tensor(seed))).collect();
        let engine = engine();

        let inputs: Vec<usize> = inputs.into_iter().map(|index| index % variables.len()).collect();
        let asked: Vec<&Variable> = inputs.iter().map(|&index| &variables[index]).collect();
        for create_graph in [false, true] {
            let options = GradOptions { retain_graph: true, create_graph, allow_unreachable: true };
            let gradients = engine.grad(&seeded, &asked, options).unwrap();
            for (&index, gradient) in inputs.iter().zip(gradients) {
                // A detached value is a constant, whatever depends on it.
                let is_reached = variables[index].requires_grad()
                    && chosen.iter().any(|&(output, _)| depends(&rows, output, index));
                prop_assert_eq!(gradient.is_some(), is_reached);
                if let Some(gradient) = gradient {
                    prop_assert_eq!(values(gradient.tensor()), expected(&rows, &chosen, index));
                }
            }
        }

        engine.backward_from(&seeded, BackwardOptions::default()).unwrap();
        for (index, variable) in variables.iter().enumerate().filter(|(_, variable)| variable.edge().slot().is_some()) {
            if chosen.iter().any(|&(output, _)| depends(&rows, output, index)) {
                prop_assert_eq!(gradient(variable), expected(&rows, &chosen, index));
            } else {
                prop_assert!(variable.gradient().is_none());
            }
        }
    }
}
