//! `Fourier`: discrete Fourier transforms of one length, in f64.
//!
//! A length whose prime factors are all small is divided by them, one after another (a mixed radix). Any other length is a
//! convolution with a chirp, `k * n = (k^2 + n^2 - (k - n)^2) / 2`, which transforms of a power of two compute (Bluestein).
//! Nothing is padded silently: the result is that of the length asked for.
//!
//! # Error
//! About an ulp of f64 for each factor, of the largest element; nothing of it is left in f32.

use std::f64::consts::FRAC_PI_2;
use std::ops::{Add, Mul, Sub};

use stratal_kernels::map::{self, Unary};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{Geometry, Shape};

use crate::{Cause, Context};

/// The largest factor of a mixed radix: a transform of a larger prime is cheaper as a convolution.
const LARGEST_FACTOR: usize = 13;

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    pub(super) const ZERO: Self = Self { re: 0.0, im: 0.0 };

    pub(super) fn conjugate(self) -> Self {
        Self { im: -self.im, ..self }
    }

    pub(super) fn scale(self, factor: f64) -> Self {
        Self { re: self.re * factor, im: self.im * factor }
    }
}

impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// Memory for numbers; an error if it cannot be had.
pub(super) fn complex_zeros(length: usize) -> Result<Vec<Complex>, Cause> {
    let mut zeros = Vec::new();
    let unfit = |_| Cause::Unfit(format!("no memory for a transform by {length} complex numbers"));
    zeros.try_reserve_exact(length).map_err(unfit)?;
    zeros.resize(length, Complex::ZERO);
    Ok(zeros)
}

/// Transforms of one length.
#[derive(Debug)]
pub(super) struct Fourier {
    length: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Of a length with small factors.
    Mixed(Mixed),
    /// Of any length.
    Chirp {
        /// `exp(-i pi n^2 / length)`.
        chirp: Vec<Complex>,
        /// The transform of its conjugate, as long as the convolution.
        kernel: Vec<Complex>,
        convolution: Mixed,
    },
}

/// A mixed radix.
#[derive(Debug)]
struct Mixed {
    factors: Vec<usize>,
    /// `exp(-2 pi i k / length)`.
    roots: Vec<Complex>,
}

impl Fourier {
    /// Transforms of a length of at least 1.
    pub(super) fn new(context: &Context<'_>, length: usize) -> Result<Self, Cause> {
        if let Some(factors) = factors(length) {
            let roots = roots(context, length)?;
            return Ok(Self { length, kind: Kind::Mixed(Mixed { factors, roots }) });
        }
        // exp(-i pi n^2 / length) is a root of twice the length; the square counts modulo that.
        let twice = roots(context, 2 * length)?;
        let chirp: Vec<_> =
            (0..length).map(|n| twice[(n as u128 * n as u128 % (2 * length as u128)) as usize]).collect();
        let size = (2 * length - 1).next_power_of_two();
        let convolution = Mixed { factors: factors(size).unwrap_or_default(), roots: roots(context, size)? };
        let mut kernel = complex_zeros(size)?;
        for (n, chirp) in chirp.iter().enumerate() {
            kernel[n] = chirp.conjugate();
            kernel[(size - n) % size] = chirp.conjugate();
        }
        convolution.run(&mut kernel, &mut complex_zeros(size)?);
        // The convolution's transform back divides by its size.
        kernel.iter_mut().for_each(|x| *x = x.scale(1.0 / size as f64));
        Ok(Self { length, kind: Kind::Chirp { chirp, kernel, convolution } })
    }

    /// Room that [`run`](Self::run) needs.
    pub(super) fn room(&self) -> Result<Vec<Complex>, Cause> {
        let size = match &self.kind {
            Kind::Mixed(_) => self.length,
            Kind::Chirp { kernel, .. } => 2 * kernel.len(),
        };
        complex_zeros(size)
    }

    /// Transforms a row: `sum(exp(-2 pi i k n / length) * row[n])`.
    pub(super) fn run(&self, row: &mut [Complex], room: &mut [Complex]) {
        match &self.kind {
            Kind::Mixed(mixed) => mixed.run(row, room),
            Kind::Chirp { chirp, kernel, convolution } => {
                let (spread, room) = room.split_at_mut(kernel.len());
                spread.fill(Complex::ZERO);
                for ((spread, x), chirp) in spread.iter_mut().zip(&*row).zip(chirp) {
                    *spread = *x * *chirp;
                }
                convolution.run(spread, room);
                // The conjugate, twice, turns a transform round.
                spread.iter_mut().zip(kernel).for_each(|(x, kernel)| *x = (*x * *kernel).conjugate());
                convolution.run(spread, room);
                for ((x, spread), chirp) in row.iter_mut().zip(spread).zip(chirp) {
                    *x = spread.conjugate() * *chirp;
                }
            }
        }
    }

    /// The inverse: `sum(exp(2 pi i k n / length) * row[n]) / length`.
    pub(super) fn run_inverse(&self, row: &mut [Complex], room: &mut [Complex]) {
        row.iter_mut().for_each(|x| *x = x.conjugate());
        self.run(row, room);
        let length = self.length as f64;
        row.iter_mut().for_each(|x| *x = Complex { re: x.re / length, im: -x.im / length });
    }
}

impl Mixed {
    /// Transforms a row. The room is as long.
    fn run(&self, row: &mut [Complex], room: &mut [Complex]) {
        let length = row.len();
        // Transforms of `done` elements each are there, `length / done` of them interleaved: step by step they grow by a factor.
        let (mut from, mut to) = (row, room);
        let (mut done, mut is_in_room) = (1, false);
        for &factor in &self.factors {
            let others = length / (done * factor);
            self.grow(from, to, done, factor, others);
            done *= factor;
            (from, to) = (to, from);
            is_in_room = !is_in_room;
        }
        if is_in_room {
            to.copy_from_slice(from);
        }
    }

    /// One step: transforms of `done` elements become such of `done * factor`. What belongs together lies `others` apart.
    fn grow(&self, from: &[Complex], to: &mut [Complex], done: usize, factor: usize, others: usize) {
        let (mut turns, mut terms) = ([Complex::ZERO; LARGEST_FACTOR], [Complex::ZERO; LARGEST_FACTOR]);
        for at in 0..done {
            // Each part is turned by its place within the longer transform.
            turns[..factor].iter_mut().enumerate().for_each(|(part, turn)| *turn = self.roots[part * at * others]);
            for other in 0..others {
                for (part, (term, turn)) in terms[..factor].iter_mut().zip(&turns).enumerate() {
                    *term = from[(at * factor + part) * others + other] * *turn;
                }
                let mut put = |index: usize, x: Complex| to[(index * done + at) * others + other] = x;
                match terms[..factor] {
                    [a, b] => {
                        put(0, a + b);
                        put(1, a - b);
                    }
                    [a, b, c, d] => {
                        let (even, odd) = (a - c, b - d);
                        let quarter = Complex { re: odd.im, im: -odd.re };
                        put(0, (a + c) + (b + d));
                        put(1, even + quarter);
                        put(2, (a + c) - (b + d));
                        put(3, even - quarter);
                    }
                    [first, ref rest @ ..] => {
                        let step = self.roots.len() / factor;
                        for index in 0..factor {
                            let root = |part: usize| self.roots[part * index % factor * step];
                            let rest = rest.iter().enumerate();
                            put(index, rest.fold(first, |sum, (part, term)| sum + *term * root(part + 1)));
                        }
                    }
                    [] => {}
                }
            }
        }
    }
}

/// The factors of a length, if all are small.
fn factors(length: usize) -> Option<Vec<usize>> {
    let (mut rest, mut factors) = (length, Vec::new());
    for factor in [4, 2, 3, 5, 7, 11, LARGEST_FACTOR] {
        while rest.is_multiple_of(factor) {
            factors.push(factor);
            rest /= factor;
        }
    }
    (rest == 1).then_some(factors)
}

/// `exp(-2 pi i k / length)` for all `k` below the length, each from an angle of at most an eighth of a turn to a whole number
/// of quarters, which is exact.
fn roots(context: &Context<'_>, length: usize) -> Result<Vec<Complex>, Cause> {
    let quarter = |k: usize| (8 * k + length) / (2 * length);
    let angle = |k: usize| FRAC_PI_2 * ((4 * k) as f64 - (quarter(k) * length) as f64) / length as f64;
    let angles: Vec<_> = (0..length).map(angle).collect();
    let geometry = Geometry::contiguous(Shape::new(&[length as i64])?);
    let table = |kernel: &dyn Unary| {
        let mut table = vec![0.0_f64; length];
        let mut result = ViewMut::new(&mut table, geometry)?.into();
        context.kernels().unary(kernel, &View::new(&angles, geometry)?.into(), &mut result)?;
        Ok::<_, Cause>(table)
    };
    let (cosines, sines) = (table(&map::Cos)?, table(&map::Sin)?);
    let root = |(k, (&cosine, &sine)): (usize, (&f64, &f64))| match quarter(k) % 4 {
        0 => Complex { re: cosine, im: -sine },
        1 => Complex { re: -sine, im: -cosine },
        2 => Complex { re: -cosine, im: sine },
        _ => Complex { re: sine, im: cosine },
    };
    Ok(cosines.iter().zip(&sines).enumerate().map(root).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn transformed(x: &[Complex], is_inverse: bool) -> Vec<Complex> {
        let fourier = Fourier::new(&Context::new().unwrap(), x.len()).unwrap();
        let (mut row, mut room) = (x.to_vec(), fourier.room().unwrap());
        if is_inverse {
            fourier.run_inverse(&mut row, &mut room);
        } else {
            fourier.run(&mut row, &mut room);
        }
        row
    }

    /// The sum as it is written.
    fn naive(x: &[Complex]) -> Vec<Complex> {
        let length = x.len();
        let term = |k: usize, n: usize| {
            let angle = -std::f64::consts::TAU * ((k * n % length) as f64 / length as f64);
            x[n] * Complex { re: angle.cos(), im: angle.sin() }
        };
        (0..length).map(|k| (0..length).fold(Complex::ZERO, |sum, n| sum + term(k, n))).collect()
    }

    fn distance(a: &[Complex], b: &[Complex]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (*a - *b).re.abs().max((*a - *b).im.abs())).fold(0.0, f64::max)
    }

    fn real(x: &[f64]) -> Vec<Complex> {
        x.iter().map(|&re| Complex { re, im: 0.0 }).collect()
    }

    #[test]
    fn whole_numbers_stay_whole_where_they_can() {
        let x = transformed(&real(&[1.0, 2.0, 3.0, 4.0]), false);
        let expected = [(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)].map(|(re, im)| Complex { re, im });
        assert_eq!(x, expected);
        assert_eq!(transformed(&real(&[5.0]), false), real(&[5.0]));
    }

    #[test]
    fn every_length_has_its_own_transform() {
        for length in (1..=140).chain([169, 210, 251, 256, 343, 400, 509, 1000]) {
            let number = |n: usize| ((n * n * 7 + n * 3) % 17) as f64 - 8.0;
            let x: Vec<_> = (0..length).map(|n| Complex { re: number(n), im: number(n + 5) }).collect();
            let result = transformed(&x, false);
            let bound = 1e-13 * length as f64;
            assert!(distance(&result, &naive(&x)) < bound, "{length}: {}", distance(&result, &naive(&x)));
            assert!(distance(&transformed(&result, true), &x) < 1e-13, "{length}");
        }
    }

    proptest! {
        #[test]
        fn transforms_keep_energy(x in prop::collection::vec((-1e3_f64..1e3, -1e3_f64..1e3), 1..300)) {
            let x: Vec<_> = x.into_iter().map(|(re, im)| Complex { re, im }).collect();
            let energy = |x: &[Complex]| x.iter().map(|x| x.re * x.re + x.im * x.im).sum::<f64>();
            let (before, after) = (energy(&x), energy(&transformed(&x, false)) / x.len() as f64);
            prop_assert!((before - after).abs() <= 1e-12 * before);
        }
    }
}
