//! The digits: 1,797 images of 8 x 8 pixels, 0 to 16, with the class behind the pixels.

use std::io::Read;

use flate2::read::GzDecoder;
use stratal::Result;
use stratal::prelude::*;

/// Images as rows of 64 numbers from 0 to 1, and the class of each.
#[derive(Debug)]
pub(crate) struct Images {
    pub(crate) pixels: Tensor,
    pub(crate) classes: Tensor,
}

/// The images to learn from, and those to be tested with.
#[derive(Debug)]
pub(crate) struct Digits {
    pub(crate) train: Images,
    pub(crate) test: Images,
}

/// How many images are learned from.
const TRAIN: usize = 1437;

impl Digits {
    /// In an order that is chosen by the number of images: the first ones to learn from, the others to be tested with.
    ///
    /// In the file's own order those to be tested with are of other writers.
    pub(crate) fn load(order: impl FnOnce(usize) -> Vec<usize>, dtype: DType) -> Result<Self> {
        let rows = rows();
        let order = order(rows.len());
        let (train, test) = order.split_at(TRAIN);
        Ok(Self { train: Images::of(&rows, train, dtype)?, test: Images::of(&rows, test, dtype)? })
    }
}

impl Images {
    fn of(rows: &[[f64; 65]], order: &[usize], dtype: DType) -> Result<Self> {
        let count = order.len() as i64;
        let pixels: Vec<f64> = order.iter().flat_map(|&row| rows[row][..64].iter().map(|pixel| pixel / 16.0)).collect();
        let classes: Vec<i64> = order.iter().map(|&row| rows[row][64] as i64).collect();
        Ok(Self {
            pixels: Tensor::from_vec(pixels, &[count, 64])?.cast(dtype)?,
            classes: Tensor::from_vec(classes, &[count])?,
        })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.classes.count()
    }

    /// Batches of images in their order, the last one perhaps smaller.
    pub(crate) fn batches(&self, size: usize) -> impl Iterator<Item = Result<(Var, Var)>> + '_ {
        (0..self.len()).step_by(size).map(move |start| {
            let length = size.min(self.len() - start) as i64;
            let pixels = self.pixels.narrow(0, start as i64, length)?;
            Ok((pixels.into(), self.classes.narrow(0, start as i64, length)?.into()))
        })
    }
}

/// The output function of the generator SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) fn mixed(state: u64) -> u64 {
    let state = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ state >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ state >> 31
}

/// All rows of the file: 64 pixels and a class.
fn rows() -> Vec<[f64; 65]> {
    let packed = include_bytes!("../data/digits.csv.gz");
    let mut text = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("the file is part of the program");
    let row = |line: &str| {
        let mut row = [0.0; 65];
        for (place, number) in row.iter_mut().zip(line.split(',')) {
            *place = number.parse().expect("the file is part of the program");
        }
        row
    };
    text.lines().map(row).collect()
}
