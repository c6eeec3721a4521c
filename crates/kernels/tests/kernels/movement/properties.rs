//! Any call, of any dtype, anywhere: every backend against the lists.

use proptest::prelude::*;
use stratal_tensor_base::DType;

use super::cases::{OPERATIONS, case, place};
use super::runner::check;
use crate::EMULATED;
use crate::values::Generator;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 200 } else { 8000 }))]

    #[test]
    fn any_call_anywhere(
        operation in proptest::sample::select(&OPERATIONS[..]),
        dtype in proptest::sample::select(&DType::ALL[..]),
        seed in any::<u64>(),
    ) {
        let generator = &mut Generator(seed);
        let (call, operands) = case(operation, dtype, generator);
        check(&call, &operands, |extents| place(extents, false, generator));
    }
}

/// Every operation on every dtype, whatever chance does.
#[test]
fn every_operation_of_every_dtype() {
    let rounds = if EMULATED { 1 } else { 30 };
    for (number, operation) in OPERATIONS.iter().enumerate() {
        for dtype in DType::ALL {
            for round in 0..rounds {
                let generator = &mut Generator(round * 1000 + number as u64);
                let (call, operands) = case(operation, dtype, generator);
                check(&call, &operands, |extents| place(extents, false, generator));
            }
        }
    }
}
