//! `OpKind`: the name of an operation, which is all that this crate knows of it.

use std::fmt;

/// The name of an operation, such as `mul`.
///
/// The set is open: a crate above makes its kinds as constants, and gives each a [`Rule`](crate::Rule) in its
/// [`Rules`](crate::Rules). Two kinds are the same when their names are.
///
/// ```
/// use stratal_autograd::OpKind;
///
/// const MATMUL: OpKind = OpKind::new("matmul");
/// assert_eq!(MATMUL.to_string(), "matmul");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpKind {
    name: &'static str,
}

impl OpKind {
    /// The kind of this name.
    pub const fn new(name: &'static str) -> Self {
        Self { name }
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl fmt::Display for OpKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name)
    }
}

impl fmt::Debug for OpKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
