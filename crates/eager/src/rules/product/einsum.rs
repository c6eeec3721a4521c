//! `Einsum`: for each operand the sum of products of the gradient and all other operands, by an equation whose output is that
//! operand.

use std::collections::BTreeMap;

use stratal_ops::{Einsum, Equation};
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, Shape};

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::views::extents;
use crate::{EagerError, Var, apply};

impl Derivative for Einsum {
    fn saves(&self, need: &Need<'_>) -> Saves {
        let is_read = |input: &usize| (0..need.count()).any(|other| other != *input && need.input(other));
        Saves::inputs((0..need.count()).filter(is_read))
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shapes: Vec<&Shape> = (0..call.input_count()).map(|input| call.shape(input)).collect();
        let labels = Labels::new(&self.equation, &shapes)?;
        let gradient = call.gradient()?;
        let of = |input: usize| {
            call.wanted(input, || {
                let others: Vec<usize> = (0..shapes.len()).filter(|&other| other != input).collect();
                let factors = others.iter().map(|&other| call.input(other)).collect::<Result<Vec<_>, _>>()?;
                labels.gradient(input, shapes[input], &gradient, &others, &factors)
            })
        };
        (0..shapes.len()).map(of).collect()
    }
}

/// The label of each axis: a letter each, those of ellipses too.
struct Labels {
    operands: Vec<Vec<char>>,
    output: Vec<char>,
    /// The extent that each label has after operands are broadcast.
    extents: BTreeMap<char, usize>,
}

impl Labels {
    fn new(equation: &Equation, shapes: &[&Shape]) -> Result<Self, EagerError> {
        let text = equation.to_string();
        let (inputs, output) = text.split_once("->").unwrap_or((&text, ""));
        let terms: Vec<&str> = inputs.split(',').collect();
        if terms.len() != shapes.len() {
            return Err(EagerError::Unfit(format!("equation {text} is not of {} operands", shapes.len())));
        }
        let of_ellipses = |(term, shape): (&&str, &&Shape)| match term.contains(ELLIPSIS) {
            true => shape.rank().saturating_sub(term.len() - ELLIPSIS.len()),
            false => 0,
        };
        let most = terms.iter().zip(shapes).map(of_ellipses).max().unwrap_or(0);
        let unused: Vec<char> =
            ('a'..='z').chain('A'..='Z').filter(|letter| !text.contains(*letter)).take(most).collect();
        if unused.len() < most {
            return Err(EagerError::Unfit(format!("equation {text} leaves no letters for its ellipses")));
        }
        let of_operand = |pair: (&&str, &&Shape)| expanded(pair.0, &unused[most.saturating_sub(of_ellipses(pair))..]);
        let operands: Vec<Vec<char>> = terms.iter().zip(shapes).map(of_operand).collect();
        let mut extents = BTreeMap::new();
        for (operand, shape) in operands.iter().zip(shapes) {
            for (&label, &extent) in operand.iter().zip(shape.extents()) {
                let known = extents.entry(label).or_insert(extent as usize);
                // An extent of 1 broadcasts, to 0 too.
                *known = if *known == 1 { extent as usize } else { *known };
            }
        }
        Ok(Self { operands, output: expanded(output, &unused), extents })
    }

    /// The gradient of an operand of a shape.
    fn gradient(
        &self,
        input: usize,
        shape: &Shape,
        gradient: &Var,
        others: &[usize],
        factors: &[Var],
    ) -> Result<Var, EagerError> {
        let own = &self.operands[input];
        let mut labels: Vec<(char, usize)> = Vec::new();
        for (&label, &extent) in own.iter().zip(shape.extents()) {
            if labels.iter().all(|(other, _)| *other != label) {
                labels.push((label, extent as usize));
            }
        }
        // Labels that neither the gradient nor another operand has were summed over alone; those that were broadcast are summed.
        let is_elsewhere = |label: char| {
            self.output.contains(&label) || others.iter().any(|&other| self.operands[other].contains(&label))
        };
        let is_kept = |&(label, extent): &(char, usize)| is_elsewhere(label) && extent == self.extents[&label];
        let kept: String = labels.iter().copied().filter(is_kept).map(|(label, _)| label).collect();
        let mut terms: Vec<String> = vec![self.output.iter().collect()];
        terms.extend(others.iter().map(|&other| self.operands[other].iter().collect::<String>()));
        let equation: Equation = format!("{}->{kept}", terms.join(",")).parse()?;
        let inputs: Vec<Option<&Var>> = std::iter::once(gradient).chain(factors).map(Some).collect();
        let sums = apply(&Einsum { equation }, &inputs)?;

        let along: Vec<i64> = labels
            .iter()
            .scan(0..sums.rank(), |axes, label| {
                let kept = if is_kept(label) { axes.next() } else { None };
                Some(kept.map_or(1, |axis| sums.shape().extent(axis) as i64))
            })
            .collect();
        let whole: Vec<i64> = labels.iter().map(|(_, extent)| *extent as i64).collect();
        on_diagonals(&sums.reshape(&along)?.expand(&whole)?, &labels, own, shape)
    }
}

const ELLIPSIS: &str = "...";

/// The labels of a term, with these in place of its ellipsis.
fn expanded(term: &str, of_ellipsis: &[char]) -> Vec<char> {
    match term.split_once(ELLIPSIS) {
        None => term.chars().collect(),
        Some((before, behind)) => before.chars().chain(of_ellipsis.iter().copied()).chain(behind.chars()).collect(),
    }
}

/// What has each label once, where an operand may have it several times: on its diagonal, with zeros around.
fn on_diagonals(once: &Var, labels: &[(char, usize)], own: &[char], shape: &Shape) -> Result<Var, EagerError> {
    if labels.len() == own.len() {
        return Ok(once.clone());
    }
    let axis_of = |label: char| own.iter().position(|other| *other == label).unwrap_or(0);
    let mut along = vec![1; own.len()];
    for &(label, extent) in labels {
        along[axis_of(label)] = extent as i64;
    }
    let whole = extents(shape);
    let is_on = |mut element: usize| {
        let mut index = vec![0; own.len()];
        for axis in (0..own.len()).rev() {
            index[axis] = element % shape.extent(axis);
            element /= shape.extent(axis);
        }
        own.iter().zip(&index).all(|(label, at)| index[axis_of(*label)] == *at)
    };
    let is_on: Vec<Bool> = (0..shape.count()).map(|element| Bool::from(is_on(element))).collect();
    let is_on = Var::from(Tensor::from_vec(is_on, &whole)?);
    // First axes of labels are in the order in which labels are.
    is_on.select_by(&once.reshape(&along)?, &once.number(0.0)?)
}
