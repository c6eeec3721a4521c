//! Recording: when it happens, what it keeps, and that it costs nothing when it does not happen.

use allocation_counter::measure;
use stratal_autograd::{
    AutogradError, BackwardRecord, Edge, Engine, GradOptions, GradientSlot, OpKind, Recording, SavedTensor, Variable,
    enable_grad, is_grad_enabled, no_grad, should_record,
    tensor::{
        Tensor,
        base::{ChannelBlock, DType, Layout},
    },
};

use crate::toy::{constant, engine, exp, leaf, mul, scale, tensor};

const KEEP: OpKind = OpKind::new("keep");

/// Records everything that fits inside a record, over tensors that exist already.
fn keep(left: &Variable, right: &Variable, output: &Tensor) -> Variable {
    let mut recording = Recording::start(KEEP, &[left, right]);
    recording.save_input(1);
    recording.save_output(0);
    recording.ints(&[1, -1]);
    recording.floats(&[0.5, 1.5]);
    recording.finish(output.clone()).unwrap()
}

#[test]
fn an_operation_records_if_the_mode_is_on_and_an_input_requires_gradients() {
    let (x, c) = (leaf(&[1.0]), constant(&[1.0]));
    assert!(should_record(&[&c, &x]) && !should_record(&[&c, &c]) && !should_record(&[]));
    assert!(mul(&x, &c).unwrap().requires_grad() && mul(&c, &x).unwrap().requires_grad());
    assert!(!mul(&c, &c).unwrap().requires_grad());
    no_grad(|| {
        assert!(!should_record(&[&x]));
        let y = mul(&x, &x).unwrap();
        assert!(!y.requires_grad() && y.is_leaf() && y.grad_fn().is_none());
        assert!(enable_grad(|| mul(&x, &x)).unwrap().requires_grad());
    });
}

#[test]
fn a_record_holds_what_it_was_told() {
    let (x, c, output) = (leaf(&[1.0, 2.0]), constant(&[3.0, 4.0]), tensor(&[5.0, 6.0]));
    let y = keep(&x, &c, &output);
    let (record, index) = y.edge().record().unwrap();
    assert_eq!((record.op(), index), (KEEP, 0));
    assert_eq!((record.ints(), record.floats()), (&[1, -1][..], &[0.5, 1.5][..]));
    let inputs = record.inputs();
    assert!(inputs[0].edge.requires_grad() && !inputs[1].edge.requires_grad());
    assert_eq!((inputs[1].shape.extents(), inputs[1].dtype), (&[2][..], DType::F32));
    assert_eq!((record.outputs()[0].shape.extents(), record.outputs()[0].dtype), (&[2][..], DType::F32));
}

#[test]
fn recording_is_one_allocation() {
    let (x, c, output) = (leaf(&[1.0]), constant(&[2.0]), tensor(&[3.0]));
    let allocations = measure(|| drop(keep(&x, &c, &output)));
    assert_eq!((allocations.count_total, allocations.count_current), (1, 0));
    let allocations = measure(|| drop(Recording::start(KEEP, &[&x]).finish(output.clone()).unwrap()));
    assert_eq!(allocations.count_total, 1);
}

#[test]
fn not_recording_allocates_nothing() {
    let (x, c, output) = (leaf(&[1.0]), constant(&[2.0]), tensor(&[3.0]));
    let allocations = measure(|| {
        drop(keep(&c, &c, &output));
        no_grad(|| drop(keep(&x, &x, &output)));
    });
    assert_eq!(allocations.count_total, 0);
    let recording = Recording::start(KEEP, &[&c, &c]);
    assert!(!recording.is_active() && !recording.needs(0));
    let [first, second] = recording.finish_all([output.clone(), output.clone()]).unwrap();
    assert!(!first.requires_grad() && !second.requires_grad());
    let recording = Recording::start(KEEP, &[&x, &c]);
    assert!(recording.is_active() && recording.needs(0) && !recording.needs(1));
    assert!(no_grad(|| !Recording::start(KEEP, &[&x, &c]).needs(0)));
    drop(recording);
}

#[test]
fn only_plain_floats_can_require_gradients() {
    for dtype in DType::ALL {
        let outcome = Variable::leaf(Tensor::zeros(&[2], dtype).unwrap());
        match outcome {
            Ok(leaf) => assert!(dtype.is_float() && leaf.requires_grad()),
            Err(AutogradError::NotFloat { dtype: named }) => assert!(!dtype.is_float() && named == dtype),
            Err(other) => panic!("{dtype}: {other}"),
        }
        let constant = Variable::constant(Tensor::zeros(&[2], dtype).unwrap());
        assert_eq!(constant.with_requires_grad().is_ok(), dtype.is_float());
    }
    let image = Tensor::zeros(&[1, 8, 2, 2], DType::F32).unwrap();
    let blocked = image.to_layout(Layout::NchwBlocked(ChannelBlock::Eight)).unwrap();
    assert!(matches!(Variable::leaf(blocked.clone()), Err(AutogradError::Blocked { .. })));
    let x = Variable::leaf(image).unwrap();
    assert!(matches!(Recording::start(KEEP, &[&x]).finish(blocked.clone()), Err(AutogradError::Blocked { .. })));
    assert!(no_grad(|| Recording::start(KEEP, &[&x]).finish(blocked)).is_ok());
}

#[test]
fn the_flag_is_on_the_handle_that_is_returned() {
    let plain = constant(&[1.0]);
    let x = plain.with_requires_grad().unwrap();
    assert!(x.requires_grad() && !plain.requires_grad() && !x.detach().requires_grad());
    assert!(x.tensor().shares_buffer(plain.tensor()) && x.detach().tensor().shares_buffer(plain.tensor()));
}

#[test]
fn writes_in_place_are_refused_while_recording() {
    let x = leaf(&[1.0, 2.0]);
    let y = scale(&x, 2.0).unwrap();
    let source = tensor(&[7.0, 7.0]);
    type Write<'a> = (&'static str, Box<dyn Fn(&Variable) -> Result<(), AutogradError> + 'a>);
    let writes: [Write<'_>; 7] = [
        ("copy_from", Box::new(|variable| variable.copy_from(&source))),
        ("fill", Box::new(|variable| variable.fill(3))),
        ("set", Box::new(|variable| variable.set(&[0], 1.0_f32))),
        ("data_mut", Box::new(|variable| variable.data_mut::<f32>().map(drop))),
        ("view_mut", Box::new(|variable| variable.view_mut::<f32>().map(drop))),
        ("storage_mut", Box::new(|variable| variable.storage_mut().map(drop))),
        ("clip", Box::new(|variable| Ok(variable.writable("clip")?.fill(1)?))),
    ];
    for (name, write) in writes {
        for variable in [&x, &y] {
            let before = variable.tensor().version();
            let error = write(variable).unwrap_err();
            assert!(matches!(error, AutogradError::WriteWhileRecording { operation } if operation == name), "{error}");
            assert_eq!(variable.tensor().version(), before, "{name}: a refused write is no write");
            no_grad(|| write(variable)).unwrap();
            assert_eq!(variable.tensor().version(), before + 1, "{name}");
            write(&variable.detach()).unwrap();
            assert_eq!(variable.tensor().version(), before + 2, "{name}");
        }
    }
}

#[test]
fn an_optimiser_step_that_backward_does_not_need_goes_well() {
    let x = leaf(&[4.0]);
    engine().backward(&mul(&x, &x).unwrap()).unwrap();
    no_grad(|| x.fill(3).unwrap());
    engine().backward(&mul(&x, &x).unwrap()).unwrap();
    assert_eq!(crate::toy::gradient(&x), [14.0]);
}

#[test]
fn rules_run_with_recording_off_and_the_mode_comes_back() {
    let x = leaf(&[1.0]);
    let handle =
        x.register_hook(|_: &Variable| if is_grad_enabled() { Err("recording".into()) } else { Ok(None) }).unwrap();
    engine().backward(&exp(&x).unwrap()).unwrap();
    assert!(is_grad_enabled());
    let y = exp(&x).unwrap();
    let options = GradOptions { create_graph: true, ..GradOptions::default() };
    let error = no_grad(|| {
        let error = engine().grad(&[(&y).into()], &[&x], options).unwrap_err();
        assert!(!is_grad_enabled());
        error
    });
    assert_eq!(error.to_string(), "a hook on a leaf failed: recording");
    handle.remove();
}

#[test]
fn types_go_to_other_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Variable>();
    check::<Edge>();
    check::<BackwardRecord>();
    check::<GradientSlot>();
    check::<SavedTensor>();
    check::<AutogradError>();
    check::<Engine>();
}

#[test]
fn errors_are_small() {
    assert!(size_of::<AutogradError>() <= 128, "{}", size_of::<AutogradError>());
    assert_eq!(size_of::<Edge>(), 16);
    assert_eq!(size_of::<Option<Variable>>(), size_of::<Variable>());
    // With the two counts of its `Arc`, one allocation of a small class.
    assert!(size_of::<BackwardRecord>() <= 640, "{}", size_of::<BackwardRecord>());
}
