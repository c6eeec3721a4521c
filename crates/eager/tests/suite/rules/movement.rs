//! Problems of operators that move elements.

use super::problem::Problem;

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    problems.extend([]);
}
