//! `Problem`: a product of operands where they lie, and every backend on it.

use std::sync::{Arc, LazyLock};

use stratal_kernels::map::{Add, Binary, Mul, Unary};
use stratal_kernels::{AnyView, Backend, Epilogue, Kernels, PackedMatrix, Precision, Selection, Threads};
use stratal_tensor_base::{DType, Scalar, cast, match_dtype};

use super::model;
use crate::array::Array;
use crate::backends::reference;
use crate::place::Place;
use crate::runner::compare;
use crate::values::{Generator, mixed};

/// All dtypes that have products.
pub(crate) const DTYPES: [DType; 8] =
    [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I64, DType::U32, DType::U64];

/// The reference, and all other backends of this machine, exact and fast, on the calling thread.
pub(crate) static KERNELS: LazyLock<Vec<Arc<dyn Kernels>>> = LazyLock::new(|| on_threads(&[Threads::calling()]));

/// The backends on certain threads, the reference among them.
pub(crate) fn on_threads(pools: &[Threads]) -> Vec<Arc<dyn Kernels>> {
    let mut list = vec![Selection::new().backend(Backend::Reference).kernels().unwrap()];
    for backend in Backend::available().into_iter().filter(|backend| *backend != Backend::Reference) {
        for precision in [Precision::Exact, Precision::Fast] {
            let selection = Selection::new().backend(backend).precision(precision);
            list.extend(pools.iter().map(|threads| selection.clone().threads(threads.clone()).kernels().unwrap()));
        }
    }
    list
}

/// A buffer, and where in it an operand lies.
pub(crate) type Operand = (Array, Place);

/// What operands hold.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Values {
    /// Floats below two with all their digits, so that each rounding counts; any integers.
    Plain,
    /// The same, and a few at which something happens.
    Sparse,
    /// Mostly those at which something happens.
    Mixed,
}

impl Values {
    pub(crate) fn of(self, dtype: DType, count: usize, generator: &mut Generator) -> Array {
        let special = mixed(dtype, count, generator);
        let is_special = |generator: &mut Generator| match self {
            Self::Plain => false,
            Self::Sparse => generator.below(400) == 0,
            Self::Mixed => true,
        };
        let element = |special: u64| match dtype.is_float() && !is_special(generator) {
            true => model::rounded(dtype, (generator.next() as i64) as f64 / 2_f64.powi(62)),
            false => special,
        };
        Array::new(dtype, special.patterns().map(element))
    }
}

/// A product, and what is made of it.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) a: Operand,
    pub(crate) b: Operand,
    pub(crate) alpha: f32,
    pub(crate) beta: f32,
    pub(crate) bias: Option<Operand>,
    pub(crate) activation: Option<&'static dyn Unary>,
    /// Where the result lies.
    pub(crate) result: Place,
    /// Its elements before.
    pub(crate) before: Array,
}

impl Problem {
    /// Of plain operands without gaps, to a result without gaps, with nothing made of it.
    pub(crate) fn new(dtype: DType, a: &[i64], b: &[i64], seed: u64) -> Self {
        let generator = &mut Generator(seed);
        let mut operand = |extents: &[i64]| {
            let place = Place::dense(extents, 1);
            (Values::Plain.of(dtype, place.buffer, generator), place)
        };
        let (a, b) = (operand(a), operand(b));
        let result = Place::dense(&model::extents(&a.1.extents, &b.1.extents), 2);
        let before = Values::Plain.of(dtype, result.count(), generator);
        Self { a, b, alpha: 1.0, beta: 0.0, bias: None, activation: None, result, before }
    }

    pub(crate) fn dtype(&self) -> DType {
        self.a.0.dtype
    }

    /// With a bias of certain extents, without gaps.
    pub(crate) fn with_bias(self, extents: &[i64]) -> Self {
        let place = Place::dense(extents, 1);
        let bias = Values::Plain.of(self.dtype(), place.buffer, &mut Generator(77));
        Self { bias: Some((bias, place)), ..self }
    }

    /// The elements of the result, in order of the index.
    pub(crate) fn expected(&self, precision: Precision) -> Array {
        let [a, b] = [&self.a, &self.b].map(|(array, place)| array.gather(&place.positions()));
        let product = model::product(precision, (&a, &self.a.1.extents), (&b, &self.b.1.extents));
        self.finished(product)
    }

    /// What is made of a product, one operation after another.
    fn finished(&self, mut product: Array) -> Array {
        let place = Place { buffer: product.count(), ..Place::dense(&self.result.extents, 0) };
        let blank = Array::canary(self.dtype(), place.buffer);
        let binary = |operation: &dyn Binary, a: &AnyView<'_>, b: &AnyView<'_>| {
            let mut result = blank.clone();
            reference().binary(operation, a, b, &mut result.view_mut(&place)).unwrap();
            result
        };
        let scaled = |array: &Array, factor: f32| {
            let factor: Scalar = match_dtype!(self.dtype(), T => cast::<f32, T>(factor).into());
            let factor = match_dtype!(self.dtype(), T => Array::of(&[factor.get::<T>().unwrap()]));
            let everywhere = Place { strides: vec![0; place.extents.len()], offset: 0, buffer: 1, ..place.clone() };
            binary(&Mul, &array.view(&place), &factor.view(&everywhere))
        };
        if self.alpha != 1.0 {
            product = scaled(&product, self.alpha);
        }
        if self.beta != 0.0 {
            let before = if self.beta == 1.0 { self.before.clone() } else { scaled(&self.before, self.beta) };
            product = binary(&Add, &before.view(&place), &product.view(&place));
        }
        if let Some((array, bias)) = &self.bias {
            let missing = place.extents.len() - bias.extents.len();
            let stride = |axis: usize| match axis.checked_sub(missing) {
                Some(own) if bias.extents[own] != 1 => bias.strides[own],
                _ => 0,
            };
            let strides = (0..place.extents.len()).map(stride).collect();
            let expanded = Place { extents: place.extents.clone(), strides, ..*bias };
            product = binary(&Add, &product.view(&place), &array.view(&expanded));
        }
        if let Some(activation) = self.activation {
            let mut result = blank.clone();
            reference().unary(activation, &product.view(&place), &mut result.view_mut(&place)).unwrap();
            product = result;
        }
        product
    }

    /// The buffer of the result, when a call has been made.
    pub(crate) fn run(&self, kernels: &dyn Kernels, packed: Option<&PackedMatrix>) -> Array {
        let bias = self.bias.as_ref().map(|(array, place)| array.view(place));
        let epilogue =
            Epilogue { alpha: self.alpha, beta: self.beta, bias: bias.as_ref(), activation: self.activation };
        let mut found = self.around();
        found.scatter(&self.result.positions(), &self.before);
        let a = self.a.0.view(&self.a.1);
        let mut result = found.view_mut(&self.result);
        match packed {
            Some(packed) => kernels.matmul_packed(&a, packed, &epilogue, &mut result),
            None => kernels.matmul(&a, &self.b.0.view(&self.b.1), &epilogue, &mut result),
        }
        .unwrap();
        found
    }

    /// What lies around the result.
    fn around(&self) -> Array {
        Array::canary(self.dtype(), self.result.buffer)
    }

    /// Compares a buffer with what is expected, the bytes around the result included.
    pub(crate) fn compare(&self, found: &Array, expected: &Array, context: impl Fn() -> String) {
        let positions = self.result.positions();
        let mut whole = self.around();
        whole.scatter(&positions, expected);
        compare(found, &whole, &positions, false, || format!("{}, {}", context(), self.describe()));
    }

    fn describe(&self) -> String {
        let Self { alpha, beta, activation, .. } = self;
        let bias = self.bias.as_ref().map(|(_, place)| place);
        let places = (&self.a.1, &self.b.1, &self.result);
        format!("{alpha} {beta} {bias:?} {activation:?} of {:?} {places:?}", self.dtype())
    }
}

/// Compares every backend with the model, packed before by another backend too if the right side is one matrix.
pub(crate) fn check(problem: &Problem) {
    check_with(&KERNELS, problem);
}

/// [`check`] through certain backends.
pub(crate) fn check_with(list: &[Arc<dyn Kernels>], problem: &Problem) {
    let [exact, fast] = [Precision::Exact, Precision::Fast].map(|precision| problem.expected(precision));
    let (b, place) = &problem.b;
    for (number, kernels) in list.iter().enumerate() {
        let expected = if kernels.precision() == Precision::Exact { &exact } else { &fast };
        problem.compare(&problem.run(&**kernels, None), expected, || format!("{kernels:?}"));
        if place.extents.len() == 2 {
            let packer = &list[(number + 1) % list.len()];
            let packed = packer.pack_matrix(&b.view(place)).unwrap();
            let found = problem.run(&**kernels, Some(&packed));
            problem.compare(&found, expected, || format!("{kernels:?}, packed by {packer:?}"));
        }
    }
}
