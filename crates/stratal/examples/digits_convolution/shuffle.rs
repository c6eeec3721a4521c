//! Shuffling, by a seed alone.

use stratal::Result;
use stratal::prelude::*;

use crate::data::{Images, mixed};

/// The numbers below `count` in an order that a seed decides: the shuffle of Fisher and Yates.
pub(crate) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let random = mixed(seed.wrapping_add((last as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        order.swap(last, (random % (last as u64 + 1)) as usize);
    }
    order
}

/// The images in another order.
pub(crate) fn in_order(images: &Images, order: &[usize]) -> Result<Images> {
    let order: Vec<i64> = order.iter().map(|&row| row as i64).collect();
    let order = Var::from_slice(&order, &[order.len() as i64])?;
    let rows =
        |tensor: &Tensor| -> Result<Tensor> { Ok(Var::from(tensor.clone()).gather(0, &order)?.tensor().clone()) };
    Ok(Images { pixels: rows(&images.pixels)?, classes: rows(&images.classes)? })
}
