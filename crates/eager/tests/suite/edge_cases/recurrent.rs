//! Sequences that end early.

use stratal_eager::{EagerError, Var, apply_outputs};
use stratal_ops::{Direction, Gru, Lstm, Operator, Recurrence, Rnn};

/// What lies behind the end of a sequence is no part of it, whatever it is.
#[test]
fn padding_has_no_gradient_and_reaches_none() -> Result<(), EagerError> {
    for direction in [Direction::Forward, Direction::Reverse] {
        let recurrence = Recurrence { direction, ..Recurrence::default() };
        check_padding(&Rnn { recurrence: recurrence.clone() }, 1)?;
        check_padding(&Gru { recurrence: recurrence.clone(), linear_before_reset: true }, 3)?;
        check_padding(&Lstm { recurrence, input_forget: false }, 4)?;
    }
    Ok(())
}

fn check_padding<O: Operator + Clone>(operator: &O, gates: usize) -> Result<(), EagerError> {
    let gradients = |padding: f64| -> Result<[Vec<f64>; 3], EagerError> {
        // Two sequences; the second one ends behind its first step, and what would follow is padding.
        let x = Var::leaf(&[0.5, -0.25, 0.75, padding], &[2, 2, 1])?;
        let weights = Var::leaf(&vec![0.5; gates], &[1, gates as i64, 1])?;
        let of_states = Var::leaf(&vec![-0.5; gates], &[1, gates as i64, 1])?;
        let lengths = Var::from_slice(&[2, 1], &[2])?;
        let inputs = [Some(&x), Some(&weights), Some(&of_states), None, Some(&lengths)];
        let outputs = apply_outputs(operator, &inputs, 2)?;
        outputs[0].sum(&[], false)?.add(&outputs[1].sum(&[], false)?)?.backward()?;
        let gradient = |var: &Var| var.gradient().map_or(Ok(Vec::new()), |gradient| gradient.to_vec::<f64>());
        Ok([gradient(&x)?, gradient(&weights)?, gradient(&of_states)?])
    };
    let clean = gradients(0.0)?;
    assert_eq!(clean[0].len(), 4);
    assert_eq!(clean[0][3], 0.0);
    assert!(clean.iter().flatten().all(|gradient| gradient.is_finite()));
    for padding in [f64::NAN, f64::INFINITY] {
        assert_eq!(gradients(padding)?, clean, "{operator:?}");
    }
    Ok(())
}
