//! Size classes against the golden vectors.
#![cfg(not(loom))]

use stratal_memory::{LENGTH_MAX, SizeClass};

#[derive(serde::Deserialize)]
struct Fixture {
    format: u32,
    classes: Vec<(usize, u64)>,
}

#[test]
fn classes_are_those_of_the_golden_vectors() {
    let fixture: Fixture = serde_json::from_str(include_str!("fixtures/sizeclass.json")).unwrap();
    assert_eq!(fixture.format, 1);
    assert!(fixture.classes.len() > 2000, "the whole file was read");
    for (length, class_bytes) in fixture.classes {
        let class = SizeClass::of(length).unwrap();
        assert_eq!(class.bytes(), class_bytes, "class of {length}");
    }
}

#[test]
fn the_limit_has_a_class_and_what_passes_it_has_none() {
    assert_eq!(SizeClass::of(LENGTH_MAX).unwrap().bytes(), 1 << 31);
    assert!(SizeClass::of(LENGTH_MAX + 1).is_none());
    assert!(SizeClass::of(usize::MAX).is_none());
}
