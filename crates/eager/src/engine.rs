//! The engine of the process: all rules, and the sum of gradients; and how derivatives are listed.

use std::any::TypeId;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use stratal_autograd::{Accumulate, AutogradError, Engine, GradOptions, Output, RuleError, Rules, Variable};
use stratal_kernels::{KernelError, map};
use stratal_ops::{Context, Definition, Operator, read, write};
use stratal_tensor_base::Geometry;

use crate::derivative::{Registered, RuleOf};
use crate::{EagerError, Var, private, rules, views};

/// The engine that variables go backward by.
///
/// # Errors
/// Never, unless two rules have one name.
pub fn engine() -> Result<&'static Engine, EagerError> {
    static ENGINE: LazyLock<Result<Engine, String>> = LazyLock::new(|| build().map_err(|error| error.to_string()));
    ENGINE.as_ref().map_err(|text| EagerError::Unfit(text.clone()))
}

/// The gradients of outputs with respect to inputs, as values, which no slot collects.
///
/// With `create_graph` they can be differentiated themselves.
///
/// ```
/// use stratal_eager::{GradOptions, Var, grad};
///
/// let x = Var::leaf(&[3.0_f64], &[])?;
/// let y = x.pow(3.0)?;
/// let slope = grad(&[&y], &[&x], GradOptions { create_graph: true, ..Default::default() })?.remove(0);
/// let curvature = grad(&[&slope], &[&x], GradOptions::default())?.remove(0);
/// assert_eq!((slope.item()?, curvature.item()?), (27.0, 18.0));
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
///
/// # Errors
/// [`EagerError::Autograd`]; [`EagerError::Unfit`] for an input that no output depends on.
pub fn grad(outputs: &[&Var], inputs: &[&Var], options: GradOptions) -> Result<Vec<Var>, EagerError> {
    let outputs: Vec<_> = outputs.iter().map(|output| Output::new(&output.0)).collect();
    let inputs: Vec<_> = inputs.iter().map(|input| &input.0).collect();
    let gradients = engine()?.grad(&outputs, &inputs, options)?.into_iter().enumerate();
    let given = gradients.map(|(input, gradient)| {
        gradient.map(Var).ok_or_else(|| EagerError::Unfit(format!("no output depends on input {input}")))
    });
    given.collect()
}

/// What is known of an operator's derivative.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DerivativeInfo {
    /// The operator.
    pub definition: &'static Definition,
    /// Whether gradients can be differentiated again.
    pub is_differentiable: bool,
}

/// The operators that have a derivative.
pub fn derivatives() -> impl Iterator<Item = DerivativeInfo> {
    of_families(rules::FAMILIES).map(|registered| DerivativeInfo {
        definition: registered.definition,
        is_differentiable: registered.is_differentiable,
    })
}

/// The operators of floats that have no derivative, and why not.
pub fn without_derivative() -> &'static [(&'static str, &'static str)] {
    rules::WITHOUT_DERIVATIVE
}

/// The derivative of an operator, if it has one.
pub(crate) fn registered(operator: &dyn Operator) -> Option<&'static Registered> {
    static BY_TYPE: LazyLock<FxHashMap<TypeId, &'static Registered>> =
        LazyLock::new(|| all().map(|registered| ((registered.type_id)(), registered)).collect());
    let operator: &dyn std::any::Any = operator;
    BY_TYPE.get(&operator.type_id()).copied()
}

/// Computes with what operators of this thread compute with.
pub(crate) fn with_context<R>(work: impl FnOnce(&Context<'static>) -> Result<R, EagerError>) -> Result<R, EagerError> {
    thread_local! {
        static CONTEXT: Result<Context<'static>, KernelError> = Context::new();
    }
    CONTEXT.with(|context| work(context.as_ref().map_err(|error| *error)?))
}

/// Sets the seed of the next operator of this thread that draws numbers, such as dropout. Each one takes the next; a thread
/// begins with 0.
///
/// # Errors
/// [`EagerError::Kernel`] when a backend is forced that cannot be.
pub fn set_seed(seed: u64) -> Result<(), EagerError> {
    with_context(|context| {
        context.set_seed(seed);
        Ok(())
    })
}

fn all() -> impl Iterator<Item = &'static Registered> {
    of_families(rules::FAMILIES).chain(private::DERIVATIVES)
}

fn of_families(families: &'static [&'static [Registered]]) -> impl Iterator<Item = &'static Registered> {
    families.iter().flat_map(|family| family.iter())
}

fn build() -> Result<Engine, AutogradError> {
    let mut rules = Rules::new();
    for registered in all() {
        rules.register(registered.kind, RuleOf(registered))?;
    }
    views::register(&mut rules)?;
    Ok(Engine::new(rules, Sum))
}

/// Gradients that meet are added by the operator that users add with.
struct Sum;

impl Accumulate for Sum {
    fn add(&self, first: &Variable, second: &Variable) -> Result<Variable, RuleError> {
        Ok(Var(first.clone()).add(&Var(second.clone()))?.0)
    }

    fn add_to_sum(&self, sum: Variable, term: &Variable) -> Result<Variable, RuleError> {
        let term_held = read(term.tensor())?;
        let term_view = term_held.view()?;
        // Gradients of broadcasts may be expanded views, which cannot be written.
        let is_dense = sum.tensor().geometry().is_ok_and(Geometry::is_contiguous);
        if !is_dense || sum.tensor().shares_buffer(term.tensor()) {
            drop(term_held);
            return self.add(&sum, term);
        }
        with_context(|context| {
            write(sum.tensor(), |sum| context.kernels().binary_in_place(&map::Add, sum, &term_view))?;
            Ok(())
        })?;
        Ok(sum)
    }
}
