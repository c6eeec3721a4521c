//! Every method with operands and numbers that make no sense: an error, and never a panic.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use stratal_eager::loss::{self, CrossEntropy, LossReduction};
use stratal_eager::{
    ConvOptions, EagerError, GradOptions, Initializer, Parameters, PoolOptions, Var, apply, apply_in_place,
    apply_outputs, grad,
};
use stratal_ops as ops;
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

type Result<T = Var> = std::result::Result<T, EagerError>;

const DTYPES: [DType; 8] =
    [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32, DType::U8, DType::Bool];
const SHAPES: [&[i64]; 9] =
    [&[], &[0], &[3], &[2, 3], &[2, 0, 3], &[1, 2, 3, 4], &[0, 0, 0, 0], &[2, 1, 2], &[1, 1, 1, 1, 1, 1, 1, 1]];
const NUMBERS: [i64; 9] = [i64::MIN, -9, -2, -1, 0, 1, 2, 8, i64::MAX];

fn operands() -> Vec<Var> {
    let mut all = Vec::new();
    for dtype in DTYPES {
        for shape in SHAPES {
            let var = Var::full(shape, 1.0, dtype).unwrap();
            all.push(if dtype.is_float() { var.with_requires_grad().unwrap() } else { var });
        }
    }
    all
}

/// Goes backward where there is a result to go back from, and wants no more than that nothing panics.
fn survive(what: &str, of: &dyn std::fmt::Debug, work: impl FnOnce() -> Result<Vec<Var>>) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        for result in work()?.iter().filter(|result| result.requires_grad()) {
            let seed = Var::constant(result.tensor().contiguous()?);
            result.backward_from(&seed)?;
        }
        Ok::<_, EagerError>(())
    }));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(error)) => assert!(!error.to_string().is_empty()),
        Err(_) => PANICS.with_borrow_mut(|panics| {
            panics.entry(what.into()).or_insert_with(|| format!("{of:?}"));
        }),
    }
}

/// Nothing has panicked since the test began.
fn assert_survived() {
    PANICS.with_borrow(|panics| assert!(panics.is_empty(), "{panics:#?}"));
}

thread_local! {
    /// What panicked, with the first operands that it did with.
    static PANICS: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

fn one(var: Result) -> Result<Vec<Var>> {
    Ok(vec![var?])
}

#[test]
fn one_operand_of_any_kind() {
    type Method = fn(&Var) -> Result;
    let methods: Vec<(&str, Method)> = vec![
        ("abs", Var::abs),
        ("acos", Var::acos),
        ("asin", Var::asin),
        ("atan", Var::atan),
        ("ceil", Var::ceil),
        ("cos", Var::cos),
        ("cosh", Var::cosh),
        ("erf", Var::erf),
        ("exp", Var::exp),
        ("floor", Var::floor),
        ("gelu", Var::gelu),
        ("log", Var::log),
        ("neg", Var::neg),
        ("reciprocal", Var::reciprocal),
        ("relu", Var::relu),
        ("round", Var::round),
        ("sigmoid", Var::sigmoid),
        ("sign", Var::sign),
        ("silu", Var::silu),
        ("sin", Var::sin),
        ("sinh", Var::sinh),
        ("softplus", Var::softplus),
        ("sqrt", Var::sqrt),
        ("square", Var::square),
        ("t", Var::t),
        ("tan", Var::tan),
        ("tanh", Var::tanh),
        ("elu", |x| x.elu(f32::NAN)),
        ("leaky_relu", |x| x.leaky_relu(-1.0)),
        ("dropout", |x| x.dropout(0.5)),
        ("dropout of NaN", |x| x.dropout(f64::NAN)),
        ("clip", |x| x.clip(1.0, -1.0)),
        ("clip of NaN", |x| x.clip(f64::NAN, f64::INFINITY)),
        ("add", |x| x.add(f64::INFINITY)),
        ("div", |x| x.div(0.0)),
        ("pow", |x| x.pow(-1.0)),
        ("maximum", |x| x.maximum(1e300)),
        ("greater", |x| x.greater(f64::NAN)),
        ("variance", |x| x.variance(&[], 100.0, false)),
        ("standard_deviation", |x| x.standard_deviation(&[0], f64::NAN, true)),
        ("cast", |x| x.cast(DType::F16)?.cast(DType::I64)),
        ("masked_fill", |x| x.masked_fill(x, 2.0)),
        ("einsum", |x| Var::einsum("ij->ji", &[x])),
        ("einsum of itself", |x| Var::einsum("ii", &[x])),
        ("einsum of nothing", |_| Var::einsum("->", &[])),
        ("no equation", |x| Var::einsum("i-j", &[x])),
        ("dots", |x| Var::einsum("...", &[x, x])),
        ("concat", |_| Var::concat(&[], 0)),
        ("stack", |_| Var::stack(&[], 0)),
        ("item", |x| x.item().and_then(|item| Var::full(&[], item, DType::F64))),
        ("apply", |x| apply(&ops::Softmax { axis: 7 }, &[Some(x), Some(x)])),
        ("apply to none", |_| apply(&ops::Add, &[])),
        ("apply without", |x| apply(&ops::Add, &[None, Some(x)])),
        ("apply_outputs", |x| Ok(apply_outputs(&ops::Softmax { axis: 0 }, &[Some(x)], 5)?.remove(0))),
        ("in place", |x| apply_in_place(&ops::MatMul, &[Some(x), Some(x)]).map(|()| x.clone())),
        ("add_in_place", |x| x.add_in_place(x).map(|()| x.clone())),
        ("fill", |x| x.detach().fill(1e300).map(|()| x.clone())),
        ("set_data", |x| x.set_data(&Tensor::full(&[7], 1.0, x.dtype())?).map(|()| x.clone())),
        ("backward", |x| x.backward().map(|()| x.clone())),
        ("set_gradient", |x| x.set_gradient(Tensor::full(&[7], 1.0, x.dtype())?).map(|()| x.clone())),
        ("grad", |x| Ok(grad(&[x], &[x, x], GradOptions::default())?.remove(0))),
        ("no outputs", |x| Ok(grad(&[], &[x], GradOptions::default())?.remove(0))),
    ];
    for x in operands() {
        for (name, method) in &methods {
            survive(name, &x, || one(method(&x)));
        }
    }
    assert_survived();
}

#[test]
fn numbers_of_any_size() {
    type Method = fn(&Var, i64, i64) -> Result<Vec<Var>>;
    let methods: Vec<(&str, Method)> = vec![
        ("sum", |x, a, b| one(x.sum(&[a, b], false))),
        ("mean", |x, a, _| one(x.mean(&[a], true))),
        ("max", |x, a, b| one(x.max(&[a, b], true))),
        ("product", |x, a, _| one(x.product(&[a], false))),
        ("norm", |x, a, _| one(x.norm(&[a], false))),
        ("log_sum_exp", |x, a, _| one(x.log_sum_exp(&[a], false))),
        ("variance", |x, a, b| one(x.variance(&[a, b], 1.0, false))),
        ("cumulative_sum", |x, a, _| one(x.cumulative_sum(a))),
        ("cumulative_product", |x, a, _| one(x.cumulative_product(a))),
        ("arg_max", |x, a, _| one(x.arg_max(a))),
        ("softmax", |x, a, _| one(x.softmax(a))),
        ("log_softmax", |x, a, _| one(x.log_softmax(a))),
        ("extent", |x, a, _| one(Var::full(&[], x.extent(a)? as f64, DType::F64))),
        ("reshape", |x, a, b| one(x.reshape(&[a, b]))),
        ("flatten", |x, a, b| one(x.flatten(a, b))),
        ("permute", |x, a, b| one(x.permute(&[a, b]))),
        ("transpose", |x, a, b| one(x.transpose(a, b))),
        ("squeeze", |x, a, b| one(x.squeeze(&[a, b]))),
        ("unsqueeze", |x, a, _| one(x.unsqueeze(a))),
        ("slice", |x, a, b| one(x.slice(0, Some(a), Some(b), -1))),
        ("step", |x, a, b| one(x.slice(a, None, None, b))),
        ("narrow", |x, a, b| one(x.narrow(0, a, b))),
        ("narrow along", |x, a, b| one(x.narrow(a, b, 1))),
        ("select", |x, a, b| one(x.select(a, b))),
        ("diagonal", |x, a, b| one(x.diagonal(a, b, 1))),
        ("diagonal of axes", |x, a, b| one(x.diagonal(0, a, b))),
        ("flip", |x, a, b| one(x.flip(&[a, b]))),
        ("expand", |x, a, b| one(x.expand(&[a, b]))),
        ("concat", |x, a, _| one(Var::concat(&[x, x], a))),
        ("stack", |x, a, _| one(Var::stack(&[x, x], a))),
        ("split", |x, a, b| x.split(&[a, b], 0)),
        ("split along", |x, a, b| x.split(&[1, b], a)),
        ("split in none", |x, a, _| x.split(&[], a)),
        ("gather", |x, a, b| one(x.gather(a, &Var::from_slice(&[b], &[1])?))),
        ("gather_elements", |x, a, b| one(x.gather_elements(a, &Var::from_slice(&[b], &[1])?))),
        ("scatter", |x, a, b| one(x.scatter(a, &Var::from_slice(&[b], &[1])?, x))),
        ("scatter_add", |x, a, b| one(x.scatter_add(a, &Var::from_slice(&[b], &[1])?, &x.narrow(0, 0, 1)?))),
        ("pad", |x, a, b| one(x.pad(&vec![a; x.rank().min(4)], &vec![b; x.rank().min(4)], 0.0))),
        ("pad an axis", |x, a, b| one(x.pad(&[a], &[b], f64::NAN))),
        ("pad unevenly", |x, a, _| one(x.pad(&[a], &[], 1.0))),
        ("tile", |x, a, b| one(x.tile(&[a, b]))),
        ("triu", |x, a, _| one(x.triu(a))),
        ("tril", |x, a, _| one(x.tril(a))),
        ("top_k", |x, a, b| x.top_k(a, b, true).map(|(values, _)| vec![values])),
        ("conv1d", |x, a, b| {
            let options = ConvOptions { strides: [a], padding: [b], ..ConvOptions::default() };
            one(x.conv1d(x, None, options))
        }),
        ("conv2d", |x, a, b| {
            let options = ConvOptions { strides: [a, 1], padding: [1, b], ..ConvOptions::default() };
            one(x.conv2d(x, None, options))
        }),
        ("dilated conv2d", |x, a, b| {
            let options = ConvOptions { dilations: [a, b], groups: b as usize, ..ConvOptions::default() };
            one(x.conv2d(x, Some(x), options))
        }),
        ("conv3d", |x, a, _| one(x.conv3d(x, None, ConvOptions { groups: a as usize, ..ConvOptions::default() }))),
        ("conv_transpose2d", |x, a, b| {
            let options = ConvOptions { strides: [a, 2], ..ConvOptions::default() };
            one(x.conv_transpose2d(x, None, options, [b, 0]))
        }),
        ("max_pool2d", |x, a, b| one(x.max_pool2d([a, b], PoolOptions::default()))),
        ("padded max_pool2d", |x, a, b| {
            let options = PoolOptions { strides: Some([1, a]), padding: [b, 0], ceil: true, ..PoolOptions::default() };
            one(x.max_pool2d([1, 2], options))
        }),
        ("average_pool2d", |x, a, b| {
            one(x.average_pool2d([1, 1], PoolOptions { dilations: [a, b], ..PoolOptions::default() }))
        }),
        ("layer_norm", |x, a, _| one(x.layer_norm(a, x, Some(x), 1e-5))),
        ("rms_norm", |x, a, _| one(x.rms_norm(a, x, f32::NAN))),
        ("group_norm", |x, a, _| one(x.group_norm(a, x, x, 1e-5))),
        ("cross_entropy", |x, a, b| {
            let options = CrossEntropy { ignore_index: Some(b), ..CrossEntropy::default() };
            one(loss::cross_entropy(x, &Var::full(&[2], a, DType::I64)?, options))
        }),
        ("from_slice", |_, a, b| one(Var::from_slice(&[1.0_f32], &[a, b]))),
        ("full", |x, a, _| one(Var::full(&[a.min(8)], 1e300, x.dtype()))),
        ("parameter", |x, a, _| one(Initializer::XavierUniform.parameter(&[a.min(8), 2], x.dtype(), 0))),
    ];
    let operands: Vec<_> = operands()
        .into_iter()
        .filter(|x| [DType::F32, DType::F64, DType::I64, DType::Bool].contains(&x.dtype()))
        .collect();
    for x in &operands {
        for (name, method) in &methods {
            for a in NUMBERS {
                for b in NUMBERS {
                    // What is large but can be had is no subject here.
                    survive(name, &(x, a, b), || method(x, a, b));
                }
            }
        }
    }
    for parts in [0, 1, 2, 100] {
        for x in &operands {
            for axis in NUMBERS {
                survive("chunk", &(x, parts, axis), || x.chunk(parts, axis));
            }
        }
    }
    survive("chunk", &usize::MAX, || operands[3].chunk(usize::MAX, 0));
    assert_survived();
}

#[test]
fn two_operands_of_any_kinds() {
    type Method = fn(&Var, &Var) -> Result<Vec<Var>>;
    let methods: Vec<(&str, Method)> = vec![
        ("add", |a, b| one(a.add(b))),
        ("div", |a, b| one(a.div(b))),
        ("maximum", |a, b| one(a.maximum(b))),
        ("pow", |a, b| one(a.pow(b))),
        ("equal", |a, b| one(a.equal(b))),
        ("less", |a, b| one(a.less(b))),
        ("matmul", |a, b| one(a.matmul(b))),
        ("linear", |a, b| one(a.linear(b, None))),
        ("linear with a bias", |a, b| one(a.linear(a, Some(b)))),
        ("einsum", |a, b| one(Var::einsum("ij,jk", &[a, b]))),
        ("concat", |a, b| one(Var::concat(&[a, b], 0))),
        ("stack", |a, b| one(Var::stack(&[a, b], -1))),
        ("gather", |a, b| one(a.gather(0, b))),
        ("gather_elements", |a, b| one(a.gather_elements(-1, b))),
        ("scatter", |a, b| one(a.scatter(0, b, a))),
        ("scatter_add", |a, b| one(a.scatter_add(0, b, b))),
        ("masked_fill", |a, b| one(a.masked_fill(b, 0.0))),
        ("select_by", |a, b| one(a.select_by(b, b))),
        ("conv1d", |a, b| one(a.conv1d(b, Some(b), ConvOptions::default()))),
        ("conv2d", |a, b| one(a.conv2d(b, None, ConvOptions::default()))),
        ("conv3d", |a, b| one(a.conv3d(b, None, ConvOptions::default()))),
        ("conv_transpose2d", |a, b| one(a.conv_transpose2d(b, None, ConvOptions::default(), [0, 0]))),
        ("layer_norm", |a, b| one(a.layer_norm(-1, b, Some(b), 1e-5))),
        ("rms_norm", |a, b| one(a.rms_norm(-1, b, 1e-5))),
        ("group_norm", |a, b| one(a.group_norm(1, b, b, 1e-5))),
        ("batch_norm", |a, b| one(a.batch_norm([b, b], [b, b], 0.9, 1e-5).map(|(result, _)| result))),
        ("batch_norm_by", |a, b| one(a.batch_norm_by([b, b], [b, b], 1e-5))),
        ("attention", |a, b| one(a.scaled_dot_product_attention(b, b, None, true, None))),
        ("masked attention", |a, b| one(a.scaled_dot_product_attention(a, a, Some(b), false, Some(0.0)))),
        ("cross_entropy", |a, b| one(loss::cross_entropy(a, b, CrossEntropy::default()))),
        ("smoothed cross_entropy", |a, b| {
            let options = CrossEntropy { label_smoothing: 0.1, weights: Some(a), ..CrossEntropy::default() };
            one(loss::cross_entropy(a, b, options))
        }),
        ("mse", |a, b| one(loss::mse(a, b, LossReduction::Mean))),
        ("bce_with_logits", |a, b| one(loss::bce_with_logits(a, b, LossReduction::Sum))),
        ("huber", |a, b| one(loss::huber(a, b, 1.0, LossReduction::None))),
        ("add_in_place", |a, b| a.detach().add_in_place(&b.detach()).map(|()| vec![])),
        ("mul_in_place", |a, b| a.detach().mul_in_place(&b.detach()).map(|()| vec![])),
        ("set_data", |a, b| a.set_data(b.tensor()).map(|()| vec![])),
        ("set_gradient", |a, b| a.set_gradient(b.tensor().clone()).map(|()| vec![])),
        ("backward_from", |a, b| a.add(1.0)?.backward_from(b).map(|()| vec![])),
        ("grad", |a, b| grad(&[a, b], &[b, a], GradOptions { allow_unreachable: true, ..GradOptions::default() })),
        ("parameters", |a, b| {
            let mut parameters = Parameters::new();
            parameters.add("a", a.clone())?;
            parameters.load(&[("a".into(), b.tensor().clone())]).map(|()| vec![])
        }),
    ];
    let operands = operands();
    for a in &operands {
        for b in &operands {
            for (name, method) in &methods {
                survive(name, &(a, b), || method(a, b));
            }
        }
    }
    assert_survived();
}

/// What fits nothing at all, and what is said then.
#[test]
fn what_is_wrong_is_said() {
    let (row, matrix) = (Var::full(&[3], 1.0, DType::F32).unwrap(), Var::full(&[2, 3], 1.0, DType::F32).unwrap());
    let (wide, whole) = (Var::full(&[3], 1.0, DType::F64).unwrap(), Var::full(&[3], 1, DType::I64).unwrap());
    let image = Var::full(&[1, 2, 4, 4], 1.0, DType::F32).unwrap();
    let none = ConvOptions::default();
    let texts: Vec<Result> = vec![
        row.add(&wide),
        matrix.mul(&Var::full(&[2], 1.0, DType::F32).unwrap()),
        whole.tanh(),
        matrix.matmul(&matrix),
        matrix.linear(&Var::full(&[4, 4], 1.0, DType::F32).unwrap(), None),
        Var::full(&[], 1.0, DType::F32).unwrap().linear(&matrix, None),
        matrix.sum(&[2], false),
        matrix.chunk(usize::MAX, 1).map(|mut parts| parts.remove(0)),
        matrix.softmax(-3),
        matrix.reshape(&[4, -1]),
        matrix.flatten(1, 0),
        matrix.permute(&[0, 0]),
        row.t(),
        matrix.squeeze(&[0]),
        matrix.slice(0, None, None, 0),
        matrix.narrow(1, 2, 2),
        matrix.select(0, 2),
        matrix.expand(&[2, 4]),
        Var::concat(&[&matrix, &row], 0),
        Var::concat(&[], 0),
        Var::stack(&[], 0),
        matrix.split(&[1, 1], 1).map(|mut parts| parts.remove(0)),
        matrix.chunk(0, 1).map(|mut parts| parts.remove(0)),
        matrix.gather(0, &Var::full(&[1], 2, DType::I64).unwrap()),
        matrix.gather(0, &row),
        matrix.pad(&[1], &[1], 0.0),
        matrix.pad(&[-3, 0], &[0, 0], 0.0),
        matrix.tile(&[-1, 1]),
        row.triu(0),
        row.top_k(4, 0, true).map(|(values, _)| values),
        row.masked_fill(&row, 0.0),
        image.conv2d(&Var::full(&[1, 3, 3, 3], 1.0, DType::F32).unwrap(), None, none),
        image.conv2d(&Var::full(&[1, 2, 9, 9], 1.0, DType::F32).unwrap(), None, none),
        image.conv2d(&image, None, ConvOptions { strides: [0, 1], ..none }),
        image.conv2d(&image, None, ConvOptions { groups: 0, ..none }),
        image.max_pool2d([0, 1], PoolOptions::default()),
        image.max_pool2d([9, 9], PoolOptions::default()),
        image.group_norm(3, &row, &row, 1e-5),
        row.scaled_dot_product_attention(&row, &row, None, false, None),
        Var::einsum("ij,j", &[&matrix]),
        Var::einsum("i", &[&matrix]),
        row.dropout(1.0),
        loss::huber(&row, &row, 0.0, LossReduction::Mean),
        loss::mse(&row, &wide, LossReduction::Mean),
        loss::cross_entropy(&matrix, &whole, CrossEntropy::default()),
        matrix.item().and_then(|item| Var::full(&[], item, DType::F64)),
        row.backward().map(|()| row.clone()),
        matrix.with_requires_grad().unwrap().backward().map(|()| row.clone()),
        whole.with_requires_grad(),
        Var::from_slice(&[1.0_f32], &[2]),
        Var::leaf(&[1_i64], &[1]),
        row.to_vec::<f64>().map(|_| row.clone()),
    ];
    let say = |(place, text): (usize, Result)| match text {
        Err(error) => error.to_string(),
        Ok(result) => panic!("number {place} is no error but {result}"),
    };
    let texts: Vec<String> = texts.into_iter().enumerate().map(say).collect();
    insta::assert_snapshot!(texts.join("\n"));
}
