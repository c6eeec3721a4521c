//! What people read: error texts and printed forms.

use std::fmt::{self, Write};

use stratal_autograd::{
    AutogradError, BackwardRecord, Engine, GradientSlot, OpKind, Place, SavedError, SavedOrigin, SavedTensor, no_grad,
    tensor::base::{ChannelBlock, DType, Layout, Shape},
};

use crate::toy::{Sum, constant, engine, exp, leaf, max, mul, rules, tensor};

#[test]
fn errors_name_the_operation_and_the_values() {
    let op = OpKind::new("conv2d");
    let (expected, given) = (Shape::new(&[2, 3]).unwrap(), Shape::new(&[3]).unwrap());
    let layout = Layout::NchwBlocked(ChannelBlock::Eight);
    let origin = SavedOrigin::Input(1);
    let stale = tensor(&[1.0]);
    let saved = SavedTensor::new(stale.clone());
    let writing = stale.storage_mut().unwrap();
    let being_written = saved.unpack().unwrap_err();
    drop(writing);
    let errors = [
        AutogradError::NotFloat { dtype: DType::I64 },
        AutogradError::Blocked { layout },
        AutogradError::WriteWhileRecording { operation: "fill" },
        AutogradError::NothingToHook,
        AutogradError::UnusedOutput { op, output: 0 },
        AutogradError::OutputWithoutGradient { output: 1 },
        AutogradError::NoSeed { output: 0, shape: expected },
        AutogradError::InputWithoutGradient { input: 2 },
        AutogradError::Unreachable { input: 2 },
        AutogradError::Released { op },
        AutogradError::Saved { op, slot: 1, origin, source: SavedError::Overwritten { saved: 3, now: 5 } },
        AutogradError::Saved { op, slot: 0, origin: SavedOrigin::Output(0), source: being_written },
        AutogradError::Saved {
            op,
            slot: 2,
            origin: SavedOrigin::Owned,
            source: SavedError::Overwritten { saved: 0, now: 1 },
        },
        AutogradError::EmptySlot { op, slot: 3 },
        AutogradError::NoRule { op },
        AutogradError::DuplicateRule { op },
        AutogradError::NotDifferentiable { op },
        AutogradError::WrongCount { op, expected: 3, given: 2 },
        AutogradError::MissingGradient { op, input: 1 },
        AutogradError::WrongShape { place: Place::Input { op, index: 1 }, expected, given },
        AutogradError::WrongShape { place: Place::Seed { index: 0 }, expected, given },
        AutogradError::WrongDType { place: Place::Output { op, index: 0 }, expected: DType::F32, given: DType::BF16 },
        AutogradError::BlockedGradient { place: Place::Leaf, layout },
        AutogradError::RuleFailed { op, source: "out of paper".into() },
        AutogradError::HookFailed { place: Place::Leaf, source: "out of ink".into() },
        AutogradError::AccumulationFailed { place: Place::Output { op, index: 2 }, source: "overflow".into() },
        AutogradError::SumNotRecorded { place: Place::Leaf },
        AutogradError::Tensor(stale.data::<f64>().map(drop).unwrap_err()),
    ];
    let mut text = String::new();
    for error in errors {
        writeln!(text, "{error}").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn printed_forms_show_one_step_and_never_the_whole_graph() {
    let x = leaf(&[1.0, 2.0]);
    let w = constant(&[3.0, 4.0]);
    let y = mul(&x, &w).unwrap();
    let z = exp(&y).unwrap();
    let top = max(&z).unwrap();
    let mut text = String::new();
    for variable in [&x, &w, &y, &top] {
        writeln!(text, "{variable:?}").unwrap();
    }
    for variable in [&y, &z, &top] {
        writeln!(text, "{:#?}", variable.grad_fn().unwrap()).unwrap();
    }
    top.grad_fn().unwrap().release().unwrap();
    writeln!(text, "{:?}", top.grad_fn().unwrap()).unwrap();
    writeln!(text, "{:?}", engine()).unwrap();
    writeln!(text, "{:?}", GradientSlot::new(*x.shape(), x.dtype())).unwrap();
    engine().backward(&max(&x).unwrap()).unwrap();
    writeln!(text, "{:?}", x.edge().slot().unwrap()).unwrap();
    writeln!(text, "{:?}", no_grad(|| mul(&x, &x)).unwrap()).unwrap();
    insta::assert_snapshot!(text);
    assert_eq!(format!("{:?}", rules()), format!("{:?}", Engine::new(rules(), Sum).rules()));
}

#[test]
fn a_record_is_printed_without_a_lock() {
    /// Asks the record for its state while it prints, as a logger that walks graphs might.
    struct Curious<'a>(&'a BackwardRecord);

    impl Write for Curious<'_> {
        fn write_str(&mut self, _: &str) -> fmt::Result {
            assert!(!self.0.is_released());
            Ok(())
        }
    }

    let y = exp(&leaf(&[1.0])).unwrap();
    let record = y.grad_fn().unwrap();
    write!(Curious(record), "{record:?}").unwrap();
}
