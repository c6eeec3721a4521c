//! Products of bytes: every backend, with and without instructions for dot products, against a sum of i64.

mod errors;
mod known;
mod properties;

use std::sync::{Arc, LazyLock};

use stratal_kernels::{AnyView, Backend, Kernels, Selection, Threads, ZeroPoints};
use stratal_tensor_base::DType;

use crate::array::Array;
use crate::place::Place;

/// Each backend on one, two and three threads, with instructions for dot products of bytes where there are such, and without.
static ALL: LazyLock<Vec<Arc<dyn Kernels>>> = LazyLock::new(|| {
    let threads = [1, 2, 3].map(|threads| Threads::own(threads).unwrap());
    let mut all = Vec::new();
    for backend in Backend::available() {
        for threads in &threads {
            let selection = Selection::new().backend(backend).threads(threads.clone());
            all.push(selection.kernels().unwrap());
            if backend == Backend::Avx512 {
                all.push(selection.without_dot_instructions().kernels().unwrap());
            }
            if backend == Backend::Reference {
                break;
            }
        }
    }
    all
});

/// An operand, and where it lies.
#[derive(Debug, Clone)]
struct Operand {
    array: Array,
    place: Place,
}

impl Operand {
    fn view(&self) -> AnyView<'_> {
        self.array.view(&self.place)
    }

    /// The elements expanded to a shape, as numbers in row-major order.
    fn expanded(&self, extents: &[i64]) -> Vec<i64> {
        let missing = extents.len() - self.place.extents.len();
        let strides: Vec<i64> = extents
            .iter()
            .enumerate()
            .map(|(axis, extent)| match axis.checked_sub(missing) {
                Some(own) if self.place.extents[own] == *extent => self.place.strides[own],
                _ => 0,
            })
            .collect();
        let expanded = Place { extents: extents.to_vec(), strides, ..self.place.clone() };
        expanded.positions().into_iter().map(|position| number(self.array.dtype, self.array.get(position))).collect()
    }
}

/// What a byte of a dtype means.
fn number(dtype: DType, pattern: u64) -> i64 {
    if dtype == DType::I8 { (pattern as u8).cast_signed().into() } else { (pattern as u8).into() }
}

/// A product: operands, zero points, and the leading axes of the result.
#[derive(Debug, Clone)]
struct Case {
    a: Operand,
    b: Operand,
    zero_a: Option<Operand>,
    zero_b: Option<Operand>,
    batch: Vec<i64>,
    result: Place,
}

impl Case {
    fn extents(&self) -> [i64; 3] {
        let (a, b) = (&self.a.place.extents, &self.b.place.extents);
        [a[a.len() - 2], a[a.len() - 1], b[b.len() - 1]]
    }

    /// By the definition, in i64, kept to 32 bits.
    fn expected(&self) -> Vec<i32> {
        let [m, k, n] = self.extents();
        let with = |last: [i64; 2]| [&self.batch[..], &last].concat();
        let a = self.a.expanded(&with([m, k]));
        let b = self.b.expanded(&with([k, n]));
        let zeros = |zero: &Option<Operand>, last| zero.as_ref().map(|zero| zero.expanded(&with(last)));
        let (zero_a, zero_b) = (zeros(&self.zero_a, [m, 1]), zeros(&self.zero_b, [1, n]));
        let [m, k, n] = [m, k, n].map(|extent| extent as usize);
        let mut expected = Vec::new();
        for matrix in 0..self.batch.iter().product::<i64>() as usize {
            for row in 0..m {
                for column in 0..n {
                    let zero_a = zero_a.as_ref().map_or(0, |zeros| zeros[matrix * m + row]);
                    let zero_b = zero_b.as_ref().map_or(0, |zeros| zeros[matrix * n + column]);
                    let terms = (0..k).map(|index| {
                        let (a, b) = (a[(matrix * m + row) * k + index], b[(matrix * k + index) * n + column]);
                        (a - zero_a) * (b - zero_b)
                    });
                    expected.push(terms.sum::<i64>() as i32);
                }
            }
        }
        expected
    }

    /// Through all kernels, packed too if one matrix is on the right side; what is between the elements stays as it was.
    #[track_caller]
    fn check(&self, all: &[Arc<dyn Kernels>]) {
        let canary = Array::canary(DType::I32, self.result.buffer);
        let mut expected = canary.clone();
        expected.scatter(&self.result.positions(), &Array::of(&self.expected()));
        let zeros = [&self.zero_a, &self.zero_b].map(|zero| zero.as_ref().map(Operand::view));
        let zero_points = ZeroPoints { a: zeros[0].as_ref(), b: zeros[1].as_ref() };
        for kernels in all {
            let mut found = canary.clone();
            let (a, b) = (self.a.view(), self.b.view());
            kernels.matmul_integer(&a, &b, &zero_points, &mut found.view_mut(&self.result)).unwrap();
            assert!(found == expected, "{kernels:?}: {}", self.difference(&found, &expected));
            if self.b.place.extents.len() == 2 {
                let packed = kernels.pack_matrix(&b).unwrap();
                assert_eq!((packed.dtype(), packed.shape()), (b.dtype(), b.shape()));
                let mut found = canary.clone();
                kernels.matmul_integer_packed(&a, &packed, &zero_points, &mut found.view_mut(&self.result)).unwrap();
                assert!(found == expected, "packed on {kernels:?}: {}", self.difference(&found, &expected));
            }
        }
    }

    fn difference(&self, found: &Array, expected: &Array) -> String {
        let place = |operand: &Operand| format!("{} at {:?}", operand.array.dtype, operand.place);
        let zero = |zero: &Option<Operand>| zero.as_ref().map(place);
        let at = (0..found.count()).find(|at| found.get(*at) != expected.get(*at)).unwrap();
        format!(
            "{} for {} at {at} of {:?}: {} by {}, zeros {:?} and {:?}",
            found.get(at) as u32 as i32,
            expected.get(at) as u32 as i32,
            self.result,
            place(&self.a),
            place(&self.b),
            zero(&self.zero_a),
            zero(&self.zero_b),
        )
    }
}
