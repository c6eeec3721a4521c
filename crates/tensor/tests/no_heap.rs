//! Making a view touches no heap.

use allocation_counter::measure;
use stratal_tensor::{Tensor, base::DType};

#[test]
fn views_and_accesses_allocate_nothing() {
    let tensor = Tensor::zeros(&[4, 8, 16], DType::F32).unwrap();
    let source = Tensor::zeros(&[4, 16, 8], DType::F32).unwrap();
    let allocations = measure(|| {
        let view = tensor.transpose(1, 2).unwrap().slice(0, None, None, -1).unwrap();
        let view = view.narrow(1, 2, 8).unwrap().unsqueeze(0).unwrap();
        view.fill(2).unwrap();
        tensor.reshape(&[32, 16]).unwrap().select(0, 3).unwrap().set(&[2], 1.0_f32).unwrap();
        tensor.data_mut::<f32>().unwrap()[0] = 3.0;
        tensor.copy_from(&source.transpose(1, 2).unwrap()).unwrap();
        assert!(tensor.contiguous().unwrap().shares_buffer(&tensor));
    });
    assert_eq!(allocations.count_total, 0);
}
