//! Every derivative beside central differences: over shapes, broadcasts, strides, empties, and again for gradients of gradients.
//!
//! A problem is an operator with its inputs. Its gradients, and their gradients, are held against central differences. Then they
//! must be the same with operands backward and interleaved; with each input alone requiring a gradient, so that what a rule saves
//! follows from what is needed; where a graph of gradients is made and where not; and in f32 beside f64.

mod problem;

use std::collections::BTreeSet;

use stratal_eager::{derivatives, without_derivative};
use stratal_ops::{definitions, dtypes};

use self::problem::Problem;

/// Declares the files of problems, with a test of each.
macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(mod $family;)*

        /// The problems of all families.
        fn problems() -> Vec<Problem> {
            let mut problems = Vec::new();
            $($family::add_to(&mut problems);)*
            problems
        }

        mod gradients_are_those_of_central_differences {
            $(
                #[test]
                fn $family() {
                    super::check(super::$family::add_to);
                }
            )*
        }
    };
}

families! {
    attention,
    convolution,
    creation,
    elementwise,
    image,
    loss,
    movement,
    normalization,
    pooling,
    product,
    recurrent,
    reduction,
    selection,
    signal,
}

/// Checks the problems of a family, or those with a word in their name.
fn check(add_to: impl FnOnce(&mut Vec<Problem>)) {
    let only = std::env::var("STRATAL_PROBLEMS").unwrap_or_default();
    let mut problems = Vec::new();
    add_to(&mut problems);
    let chosen = problems.iter().filter(|problem| problem.name().contains(&only));
    let failures: Vec<String> = chosen.flat_map(Problem::check).collect();
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
fn every_gradient_can_be_differentiated_again() {
    let ends: Vec<_> = derivatives().filter(|info| !info.is_differentiable).map(|info| info.definition.name).collect();
    assert!(ends.is_empty(), "gradients without gradients: {ends:?}");
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
