//! Every derivative beside central differences: over shapes, broadcasts, strides, empties, and again for gradients of gradients.
//!
//! A problem is an operator with its inputs. Each is checked with operands row-major, backward and interleaved; with each input
//! alone requiring a gradient, so that what a rule saves follows from what is needed; and in f32 beside f64.

mod attention;
mod convolution;
mod creation;
mod elementwise;
mod image;
mod loss;
mod movement;
mod normalization;
mod pooling;
mod problem;
mod product;
mod recurrent;
mod reduction;
mod selection;
mod signal;

use std::collections::BTreeSet;

use stratal_eager::{derivatives, without_derivative};
use stratal_ops::{definitions, dtypes};

use self::problem::Problem;

/// The problems of all families.
fn problems() -> Vec<Problem> {
    let mut problems = Vec::new();
    attention::add_to(&mut problems);
    convolution::add_to(&mut problems);
    creation::add_to(&mut problems);
    elementwise::add_to(&mut problems);
    image::add_to(&mut problems);
    loss::add_to(&mut problems);
    movement::add_to(&mut problems);
    normalization::add_to(&mut problems);
    pooling::add_to(&mut problems);
    product::add_to(&mut problems);
    recurrent::add_to(&mut problems);
    reduction::add_to(&mut problems);
    selection::add_to(&mut problems);
    signal::add_to(&mut problems);
    problems
}

#[test]
fn gradients_are_those_of_central_differences() {
    let only = std::env::var("STRATAL_PROBLEMS").unwrap_or_default();
    let chosen: Vec<_> = problems().into_iter().filter(|problem| problem.name().contains(&only)).collect();
    assert!(!chosen.is_empty(), "no problem has {only:?} in its name");
    let failures: Vec<String> = chosen.iter().flat_map(Problem::check).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_derivative_has_a_problem() {
    let checked: BTreeSet<_> = problems().iter().map(Problem::name).collect();
    let there: BTreeSet<_> = derivatives().map(|info| full_name(info.definition)).collect();
    let unchecked: Vec<_> = there.difference(&checked).collect();
    assert!(unchecked.is_empty(), "without a problem: {unchecked:?}");
}

#[test]
fn every_operator_of_floats_has_a_derivative_or_a_reason() {
    let there: BTreeSet<_> = derivatives().map(|info| full_name(info.definition)).collect();
    let reasons: BTreeSet<_> = without_derivative().iter().map(|(name, _)| (*name).to_owned()).collect();
    let of_floats =
        definitions().filter(|definition| definition.dtypes.iter().any(|dtype| dtypes::FLOATS.contains(dtype)));
    let of_floats: BTreeSet<_> = of_floats.map(full_name).collect();
    let missing: Vec<_> = of_floats.iter().filter(|name| !there.contains(*name) && !reasons.contains(*name)).collect();
    assert!(missing.is_empty(), "neither a derivative nor a reason: {missing:?}");
    let both: Vec<_> = there.intersection(&reasons).collect();
    assert!(both.is_empty(), "a derivative and a reason why not: {both:?}");
}

fn full_name(definition: &stratal_ops::Definition) -> String {
    match definition.domain {
        "" => definition.name.to_owned(),
        domain => format!("{domain}.{}", definition.name),
    }
}
