//! Cases that other tensor libraries have got wrong in public, each with the whole kind it belongs to.

use stratal_tensor_base::{
    Bool, DType, Geometry, Shape, ShapeError, ViewError, bf16, cast, f16, half, match_dtype, payload,
};

fn shape(extents: &[i64]) -> Shape {
    Shape::new(extents).unwrap()
}

fn strided(extents: &[i64], strides: &[i64]) -> Geometry {
    Geometry::strided(shape(extents), strides, 0, u64::MAX).unwrap()
}

/// A product of extents that wraps around to the right count is still too large.
#[test]
fn element_products_never_wrap() {
    // Products that equal 10 and 5 modulo 2^64.
    for (extents, count) in
        [(&[2, 13, 419, 691, 823, 2_977_518_503][..], 10), (&[3, 7, 29, 36_760_123, 823_996_703], 5)]
    {
        assert_eq!(extents.iter().fold(1_u64, |product, extent| product.wrapping_mul(*extent as u64)), count);
        assert!(Shape::new(extents).is_err());
        let view = Geometry::strided(shape(&[count as i64]), &[2], 0, 40).unwrap();
        assert!(view.shape().reshaped(extents).is_err());
    }
    // The whole kind: any two factors of a power of two from 2^32 on, which wrap to 0 in 32 or 64 bits.
    for bits in 31..=93 {
        for first in 0..=30_i64.min(bits) {
            for second in 0..=30_i64.min(bits - first) {
                let third = bits - first - second;
                if third < 63 {
                    let extents = [1 << first, 1 << second, 1 << third];
                    assert!(Shape::new(&extents).is_err(), "{extents:?}");
                    assert!(shape(&[0]).reshaped(&extents).is_err());
                    assert!(shape(&[1]).reshaped(&extents).is_err());
                    assert!(shape(&[1]).reshaped(&[&extents[..], &[-1]].concat()).is_err());
                    assert!(strided(&[1, 1, 1], &[0, 0, 0]).expand(&extents).is_err());
                }
            }
        }
    }
}

/// An empty shape may have extents whose products no stride can hold.
#[test]
fn strides_of_empty_shapes_never_overflow() {
    assert!(matches!(
        Shape::new(&[0, 1 << 20, (1 << 43) + 1]),
        Err(ShapeError::ExtentTooLarge { axis: 2, extent }) if extent == (1 << 43) + 1
    ));
    let large = i64::from(i32::MAX);
    let empty = Geometry::contiguous(shape(&[0, large, large, large, large, large, large, large]));
    assert_eq!(empty.strides(), [0, 0, 0, 0, 0, 0, i32::MAX, 1]);
    assert!(empty.is_contiguous() && empty.span().is_none());
    // Every view of it is an empty tensor or a clean error.
    assert_eq!(empty.flip(&[0, 1, 2, 3, 4, 5, 6, 7]).unwrap().offsets().count(), 0);
    assert_eq!(empty.slice(1, Some(-1), None, i64::MIN).unwrap().offsets().count(), 0);
    assert_eq!(empty.narrow(7, 5, 2).unwrap().offsets().count(), 0);
    assert!(matches!(empty.transpose(0, 2), Err(ViewError::Shape(ShapeError::TooManyElements { .. }))));
    assert_eq!(empty.diagonal(large - 1, 6, 7).unwrap().offsets().count(), 0);
    assert!(empty.try_reshape(&shape(&[0])).is_some());
}

/// The stride of an axis with one index says nothing, and must not leak into a reshape.
#[test]
fn strides_of_single_indices_do_not_leak() {
    let reshaped = |extents: &[i64], strides: &[i64], target: &[i64]| {
        strided(extents, strides).try_reshape(&shape(target)).unwrap().strides().to_vec()
    };
    assert_eq!(reshaped(&[26, 1], &[1, 0], &[26, 1, 1]), [1, 1, 1]);
    assert_eq!(reshaped(&[26, 16], &[1, 0], &[26, 4, 4]), [1, 0, 0]);
    assert_eq!(reshaped(&[32, 1, 1, 1], &[1, 32, 32, 32], &[32, 1, 1, 1, 1]), [1, 1, 1, 1, 1]);
    // The whole kind: whatever that stride is, contiguity, layout and overlap do not see it.
    for leak in [-7, 0, 1, 12, 1_000_003] {
        assert!(strided(&[1, 4, 1, 3], &[leak, 3, leak, 1]).is_contiguous());
        assert!(!strided(&[1, 4, 1, 3], &[leak, 3, leak, 1]).may_overlap());
        let view = strided(&[4, 1, 3], &[3, leak, 1]).try_reshape(&shape(&[12])).unwrap();
        assert_eq!(view.strides(), [1]);
    }
}

/// An empty range has no first element, so its offset must not point past the others.
#[test]
fn empty_slices_keep_an_offset_inside_the_buffer() {
    let square = Geometry::contiguous(shape(&[5, 5]));
    let nothing = square.slice(0, Some(0), Some(0), -1).unwrap();
    assert_eq!((nothing.shape().extents(), nothing.offset()), (&[0, 5][..], 0));
    let single = strided(&[1, 1], &[10, 1]);
    let nothing = single.slice(0, Some(1), Some(1), 1).unwrap();
    assert_eq!((nothing.shape().extents(), nothing.offset()), (&[0, 1][..], 0));
    // The whole kind: every way to nothing, from every place.
    for row in 0..5 {
        let inner = square.narrow(0, row, 1).unwrap();
        for view in [
            inner.narrow(1, 5, 0).unwrap(),
            inner.slice(1, Some(9), None, 1).unwrap(),
            inner.slice(1, None, None, i64::MAX).and_then(|view| view.narrow(1, 1, 0)).unwrap(),
            inner.diagonal(7, 0, 1).unwrap(),
            inner.narrow(0, 1, 0).unwrap().flip(&[0, 1]).unwrap(),
        ] {
            assert!(view.shape().is_empty() && view.offset() <= 24, "{view:?}");
        }
    }
}

/// A negative stride means what it says, or is refused.
#[test]
fn negative_strides_run_backwards_or_out_of_bounds() {
    let view = |stride| Geometry::strided(shape(&[4]), &[stride], 8, 16);
    assert_eq!(view(-42), Err(ViewError::OutOfBounds { lowest: 8 - 3 * 42, highest: 8, count: 16 }));
    assert_eq!(view(-2).unwrap().offsets().collect::<Vec<_>>(), [8, 6, 4, 2]);
    assert_eq!(view(-3), Err(ViewError::OutOfBounds { lowest: -1, highest: 8, count: 16 }));
    assert_eq!(view(i64::MIN), Err(ViewError::StrideTooLarge { stride: i64::MIN, axis: 0 }));
    assert_eq!(
        view(i64::from(i32::MIN)).map(|_| ()),
        Err(ViewError::OutOfBounds { lowest: 8 + 3 * i64::from(i32::MIN), highest: 8, count: 16 })
    );
}

/// An extent of 0 is an extent other than 1: broadcasting keeps it.
#[test]
fn broadcasting_takes_the_extent_that_is_not_one() {
    let broadcast = |left: &[i64], right: &[i64]| shape(left).broadcast(&shape(right));
    assert_eq!(broadcast(&[2, 1], &[2, 0]), Ok(shape(&[2, 0])));
    assert_eq!(broadcast(&[0, 3], &[1, 3]), Ok(shape(&[0, 3])));
    assert_eq!(broadcast(&[], &[0]), Ok(shape(&[0])));
    for other in [2, 3, 7] {
        assert!(broadcast(&[0], &[other]).is_err());
        assert!(broadcast(&[other], &[0]).is_err());
    }
}

/// A number is true when it differs from zero, before anything is cut off it.
#[test]
fn numbers_become_true_without_truncation() {
    let truths = |values: &[f32]| values.iter().map(|value| cast::<f32, Bool>(*value).get()).collect::<Vec<_>>();
    assert_eq!(truths(&[-1.5, 0.0, 0.5]), [true, false, true]);
    assert_eq!(truths(&[300.0, 0.5, 0.0, -1.0, f32::NAN]), [true, true, false, true, true]);
    // The whole kind: the smallest number of each type, both zeros, the bytes that wrap to zero in eight bits.
    assert_eq!(truths(&[-0.0, f32::from_bits(1), f32::MIN_POSITIVE / 2.0]), [false, true, true]);
    assert!(cast::<f64, Bool>(f64::from_bits(1)).get() && !cast::<f64, Bool>(-0.0).get());
    assert!(cast::<f16, Bool>(f16::from_bits(1)).get() && !cast::<f16, Bool>(f16::NEG_ZERO).get());
    assert!(cast::<bf16, Bool>(bf16::NAN).get() && !cast::<bf16, Bool>(bf16::NEG_ZERO).get());
    assert!(cast::<i64, Bool>(1 << 32).get() && cast::<u16, Bool>(256).get() && cast::<i64, Bool>(i64::MIN).get());
    for dtype in DType::ALL {
        match_dtype!(dtype, T => {
            assert_eq!(cast::<T, Bool>(bytemuck::Zeroable::zeroed()).to_byte(), 0);
            assert_eq!(cast::<T, Bool>(cast::<u8, T>(1)).to_byte(), 1);
        });
    }
}

/// Signs, NaNs, ties and subnormals on the way to binary16.
#[test]
fn binary16_keeps_signs_and_nans_and_rounds_ties_to_even() {
    assert_eq!(half::f32_to_f16(-0.0).to_bits(), 0x8000);
    assert!(cast::<f64, f16>(f64::NAN).is_nan());
    let power = |exponent: i32| 2_f32.powi(exponent);
    for (value, expected) in [
        (power(-24), 0x0001),
        (power(-25), 0x0000),
        (power(-25).next_up(), 0x0001),
        (1.5 * power(-25), 0x0001),
        (1.5 * power(-24), 0x0002),
        (2.5 * power(-24), 0x0002),
        (power(-14) - power(-25), 0x0400),
        (power(-14), 0x0400),
        (1.0 + power(-11), 0x3C00),
        (1.0 + 3.0 * power(-11), 0x3C02),
        (65504.0, 0x7BFF),
        (65519.996, 0x7BFF),
        (65520.0, 0x7C00),
        (f32::MAX, 0x7C00),
        (f32::INFINITY, 0x7C00),
    ] {
        assert_eq!(half::f32_to_f16(value).to_bits(), expected, "{value:e}");
        assert_eq!(half::f32_to_f16(-value).to_bits(), 0x8000 | expected, "-{value:e}");
    }
    // A NaN whose payload lies below the bits that are kept must not become infinity.
    assert_eq!(half::f32_to_f16_bits(0x7F80_0001), 0x7E00);
    assert_eq!(payload::f32_to_f16_bits_preserving_nan(0x7F80_0001), 0x7E00);
    assert_eq!(payload::f32_to_f16_bits_preserving_nan(0xFF80_2000), 0xFC01);
    for bits in [0x7FF0_0000_0000_0001_u64, 0xFFF0_0000_2000_0000, 0x7FFF_FFFF_FFFF_FFFF] {
        assert!(payload::f64_to_f32(f64::from_bits(bits)).is_nan(), "{bits:#x}");
        assert!(cast::<f64, f16>(f64::from_bits(bits)).is_nan(), "{bits:#x}");
        assert!(cast::<f64, bf16>(f64::from_bits(bits)).is_nan(), "{bits:#x}");
    }
}

/// bfloat16 rounds, where cutting off would be easier, and no NaN becomes infinity.
#[test]
fn bfloat16_rounds_and_keeps_nans() {
    // 3.14, which cutting off would take to 0x4048.
    assert_eq!(half::f32_to_bf16_bits(0x4048_F5C3), 0x4049);
    assert_eq!(half::bf16_to_f32(bf16::from_bits(0x4049)), 3.140_625);
    assert!((half::bf16_to_f32(half::f32_to_bf16(1e-8)) / 1.001_17e-8 - 1.0).abs() < 1e-5);
    assert!(half::f32_to_bf16(f32::from_bits(0x7F80_0001)).is_nan());
    assert!(half::f32_to_bf16(f32::from_bits(0x7FFF_FFFF)).is_nan());
    assert!(half::f32_to_bf16(f32::from_bits(0xFFFF_FFFF)).is_nan());
    assert_eq!(half::f32_to_bf16_bits(0x7F7F_FFFF), 0x7F80);
    // Ties to even, subnormals, and the last value below infinity.
    for (bits, expected) in [
        (0x3F80_8000, 0x3F80),
        (0x3F81_8000, 0x3F82),
        (0x3F80_8001, 0x3F81),
        (0x0000_8000, 0x0000),
        (0x0000_8001, 0x0001),
        (0x0001_8000, 0x0002),
        (0x7F7F_7FFF, 0x7F7F),
        (0x8000_0000, 0x8000),
    ] {
        assert_eq!(half::f32_to_bf16_bits(bits), expected, "{bits:#x}");
    }
}

/// A wide integer reaches bfloat16 in one rounding, not through the tie that f32 would make of it.
#[test]
fn integers_round_once() {
    let above_the_tie = (1 << 24) + (1 << 16) + 1;
    assert_eq!(cast::<i32, bf16>(above_the_tie).to_f32(), 16_908_288.0);
    assert_eq!(cast::<i64, bf16>(-i64::from(above_the_tie)).to_f32(), -16_908_288.0);
    assert_eq!(cast::<f32, bf16>(above_the_tie as f32).to_f32(), 16_777_216.0);
    // At the far end of the range, where f64 would round as well.
    assert_eq!(cast::<u64, bf16>(u64::MAX).to_f32(), 2_f32.powi(64));
    assert_eq!(cast::<u64, bf16>((1 << 63) + (1 << 55) + 1).to_f32(), 2_f32.powi(63) + 2_f32.powi(56));
    assert_eq!(cast::<i64, bf16>(i64::MIN).to_f32(), -(2_f32.powi(63)));
}

/// Strides of an empty tensor may be anything that fits 32 bits, and no view may add them up.
#[test]
fn extreme_strides_of_empty_shapes_are_never_added_up() {
    let large = i64::from(i32::MAX);
    for stride in [i64::from(i32::MIN), i64::from(i32::MAX)] {
        let extents = [0, large, large, large, large, large, large];
        let empty = Geometry::strided(shape(&extents), &[stride; 7], i64::MAX, 0).unwrap();
        let axes: Vec<i64> = (0..7).collect();
        let views = [
            empty.flip(&axes),
            empty.slice(3, Some(-1), None, i64::MIN),
            empty.slice(3, Some(i64::MAX), Some(i64::MIN), -1),
            empty.narrow(6, large, 0),
            empty.select(2, -1),
            empty.diagonal(large - 1, 4, 5),
            empty.diagonal(1 - large, 4, 5),
            empty.unfold(1, large, large),
            empty.unsqueeze(3),
        ];
        for view in views.into_iter().flatten() {
            assert_eq!((view.offset(), view.offsets().count(), view.span()), (0, 0, None));
            assert!(view.is_contiguous() && !view.may_overlap());
        }
        assert!(empty.offset_of(&[0; 7]).is_err());
        assert_eq!(empty.chunk(0, i64::MAX).unwrap().count(), 1);
    }
}

/// A refusal names a number that really is out of range, whatever few digits the float prints as.
#[test]
fn values_out_of_range_are_named_exactly() {
    let text = |value: f32| stratal_tensor_base::try_cast::<f32, i32>(value).unwrap_err().to_string();
    assert_eq!(text(2_147_483_648.0), "cannot cast 2147483648 at index 0 from float32 to int32: out of range");
    assert_eq!(text(-2_147_483_904.0), "cannot cast -2147483904 at index 0 from float32 to int32: out of range");
}

/// An image may keep the limits where its blocks, whole and in front, would not.
#[test]
fn blocks_of_huge_empty_images_exist() {
    use stratal_tensor_base::{BlockedImage, ChannelBlock};
    let image = BlockedImage::new(shape(&[1 << 28, 1, 0, 5]), ChannelBlock::Eight).unwrap();
    assert_eq!(image.channel_block(0).unwrap().shape(), image.shape());
    assert_eq!((image.blocks(), image.padding()), (1, None));
}
