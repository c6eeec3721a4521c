//! `BitShift`: integers with their bits moved.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, dtypes};

/// Integers with their bits moved by as many places as the second operand says. Operands broadcast.
///
/// To the right, copies of the sign come in. A move by a negative number, or by as many places as there are bits or more,
/// gives 0, and -1 for negative integers to the right.
#[derive(Debug, Clone, Copy)]
pub struct BitShift {
    /// Where bits go.
    pub direction: ShiftDirection,
}

/// Where bits are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShiftDirection {
    /// Toward higher bits.
    Left,
    /// Toward lower bits.
    Right,
}

impl BitShift {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("BitShift", 28, dtypes::INTEGERS, &["direction"], |node| {
        node.needed("direction", node.string("direction")?)?;
        let words = [("LEFT", ShiftDirection::Left), ("RIGHT", ShiftDirection::Right)];
        Ok(Box::new(Self { direction: node.word("direction", "LEFT or RIGHT", &words)? }))
    });
}

binary::operator!(
    BitShift,
    dyn |shift| match shift.direction {
        ShiftDirection::Left => &map::ShiftLeft,
        ShiftDirection::Right => &map::ShiftRight,
    },
    |_, _| None
);

#[cfg(test)]
mod tests {
    use crate::{Attributes, build};

    #[test]
    fn there_is_no_default_direction() {
        let error = |attributes| build("", "BitShift", &attributes, 2, 1).unwrap_err().to_string();
        assert_eq!(error(Attributes::new()), "BitShift: attribute direction is missing");
        let up = Attributes::new().with("direction", "UP");
        assert_eq!(error(up), r#"BitShift: attribute direction is "UP": expected LEFT or RIGHT"#);
    }
}
