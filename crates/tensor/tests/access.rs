//! Guards, versions and stale handles: what may be opened when, and what every refusal says.

use stratal_tensor::{
    Tensor, TensorError, TensorOptions, access,
    base::{DType, Device, Layout, f16},
    memory::{AccessError, AllocationError, Arena, Buffer, Pool, ReleaseError},
};

fn counted(extents: &[i64]) -> Tensor {
    let count = extents.iter().product();
    Tensor::arange(0, count, 1, DType::F32).unwrap().reshape(extents).unwrap()
}

#[test]
fn tensors_and_errors_cross_threads() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Tensor>();
    is_shared::<TensorError>();
    assert!(size_of::<Tensor>() <= 96);
    assert!(size_of::<TensorError>() <= 128);
}

#[test]
fn a_write_through_one_view_is_read_through_all() {
    let matrix = counted(&[2, 3]);
    let column = matrix.t().unwrap().select(0, 1).unwrap();
    column.set(&[1], -4.0_f32).unwrap();
    assert_eq!(matrix.to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, -4.0, 5.0]);
    assert_eq!(matrix.item::<f32>(&[-1, -2]).unwrap(), -4.0);
    assert!(matrix.shares_buffer(&column) && !matrix.shares_buffer(&column.copied().unwrap()));
}

#[test]
fn each_opening_for_writing_advances_the_version_by_one() {
    let tensor = Tensor::zeros(&[2, 3], DType::F32).unwrap();
    let view = tensor.t().unwrap();
    assert_eq!(tensor.version(), 0);
    drop(tensor.data_mut::<f32>().unwrap());
    drop(view.view_mut::<f32>().unwrap());
    drop(tensor.storage_mut().unwrap());
    assert_eq!((tensor.version(), view.version()), (3, 3));
    view.set(&[0, 0], 1.0_f32).unwrap();
    view.fill(2).unwrap();
    tensor.fill_uniform(0.0, 1.0, 1).unwrap();
    tensor.fill_normal(0.0, 1.0, 1).unwrap();
    tensor.copy_from(&Tensor::scalar(1.0_f32).unwrap()).unwrap();
    tensor.narrow(1, 0, 2).unwrap().copy_from(&tensor.narrow(1, 1, 2).unwrap()).unwrap();
    assert_eq!(tensor.version(), 9);
    // Reading does not.
    tensor.to_vec::<f32>().unwrap();
    tensor.cast(DType::I8).unwrap();
    assert_eq!(tensor.data::<f32>().unwrap().version(), 9);
}

#[test]
fn a_refused_write_advances_nothing() {
    let tensor = counted(&[2, 3]);
    let before = tensor.version();
    assert!(tensor.data_mut::<f64>().is_err());
    assert!(tensor.t().unwrap().data_mut::<f32>().is_err());
    assert!(tensor.view_mut::<i32>().is_err());
    assert!(tensor.set(&[2, 0], 1.0_f32).is_err());
    assert!(tensor.set(&[0, 0], 1_i32).is_err());
    assert!(tensor.fill_uniform(1.0, 0.0, 0).is_err());
    assert!(tensor.fill_normal(0.0, -1.0, 0).is_err());
    assert!(tensor.copy_from(&counted(&[4])).is_err());
    assert!(tensor.copy_from(&Tensor::scalar(1_i32).unwrap()).is_err());
    let expanded = tensor.unsqueeze(0).unwrap().expand(&[2, 2, 3]).unwrap();
    assert!(expanded.fill(1).is_err() && expanded.copy_from(&tensor).is_err() && expanded.view_mut::<f32>().is_err());
    let reading = tensor.data::<f32>().unwrap();
    assert!(tensor.fill(1).is_err());
    drop(reading);
    assert_eq!(tensor.version(), before);
    assert_eq!(tensor.to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn many_read_or_one_writes() {
    let tensor = counted(&[4]);
    let half = tensor.narrow(0, 2, 2).unwrap();
    let first = tensor.data::<f32>().unwrap();
    let second = half.view::<f32>().unwrap();
    assert!(matches!(half.data_mut::<f32>(), Err(TensorError::Access(AccessError::BeingRead { readers: 2, .. }))));
    drop((first, second));
    let writing = half.data_mut::<f32>().unwrap();
    assert!(matches!(tensor.data::<f32>(), Err(TensorError::Access(AccessError::BeingWritten { .. }))));
    assert!(matches!(tensor.view_mut::<f32>(), Err(TensorError::Access(AccessError::BeingWritten { .. }))));
    assert!(matches!(tensor.release(), Err(TensorError::Release(ReleaseError::Refused(_)))));
    drop(writing);
    assert!(tensor.data::<f32>().is_ok());
}

#[test]
fn several_tensors_are_opened_together_or_not_at_all() {
    let (output, left, right) = (counted(&[2, 2]), counted(&[2, 2]), counted(&[2, 2]));
    let turned = left.t().unwrap();
    {
        let (mut sum, [a, b]) = access::<f32, 2>(&output, [&turned, &right]).unwrap();
        let values: Vec<f32> = a.as_view().iter().zip(b.as_view().iter()).map(|(a, b)| a + b).collect();
        sum.as_view_mut().as_mut_slice().unwrap().copy_from_slice(&values);
    }
    assert_eq!(output.to_vec::<f32>().unwrap(), [0.0, 3.0, 3.0, 6.0]);
    let before = output.version();
    assert!(matches!(
        access::<f32, 2>(&output, [&left, &output]),
        Err(TensorError::Access(AccessError::OutputIsInput { input: 1, .. }))
    ));
    assert!(access::<f64, 1>(&output, [&left]).is_err());
    let writing = right.data_mut::<f32>().unwrap();
    assert!(access::<f32, 2>(&output, [&left, &right]).is_err());
    drop(writing);
    assert_eq!(output.version(), before);
    assert!(output.data_mut::<f32>().is_ok() && left.data_mut::<f32>().is_ok());
}

#[test]
fn stale_tensors_know_and_keep_their_shape() {
    let pool = Pool::new();
    let tensor = TensorOptions::new(DType::F32).allocator(&pool).zeroed(true).empty(&[4]).unwrap();
    let view = tensor.narrow(0, 1, 2).unwrap();
    tensor.release().unwrap();
    assert!(tensor.is_stale() && view.is_stale());
    let is_stale = |error: TensorError| matches!(error, TensorError::Access(AccessError::Stale { .. }));
    assert!(is_stale(view.data::<f32>().unwrap_err()));
    assert!(is_stale(view.data_mut::<f32>().unwrap_err()));
    assert!(is_stale(view.item::<f32>(&[0]).unwrap_err()));
    assert!(is_stale(view.set(&[0], 0.0_f32).unwrap_err()));
    assert!(is_stale(view.copied().unwrap_err()));
    assert!(is_stale(Tensor::scalar(0.0_f32).unwrap().copy_from(&view.select(0, 0).unwrap()).unwrap_err()));
    assert!(is_stale(view.storage().unwrap_err()));
    assert!(view.release().is_err());
    assert_eq!(view.shape().extents(), [2]);
    // The block is let again; the old handles do not reach it.
    let next = TensorOptions::new(DType::F32).allocator(&pool).empty(&[4]).unwrap();
    next.fill(7).unwrap();
    assert!(is_stale(view.data::<f32>().unwrap_err()));
}

#[test]
fn tensors_of_an_arena_end_with_its_reset() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let state = TensorOptions::new(DType::I32).allocator(&arena).zeroed(true).empty(&[3]).unwrap();
    state.fill(5).unwrap();
    assert_eq!(state.to_vec::<i32>().unwrap(), [5, 5, 5]);
    arena.reset().unwrap();
    assert!(matches!(state.data::<i32>(), Err(TensorError::Access(AccessError::Stale { .. }))));
}

#[test]
fn frozen_storage_is_read_only_for_good() {
    let weights = counted(&[3]);
    weights.buffer().freeze().unwrap();
    assert_eq!(weights.item::<f32>(&[2]).unwrap(), 2.0);
    assert!(matches!(weights.fill(0), Err(TensorError::Access(AccessError::Frozen { .. }))));
    assert!(weights.release().is_err());
    assert_eq!(weights.version(), 1, "opened once, to count");
}

#[test]
fn threads_that_conflict_get_errors_and_never_wait() {
    let tensor = Tensor::zeros(&[64], DType::I64).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    if let Ok(data) = tensor.data::<i64>() {
                        assert!(data.iter().all(|value| *value == data[0]), "a torn write was read");
                    }
                }
            });
        }
        scope.spawn(|| {
            for value in 0..2000 {
                if let Ok(mut data) = tensor.data_mut::<i64>() {
                    data.fill(value);
                }
            }
        });
    });
    assert!(tensor.data_mut::<i64>().is_ok());
}

#[test]
fn devices_can_be_named_but_not_reached() {
    let tensor = counted(&[2]);
    assert!(tensor.to(Device::Cpu).unwrap().shares_buffer(&tensor));
    let unsupported = TensorError::Allocation(AllocationError::UnsupportedDevice { device: Device::Cuda(1) });
    assert_eq!(tensor.to(Device::Cuda(1)).unwrap_err(), unsupported);
    assert_eq!(TensorOptions::new(DType::F32).device(Device::Cuda(1)).empty(&[2]).unwrap_err(), unsupported);
}

#[test]
fn blocked_tensors_answer_layout_questions_only() {
    use stratal_tensor::base::ChannelBlock;
    let layout = Layout::NchwBlocked(ChannelBlock::Eight);
    let blocked = counted(&[1, 3, 2, 2]).to_layout(layout).unwrap();
    assert!(blocked.strides().is_empty() && !blocked.is_contiguous());
    assert_eq!((blocked.layout(), blocked.shape().extents()), (layout, &[1, 3, 2, 2][..]));
    assert_eq!(blocked.data::<f32>().unwrap().len(), 32);
    assert!(blocked.to_layout(layout).unwrap().shares_buffer(&blocked));
    for error in [
        blocked.permute(&[0, 1, 2, 3]).unwrap_err(),
        blocked.select(0, 0).unwrap_err(),
        blocked.reshape(&[12]).unwrap_err(),
        blocked.contiguous().unwrap_err(),
        blocked.cast(DType::F64).unwrap_err(),
        blocked.view::<f32>().unwrap_err(),
        blocked.view_mut::<f32>().unwrap_err(),
        blocked.item::<f32>(&[0, 0, 0, 0]).unwrap_err(),
        blocked.set(&[0, 0, 0, 0], 1.0_f32).unwrap_err(),
        blocked.fill(1).unwrap_err(),
        blocked.copy_from(&counted(&[1])).unwrap_err(),
        counted(&[1, 3, 2, 2]).copy_from(&blocked).unwrap_err(),
        blocked.reinterpret(DType::I32).unwrap_err(),
        blocked.to_vec::<f32>().unwrap_err(),
        blocked.all_close(&blocked, stratal_tensor::Tolerance::EXACT).unwrap_err(),
    ] {
        assert!(matches!(error, TensorError::Blocked { .. }), "{error}");
    }
    assert!(counted(&[2, 3]).to_layout(Layout::Nhwc).is_err());
    assert!(counted(&[1, 3, 2, 2]).to_layout(Layout::Strided).is_err());
}

#[test]
fn a_buffer_is_wrapped_where_elements_may_lie_only() {
    let shape = |extents: &[i64]| stratal_tensor::base::Shape::new(extents).unwrap();
    let buffer = Buffer::from_vec(vec![0_u8; 64]).unwrap();
    assert!(Tensor::from_buffer(buffer.clone(), 0, shape(&[64]), DType::U8).is_ok());
    assert!(Tensor::from_buffer(buffer.clone(), 1, shape(&[63]), DType::U8).is_ok());
    assert!(Tensor::from_buffer(buffer.clone(), 1, shape(&[64]), DType::U8).is_err());
    assert!(Tensor::from_buffer(buffer.clone(), u64::MAX, shape(&[1]), DType::U8).is_err());
    assert!(Tensor::from_buffer(buffer.clone(), 2, shape(&[1]), DType::F32).is_err());
    // Bytes 4.. of a vector of bytes may or may not start where a float may; it is never found out the hard way.
    let address = buffer.read().unwrap().as_ptr().addr();
    let floats = Tensor::from_buffer(buffer, 4, shape(&[2]), DType::F32);
    assert_eq!(floats.is_ok(), address.is_multiple_of(4), "{floats:?}");

    let halves = Tensor::from_vec(vec![f16::ONE; 6], &[2, 3]).unwrap();
    let bits = halves.reinterpret(DType::U16).unwrap();
    assert_eq!(bits.item::<u16>(&[1, 2]).unwrap(), 0x3C00);
    assert!(halves.reinterpret(DType::Bool).is_err() && halves.reinterpret(DType::F32).is_err());
}
