//! `Max`: the greatest of some elements.

use stratal_kernels::map;

use super::variadic;
use crate::{Definition, dtypes};

/// The greatest of the elements of any number of operands, which broadcast. NaN in any of them gives NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct Max;

impl Max {
    /// What is known of it.
    pub const DEFINITION: Definition = variadic::definition("Max", 13, dtypes::NUMBERS, |_| Ok(Box::new(Self)));
}

variadic::operator!(Max, map::Max, |a, b| Some(a.larger(b)));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Min;
    use crate::elementwise::testing::floats;

    #[test]
    fn nan_wins_at_every_place() {
        let nan = f32::NAN;
        let (a, b, c): (&[f32], &[f32], &[f32]) = (&[nan, 1.0, 20.0, 4.0], &[10.0], &[3.0, nan, 3.0, 30.0]);
        let result = floats(&Max, &[a, b, c]);
        assert!(result[0].is_nan() && result[1].is_nan());
        assert_eq!(result[2..], [20.0, 30.0]);
        let result = floats(&Min, &[a, b, c]);
        assert!(result[0].is_nan() && result[1].is_nan());
        assert_eq!(result[2..], [3.0, 4.0]);
    }
}
