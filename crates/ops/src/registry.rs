//! All operators by name, and the macro that registers them.

use crate::{Attributes, Cause, Definition, Node, Operator, OperatorError};

/// Declares the files of operators, makes the operators public, and lists their definitions: one line for each.
macro_rules! operators {
    ($($module:ident::$operator:ident),* $(,)?) => {
        $(
            mod $module;
            pub use $module::$operator;
        )*

        /// What is known of the operators of this family.
        pub(crate) const DEFINITIONS: &[&$crate::Definition] = &[$(&$operator::DEFINITION),*];
    };
}
pub(crate) use operators;

/// The definitions of all operators, family by family.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    crate::FAMILIES.iter().flat_map(|family| family.iter().copied())
}

/// The definition of an operator, if there is one.
pub fn definition(domain: &str, name: &str) -> Option<&'static Definition> {
    // Two names for one domain.
    let domain = if domain == "ai.onnx" { crate::ONNX } else { domain };
    definitions().find(|definition| definition.name == name && definition.domain == domain)
}

/// Builds an operator by name, for a number of inputs and outputs.
///
/// ```
/// use stratal_ops::{Attributes, build};
///
/// let softmax = build("", "Softmax", &Attributes::new().with("axis", 1), 1, 1)?;
/// assert_eq!(softmax.definition().name, "Softmax");
/// let error = build("", "Softmax", &Attributes::new().with("axes", 1), 1, 1).unwrap_err();
/// assert_eq!(error.to_string(), r#"Softmax: has no attribute "axes""#);
/// # Ok::<(), stratal_ops::OperatorError>(())
/// ```
///
/// # Errors
/// [`Cause::Unknown`], [`Cause::UnknownAttribute`], [`Cause::InputCount`], [`Cause::OutputCount`], and whatever is wrong with
/// the attributes.
pub fn build(
    domain: &str,
    name: &str,
    attributes: &Attributes,
    inputs: usize,
    outputs: usize,
) -> Result<Box<dyn Operator>, OperatorError> {
    let definition = definition(domain, name);
    let definition = definition.ok_or_else(|| Cause::Unknown { domain: domain.into() }.of(name))?;
    build_defined(definition, &Node { attributes, inputs, outputs }).map_err(|cause| cause.of(definition.name))
}

fn build_defined(definition: &Definition, node: &Node<'_>) -> Result<Box<dyn Operator>, Cause> {
    if let Some(name) = node.attributes.names().find(|name| !definition.attributes.contains(name)) {
        return Err(Cause::UnknownAttribute { name: name.into() });
    }
    let (least, most) = definition.inputs.clone().into_inner();
    if !definition.inputs.contains(&node.inputs) {
        return Err(Cause::InputCount { least, most, given: node.inputs });
    }
    let (least, most) = definition.outputs.clone().into_inner();
    if !definition.outputs.contains(&node.outputs) {
        return Err(Cause::OutputCount { least, most, given: node.outputs });
    }
    (definition.build)(node)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names = HashSet::new();
        for definition in definitions() {
            assert!(names.insert((definition.domain, definition.name)), "{definition:?} is there twice");
        }
    }
}
