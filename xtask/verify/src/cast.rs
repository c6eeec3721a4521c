//! The casts between all 13 dtypes, swept over all values of the small ones and chosen values of the others.

pub(crate) mod float_values;
pub(crate) mod forms;
pub(crate) mod integer_values;
pub(crate) mod sweep;
