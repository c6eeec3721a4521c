//! `Array`: a buffer whose dtype is a value, read and written as bit patterns.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{DType, Geometry, match_dtype};

use crate::place::Place;

/// Runs code with the type of an unsigned integer as large as an element.
macro_rules! by_words {
    ($dtype:expr, $word:ident => $body:block) => {
        match $dtype.size() {
            1 => {
                type $word = u8;
                $body
            }
            2 => {
                type $word = u16;
                $body
            }
            4 => {
                type $word = u32;
                $body
            }
            _ => {
                type $word = u64;
                $body
            }
        }
    };
}

/// Elements of some dtype, aligned for all of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array {
    pub(crate) dtype: DType,
    words: Vec<u64>,
    count: usize,
}

impl Array {
    /// Of these bit patterns.
    pub(crate) fn new(dtype: DType, patterns: impl IntoIterator<Item = u64>) -> Self {
        let patterns: Vec<u64> = patterns.into_iter().collect();
        let mut array = Self::blank(dtype, patterns.len());
        for (position, pattern) in patterns.into_iter().enumerate() {
            array.set(position, pattern);
        }
        array
    }

    /// Of bytes that no computation is likely to leave, so that each unwanted write is seen.
    pub(crate) fn canary(dtype: DType, count: usize) -> Self {
        let mut array = Self::blank(dtype, count);
        for (position, byte) in array.bytes_mut().iter_mut().enumerate() {
            *byte = (position as u8).wrapping_mul(37) ^ 0xA5;
        }
        array
    }

    fn blank(dtype: DType, count: usize) -> Self {
        Self { dtype, words: vec![0; (count * dtype.size()).div_ceil(8)], count }
    }

    /// Elements of a Rust type.
    pub(crate) fn of<T: stratal_tensor_base::Element>(elements: &[T]) -> Self {
        let mut array = Self::blank(T::DTYPE, elements.len());
        array.bytes_mut().copy_from_slice(cast_slice(elements));
        array
    }

    /// The elements as a Rust type.
    pub(crate) fn to_vec<T: stratal_tensor_base::Element>(&self) -> Vec<T> {
        assert_eq!(self.dtype, T::DTYPE);
        cast_slice(self.bytes()).to_vec()
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &cast_slice(&self.words)[..self.count * self.dtype.size()]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.words)[..self.count * self.dtype.size()]
    }

    pub(crate) fn get(&self, position: usize) -> u64 {
        let size = self.dtype.size();
        let mut pattern = [0; 8];
        pattern[..size].copy_from_slice(&self.bytes()[position * size..][..size]);
        u64::from_le_bytes(pattern)
    }

    pub(crate) fn set(&mut self, position: usize, pattern: u64) {
        let size = self.dtype.size();
        self.bytes_mut()[position * size..][..size].copy_from_slice(&pattern.to_le_bytes()[..size]);
    }

    pub(crate) fn patterns(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.count).map(|position| self.get(position))
    }

    /// The elements at these positions, side by side.
    pub(crate) fn gather(&self, positions: &[usize]) -> Self {
        let mut result = Self::blank(self.dtype, positions.len());
        by_words!(self.dtype, W => {
            let (words, from) = (cast_slice_mut::<u8, W>(result.bytes_mut()), cast_slice::<u8, W>(self.bytes()));
            for (word, position) in words.iter_mut().zip(positions) {
                *word = from[*position];
            }
        });
        result
    }

    /// Writes elements to these positions.
    pub(crate) fn scatter(&mut self, positions: &[usize], elements: &Self) {
        assert_eq!((self.dtype, positions.len()), (elements.dtype, elements.count));
        by_words!(self.dtype, W => {
            let (to, words) = (cast_slice_mut::<u8, W>(self.bytes_mut()), cast_slice::<u8, W>(elements.bytes()));
            for (word, position) in words.iter().zip(positions) {
                to[*position] = *word;
            }
        });
    }

    pub(crate) fn view(&self, place: &Place) -> AnyView<'_> {
        view(self.dtype, self.bytes(), place.geometry())
    }

    pub(crate) fn view_mut(&mut self, place: &Place) -> AnyViewMut<'_> {
        view_mut(self.dtype, self.bytes_mut(), place.geometry())
    }

    /// All elements, in one row.
    pub(crate) fn row(&self) -> AnyView<'_> {
        self.view(&Place::dense(&[self.count as i64], 0))
    }

    /// All elements, in one row.
    pub(crate) fn row_mut(&mut self) -> AnyViewMut<'_> {
        let place = Place::dense(&[self.count as i64], 0);
        self.view_mut(&Place { buffer: self.count, ..place })
    }
}

pub(crate) fn view(dtype: DType, bytes: &[u8], geometry: Geometry) -> AnyView<'_> {
    match_dtype!(dtype, T => View::<T>::new(cast_slice(bytes), geometry).unwrap().into())
}

pub(crate) fn view_mut(dtype: DType, bytes: &mut [u8], geometry: Geometry) -> AnyViewMut<'_> {
    match_dtype!(dtype, T => ViewMut::<T>::new(cast_slice_mut(bytes), geometry).unwrap().into())
}
