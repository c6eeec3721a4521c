//! A toy set of operations over contiguous f32 tensors: what a crate above plugs in, as small as it can be.

use stratal_autograd::{
    Accumulate, AutogradError, Differentiable, Engine, InputGradients, OpKind, Recording, RuleCall, RuleError, Rules,
    Variable,
    tensor::{Tensor, TensorOptions, base::DType, memory::Pool},
};

pub(crate) const ADD: OpKind = OpKind::new("add");
pub(crate) const MUL: OpKind = OpKind::new("mul");
pub(crate) const SCALE: OpKind = OpKind::new("scale");
pub(crate) const EXP: OpKind = OpKind::new("exp");
pub(crate) const FLIP: OpKind = OpKind::new("flip");
pub(crate) const SPLIT: OpKind = OpKind::new("split");
pub(crate) const JOIN: OpKind = OpKind::new("join");
pub(crate) const MAX: OpKind = OpKind::new("max");

pub(crate) fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().unwrap()
}

/// Takes over a vector, so nothing was written and the version is 0.
pub(crate) fn tensor(values: &[f32]) -> Tensor {
    Tensor::from_vec(values.to_vec(), &[values.len() as i64]).unwrap()
}

pub(crate) fn leaf(values: &[f32]) -> Variable {
    Variable::leaf(tensor(values)).unwrap()
}

pub(crate) fn constant(values: &[f32]) -> Variable {
    Variable::constant(tensor(values))
}

/// The gradient that a leaf has collected.
pub(crate) fn gradient(leaf: &Variable) -> Vec<f32> {
    values(&leaf.gradient().expect("a gradient"))
}

/// An engine with a rule for each operation here.
pub(crate) fn engine() -> Engine {
    Engine::new(rules(), Sum)
}

pub(crate) fn rules() -> Rules {
    let mut rules = Rules::new();
    rules.register(ADD, Differentiable(of_add)).unwrap();
    rules.register(MUL, Differentiable(of_mul)).unwrap();
    rules.register(SCALE, Differentiable(of_scale)).unwrap();
    rules.register(EXP, Differentiable(of_exp)).unwrap();
    rules.register(FLIP, Differentiable(of_flip)).unwrap();
    rules.register(SPLIT, Differentiable(of_split)).unwrap();
    rules.register(JOIN, Differentiable(of_join)).unwrap();
    rules.register(MAX, of_max).unwrap();
    rules
}

/// Element-wise addition, as the sum of gradients.
pub(crate) struct Sum;

impl Accumulate for Sum {
    fn add(&self, first: &Variable, second: &Variable) -> Result<Variable, RuleError> {
        Ok(add(first, second)?)
    }

    fn add_to_sum(&self, sum: Variable, term: &Variable) -> Result<Variable, RuleError> {
        let term = values(term.tensor());
        for (sum, term) in sum.data_mut::<f32>()?.iter_mut().zip(term) {
            *sum += term;
        }
        Ok(sum)
    }
}

pub(crate) fn add(left: &Variable, right: &Variable) -> Result<Variable, AutogradError> {
    let recording = Recording::start(ADD, &[left, right]);
    recording.finish(zip(left, right, |left, right| left + right)?)
}

fn of_add(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    let gradient = call.only_gradient()?;
    Ok([gradient.clone(), gradient.clone()].into())
}

pub(crate) fn mul(left: &Variable, right: &Variable) -> Result<Variable, AutogradError> {
    let mut recording = Recording::start(MUL, &[left, right]);
    for (input, other) in [(0, 1), (1, 0)] {
        if recording.needs(other) {
            recording.save_input(input);
        } else {
            recording.save_nothing();
        }
    }
    recording.finish(zip(left, right, |left, right| left * right)?)
}

fn of_mul(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    let gradient = call.only_gradient()?;
    let times = |slot, input| -> Result<Option<Variable>, RuleError> {
        if !call.needs(input) {
            return Ok(None);
        }
        let factor = call.saved(slot)?;
        Ok(Some(mul(gradient, &factor)?))
    };
    Ok([times(1, 0)?, times(0, 1)?].into())
}

/// Times a number, which is kept as an attribute.
pub(crate) fn scale(input: &Variable, factor: f64) -> Result<Variable, AutogradError> {
    let mut recording = Recording::start(SCALE, &[input]);
    recording.floats(&[factor]);
    recording.finish(map(input, |element| element * factor as f32)?)
}

fn of_scale(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    Ok([scale(call.only_gradient()?, call.record().floats()[0])?].into())
}

/// The exponential function, which saves its output.
pub(crate) fn exp(input: &Variable) -> Result<Variable, AutogradError> {
    let mut recording = Recording::start(EXP, &[input]);
    recording.save_output(0);
    recording.finish(map(input, f32::exp)?)
}

fn of_exp(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    let output = call.saved(0)?;
    Ok([mul(call.only_gradient()?, &output)?].into())
}

/// The first axis reversed: a view, which shares elements and nothing else.
pub(crate) fn flip(input: &Variable) -> Result<Variable, AutogradError> {
    let recording = Recording::start(FLIP, &[input]);
    recording.finish(input.tensor().flip(&[0])?)
}

fn of_flip(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    Ok([flip(call.only_gradient()?)?].into())
}

/// Two halves, as views.
pub(crate) fn split(input: &Variable) -> Result<[Variable; 2], AutogradError> {
    let half = (input.shape().count() / 2) as i64;
    let recording = Recording::start(SPLIT, &[input]);
    recording.finish_all([input.tensor().narrow(0, 0, half)?, input.tensor().narrow(0, half, half)?])
}

fn of_split(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    let half = |output: usize| match call.gradient(output) {
        Some(gradient) => Ok(gradient.clone()),
        None => {
            let extent = i64::from(call.record().outputs()[output].shape.extents()[0]);
            Tensor::zeros(&[extent], DType::F32).map(Variable::constant)
        }
    };
    Ok([join(&half(0)?, &half(1)?)?].into())
}

/// Two tensors, one after the other.
pub(crate) fn join(first: &Variable, second: &Variable) -> Result<Variable, AutogradError> {
    let recording = Recording::start(JOIN, &[first, second]);
    recording.finish(tensor(&[values(first.tensor()), values(second.tensor())].concat()))
}

fn of_join(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    Ok(split(call.only_gradient()?)?.into())
}

/// The largest element, which saves its index in a tensor of its own.
pub(crate) fn max(input: &Variable) -> Result<Variable, AutogradError> {
    let mut recording = Recording::start(MAX, &[input]);
    let elements = values(input.tensor());
    let mut largest = 0;
    for (index, element) in elements.iter().enumerate() {
        if *element > elements[largest] {
            largest = index;
        }
    }
    if recording.is_active() {
        recording.save_owned(Tensor::scalar(largest as i32)?);
    }
    recording.finish(tensor(&elements[largest..=largest]))
}

fn of_max(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    let index = call.saved(0)?.tensor().item::<i32>(&[])?;
    let shape = call.record().inputs()[0].shape;
    let gradient = Tensor::zeros(&[shape.count() as i64], DType::F32)?;
    gradient.set(&[index.into()], call.only_gradient()?.tensor().item::<f32>(&[0])?)?;
    Ok([Variable::constant(gradient)].into())
}

fn map(input: &Variable, function: impl Fn(f32) -> f32) -> Result<Tensor, AutogradError> {
    let elements: Vec<f32> = values(input.tensor()).into_iter().map(function).collect();
    in_pool_of(input, &elements)
}

fn zip(left: &Variable, right: &Variable, function: impl Fn(f32, f32) -> f32) -> Result<Tensor, AutogradError> {
    let pairs = values(left.tensor()).into_iter().zip(values(right.tensor()));
    let elements: Vec<f32> = pairs.map(|(left, right)| function(left, right)).collect();
    in_pool_of(left, &elements)
}

thread_local! {
    /// Where results go, so that a test can count live bytes that are its own.
    pub(crate) static POOL: Pool = Pool::new();
}

fn in_pool_of(like: &Variable, elements: &[f32]) -> Result<Tensor, AutogradError> {
    let extents: Vec<i64> = like.shape().extents().iter().map(|&extent| extent.into()).collect();
    let result = POOL.with(|pool| TensorOptions::new(DType::F32).allocator(pool).empty(&extents))?;
    result.data_mut::<f32>()?.copy_from_slice(elements);
    Ok(result)
}
