//! The list of all operations, and how each is called.

use std::any::type_name;
use std::sync::LazyLock;

use stratal_kernels::map::{
    Abs, Acos, Acosh, Add, And, Asin, Asinh, Atan, Atanh, Binary, Ceil, Celu, Clip, Comparison, Cos, Cosh, Div, Elu,
    Equal, Erf, Exp, Floor, Gelu, GeluTanh, Greater, GreaterOrEqual, HardSigmoid, HardSwish, IsInf, IsNan, LeakyRelu,
    Less, LessOrEqual, Log, Max, Min, Modulo, Mul, Neg, Not, NotEqual, Or, Pow, Predicate, Reciprocal, Relu, Remainder,
    Round, Rsqrt, Selu, ShiftLeft, ShiftRight, Sigmoid, Sign, Silu, Sin, Sinh, Softplus, Sqrt, Sub, Tan, Tanh, Trunc,
    Unary, Xor,
};
use stratal_kernels::{AnyView, AnyViewMut, KernelError, Kernels};
use stratal_tensor_base::{DType, Scalar};

/// Every operation under test. Those with attributes stand here once for each kind of them.
pub(crate) static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    vec![
        unary(Abs),
        unary(Acos),
        unary(Acosh),
        unary(Asin),
        unary(Asinh),
        unary(Atan),
        unary(Atanh),
        unary(Ceil),
        unary(Celu::default()),
        unary(Celu { alpha: 2.0 }),
        unary(Clip::new(Some(Scalar::F32(-1.5)), Some(Scalar::F32(6.0)))),
        unary(Clip::new(None, Some(Scalar::I32(3)))),
        unary(Clip::new(Some(Scalar::F32(0.0)), Some(Scalar::F64(f64::NAN)))),
        unary(Cos),
        unary(Cosh),
        unary(Elu::default()),
        unary(Elu { alpha: -0.3 }),
        unary(Erf),
        unary(Exp),
        unary(Floor),
        unary(Gelu),
        unary(GeluTanh),
        unary(HardSigmoid { alpha: 0.2, beta: 0.5 }),
        unary(HardSwish),
        unary(LeakyRelu { alpha: 0.01 }),
        unary(LeakyRelu { alpha: -2.0 }),
        unary(Log),
        unary(Neg),
        unary(Not),
        unary(Reciprocal),
        unary(Relu),
        unary(Round),
        unary(Rsqrt),
        unary(Selu::default()),
        unary(Sigmoid),
        unary(Sign),
        unary(Silu),
        unary(Sin),
        unary(Sinh),
        unary(Softplus),
        unary(Sqrt),
        unary(Tan),
        unary(Tanh),
        unary(Trunc),
        binary(Add),
        binary(And),
        binary(Div),
        binary(Max),
        binary(Min),
        binary(Modulo),
        binary(Mul),
        binary(Or),
        binary(Pow),
        binary(Remainder),
        binary(ShiftLeft),
        binary(ShiftRight),
        binary(Sub),
        binary(Xor),
        comparison(Equal),
        comparison(Greater),
        comparison(GreaterOrEqual),
        comparison(Less),
        comparison(LessOrEqual),
        comparison(NotEqual),
        predicate(IsInf::default()),
        predicate(IsInf { negative: true, positive: false }),
        predicate(IsInf { negative: false, positive: true }),
        predicate(IsNan),
        Operation { export: "select", kind: Kind::Select },
        Operation { export: "cast", kind: Kind::Cast },
        Operation { export: "copy", kind: Kind::Copy },
    ]
});

/// An operation as tests see it.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The type's name, or the method's.
    pub(crate) export: &'static str,
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Unary(Box<dyn Unary>),
    Binary(Box<dyn Binary>),
    Comparison(Box<dyn Comparison>),
    Predicate(Box<dyn Predicate>),
    Select,
    Cast,
    Copy,
}

/// The dtypes of one way to call an operation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Form {
    pub(crate) operands: Vec<DType>,
    pub(crate) result: DType,
}

fn unary<T: Unary + 'static>(operation: T) -> Operation {
    Operation { export: name_of::<T>(), kind: Kind::Unary(Box::new(operation)) }
}

fn binary<T: Binary + 'static>(operation: T) -> Operation {
    Operation { export: name_of::<T>(), kind: Kind::Binary(Box::new(operation)) }
}

fn comparison<T: Comparison + 'static>(operation: T) -> Operation {
    Operation { export: name_of::<T>(), kind: Kind::Comparison(Box::new(operation)) }
}

fn predicate<T: Predicate + 'static>(operation: T) -> Operation {
    Operation { export: name_of::<T>(), kind: Kind::Predicate(Box::new(operation)) }
}

fn name_of<T>() -> &'static str {
    type_name::<T>().rsplit("::").next().unwrap()
}

impl Operation {
    /// The first entry of a name.
    pub(crate) fn of(export: &str) -> &'static Self {
        OPERATIONS.iter().find(|operation| operation.export == export).unwrap()
    }

    /// Every way to call it.
    pub(crate) fn forms(&self) -> Vec<Form> {
        let dtypes = DType::ALL.into_iter();
        let form = |operands: &[DType], result| Form { operands: operands.to_vec(), result };
        match &self.kind {
            Kind::Unary(operation) => {
                dtypes.filter(|dtype| operation.is_defined(*dtype)).map(|dtype| form(&[dtype], dtype)).collect()
            }
            Kind::Binary(operation) => {
                dtypes.filter(|dtype| operation.is_defined(*dtype)).map(|dtype| form(&[dtype; 2], dtype)).collect()
            }
            Kind::Comparison(_) => dtypes.map(|dtype| form(&[dtype; 2], DType::Bool)).collect(),
            Kind::Predicate(_) => dtypes.filter(|d| d.is_float()).map(|dtype| form(&[dtype], DType::Bool)).collect(),
            Kind::Select => dtypes.map(|dtype| form(&[DType::Bool, dtype, dtype], dtype)).collect(),
            Kind::Cast => dtypes.flat_map(|from| DType::ALL.into_iter().map(move |to| form(&[from], to))).collect(),
            Kind::Copy => dtypes.map(|dtype| form(&[dtype], dtype)).collect(),
        }
    }

    /// Whether NaNs are moved or converted bit by bit, rather than computed.
    pub(crate) fn moves_bits(&self) -> bool {
        matches!(self.kind, Kind::Select | Kind::Cast | Kind::Copy)
    }

    /// Whether some elements of this dtype have no result.
    pub(crate) fn can_fail(&self, dtype: DType) -> bool {
        matches!(&self.kind, Kind::Binary(operation) if operation.can_fail(dtype))
    }

    pub(crate) fn run(
        &self,
        kernels: &dyn Kernels,
        operands: &[AnyView<'_>],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        match (&self.kind, operands) {
            (Kind::Unary(operation), [x]) => kernels.unary(&**operation, x, result),
            (Kind::Binary(operation), [a, b]) => kernels.binary(&**operation, a, b, result),
            (Kind::Comparison(operation), [a, b]) => kernels.compare(&**operation, a, b, result),
            (Kind::Predicate(operation), [x]) => kernels.test(&**operation, x, result),
            (Kind::Select, [condition, then, otherwise]) => kernels.select(condition, then, otherwise, result),
            (Kind::Cast, [x]) => kernels.cast(x, result),
            (Kind::Copy, [x]) => kernels.copy(x, result),
            _ => panic!("{self:?} takes another number of operands"),
        }
    }

    /// The form in place, if there is one: the first operand is replaced.
    pub(crate) fn run_in_place(
        &self,
        kernels: &dyn Kernels,
        first: &mut AnyViewMut<'_>,
        others: &[AnyView<'_>],
    ) -> Option<Result<(), KernelError>> {
        match (&self.kind, others) {
            (Kind::Unary(operation), []) => Some(kernels.unary_in_place(&**operation, first)),
            (Kind::Binary(operation), [b]) => Some(kernels.binary_in_place(&**operation, first, b)),
            _ => None,
        }
    }
}

/// What `map.rs` exports besides operations.
const TRAITS: [&str; 10] = [
    "Binary",
    "BinaryFormula",
    "Fault",
    "Formula",
    "Comparison",
    "ComparisonFormula",
    "Predicate",
    "PredicateFormula",
    "Unary",
    "UnaryFormula",
];

#[test]
fn every_exported_operation_is_listed() {
    let source = include_str!("../../src/map.rs");
    let mut exported: Vec<&str> = source
        .split(';')
        .filter_map(|item| item.trim_start().strip_prefix("pub use "))
        .filter_map(|path| path.split_once("::"))
        .flat_map(|(_, names)| names.trim_matches(['{', '}']).split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty() && !TRAITS.contains(name))
        .collect();
    exported.sort_unstable();
    assert!(exported.len() > 35, "{exported:?}");
    let methods = ["select", "cast", "copy"];
    let mut listed: Vec<&str> = OPERATIONS.iter().map(|operation| operation.export).collect();
    listed.retain(|name| !methods.contains(name));
    listed.sort_unstable();
    listed.dedup();
    assert_eq!(listed, exported);
}

#[test]
fn every_operation_has_a_form_and_a_name_in_snake_case() {
    for operation in OPERATIONS.iter() {
        assert!(!operation.forms().is_empty(), "{operation:?}");
        let name = match &operation.kind {
            Kind::Unary(operation) => operation.name(),
            Kind::Binary(operation) => operation.name(),
            Kind::Comparison(operation) => operation.name(),
            Kind::Predicate(operation) => operation.name(),
            Kind::Select | Kind::Cast | Kind::Copy => operation.export,
        };
        assert!(name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'), "{name}");
    }
}
