//! Problems of operators on images.

use super::problem::Problem;

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    problems.extend([]);
}
