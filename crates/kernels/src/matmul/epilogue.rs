//! `Epilogue`: what is done with a product before it leaves the caches.

use std::ops::Range;

use bytemuck::cast_slice_mut;
use stratal_tensor_base::{DType, Scalar, cast, match_dtype};

use super::rectangle::{Part, Rectangle};
use crate::AnyView;
use crate::map::{Add, Binary, Mul, Unary};
use crate::rows::{Along, Places};
use crate::simd::Isa;

/// What is made of a product: `activation(alpha * product + beta * result + bias)`.
///
/// The bits are those of the operations one after another: the product rounded to the dtype, then multiplied by `alpha`, then
/// the old result times `beta` added, then the bias, then the activation, each rounded to the dtype. What does nothing is
/// left out: an `alpha` of 1, a `beta` of 0 (the old result is then not read, so its NaN do not matter) or 1. Both factors are
/// rounded to the dtype themselves: in f16, an `alpha` of 1e-8 is 0 and one of 70000 is infinite.
///
/// ```
/// use stratal_kernels::{Epilogue, map};
///
/// let epilogue = Epilogue { activation: Some(&map::Relu), ..Epilogue::default() };
/// assert_eq!(epilogue.alpha, 1.0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Epilogue<'a> {
    /// What the product is multiplied by. Integers take only 1.
    pub alpha: f32,
    /// What the old result is multiplied by. Integers take only 0 and 1.
    pub beta: f32,
    /// What is added, of the result's dtype and of a shape that broadcasts to the result's.
    pub bias: Option<&'a AnyView<'a>>,
    /// What is applied at last.
    pub activation: Option<&'a dyn Unary>,
}

impl Default for Epilogue<'_> {
    fn default() -> Self {
        Self { alpha: 1.0, beta: 0.0, bias: None, activation: None }
    }
}

/// An epilogue, ready for rows of a result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish<'a> {
    isa: Isa,
    dtype: DType,
    alpha: Option<Scalar>,
    /// The factor of the old result, if that is read.
    beta: Option<Option<Scalar>>,
    bias: Option<(&'a [u8], Places)>,
    activation: Option<&'a dyn Unary>,
    /// The number of the result's first row.
    first_row: usize,
}

/// Writes a row of a product, by its number in a part, rounded to the dtype of the result.
pub(crate) type Rows<'a> = &'a mut dyn FnMut(usize, &mut [u8]);

/// Elements that are spread at a time.
const ROOM: usize = 256;

impl<'a> Finish<'a> {
    /// The bias has the result's shape; the axes along a row of the result are along a row of the bias.
    pub(crate) fn new(
        isa: Isa,
        dtype: DType,
        epilogue: &Epilogue<'a>,
        bias: Option<&AnyView<'a>>,
        along: &Along,
    ) -> Self {
        let scalar = |factor: f32| match_dtype!(dtype, T => Scalar::from(cast::<f32, T>(factor)));
        let factor = |factor: f32| (factor != 1.0).then(|| scalar(factor));
        Self {
            isa,
            dtype,
            alpha: factor(epilogue.alpha),
            beta: (epilogue.beta != 0.0).then(|| factor(epilogue.beta)),
            bias: bias.map(|bias| (bias.bytes(), Places::new(bias.geometry(), along))),
            activation: epilogue.activation,
            first_row: 0,
        }
    }

    /// The same for a result that lacks so many rows at its beginning.
    pub(crate) const fn without_first(self, rows: usize) -> Self {
        Self { first_row: rows, ..self }
    }

    /// Whether the old result is read, so that the product must not take its place.
    pub(crate) const fn reads_result(&self) -> bool {
        self.beta.is_some()
    }

    /// The dtype of the result.
    pub(crate) const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Whether nothing is left to do.
    const fn is_nothing(&self) -> bool {
        self.alpha.is_none() && self.beta.is_none() && self.bias.is_none() && self.activation.is_none()
    }

    /// Finishes a part of the result, whose matrices have `height` rows.
    ///
    /// `product` gives the rows of the product by number if they are not in the result's places.
    pub(crate) fn apply(
        &self,
        part: &Part,
        height: usize,
        result: &mut Rectangle<'_, u8>,
        mut product: Option<Rows<'_>>,
    ) {
        if self.is_nothing() && product.is_none() {
            return;
        }
        let mut room = vec![0_u64; if self.reads_result() { result.columns().div_ceil(8) } else { 0 }];
        for (row, number) in part.rows.clone().map(|row| self.first_row + part.matrix * height + row).enumerate() {
            let result = result.row(row);
            match (&mut product, &self.beta) {
                (Some(product), Some(beta)) => {
                    let new = &mut cast_slice_mut(&mut room)[..result.len()];
                    product(row, new);
                    self.scale(self.alpha, new);
                    self.scale(*beta, result);
                    Add.run_in_place(self.isa, self.dtype, result, new);
                }
                (Some(product), None) => {
                    product(row, result);
                    self.scale(self.alpha, result);
                }
                (None, _) => self.scale(self.alpha, result),
            }
            if let Some((bytes, places)) = &self.bias {
                self.add(bytes, places, number, part.columns.clone(), result);
            }
            if let Some(activation) = self.activation {
                activation.run_in_place(self.isa, self.dtype, result);
            }
        }
    }

    fn scale(&self, factor: Option<Scalar>, row: &mut [u8]) {
        let Some(factor) = factor else { return };
        let mut room = [0_u64; ROOM];
        let room: &mut [u8] = cast_slice_mut(&mut room);
        let bytes = (ROOM * self.dtype.size()).min(row.len());
        match_dtype!(self.dtype, T => {
            if let Some(factor) = factor.get::<T>() {
                cast_slice_mut(&mut room[..bytes]).fill(factor);
            }
        });
        for part in row.chunks_mut(ROOM * self.dtype.size()) {
            Mul.run_in_place(self.isa, self.dtype, part, &room[..part.len()]);
        }
    }

    fn add(&self, bytes: &[u8], places: &Places, number: usize, columns: Range<usize>, row: &mut [u8]) {
        let size = self.dtype.size();
        if let Some(range) = places.direct(number) {
            let first = range.start + columns.start;
            let bias = &bytes[first * size..(first + columns.len()) * size];
            return Add.run_in_place(self.isa, self.dtype, row, bias);
        }
        let mut room = [0_u64; ROOM];
        let room: &mut [u8] = cast_slice_mut(&mut room);
        for (index, part) in row.chunks_mut(ROOM * size).enumerate() {
            let first = columns.start + index * ROOM;
            let bias = &mut room[..part.len()];
            places.gather(bytes, size, number, first..first + part.len() / size, bias);
            Add.run_in_place(self.isa, self.dtype, part, bias);
        }
    }
}
