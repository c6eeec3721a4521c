//! `Rules`: which rule belongs to which operation.

use std::{collections::BTreeMap, fmt};

use rustc_hash::FxHashMap;

use crate::{AutogradError, OpKind, Rule};

/// Which rule belongs to which operation: the registry that a crate with operations fills.
///
/// ```
/// use stratal_autograd::{AutogradError, InputGradients, OpKind, RuleCall, RuleError, Rules};
///
/// fn of_add(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
///     let gradient = call.only_gradient()?;
///     Ok([gradient.clone(), gradient.clone()].into())
/// }
///
/// let mut rules = Rules::new();
/// rules.register(OpKind::new("add"), of_add)?;
/// let error = rules.register(OpKind::new("add"), of_add).unwrap_err();
/// assert_eq!(error.to_string(), "add has a backward rule already");
/// # Ok::<(), AutogradError>(())
/// ```
#[derive(Default)]
pub struct Rules {
    /// Looked up, never walked in its own order.
    rules: FxHashMap<OpKind, Box<dyn Rule>>,
}

impl Rules {
    /// No rules yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the rule of an operation.
    ///
    /// # Errors
    /// [`AutogradError::DuplicateRule`] if it has one, which stays.
    pub fn register(&mut self, op: OpKind, rule: impl Rule + 'static) -> Result<(), AutogradError> {
        if self.rules.contains_key(&op) {
            return Err(AutogradError::DuplicateRule { op });
        }
        self.rules.insert(op, Box::new(rule));
        Ok(())
    }

    /// The rule of an operation.
    ///
    /// # Errors
    /// [`AutogradError::NoRule`].
    pub fn get(&self, op: OpKind) -> Result<&dyn Rule, AutogradError> {
        self.rules.get(&op).map(Box::as_ref).ok_or(AutogradError::NoRule { op })
    }

    /// How many operations have a rule.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether no operation has a rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In the order of names, so that it prints the same every time.
        let by_name: BTreeMap<_, _> = self
            .rules
            .iter()
            .map(|(op, rule)| (op, if rule.is_differentiable() { "differentiable" } else { "once" }))
            .collect();
        fmt::Debug::fmt(&by_name, formatter)
    }
}
