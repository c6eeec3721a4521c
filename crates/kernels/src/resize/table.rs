//! `Table`: which elements of an axis each element of the result is made of, and their weights.

use super::coordinates::Coordinate;
use super::{Coordinates, Interpolation, Resize, ResizeAxis, Scale};

/// The elements and weights of one axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// The axis.
    pub(crate) axis: usize,
    /// Where the elements of each element of the result begin in the lists below, and where the last ones end.
    starts: Vec<usize>,
    indices: Vec<usize>,
    weights: Vec<f64>,
    /// Elements of the result that lie outside the operand.
    pub(crate) outside: Vec<usize>,
}

impl Table {
    /// The table of an axis with extents of `from` and `to`; neither `from` nor a result is empty.
    pub(crate) fn new(resize: &Resize, axis: usize, along: &ResizeAxis, [from, to]: [u32; 2]) -> Self {
        let mut table = Self { axis, starts: vec![0], indices: Vec::new(), weights: Vec::new(), outside: Vec::new() };
        for index in 0..to {
            let coordinate = Coordinate::new(resize.coordinates, along, [from, to], index);
            if coordinate.is_outside {
                table.outside.push(index as usize);
            }
            let scale = match along.scale {
                Scale::Extents => f64::from(to) / f64::from(from),
                Scale::Factor(factor) => factor,
            };
            table.push(resize, coordinate, scale, from.into());
            table.starts.push(table.indices.len());
        }
        table
    }

    /// The number of elements of the result.
    pub(crate) fn extent(&self) -> usize {
        self.starts.len() - 1
    }

    /// The elements of an element of the result, in ascending order, and their weights.
    pub(crate) fn of(&self, position: usize) -> (&[usize], &[f64]) {
        let range = self.range(position);
        (&self.indices[range.clone()], &self.weights[range])
    }

    /// Where the elements of an element of the result are listed.
    pub(super) fn range(&self, position: usize) -> std::ops::Range<usize> {
        self.starts[position]..self.starts[position + 1]
    }

    /// All elements.
    pub(super) fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// All weights.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Adds the elements of one coordinate.
    fn push(&mut self, resize: &Resize, coordinate: Coordinate, scale: f64, extent: i64) {
        let inside = |index: i64| index.clamp(0, extent - 1) as usize;
        let scale = if resize.antialias { scale.min(1.0) } else { 1.0 };
        let kernel: (f64, &dyn Fn(f64) -> f64) = match resize.interpolation {
            Interpolation::Nearest(rule) => {
                self.indices.push(inside(coordinate.nearest(rule)));
                self.weights.push(1.0);
                return;
            }
            Interpolation::Linear => (1.0, &|distance| (1.0 - distance).max(0.0)),
            Interpolation::Cubic(a) => (2.0, &move |distance| cubic(a, distance)),
        };
        let (radius, weight) = kernel;
        let first = (-radius / scale).floor() as i64 + 1;
        let mut weights: Vec<(i64, f64)> = (first..=1 - first)
            .map(|step| (coordinate.floor + step, weight((scale * (step as f64 - coordinate.fraction)).abs())))
            .collect();
        if resize.exclude_outside {
            weights.retain(|(index, _)| (0..extent).contains(index));
        }
        let sum: f64 = if resize.antialias || resize.exclude_outside {
            weights.iter().map(|(_, weight)| weight).sum()
        } else {
            1.0
        };
        let start = self.indices.len();
        for (index, weight) in weights {
            let (index, weight) = (inside(index), weight / sum);
            match (self.indices.len() > start, self.indices.last(), self.weights.last_mut()) {
                (true, Some(last), Some(together)) if *last == index => *together += weight,
                _ => {
                    self.indices.push(index);
                    self.weights.push(weight);
                }
            }
        }
        self.drop_zeros(start, inside(coordinate.floor), sum);
    }

    /// Drops weights of zero from a place on. Where nothing has weight, the element at the coordinate has it all.
    fn drop_zeros(&mut self, start: usize, nearest: usize, sum: f64) {
        let mut kept = start;
        for place in start..self.indices.len() {
            if self.weights[place] != 0.0 {
                self.indices[kept] = self.indices[place];
                self.weights[kept] = self.weights[place];
                kept += 1;
            }
        }
        self.indices.truncate(kept);
        self.weights.truncate(kept);
        if kept == start || sum == 0.0 {
            self.indices.truncate(start);
            self.weights.truncate(start);
            self.indices.push(nearest);
            self.weights.push(1.0);
        }
    }
}

/// The cubic convolution kernel (R. Keys, Cubic convolution interpolation for digital image processing, 1981).
fn cubic(a: f64, x: f64) -> f64 {
    if x <= 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a
    } else {
        0.0
    }
}

impl Resize {
    /// Whether elements may lie outside the operand.
    pub(crate) fn extrapolates(&self) -> bool {
        self.coordinates == Coordinates::CropAndResize
    }
}
