//! Derivatives of Fourier transforms.

use super::derivatives;

derivatives! {
    dft::Dft,
    stft::Stft,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stratal_ops::Stft;
    use stratal_tensor::Tensor;

    use crate::composed::{check, random};

    proptest! {
        #[test]
        fn frames_are_what_they_are_composed_of(
            [batch, extent, step, length] in [1_i64..3, 1_i64..9, 1_i64..4, 1_i64..6],
            [onesided, has_window, has_length, is_complex] in [any::<bool>(); 4],
        ) {
            let parts = if is_complex && !onesided { 2 } else { 1 };
            let scalar = |number: i64| Tensor::scalar(number).unwrap();
            let inputs = [
                Some(random(0, &[batch, extent, parts])),
                Some(scalar(step)),
                has_window.then(|| random(1, &[length])),
                has_length.then(|| scalar(length)),
            ];
            // Where there are no frames, nothing is composed.
            check(&Stft { onesided }, &inputs, 1);
        }
    }
}
