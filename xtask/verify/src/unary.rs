//! Functions of one f32, swept over all patterns: the same bits on every backend, and how far from the exact value.

pub(crate) mod backends;
pub(crate) mod functions;
pub(crate) mod plan;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod ulps;
