//! Saved tensors: versions compared under the guard that is handed out.

use stratal_autograd::{SavedError, SavedTensor};

use crate::toy::tensor;

#[test]
fn what_is_unpacked_cannot_be_written_meanwhile() {
    let original = tensor(&[1.0, 2.0]);
    let saved = SavedTensor::new(original.clone());
    let unpacked = saved.unpack().unwrap();
    assert_eq!(unpacked.version(), 0);
    assert!(unpacked.tensor().shares_buffer(&original));
    assert!(original.fill(3).is_err() && original.release().is_err());
    // Others may read, and unpack again.
    assert_eq!(saved.unpack().unwrap().tensor().item::<f32>(&[1]).unwrap(), 2.0);
    drop(unpacked);
    original.fill(3).unwrap();
    assert_eq!(saved.unpack().unwrap_err(), SavedError::Overwritten { saved: 0, now: 1 });
}

#[test]
fn what_is_being_written_or_gone_cannot_be_unpacked() {
    let original = tensor(&[1.0]);
    let saved = SavedTensor::new(original.clone());
    let writing = original.storage_mut().unwrap();
    assert!(matches!(saved.unpack(), Err(SavedError::Access(_))));
    drop(writing);
    let saved = SavedTensor::new(original.clone());
    assert_eq!(saved.version(), 1);
    original.release().unwrap();
    assert!(matches!(saved.unpack(), Err(SavedError::Access(_))));
}

#[test]
fn saving_while_somebody_writes_remembers_the_version_of_that_write() {
    let original = tensor(&[1.0]);
    let mut writing = original.data_mut::<f32>().unwrap();
    let saved = SavedTensor::new(original.clone());
    writing[0] = 2.0;
    drop(writing);
    assert_eq!(saved.unpack().unwrap().tensor().item::<f32>(&[0]).unwrap(), 2.0);
}
