//! Whether two indices share an element, against counting the elements.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::{naive::Naive, numbers::small_geometry};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_view_called_free_of_overlap_is(geometry in small_geometry()) {
        let elements = Naive::of(&geometry).elements;
        let distinct: BTreeSet<_> = elements.iter().collect();
        if !geometry.may_overlap() {
            prop_assert_eq!(distinct.len(), elements.len(), "{:?}", geometry);
        }
        if geometry.is_contiguous() {
            prop_assert!(!geometry.may_overlap(), "{:?}", geometry);
        }
    }

    #[test]
    fn views_that_share_nothing_stay_writable(
        geometry in small_geometry().prop_filter("contiguous", |geometry| geometry.is_contiguous()),
        axis in 0..5_i64, start in -4..5_i64, step in prop_oneof![-3..0_i64, 1..4_i64],
    ) {
        for view in [geometry.slice(axis, Some(start), None, step), geometry.transpose(axis, 0), geometry.flip(&[axis])].into_iter().flatten() {
            prop_assert!(!view.may_overlap(), "{:?}", view);
        }
    }

    #[test]
    fn a_repeated_element_is_an_overlap(geometry in small_geometry(), copies in 2..5_i64) {
        let repeated = geometry.unsqueeze(0).and_then(|view| {
            let mut extents = vec![-1; view.shape().rank()];
            extents[0] = copies;
            view.expand(&extents)
        });
        if let Ok(repeated) = repeated {
            prop_assert_eq!(repeated.may_overlap(), !repeated.shape().is_empty());
        }
    }
}
