//! What people read: printed tensors, reports and error texts.

use std::fmt::Write;

use stratal_tensor::{
    Tensor, TensorOptions, Tolerance,
    base::{Bool, ChannelBlock, DType, Device, Layout},
    memory::Pool,
};

fn counted(extents: &[i64], dtype: DType) -> Tensor {
    Tensor::arange(0, extents.iter().product(), 1, DType::I32).unwrap().reshape(extents).unwrap().cast(dtype).unwrap()
}

#[test]
fn tensors_print_as_nested_rows() {
    let odd = [1.5, -0.0, f32::NAN, f32::INFINITY, 1e-7, 123_456.0];
    let image = counted(&[1, 3, 2, 2], DType::F32).to_layout(Layout::NchwBlocked(ChannelBlock::Eight)).unwrap();
    // From a pool of its own, since the text counts what the pool has done.
    let stale = TensorOptions::new(DType::I32).allocator(&Pool::new()).empty(&[2]).unwrap();
    stale.release().unwrap();
    let tensors = [
        Tensor::scalar(2.5_f32).unwrap(),
        Tensor::zeros(&[0], DType::F32).unwrap(),
        Tensor::zeros(&[2, 0, 3], DType::I8).unwrap(),
        counted(&[2, 3], DType::I32),
        counted(&[2, 3], DType::F16).t().unwrap(),
        counted(&[2, 2, 3], DType::BF16),
        counted(&[2, 1, 2, 2], DType::F64),
        Tensor::from_slice(&odd, &[2, 3]).unwrap(),
        Tensor::from_slice(&[Bool::TRUE, Bool::from_byte(7), Bool::FALSE], &[3]).unwrap(),
        counted(&[2000], DType::I32),
        counted(&[40, 50], DType::I64),
        counted(&[2, 30, 40], DType::U16),
        image,
        stale,
    ];
    let mut text = String::new();
    for tensor in tensors {
        writeln!(text, "{tensor}\n").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn debug_shows_where_elements_are() {
    let tensor = TensorOptions::new(DType::I32).allocator(&Pool::new()).empty(&[2, 3]).unwrap();
    let view = tensor.t().unwrap().flip(&[0]).unwrap();
    view.fill(0).unwrap();
    let mut text = format!("{view:?}\n");
    writeln!(text, "{:?}", view.view::<i32>().unwrap()).unwrap();
    writeln!(text, "{:?}", counted(&[3], DType::U8).data::<u8>().unwrap()).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn reports_say_where_and_how_far() {
    let left = Tensor::from_slice(&[1.0_f32, 2.0, f32::NAN, 4.0], &[2, 2]).unwrap();
    let right = Tensor::from_slice(&[1.0_f32, 2.5, 3.0, 4.0], &[2, 2]).unwrap();
    let mut text = String::new();
    let tolerance = Tolerance::of(DType::F32);
    writeln!(text, "{}", left.all_close(&right, tolerance).unwrap()).unwrap();
    writeln!(text, "{}", left.all_close(&left, tolerance).unwrap()).unwrap();
    let equal_nan = Tolerance { is_nan_equal: true, ..tolerance };
    writeln!(text, "{}", left.all_close(&left, equal_nan).unwrap()).unwrap();
    let (low, high) = (Tensor::scalar(i64::MIN).unwrap(), Tensor::scalar(i64::MAX).unwrap());
    writeln!(text, "{}", low.all_close(&high, Tolerance::EXACT).unwrap()).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn errors_name_the_values() {
    let tensor = counted(&[2, 3], DType::F32);
    let integers = counted(&[2, 3], DType::I32);
    let blocked = counted(&[1, 1, 1, 1], DType::F32).to_layout(Layout::NchwBlocked(ChannelBlock::Sixteen)).unwrap();
    let expanded = tensor.unsqueeze(0).unwrap().expand(&[2, 2, 3]).unwrap();
    let refusals = [
        tensor.data::<f64>().map(drop),
        tensor.t().unwrap().data::<f32>().map(drop),
        expanded.fill(0),
        tensor.copy_from(&integers),
        tensor.copy_from(&counted(&[4], DType::F32)),
        integers.fill(0.5),
        integers.fill_uniform(0.0, 1.0, 0),
        tensor.fill_uniform(1.0, f64::INFINITY, 0),
        tensor.fill_normal(0.0, -1.0, 0),
        blocked.reshape(&[1]).map(drop),
        Tensor::from_slice(&[1, 2, 3], &[2]).map(drop),
        Tensor::arange(0, 9, 0, DType::I32).map(drop),
        TensorOptions::new(DType::F32).device(Device::Cuda(0)).empty(&[1]).map(drop),
        tensor.all_close(&tensor, Tolerance { relative: -1.0, ..Tolerance::EXACT }).map(drop),
        tensor.all_close(&integers, Tolerance::EXACT).map(drop),
        tensor.item::<f32>(&[0, 3]).map(drop),
        tensor.reshape(&[4, -1]).map(drop),
    ];
    let mut text = String::new();
    for refusal in refusals {
        writeln!(text, "{}", refusal.unwrap_err()).unwrap();
    }
    insta::assert_snapshot!(text);
}
