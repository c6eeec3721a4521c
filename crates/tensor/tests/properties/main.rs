//! Properties over arbitrary strides: reading, writing and copying, against lists of elements.

use proptest::prelude::*;
use stratal_tensor::{
    Tensor, TensorError, Tolerance,
    base::{DType, cast, match_dtype},
};

/// The number of elements in the buffers under test.
const COUNT: i64 = 4000;

/// Where a tensor over a buffer of `COUNT` elements may lie.
#[derive(Debug, Clone)]
struct Place {
    extents: Vec<i64>,
    strides: Vec<i64>,
    offset: i64,
}

impl Place {
    fn of(&self, base: &Tensor) -> Tensor {
        base.as_strided(&self.extents, &self.strides, self.offset).unwrap()
    }

    /// The position in the buffer of each element, in row-major order.
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![self.offset];
        for (extent, stride) in self.extents.iter().zip(&self.strides) {
            positions =
                positions.iter().flat_map(|start| (0..*extent).map(move |step| start + step * stride)).collect();
        }
        positions.into_iter().map(|position| position as usize).collect()
    }
}

fn extents() -> impl Strategy<Value = Vec<i64>> {
    let extent = prop_oneof![1 => Just(0_i64), 3 => Just(1), 6 => 2..5_i64, 1 => 9..20_i64];
    proptest::collection::vec(extent, 0..9).prop_filter("small", |extents| extents.iter().product::<i64>() < 1000)
}

fn place_of(extents: Vec<i64>) -> impl Strategy<Value = Place> {
    let any_strides = proptest::collection::vec(prop_oneof![-20..21_i64, Just(0), Just(1)], extents.len());
    // Row-major strides with the axes shuffled, some of them backwards: what views of tensors mostly are.
    let order = Just((0..extents.len()).collect::<Vec<_>>()).prop_shuffle();
    let flips = proptest::collection::vec(any::<bool>(), extents.len());
    let shuffled = (order, flips, 1..3_i64).prop_map({
        let extents = extents.clone();
        move |(order, flips, gap)| {
            let mut strides = vec![0; extents.len()];
            let mut stride = gap;
            for axis in order {
                strides[axis] = if flips[axis] { -stride } else { stride };
                stride *= extents[axis].max(1);
            }
            strides
        }
    });
    prop_oneof![any_strides, shuffled.boxed()].prop_map(move |strides| Place {
        extents: extents.clone(),
        strides,
        offset: COUNT / 2,
    })
}

fn place() -> impl Strategy<Value = Place> {
    extents().prop_flat_map(place_of)
}

fn counted(dtype: DType) -> Tensor {
    Tensor::arange(0, COUNT, 1, DType::I64).unwrap().cast(dtype).unwrap()
}

/// All elements of the buffer, as what they hold.
fn numbers(tensor: &Tensor) -> Vec<i64> {
    tensor.cast(DType::I64).unwrap().to_vec().unwrap()
}

fn has_repeats(positions: &[usize]) -> bool {
    let mut sorted = positions.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn reading_gives_the_elements_in_index_order(place in place(), dtype in proptest::sample::select(vec![DType::I16, DType::F32, DType::I64])) {
        let tensor = place.of(&counted(dtype));
        let expected: Vec<i64> = place.positions().iter().map(|position| *position as i64).collect();
        prop_assert_eq!(numbers(&tensor), expected.clone());
        prop_assert_eq!(numbers(&tensor.contiguous().unwrap()), expected.clone());
        match_dtype!(dtype, T => {
            let guard = tensor.view::<T>().unwrap();
            let read: Vec<T> = guard.as_view().iter().collect();
            prop_assert_eq!(tensor.to_vec::<T>().unwrap(), read);
            if let Some(slice) = guard.as_view().as_slice() {
                prop_assert_eq!(tensor.to_vec::<T>().unwrap(), slice.to_vec());
                prop_assert_eq!(&*tensor.data::<T>().unwrap(), slice);
            } else {
                let is_refused = matches!(tensor.data::<T>(), Err(TensorError::NotContiguous { .. }));
                prop_assert!(is_refused);
            }
        });
        let mut index = vec![0_i64; place.extents.len()];
        for (axis, extent) in place.extents.iter().enumerate() {
            index[axis] = extent - 1;
        }
        if !expected.is_empty() {
            let last: i64 = match_dtype!(dtype, T => cast(tensor.item::<T>(&index).unwrap()));
            prop_assert_eq!(Some(&last), expected.last());
        }
    }

    #[test]
    fn writing_reaches_exactly_the_elements_of_the_view(place in place()) {
        let base = counted(DType::I32);
        let tensor = place.of(&base);
        let positions = place.positions();
        let before = base.version();
        match tensor.fill(-1) {
            Ok(()) => {
                prop_assert!(!has_repeats(&positions));
                let mut expected: Vec<i64> = (0..COUNT).collect();
                for position in positions {
                    expected[position] = -1;
                }
                prop_assert_eq!(numbers(&base), expected);
                prop_assert_eq!(tensor.version(), before + 1);
            }
            Err(error) => {
                let is_overlap = matches!(error, TensorError::Overlapping { .. });
                prop_assert!(is_overlap);
                prop_assert_eq!(base.version(), before);
                prop_assert_eq!(numbers(&base), (0..COUNT).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn copying_moves_elements_between_any_strides(
        (target, source) in extents().prop_flat_map(|extents| (place_of(extents.clone()), place_of(extents))),
        dtype in proptest::sample::select(vec![DType::I8, DType::U16, DType::F32, DType::F64]),
        is_one_buffer: bool,
    ) {
        let base = counted(dtype);
        let other = if is_one_buffer { base.clone() } else { counted(dtype).flip(&[0]).unwrap().contiguous().unwrap() };
        let (mut expected, values) = (numbers(&base), numbers(&other));
        let result = target.of(&base).copy_from(&source.of(&other));
        match result {
            Ok(()) => {
                for (to, from) in target.positions().into_iter().zip(source.positions()) {
                    expected[to] = values[from];
                }
                prop_assert!(!has_repeats(&target.positions()));
                prop_assert_eq!(numbers(&base), expected);
            }
            Err(error) => {
                let is_overlap = matches!(error, TensorError::Overlapping { .. });
                prop_assert!(is_overlap, "{}", error);
                prop_assert_eq!(numbers(&base), expected);
            }
        }
    }

    #[test]
    fn copying_broadcasts_the_source(
        (target, kept) in extents().prop_flat_map(|extents| {
            let kept = proptest::collection::vec(any::<bool>(), extents.len());
            (place_of(extents), kept)
        }),
        dropped in 0..3_usize,
    ) {
        let base = counted(DType::I32);
        let tensor = target.of(&base);
        let narrowed: Vec<i64> = target.extents.iter().zip(kept).map(|(extent, kept)| if kept { *extent } else { 1 }).collect();
        let narrowed = &narrowed[dropped.min(narrowed.len())..];
        let source = Tensor::arange(5000, 5000 + narrowed.iter().product::<i64>(), 1, DType::I32).unwrap().reshape(narrowed).unwrap();
        let expanded = numbers(&source.expand(&target.extents).unwrap());
        if tensor.copy_from(&source).is_ok() {
            prop_assert_eq!(numbers(&tensor), expanded);
        }
    }

    #[test]
    fn comparison_finds_what_was_changed(place in place(), change in 0..1000_usize) {
        let tensor = place.of(&counted(DType::F32));
        let copy = tensor.copied().unwrap();
        prop_assert!(tensor.all_close(&copy, Tolerance::EXACT).unwrap().is_close());
        if copy.count() > 0 {
            let position = change % copy.count();
            copy.data_mut::<f32>().unwrap()[position] = f32::NAN;
            let comparison = tensor.all_close(&copy, Tolerance::of(DType::F32)).unwrap();
            prop_assert_eq!(comparison.mismatches, 1);
            prop_assert_eq!(comparison.largest_difference, f64::INFINITY);
            let worst = comparison.worst.unwrap();
            prop_assert_eq!(copy.item::<f32>(worst.index.as_slice()).unwrap().to_bits(), f32::NAN.to_bits());
        }
    }

    #[test]
    fn reshaping_keeps_the_order_of_elements(place in place()) {
        let tensor = place.of(&counted(DType::I32));
        let flat = tensor.reshape(&[tensor.count() as i64]).unwrap();
        prop_assert_eq!(numbers(&flat), numbers(&tensor));
        let view = tensor.try_reshape(&[tensor.count() as i64]).unwrap();
        prop_assert_eq!(view.is_some(), flat.shares_buffer(&tensor) || tensor.is_empty());
    }
}
