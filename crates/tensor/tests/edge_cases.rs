//! Cases that other tensor libraries have got wrong in public, met by a tensor layer.

use stratal_tensor::{
    Tensor, TensorError,
    base::{DType, Layout, Shape},
    memory::Buffer,
};

fn counted(extents: &[i64]) -> Tensor {
    Tensor::arange(0, extents.iter().product(), 1, DType::F32).unwrap().reshape(extents).unwrap()
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().unwrap()
}

#[test]
fn a_reshape_whose_product_wraps_is_refused() {
    let strided = counted(&[20]).slice(0, None, None, 2).unwrap();
    assert!(strided.reshape(&[2, 13, 419, 691, 823, 2_977_518_503]).is_err());
    assert!(Tensor::zeros(&[5], DType::F32).unwrap().reshape(&[3, 7, 29, 36_760_123, 823_996_703]).is_err());
    assert!(Tensor::zeros(&[0, 1 << 20, (1 << 43) + 1], DType::F32).is_err());
    assert!(Tensor::zeros(&[1 << 29], DType::F32).is_err(), "2^31 bytes are one too many");
}

#[test]
fn a_permuted_column_is_the_row_it_was() {
    let column = Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[4, 1]).unwrap();
    let row = column.as_strided(&[1, 4], &[1, 1], 0).unwrap();
    assert_eq!(values(&row), [1.0, 2.0, 3.0, 4.0]);
    assert!(row.is_contiguous());
    assert_eq!(row.data::<f32>().unwrap().iter().sum::<f32>(), 10.0);
}

#[test]
fn rows_of_an_empty_view_are_empty() {
    let empty = Tensor::zeros(&[0, 3], DType::F32).unwrap().permute(&[1, 0]).unwrap();
    assert_eq!(empty.shape().extents(), [3, 0]);
    for row in empty.unbind(0).unwrap() {
        assert_eq!((row.shape().extents(), row.offset(), values(&row).len()), (&[0][..], 0, 0));
    }
    assert!(empty.select(1, 1).is_err());
    assert_eq!(empty.data::<f32>().unwrap().len(), 0);
    empty.fill(1).unwrap();
}

#[test]
fn a_copy_of_a_part_holds_the_part_only() {
    let part = counted(&[8, 5]).narrow(0, 0, 5).unwrap();
    assert!(part.is_contiguous() && part.contiguous().unwrap().shares_buffer(&part));
    assert_eq!(part.copied().unwrap().buffer().len(), 25 * 4);
    let columns = counted(&[5, 8]).narrow(1, 0, 5).unwrap();
    assert_eq!(columns.contiguous().unwrap().buffer().len(), 25 * 4);
}

#[test]
fn a_copied_part_starts_at_its_own_beginning() {
    let weights = counted(&[3, 4, 1, 1]);
    let part = weights.narrow(1, 1, 2).unwrap();
    let copy = part.contiguous().unwrap();
    assert_eq!((part.offset(), copy.offset()), (1, 0));
    assert_eq!(values(&copy), values(&part));
    let row = Tensor::from_slice(&[1, 2, 3, 30, 10, 20], &[2, 3]).unwrap().select(0, 1).unwrap();
    assert_eq!(row.to_vec::<i32>().unwrap(), [30, 10, 20]);
}

#[test]
fn strides_that_leave_the_buffer_are_refused_and_negative_ones_run_backwards() {
    let numbers = Tensor::arange(0, 16, 1, DType::I32).unwrap();
    assert!(numbers.as_strided(&[4], &[-42], 8).is_err());
    assert_eq!(numbers.as_strided(&[4], &[-2], 8).unwrap().to_vec::<i32>().unwrap(), [8, 6, 4, 2]);
    assert_eq!(numbers.as_strided(&[0], &[-42], 1 << 40).unwrap().count(), 0);
}

#[test]
fn a_repeated_element_is_not_written_several_times() {
    let expanded = Tensor::scalar(0.25_f32).unwrap().expand(&[3]).unwrap();
    assert!(matches!(expanded.fill(1.0), Err(TensorError::Overlapping { .. })));
    assert!(matches!(expanded.data_mut::<f32>(), Err(TensorError::NotContiguous { .. })));
    let windows = counted(&[5]).unfold(0, 3, 1).unwrap();
    assert!(matches!(windows.view_mut::<f32>(), Err(TensorError::Overlapping { .. })));
    // Windows that do not share elements are writable.
    let blocks = counted(&[6]).unfold(0, 3, 3).unwrap();
    blocks.fill(0).unwrap();
}

#[test]
fn a_shifted_copy_onto_itself_reads_what_was_there() {
    for (from, to) in [(0, 1), (1, 0), (0, 3), (3, 0)] {
        let numbers = Tensor::arange(0, 8, 1, DType::I32).unwrap();
        let length = 8 - i64::max(from, to);
        let source = numbers.narrow(0, from, length).unwrap();
        let expected = source.to_vec::<i32>().unwrap();
        let target = numbers.narrow(0, to, length).unwrap();
        target.copy_from(&source).unwrap();
        assert_eq!(target.to_vec::<i32>().unwrap(), expected);
        // Backwards onto itself.
        let before = numbers.to_vec::<i32>().unwrap();
        numbers.copy_from(&numbers.flip(&[0]).unwrap()).unwrap();
        assert!(numbers.to_vec::<i32>().unwrap().iter().eq(before.iter().rev()));
    }
    let square = counted(&[5, 5]);
    let expected = values(&square.t().unwrap());
    square.copy_from(&square.t().unwrap()).unwrap();
    assert_eq!(values(&square), expected);
}

#[test]
fn bytes_that_do_not_hold_the_elements_are_refused() {
    let odd = Buffer::from_vec(vec![0_u8; 7]).unwrap();
    let shape = |extents: &[i64]| Shape::new(extents).unwrap();
    assert!(Tensor::from_buffer(odd.clone(), 1, shape(&[1]), DType::F32).is_err());
    assert!(Tensor::from_buffer(odd.clone(), 4, shape(&[1]), DType::F32).is_err());
    assert!(Tensor::from_buffer(odd, 0, shape(&[2]), DType::F32).is_err());
    let byte = Buffer::from_vec(vec![0_u8]).unwrap();
    assert!(Tensor::from_buffer(byte, 0, shape(&[1, 2, 3, 4]), DType::F32).is_err());
    for extents in [&[2, 2, 2][..], &[2, 1], &[5], &[]] {
        assert!(matches!(Tensor::from_slice(&[0_i32; 4], extents), Err(TensorError::WrongCount { elements: 4, .. })));
        assert!(Tensor::from_vec(vec![0_i32; 4], extents).is_err());
    }
}

#[test]
fn layouts_of_unit_extents_do_not_confuse() {
    let pixel = counted(&[2, 3, 1, 1]);
    assert!(pixel.matches(Layout::Nchw) && pixel.matches(Layout::Nhwc));
    assert_eq!(pixel.layout(), Layout::Nchw);
    assert!(pixel.to_layout(Layout::Nhwc).unwrap().shares_buffer(&pixel));
}

#[test]
fn printing_an_empty_tensor_costs_nothing() {
    let rows = Tensor::zeros(&[i64::from(i32::MAX), 0], DType::F32).unwrap();
    assert_eq!(rows.to_string(), "float32 [2147483647, 0]\n[]");
}

#[test]
fn converting_an_empty_image_costs_nothing() {
    let layout = Layout::NchwBlocked(stratal_tensor::base::ChannelBlock::Eight);
    let image = Tensor::zeros(&[0, i64::from(i32::MAX), 1, 1], DType::F32).unwrap();
    let blocked = image.to_layout(layout).unwrap();
    assert_eq!(blocked.to_layout(Layout::Nhwc).unwrap().shape(), image.shape());
}

/// Memory from 1 on in a vector of bytes: no element of more bytes may start there, whichever way it is asked for.
#[test]
fn misaligned_memory_holds_no_elements_even_by_way_of_none() {
    let bytes = Buffer::from_vec(vec![0_u8; 64]).unwrap();
    let is_aligned = bytes.read().unwrap().as_ptr().addr().is_multiple_of(8);
    let empty = Tensor::from_buffer(bytes.clone(), 0, Shape::new(&[0]).unwrap(), DType::F64).unwrap();
    let widened = empty.as_strided(&[2], &[1], 0);
    let direct = Tensor::from_buffer(bytes, 0, Shape::new(&[2]).unwrap(), DType::F64);
    assert_eq!((widened.is_ok(), direct.is_ok()), (is_aligned, is_aligned));
    for refused in [widened, direct].into_iter().filter_map(Result::err) {
        assert!(matches!(refused, TensorError::Misaligned { dtype: DType::F64, .. }));
    }
}

#[test]
fn a_number_never_outranks_what_is_none() {
    let left = Tensor::from_slice(&[1e308, f64::NAN], &[2]).unwrap();
    let right = Tensor::from_slice(&[-1e308, 0.0], &[2]).unwrap();
    let comparison = left.all_close(&right, stratal_tensor::Tolerance::EXACT).unwrap();
    assert_eq!(comparison.worst.unwrap().index.as_slice(), [1]);
    let (zero, negative) = (Tensor::scalar(0.0_f64).unwrap(), Tensor::scalar(-0.0_f64).unwrap());
    let generous = stratal_tensor::Tolerance { relative: f64::INFINITY, ..stratal_tensor::Tolerance::EXACT };
    assert!(zero.all_close(&negative, generous).unwrap().is_close());
}
