//! `Problem`: a product or a convolution as a line of text, that can be verified or timed.
//!
//! ```text
//! matmul f32 1024x1024 1024x1024
//! matmul f32 8x4096 4096x4096 packed
//! matmul f64 64x300 300x20 transposed
//! convolve f32 1x64x56x56 64x64x3x3 pad=1
//! convolve f32 1x96x56x56 96x1x3x3 pad=1 groups=96 layout=interleaved strategy=direct
//! ```
//! Words after the shapes, in any order: `packed` and `transposed` say how the right side of a product comes, `stride=`,
//! `pad=`, `dilation=` hold along all axes of a convolution, `layout=interleaved` has channels as neighbours.

use std::fmt;
use std::str::FromStr;

use stratal_kernels::convolution::{Convolution, ConvolutionAxis, Strategy};
use stratal_kernels::{
    AnyView, AnyViewMut, Backend, Epilogue, KernelError, Kernels, PackedMatrix, Precision, Selection,
};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{Element, Geometry, Shape};

use crate::Aligned;

/// A problem.
#[derive(Debug, Clone)]
pub struct Problem {
    line: String,
    is_f64: bool,
    left: Vec<i64>,
    right: Vec<i64>,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Product { is_packed: bool, is_transposed: bool },
    Convolution { convolution: Convolution, is_interleaved: bool },
}

/// What can go wrong with a problem.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A line that is no problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoProblem {
    line: String,
    reason: String,
}

impl std::error::Error for NoProblem {}

impl fmt::Display for NoProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is no problem: {}", self.line, self.reason)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.line)
    }
}

impl FromStr for Problem {
    type Err = NoProblem;

    fn from_str(line: &str) -> Result<Self, NoProblem> {
        let refused = |reason: String| NoProblem { line: line.to_owned(), reason };
        let mut words = line.split_whitespace();
        let mut next = |what: &str| words.next().ok_or_else(|| refused(format!("it has no {what}")));
        let operation = next("operation")?;
        let is_f64 = match next("dtype")? {
            "f32" => false,
            "f64" => true,
            other => return Err(refused(format!("{other:?} is not f32 or f64"))),
        };
        let [left, right] = [next("left shape")?, next("right shape")?];
        let shape = |word: &str| -> Result<Vec<i64>, NoProblem> {
            let extents = word.split('x').map(str::parse).collect::<Result<Vec<i64>, _>>();
            extents.map_err(|_| refused(format!("{word:?} is no shape")))
        };
        let (left, right) = (shape(left)?, shape(right)?);
        let kind = match operation {
            "matmul" => product(words).map_err(refused)?,
            "convolve" => convolution(words, left.len().saturating_sub(2)).map_err(refused)?,
            other => return Err(refused(format!("{other:?} is not matmul or convolve"))),
        };
        let problem = Self { line: line.split_whitespace().collect::<Vec<_>>().join(" "), is_f64, left, right, kind };
        problem.output().map_err(|error| refused(error.to_string()))?;
        Ok(problem)
    }
}

fn product<'a>(words: impl Iterator<Item = &'a str>) -> Result<Kind, String> {
    let (mut is_packed, mut is_transposed) = (false, false);
    for word in words {
        match word {
            "packed" => is_packed = true,
            "transposed" => is_transposed = true,
            _ => return Err(format!("a product has no {word:?}")),
        }
    }
    Ok(Kind::Product { is_packed, is_transposed })
}

fn convolution<'a>(words: impl Iterator<Item = &'a str>, axes: usize) -> Result<Kind, String> {
    let mut axis = ConvolutionAxis::default();
    let (mut groups, mut strategy, mut is_interleaved) = (1, None, false);
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("{word:?} is not of the form name=value"))?;
        let number = || value.parse::<i64>().map_err(|_| format!("{value:?} is no number"));
        match name {
            "stride" => axis.stride = number()?,
            "dilation" => axis.dilation = number()?,
            "pad" => (axis.pad_begin, axis.pad_end) = (number()?, number()?),
            "groups" => groups = value.parse().map_err(|_| format!("{value:?} is no number"))?,
            "strategy" => strategy = Some(value.parse::<Strategy>().map_err(|error| error.to_string())?),
            "layout" if value == "planar" => is_interleaved = false,
            "layout" if value == "interleaved" => is_interleaved = true,
            _ => return Err(format!("a convolution has no {word:?}")),
        }
    }
    Ok(Kind::Convolution { convolution: Convolution { axes: vec![axis; axes], groups, strategy }, is_interleaved })
}

impl Problem {
    /// The operation and the dtype, as the name of a group of benchmarks.
    pub fn group(&self) -> String {
        let operation = match self.kind {
            Kind::Product { .. } => "matmul",
            Kind::Convolution { .. } => "convolve",
        };
        format!("{operation}_{}", if self.is_f64 { "f64" } else { "f32" })
    }

    /// All that follows the operation and the dtype, in one word.
    pub fn name(&self) -> String {
        self.line.split(' ').skip(2).collect::<Vec<_>>().join("_")
    }

    /// Multiplications, each with an addition.
    pub fn multiplications(&self) -> u64 {
        let output: u64 = self.output().map_or(0, |shape| shape.count() as u64);
        let terms: i64 = match self.kind {
            Kind::Product { .. } => self.left.last().copied().unwrap_or(0),
            Kind::Convolution { .. } => self.right[1..].iter().product(),
        };
        output * terms as u64
    }

    /// Rows, depth and columns of a product of two matrices as they lie.
    pub fn as_matrices(&self) -> Option<[usize; 3]> {
        match (&self.kind, &self.left[..], &self.right[..]) {
            (Kind::Product { is_packed: false, is_transposed: false }, &[rows, depth], &[_, columns]) => {
                Some([rows, depth, columns].map(|extent| extent as usize))
            }
            _ => None,
        }
    }

    /// Calls with a function that computes the problem once, and asks for nothing that could be prepared.
    ///
    /// # Errors
    /// Those of the kernels.
    pub fn with_run<R>(
        &self,
        kernels: &dyn Kernels,
        work: impl FnOnce(&mut dyn FnMut() -> Result<(), KernelError>) -> R,
    ) -> Result<R, Failure> {
        if self.is_f64 { self.with_run_of::<f64, R>(kernels, work) } else { self.with_run_of::<f32, R>(kernels, work) }
    }

    fn with_run_of<T: Number, R>(
        &self,
        kernels: &dyn Kernels,
        work: impl FnOnce(&mut dyn FnMut() -> Result<(), KernelError>) -> R,
    ) -> Result<R, Failure> {
        let (left, right) = (elements::<T>(&self.left, 1), elements::<T>(&self.right, 2));
        let output = self.output()?;
        let mut result = Aligned::new(vec![T::of(0.0); output.count()]);
        let [left_place, right_place, result_place] = self.places(&output)?;
        let left = view(&left, left_place)?;
        let right = view(&right, right_place)?;
        let packed = self.pack(kernels, &right)?;
        let mut result = view_mut(&mut result, result_place)?;
        Ok(work(&mut || self.run(kernels, &left, &right, packed.as_ref(), &mut result)))
    }

    /// Compares fast results on every backend of this machine with exact ones.
    ///
    /// # Errors
    /// The backend, and the element whose error exceeds the bound of its sum.
    pub fn verify(&self) -> Result<(), Failure> {
        if self.is_f64 { self.verify_of::<f64>() } else { self.verify_of::<f32>() }
    }

    fn verify_of<T: Number>(&self) -> Result<(), Failure> {
        let (left, right) = (elements::<T>(&self.left, 1), elements::<T>(&self.right, 2));
        let magnitudes = |elements: &[T]| Aligned::new(elements.iter().map(|x| x.magnitude()).collect());
        let (left_magnitudes, right_magnitudes) = (magnitudes(&left), magnitudes(&right));
        let best = Selection::new().precision(Precision::Exact).kernels()?;
        let exact = self.result(&*best, &left, &right)?;
        let sums = self.result(&*best, &left_magnitudes, &right_magnitudes)?;
        // Each term of a block is rounded once, each sum of a block too, and the exact sum once.
        let terms = self.multiplications().checked_div(exact.len() as u64).unwrap_or(0);
        let block = self.block();
        let roundings = (terms.min(block) + terms.div_ceil(block) + 1) as f64 * T::UNIT;
        let bound = roundings / (1.0 - roundings);
        let mut first: Option<Vec<T>> = None;
        for backend in Backend::available().into_iter().filter(|backend| *backend != Backend::Reference) {
            let kernels = Selection::new().backend(backend).kernels()?;
            let found = self.result(&*kernels, &left, &right)?;
            for (index, (found, exact)) in found.iter().zip(&exact).enumerate() {
                let (error, most) = ((found.wide() - exact.wide()).abs(), bound * sums[index].wide());
                if error.is_nan() || error > most {
                    let (found, exact) = (found.wide(), exact.wide());
                    return Err(format!("{backend}: element {index} is {found}, not {exact} within {most:e}").into());
                }
            }
            let bits = |elements: &[T]| elements.iter().map(|x| x.wide().to_bits()).collect::<Vec<_>>();
            if first.as_ref().is_some_and(|first| bits(first) != bits(&found)) {
                return Err(format!("{backend} gives other bits than the backend before").into());
            }
            first = Some(found);
        }
        Ok(())
    }

    fn result<T: Number>(&self, kernels: &dyn Kernels, left: &[T], right: &[T]) -> Result<Vec<T>, Failure> {
        let output = self.output()?;
        let mut result = vec![T::of(0.0); output.count()];
        let [left_place, right_place, result_place] = self.places(&output)?;
        let (left, right) = (view(left, left_place)?, view(right, right_place)?);
        let packed = self.pack(kernels, &right)?;
        self.run(kernels, &left, &right, packed.as_ref(), &mut view_mut(&mut result, result_place)?)?;
        Ok(result)
    }

    fn run(
        &self,
        kernels: &dyn Kernels,
        left: &AnyView<'_>,
        right: &AnyView<'_>,
        packed: Option<&PackedMatrix>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let epilogue = Epilogue::default();
        match (&self.kind, packed) {
            (Kind::Product { .. }, Some(packed)) => kernels.matmul_packed(left, packed, &epilogue, result),
            (Kind::Product { .. }, None) => kernels.matmul(left, right, &epilogue, result),
            (Kind::Convolution { convolution, .. }, _) => kernels.convolve(convolution, left, right, &epilogue, result),
        }
    }

    fn pack(&self, kernels: &dyn Kernels, right: &AnyView<'_>) -> Result<Option<PackedMatrix>, Failure> {
        match self.kind {
            Kind::Product { is_packed: true, .. } => Ok(Some(kernels.pack_matrix(right)?)),
            _ => Ok(None),
        }
    }

    /// Terms that are summed before the sum is added to that of the blocks before.
    fn block(&self) -> u64 {
        match self.kind {
            Kind::Product { .. } => 256,
            Kind::Convolution { .. } => {
                let channels = 16 * self.right[2..].iter().product::<i64>().max(1) as u64;
                (256 / channels).max(1) * channels
            }
        }
    }

    fn output(&self) -> Result<Shape, Failure> {
        match (&self.kind, &self.left[..], &self.right[..]) {
            (Kind::Convolution { convolution, .. }, left, right) => {
                Ok(convolution.output_shape(&Shape::new(left)?, &Shape::new(right)?)?)
            }
            (Kind::Product { .. }, [batch @ .., rows, _], [.., _, columns]) => {
                let extents: Vec<i64> = batch.iter().chain([rows, columns]).copied().collect();
                Ok(Shape::new(&extents)?)
            }
            (Kind::Product { .. }, left, right) => {
                Err(KernelError::Product { a: Shape::new(left)?, b: Shape::new(right)? }.into())
            }
        }
    }

    /// Where left side, right side and result lie.
    fn places(&self, output: &Shape) -> Result<[Geometry; 3], Failure> {
        let (left, right) = (Shape::new(&self.left)?, Shape::new(&self.right)?);
        let dense = [left, right, *output].map(Geometry::contiguous);
        match &self.kind {
            Kind::Convolution { is_interleaved: true, .. } => {
                let interleaved = |shape: &Shape| {
                    let rank = shape.rank();
                    let mut strides = vec![0; rank];
                    let mut stride = 1;
                    for axis in [1].into_iter().chain((2..rank).rev()).chain([0]) {
                        strides[axis] = stride;
                        stride *= i64::from(shape.extents()[axis]);
                    }
                    Geometry::strided(*shape, &strides, 0, shape.count() as u64)
                };
                Ok([interleaved(&left)?, dense[1], interleaved(output)?])
            }
            Kind::Product { is_transposed: true, .. } => {
                let mut turned = self.right.clone();
                let rank = turned.len();
                turned.swap(rank - 1, rank - 2);
                Ok([dense[0], Geometry::contiguous(Shape::new(&turned)?).t()?, dense[2]])
            }
            _ => Ok(dense),
        }
    }
}

/// A type that problems are posed in.
trait Number: Element {
    /// Half of the distance from 1 to the next number.
    const UNIT: f64;

    fn of(value: f32) -> Self;
    fn wide(self) -> f64;
    fn magnitude(self) -> Self;
}

impl Number for f32 {
    const UNIT: f64 = f32::EPSILON as f64 / 2.0;

    fn of(value: f32) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self.into()
    }

    fn magnitude(self) -> Self {
        self.abs()
    }
}

impl Number for f64 {
    const UNIT: f64 = f64::EPSILON / 2.0;

    fn of(value: f32) -> Self {
        value.into()
    }

    fn wide(self) -> f64 {
        self
    }

    fn magnitude(self) -> Self {
        self.abs()
    }
}

/// Numbers between -1 and 1 that look random.
fn elements<T: Number>(extents: &[i64], seed: u64) -> Aligned<T> {
    let count: i64 = extents.iter().product();
    let number = |index: u64| {
        let mixed = (index + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 29)) >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    Aligned::new((0..count as u64).map(|index| T::of(number(index))).collect())
}

fn view<T: Element>(elements: &[T], place: Geometry) -> Result<AnyView<'_>, Failure> {
    Ok(View::new(elements, place)?.into())
}

fn view_mut<T: Element>(elements: &mut [T], place: Geometry) -> Result<AnyViewMut<'_>, Failure> {
    Ok(ViewMut::new(elements, place)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_problems_and_say_why_they_are_not() {
        let problem: Problem = "convolve f32 1x64x56x56  64x64x3x3 pad=1".parse().unwrap();
        assert_eq!(problem.group(), "convolve_f32");
        assert_eq!(problem.name(), "1x64x56x56_64x64x3x3_pad=1");
        assert_eq!(problem.multiplications(), 64 * 56 * 56 * 64 * 9);
        let error = |line: &str| line.parse::<Problem>().unwrap_err().to_string();
        assert_eq!(error("matmul f32 2x3"), "\"matmul f32 2x3\" is no problem: it has no right shape");
        assert_eq!(error("matmul i8 2x3 3x2"), "\"matmul i8 2x3 3x2\" is no problem: \"i8\" is not f32 or f64");
        assert_eq!(error("matmul f32 2x3 3xy"), "\"matmul f32 2x3 3xy\" is no problem: \"3xy\" is no shape");
        assert_eq!(
            error("convolve f32 1x1x4 1x1x9"),
            "\"convolve f32 1x1x4 1x1x9\" is no problem: a kernel that reaches over 9 elements along axis 0 does not fit into 4"
        );
    }

    #[test]
    fn small_problems_of_every_kind_verify() {
        for line in [
            "matmul f32 7x300 300x33",
            "matmul f64 7x300 300x33 transposed",
            "matmul f32 2x20x30 30x40 packed",
            "convolve f32 2x17x9x9 5x17x3x3 pad=1 stride=2",
            "convolve f32 1x8x9x9 8x1x3x3 groups=8 layout=interleaved strategy=direct",
            "convolve f64 1x4x9 6x4x1",
        ] {
            line.parse::<Problem>().unwrap().verify().unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }
}
