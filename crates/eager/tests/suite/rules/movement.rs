//! Problems of operators that move elements.

mod indexed;
mod resized;
mod shaped;

use super::problem::Problem;

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    indexed::add_to(problems);
    resized::add_to(problems);
    shaped::add_to(problems);
}
