//! Products of matrices, and sums of products.

use crate::registry::operators;

operators! {}
