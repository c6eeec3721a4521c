//! Mistakes that pooling invites, each as its whole kind.

use stratal_kernels::pool::{AutoPad, Window, WindowAxis};
use stratal_kernels::{AnyView, AnyViewMut, Kernels};
use stratal_tensor_base::{DType, Element, Shape};

use super::{Kind, extents, window};
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::laid::results;
use crate::place::{Place, in_order};
use crate::values::{nans, panel};

/// Results of every backend, which must be equal, for planes.
fn pooled(kind: Kind, window: &Window, x: &Array, images: &[i64]) -> Vec<Array> {
    let outputs = extents(&window.output_shape(&Shape::new(images).unwrap()).unwrap());
    let kinds: Vec<(DType, Vec<i64>)> =
        kind.results(x.dtype).into_iter().map(|dtype| (dtype, outputs.clone())).collect();
    let call =
        |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| kind.call(kernels, window, &x[0], to);
    let of = |kernels: &dyn Kernels| results(kernels, &[(x.clone(), images.to_vec())], &kinds, &call);
    let expected = of(&*BACKENDS[0]);
    for kernels in BACKENDS.iter() {
        assert_eq!(of(&**kernels), expected, "{kind:?} on {}", kernels.backend());
    }
    expected
}

fn f32s(kind: Kind, window: &Window, x: &[f32], images: &[i64]) -> Vec<f32> {
    pooled(kind, window, &Array::of(x), images)[0].to_vec()
}

/// A window of the least value alone, with padding around it, has that value and the index of its first element.
#[test]
fn windows_of_the_least_value() {
    for dtype in DType::ALL.into_iter().filter(|dtype| *dtype != DType::Bool) {
        let least = match (dtype, dtype.is_float()) {
            (DType::F16, _) => 0xFC00,
            (DType::BF16, _) => 0xFF80,
            (DType::F32, _) => 0xFF80_0000,
            (DType::F64, _) => 0xFFF0_0000_0000_0000,
            (DType::U8 | DType::U16 | DType::U32 | DType::U64, _) => 0,
            _ => 1_u64 << (8 * dtype.size() - 1),
        };
        for (kernel, stride, pad) in [(2, 2, 0), (2, 1, 1), (3, 2, 1), (3, 1, 2), (40, 9, 39)] {
            let window = window(&[(kernel, stride, pad), (kernel, stride, pad)]);
            for images in [[1, 1, 2, 2], [2, 9, 3, 33]] {
                if window.output_shape(&Shape::new(&images).unwrap()).is_err() {
                    continue;
                }
                let count = images.iter().product::<i64>() as usize;
                let x = Array::new(dtype, vec![least; count]);
                let [values, indices] = &pooled(Kind::MaxWithIndices(DType::I32), &window, &x, &images)[..] else {
                    panic!("two results");
                };
                assert!(values.patterns().all(|value| value == least), "{dtype}");
                let outputs = extents(&window.output_shape(&Shape::new(&images).unwrap()).unwrap());
                for (position, index) in indices.to_vec::<i32>().into_iter().enumerate() {
                    let [y, x] = [position as i64 / outputs[3] % outputs[2], position as i64 % outputs[3]]
                        .map(|position| (position * stride - pad).max(0));
                    assert_eq!(i64::from(index), y * images[3] + x, "{dtype} {window:?} {images:?}");
                }
            }
        }
    }
}

/// Whatever else a window holds, its first NaN comes out with its bits; of equal elements the first, whatever its sign.
#[test]
fn the_first_nan_and_the_first_of_zeros_win_at_every_place() {
    let window = window(&[(3, 3, 0), (3, 3, 0)]);
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let others = panel(dtype);
        let numbers: Vec<u64> = others.iter().copied().filter(|pattern| !nans(dtype).contains(pattern)).collect();
        for (first, nan) in nans(dtype).into_iter().enumerate() {
            for place in 0..9 {
                let second = nans(dtype)[(first + 1) % 8];
                let elements = (0..9).map(|position| match position {
                    _ if position == place => nan,
                    _ if position > place && position % 2 == 0 => second,
                    _ => numbers[(position * 7 + first * 31) % numbers.len()],
                });
                // Every channel the same, so that each layout and lane sees it.
                let plane: Vec<u64> = elements.collect();
                let x = Array::new(dtype, (0..20).flat_map(|_| plane.iter().copied()));
                let found = pooled(Kind::MaxWithIndices(DType::I64), &window, &x, &[1, 20, 3, 3]);
                assert!(found[0].patterns().all(|value| value == nan), "{dtype} {place}");
                assert!(found[1].patterns().all(|index| index == place as u64), "{dtype} {place}");
            }
        }
        let sign = 1_u64 << (8 * dtype.size() - 1);
        for zeros in 0..512_u64 {
            let plane: Vec<u64> = (0..9).map(|place| if zeros >> place & 1 == 1 { sign } else { 0 }).collect();
            let found =
                pooled(Kind::MaxWithIndices(DType::I32), &window, &Array::new(dtype, plane.clone()), &[1, 1, 3, 3]);
            assert_eq!((found[0].get(0), found[1].get(0)), (plane[0], 0), "{dtype}");
        }
    }
}

/// The divisor of a window that is cut off at the end counts what is within image and padding.
#[test]
fn averages_of_windows_that_are_cut_off() {
    let x: Vec<f32> = (1..=16).map(|value| value as f32).collect();
    let window = Window { ceil: true, ..window(&[(3, 2, 1), (3, 2, 1)]) };
    let expected =
        [14.0 / 9.0, 30.0 / 9.0, 12.0 / 6.0, 57.0 / 9.0, 11.0, 36.0 / 6.0, 27.0 / 6.0, 45.0 / 6.0, 16.0 / 4.0];
    assert_eq!(f32s(Kind::Average(true), &window, &x, &[1, 1, 4, 4]), expected);
    let expected = [14.0 / 4.0, 30.0 / 6.0, 12.0 / 2.0, 57.0 / 6.0, 11.0, 36.0 / 3.0, 27.0 / 2.0, 45.0 / 3.0, 16.0];
    assert_eq!(f32s(Kind::Average(false), &window, &x, &[1, 1, 4, 4]), expected);
}

/// A last window that would begin behind the image is dropped, for every stride.
#[test]
fn no_window_begins_behind_the_image() {
    let axis = |stride| WindowAxis { kernel: 3, stride, ..WindowAxis::default() };
    let window = Window { axes: vec![axis(3), axis(4)], ceil: true };
    let shape = Shape::new(&[1, 1, 8, 8]).unwrap();
    assert_eq!(extents(&window.output_shape(&shape).unwrap()), [1, 1, 3, 2]);
    for kind in [Kind::Max, Kind::Average(false), Kind::Average(true)] {
        assert_eq!(f32s(kind, &window, &[1.0; 64], &[1, 1, 8, 8]), [1.0; 6], "{kind:?}");
    }
    for kernel in 1..6 {
        for stride in 1..9 {
            for extent in kernel..20 {
                for pad in 0..kernel {
                    let axis = WindowAxis { kernel, stride, pad_begin: pad, pad_end: pad, dilation: 1 };
                    let window = Window { axes: vec![axis], ceil: true };
                    let shape = Shape::new(&[1, 1, extent]).unwrap();
                    let last = i64::from(window.output_shape(&shape).unwrap().extents()[2]) - 1;
                    assert!(last * stride - pad < extent, "{axis:?} {extent}");
                }
            }
        }
    }
}

/// The larger half of an odd padding is where its name says, and the windows are as many as strides begin in the image.
#[test]
fn padding_that_follows_from_the_extent() {
    let ones = WindowAxis { kernel: 4, ..WindowAxis::default() };
    let pads = |padding| ones.with_auto_pad(padding, 5).map(|axis| (axis.pad_begin, axis.pad_end));
    assert_eq!(pads(AutoPad::SameLower), Ok((2, 1)));
    assert_eq!(pads(AutoPad::SameUpper), Ok((1, 2)));
    assert_eq!(pads(AutoPad::Valid), Ok((0, 0)));
    // The sums of windows of four in 1 to 5, times their divisor.
    let x: [f32; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];
    for (padding, sums) in
        [(AutoPad::SameLower, [3.0, 6.0, 10.0, 14.0, 12.0]), (AutoPad::SameUpper, [6.0, 10.0, 14.0, 12.0, 9.0])]
    {
        let window = Window { axes: vec![ones.with_auto_pad(padding, 5).unwrap()], ceil: false };
        assert_eq!(f32s(Kind::Average(true), &window, &x, &[1, 1, 5]), sums.map(|sum| sum / 4.0));
    }
    // Strides that reach further than the window leave no padding, and an odd lack of it moves nothing.
    let sparse = WindowAxis { stride: 3, ..WindowAxis::default() };
    for padding in [AutoPad::SameUpper, AutoPad::SameLower] {
        let window = Window { axes: vec![sparse.with_auto_pad(padding, 5).unwrap()], ceil: false };
        assert_eq!(f32s(Kind::Max, &window, &x, &[1, 1, 5]), [1.0, 4.0]);
    }
    for kernel in 1..7 {
        for stride in 1..7 {
            for extent in 1..30_u32 {
                let axis = WindowAxis { kernel, stride, ..WindowAxis::default() };
                let same = axis.with_auto_pad(AutoPad::SameUpper, extent).unwrap();
                let lower = axis.with_auto_pad(AutoPad::SameLower, extent).unwrap();
                assert_eq!((same.pad_begin, same.pad_end), (lower.pad_end, lower.pad_begin));
                assert!(same.pad_end - same.pad_begin <= 1 && same.pad_end >= same.pad_begin);
                let window = Window { axes: vec![same], ceil: false };
                let shape = Shape::new(&[1, 1, extent.into()]).unwrap();
                let outputs = window.output_shape(&shape).unwrap().extents()[2];
                assert_eq!(i64::from(outputs), (i64::from(extent) + stride - 1) / stride, "{same:?} {extent}");
            }
        }
    }
}

/// Padding of one side only.
#[test]
fn extents_with_padding_of_one_side() {
    let axis = |pad_begin| WindowAxis { kernel: 3, stride: 2, pad_begin, ..WindowAxis::default() };
    let window = Window { axes: vec![axis(1), axis(0)], ceil: false };
    let shape = Shape::new(&[1, 1, 7, 5]).unwrap();
    assert_eq!(extents(&window.output_shape(&shape).unwrap()), [1, 1, 3, 2]);
    let window = Window { axes: vec![WindowAxis { pad_end: 1, ..axis(1) }, axis(0)], ceil: false };
    assert_eq!(extents(&window.output_shape(&shape).unwrap()), [1, 1, 4, 2]);
}

/// A window that is not told otherwise moves by one and sees neighbours.
#[test]
fn windows_move_by_one_by_default() {
    let axis = WindowAxis { kernel: 2, ..WindowAxis::default() };
    let window = Window { axes: vec![axis; 2], ceil: false };
    let x: Vec<f32> = (0..9).map(|value| value as f32).collect();
    assert_eq!(f32s(Kind::Max, &window, &x, &[1, 1, 3, 3]), [4.0, 5.0, 7.0, 8.0]);
}

#[test]
fn a_global_window_sees_each_image_whole() {
    let images = [2, 3, 4, 5];
    let shape = Shape::new(&images).unwrap();
    let window = Window::global(&shape).unwrap();
    assert_eq!(extents(&window.output_shape(&shape).unwrap()), [2, 3, 1, 1]);
    let x: Vec<f32> = (0..120).map(|value| value as f32).collect();
    let expected: Vec<f32> = (0..6).map(|image| (image * 20 + 19) as f32).collect();
    assert_eq!(f32s(Kind::Max, &window, &x, &images), expected);
    assert!(Window::global(&Shape::new(&[2, 3]).unwrap()).is_err());
}

/// Elements go back to where they were found; other places are zero; where several meet the last stays.
#[test]
fn unpooling_puts_elements_back() {
    fn unpooled<T: Element>(x: &[T], indices: &Array, extents: &[i64], strides: &[i64]) -> Vec<Vec<T>> {
        let place = Place::dense(&[1, 1, 2, 2], 0);
        let place = Place { buffer: 4, ..place };
        let result = Place::new(extents, strides, 1);
        let of = |kernels: &dyn Kernels| {
            let mut found = Array::canary(T::DTYPE, result.buffer);
            let x = Array::of(x);
            kernels.max_unpool(&x.view(&place), &indices.view(&place), &mut found.view_mut(&result)).unwrap();
            found.gather(&result.positions()).to_vec()
        };
        BACKENDS.iter().map(|kernels| of(&**kernels)).collect()
    }
    let extents = [1, 1, 3, 4];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0]] {
        let strides = in_order(&extents, &order, 1);
        for indices in [Array::of(&[5_i64, 0, 11, 5]), Array::of(&[5_i32, 0, 11, 5])] {
            for found in unpooled(&[1.0_f32, 2.0, 3.0, 4.0], &indices, &extents, &strides) {
                assert_eq!(found, [2.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
            }
            for found in unpooled(&[1_u8, 2, 3, 4], &indices, &extents, &strides) {
                assert_eq!(found, [2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 3]);
            }
        }
    }
}
