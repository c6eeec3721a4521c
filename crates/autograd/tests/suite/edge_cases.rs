//! Cases that other libraries have got wrong in public, met by the machinery of gradients.

use stratal_autograd::{AutogradError, BackwardOptions, Output, SavedError};

use crate::toy::{MUL, engine, exp, gradient, leaf, max, mul, scale, tensor};

#[test]
fn an_input_overwritten_before_backward_is_found_with_both_versions() {
    let x = leaf(&[2.0, 3.0]);
    let y = mul(&x, &x).unwrap();
    x.tensor().copy_from(&tensor(&[10.0, 10.0])).unwrap();
    let outputs = [Output::with_gradient(&y, tensor(&[1.0, 1.0]))];
    let error = engine().backward_from(&outputs, BackwardOptions::default()).unwrap_err();
    assert!(matches!(
        error,
        AutogradError::Saved { op: MUL, source: SavedError::Overwritten { saved: 0, now: 1 }, .. }
    ));
    let text = "mul cannot go backward with slot 1 (input 1): \
                overwritten since it was saved: it was at version 0 and is at version 1; write to it after backward, or to a copy";
    assert_eq!(error.to_string(), text);
    assert!(x.gradient().is_none());
}

#[test]
fn an_overwrite_through_any_view_is_found() {
    for overwrite in 0..5 {
        let x = leaf(&[2.0, 3.0]);
        let view = x.tensor().flip(&[0]).unwrap();
        let y = mul(&x, &x).unwrap();
        match overwrite {
            0 => view.fill(1).unwrap(),
            1 => view.set(&[0], 7.0_f32).unwrap(),
            2 => x.tensor().data_mut::<f32>().unwrap()[0] = 7.0,
            3 => drop(view.view_mut::<f32>().unwrap()),
            _ => drop(x.tensor().storage_mut().unwrap()),
        }
        let outputs = [Output::with_gradient(&y, tensor(&[1.0, 1.0]))];
        let error = engine().backward_from(&outputs, BackwardOptions::default()).unwrap_err();
        assert!(
            matches!(error, AutogradError::Saved { source: SavedError::Overwritten { saved: 0, now: 1 }, .. }),
            "{overwrite}: {error}"
        );
    }
}

#[test]
fn an_overwritten_output_is_found_if_it_was_saved() {
    let x = leaf(&[0.0]);
    let y = exp(&x).unwrap();
    let saved_at = y.tensor().version();
    y.tensor().fill(10).unwrap();
    let text = engine().backward(&y).unwrap_err().to_string();
    let expected = format!(
        "exp cannot go backward with slot 0 (output 0): \
         overwritten since it was saved: it was at version {saved_at} and is at version {}; write to it after backward, or to a copy",
        saved_at + 1
    );
    assert_eq!(text, expected);
}

#[test]
fn an_overwrite_of_what_backward_does_not_need_is_fine() {
    let x = leaf(&[2.0]);
    let y = scale(&x, 3.0).unwrap();
    x.tensor().fill(10).unwrap();
    engine().backward(&y).unwrap();
    assert_eq!(gradient(&x), [3.0]);
    // Each factor is needed for the gradient of the other alone.
    let (x, w) = (leaf(&[2.0]), leaf(&[5.0]));
    let y = mul(&x, &w.detach()).unwrap();
    x.tensor().fill(10).unwrap();
    engine().backward(&y).unwrap();
    assert_eq!(gradient(&x), [5.0]);
}

#[test]
fn a_value_written_before_it_was_saved_is_fine() {
    let x = leaf(&[2.0]);
    x.tensor().fill(4).unwrap();
    engine().backward(&mul(&x, &x).unwrap()).unwrap();
    assert_eq!(gradient(&x), [8.0]);
}

#[test]
fn the_gradient_of_a_tie_goes_to_the_first_and_sums_to_one() {
    let x = leaf(&[1.0, 3.0, 3.0, 0.0]);
    engine().backward(&max(&x).unwrap()).unwrap();
    assert_eq!(gradient(&x), [0.0, 1.0, 0.0, 0.0]);
}
