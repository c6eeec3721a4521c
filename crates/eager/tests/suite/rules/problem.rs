//! `Problem`: an operator with its inputs, whose gradients are checked.

use std::sync::Arc;

use stratal_autograd::{GradOptions, Output, Variable};
use stratal_eager::{EagerError, GradientCheck, Var, apply_shared, derivatives, engine};
use stratal_ops::Operator;
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

/// An operator with its inputs, and which of them a gradient is wanted for.
#[derive(Debug)]
pub(crate) struct Problem {
    operator: Arc<dyn Operator>,
    inputs: Vec<Option<Tensor>>,
    outputs: usize,
    check: GradientCheck,
    /// Inputs of floats that have no gradient.
    constants: Vec<usize>,
    /// Whether the operator itself is given f32, since f64 is nothing that it takes.
    is_single: bool,
}

impl Problem {
    /// One of the first output, for all inputs of f64.
    pub(crate) fn new(operator: impl Operator, inputs: impl IntoIterator<Item = Tensor>) -> Self {
        Self::with_missing(operator, inputs.into_iter().map(Some))
    }

    /// [`new`](Self::new), with inputs that are left out.
    pub(crate) fn with_missing(operator: impl Operator, inputs: impl IntoIterator<Item = Option<Tensor>>) -> Self {
        let inputs = inputs.into_iter().collect();
        Self {
            operator: Arc::new(operator),
            inputs,
            outputs: 1,
            check: GradientCheck::default(),
            constants: Vec::new(),
            is_single: false,
        }
    }

    /// Of the first so many outputs.
    pub(crate) fn outputs(self, outputs: usize) -> Self {
        Self { outputs, ..self }
    }

    /// With other steps and tolerances.
    pub(crate) fn tolerance(self, absolute: f64, relative: f64) -> Self {
        Self { check: GradientCheck { absolute, relative, ..self.check }, ..self }
    }

    /// By steps of this size.
    pub(crate) fn step(self, step: f64) -> Self {
        Self { check: GradientCheck { step, ..self.check }, ..self }
    }

    /// Of an operator that computes in f32 alone. Rounding asks for long steps, and they for tolerance.
    pub(crate) fn in_single(self) -> Self {
        Self { is_single: true, ..self }.step(1e-2).tolerance(1e-3, 1e-3)
    }

    /// Without the gradient of an input.
    pub(crate) fn constant(mut self, input: usize) -> Self {
        self.constants.push(input);
        self
    }

    /// The operator's name, with its domain.
    pub(crate) fn name(&self) -> String {
        super::full_name(self.operator.definition())
    }

    /// What is wrong with the gradients: nothing, one would hope.
    pub(crate) fn check(&self) -> Vec<String> {
        let info = derivatives().find(|info| super::full_name(info.definition) == self.name());
        let Some(info) = info else { return vec![format!("{}: no derivative", self.name())] };
        let all: Vec<usize> = (0..self.inputs.len()).filter(|&input| self.has_gradient(input)).collect();
        let found = [
            self.check_differences(&all, info.is_differentiable),
            self.check_ways(&all, info.is_differentiable),
            self.check_single(&all),
        ];
        let failure = |what| format!("{:?} of {}, {what}", self.operator, self.shapes());
        found
            .into_iter()
            .filter_map(|found| found.unwrap_or_else(|error| Some(error.to_string())))
            .map(failure)
            .collect()
    }

    /// Whether gradients, and their gradients, are what central differences say.
    fn check_differences(&self, all: &[usize], second_order: bool) -> Result<Option<String>, EagerError> {
        let check = GradientCheck { second_order, ..self.check };
        let report = check.run(|vars| self.bent(vars), &self.vars(Layout::RowMajor, all)?)?;
        Ok((!report.is_close()).then(|| report.to_string()))
    }

    /// Whether gradients are the same wherever elements lie, for each input alone, and without a graph, where rules may have a
    /// shorter way.
    fn check_ways(&self, all: &[usize], is_differentiable: bool) -> Result<Option<String>, EagerError> {
        let expected = self.slopes(Layout::RowMajor, all, is_differentiable)?;
        let mut choices = vec![all.to_vec()];
        if all.len() > 1 {
            choices.extend(all.iter().map(|&input| vec![input]));
        }
        for layout in [Layout::RowMajor, Layout::Backward, Layout::Interleaved] {
            for needing in &choices {
                let is_all = needing.len() == all.len();
                for creates_graph in if is_all && is_differentiable { &[true, false][..] } else { &[false] } {
                    let found = self.slopes(layout, needing, *creates_graph)?;
                    for slopes in &found {
                        let same = |other: &&Slopes| (other.order, other.input) == (slopes.order, slopes.input);
                        let expected = expected.iter().find(same).map_or(&[][..], |slopes| &slopes.elements);
                        let tolerance = if self.is_single { 1e-4 } else { 1e-9 };
                        if let Some(at) = first_off(&slopes.elements, expected, tolerance) {
                            return Ok(Some(format!(
                                "{layout:?}, for {needing:?}, with a graph: {creates_graph}: element {at} of the gradient of order {} \
                                 of input {} is {:?}, but {:?} row-major for all with a graph",
                                slopes.order,
                                slopes.input,
                                slopes.elements.get(at),
                                expected.get(at)
                            )));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// The gradients of the inputs, and with a graph those of the gradients.
    fn slopes(&self, layout: Layout, needing: &[usize], creates_graph: bool) -> Result<Vec<Slopes>, EagerError> {
        let vars = self.vars(layout, needing)?;
        let wanted: Vec<_> = vars.iter().filter(|var| var.requires_grad()).collect();
        let first = gradients(&self.bent(&vars)?, &wanted, creates_graph)?;
        let mut orders = vec![first];
        if creates_graph {
            let reached: Vec<Var> = orders[0].iter().flatten().cloned().collect();
            orders.push(gradients(&reached, &wanted, false)?);
        }
        let mut found = Vec::new();
        for (order, gradients) in orders.iter().enumerate() {
            for (&input, gradient) in needing.iter().zip(gradients) {
                let elements = gradient.as_ref().map(Var::to_vec::<f64>).transpose()?.unwrap_or_default();
                found.push(Slopes { order: order + 1, input, elements });
            }
        }
        Ok(found)
    }

    /// Whether f32 gives the same gradients as f64, but for rounding.
    fn check_single(&self, all: &[usize]) -> Result<Option<String>, EagerError> {
        let gradients = |dtype: DType| -> Result<Vec<Option<Vec<f64>>>, EagerError> {
            let vars = self.vars(Layout::RowMajor, all)?;
            let cast = |var: &Var| -> Result<Var, EagerError> {
                let tensor = if var.dtype().is_float() { var.tensor().cast(dtype)? } else { var.tensor().clone() };
                if var.requires_grad() { Var::parameter(tensor) } else { Ok(Var::constant(tensor)) }
            };
            let vars: Vec<Var> = vars.iter().map(cast).collect::<Result<_, _>>()?;
            let outputs = self.apply(&vars)?;
            // One walk for all outputs, which may be of several dtypes: it lets go of what they share.
            let sum = |output: &Var| output.cast(DType::F64)?.sum(&[], false);
            let sums = outputs.iter().filter(|output| output.requires_grad()).map(sum);
            if let Some(total) = sums.reduce(|total, sum| total?.add(&sum?)) {
                total?.backward()?;
            }
            let elements = |gradient: Tensor| Ok(gradient.cast(DType::F64)?.to_vec()?);
            vars.iter().map(|var| var.gradient().map(elements).transpose()).collect()
        };
        let (single, double) = (gradients(DType::F32)?, gradients(DType::F64)?);
        let pairs =
            single.iter().zip(&double).filter_map(|(single, double)| Some((single.as_ref()?, double.as_ref()?)));
        let mut off = pairs.filter_map(|(single, double)| Some((single, double, first_off(single, double, 2e-4)?)));
        Ok(off.next().map(|(single, double, at)| {
            format!("in float32: the gradient is {:?} at {at}, in float64 {:?}", single.get(at), double.get(at))
        }))
    }

    fn has_gradient(&self, input: usize) -> bool {
        let is_float = self.inputs[input].as_ref().is_some_and(|tensor| tensor.dtype() == DType::F64);
        is_float && !self.constants.contains(&input)
    }

    /// The inputs that are there, as variables.
    fn vars(&self, layout: Layout, needing: &[usize]) -> Result<Vec<Var>, EagerError> {
        let given = self.inputs.iter().enumerate().filter_map(|(input, tensor)| Some((input, tensor.as_ref()?)));
        let var = |(input, tensor): (usize, &Tensor)| {
            let tensor = layout.of(tensor)?;
            if needing.contains(&input) { Var::parameter(tensor) } else { Ok(Var::constant(tensor)) }
        };
        given.map(var).collect()
    }

    /// The outputs, bent: the gradients that rules are given depend on the inputs then, so that even of linear operators there is
    /// a gradient of the gradient.
    fn bent(&self, vars: &[Var]) -> Result<Vec<Var>, EagerError> {
        let bend =
            |output: &Var| if output.requires_grad() { output.mul(&output.add(1.0)?) } else { Ok(output.clone()) };
        self.apply(vars)?.iter().map(bend).collect()
    }

    fn apply(&self, vars: &[Var]) -> Result<Vec<Var>, EagerError> {
        let cast = |var: &Var, dtype: DType| {
            if self.is_single && var.dtype().is_float() { var.cast(dtype) } else { Ok(var.clone()) }
        };
        let vars: Vec<Var> = vars.iter().map(|var| cast(var, DType::F32)).collect::<Result<_, _>>()?;
        let mut vars = vars.iter();
        let inputs: Vec<Option<&Var>> =
            self.inputs.iter().map(|input| input.as_ref().and_then(|_| vars.next())).collect();
        let outputs = apply_shared(&self.operator, &inputs, self.outputs)?;
        outputs.iter().map(|output| cast(output, DType::F64)).collect()
    }

    fn shapes(&self) -> String {
        let shape = |input: &Option<Tensor>| {
            input.as_ref().map_or_else(|| "nothing".into(), |input| format!("{}", input.shape()))
        };
        self.inputs.iter().map(shape).collect::<Vec<_>>().join(" ")
    }
}

/// The gradient of an input.
struct Slopes {
    order: usize,
    input: usize,
    elements: Vec<f64>,
}

/// The gradients of weighted outputs; none for what they do not depend on.
fn gradients(outputs: &[Var], wanted: &[&Var], create_graph: bool) -> Result<Vec<Option<Var>>, EagerError> {
    let outputs = outputs.iter().enumerate().filter(|(_, output)| output.requires_grad());
    let seed = |(number, output): (usize, &Var)| -> Result<_, EagerError> {
        let weights = spread_from(number, &extents(output.tensor()), 0.25, 1.75).cast(output.dtype())?;
        Ok((output.as_variable().clone(), Variable::constant(weights)))
    };
    let seeds = outputs.map(seed).collect::<Result<Vec<_>, _>>()?;
    if seeds.is_empty() {
        return Ok(vec![None; wanted.len()]);
    }
    let given: Vec<_> = seeds.iter().map(|(output, seed)| Output::with_gradient(output, seed.clone())).collect();
    let wanted: Vec<_> = wanted.iter().map(|var| var.as_variable()).collect();
    let options = GradOptions { create_graph, allow_unreachable: true, ..GradOptions::default() };
    Ok(engine()?.grad(&given, &wanted, options)?.into_iter().map(|gradient| gradient.map(Var::from)).collect())
}

/// The first element that is further off than a part of the greatest. Nothing stands for zeros.
fn first_off(found: &[f64], expected: &[f64], tolerance: f64) -> Option<usize> {
    let scale =
        expected.iter().filter(|element| element.is_finite()).fold(1.0_f64, |scale, element| scale.max(element.abs()));
    let at = |elements: &[f64], element: usize| elements.get(element).copied().unwrap_or(0.0);
    (0..found.len().max(expected.len())).find(|&element| {
        let (found, expected) = (at(found, element), at(expected, element));
        let is_close = (found - expected).abs() <= tolerance * scale;
        !(is_close || found == expected || found.is_nan() && expected.is_nan())
    })
}

/// Where the elements of an operand lie.
#[derive(Debug, Clone, Copy)]
enum Layout {
    RowMajor,
    /// From the last element to the first.
    Backward,
    /// Every other element along the last axis, of a transposed tensor.
    Interleaved,
}

impl Layout {
    fn of(self, tensor: &Tensor) -> Result<Tensor, EagerError> {
        let extents = extents(tensor);
        let axes: Vec<i64> = (0..extents.len() as i64).collect();
        let seen = match self {
            Self::RowMajor => Tensor::empty(&extents, tensor.dtype())?,
            Self::Backward => Tensor::empty(&extents, tensor.dtype())?.flip(&axes)?,
            Self::Interleaved => {
                let reversed: Vec<i64> = axes.iter().rev().copied().collect();
                let mut stored: Vec<i64> = extents.iter().rev().copied().collect();
                let Some(last) = stored.last_mut() else { return Ok(tensor.copied()?) };
                *last *= 2;
                Tensor::empty(&stored, tensor.dtype())?.slice(-1, None, None, 2)?.permute(&reversed)?
            }
        };
        seen.copy_from(tensor)?;
        Ok(seen)
    }
}

pub(crate) fn extents(tensor: &Tensor) -> Vec<i64> {
    tensor.shape().extents().iter().map(|&extent| extent.into()).collect()
}

/// Different numbers from -1.2 to 1.2 that keep away from 0 and from each other.
pub(crate) fn numbers(shape: &[i64]) -> Tensor {
    spread(shape, -1.2, 1.2)
}

/// Different numbers between two ends.
pub(crate) fn spread(shape: &[i64], low: f64, high: f64) -> Tensor {
    spread_from(0, shape, low, high)
}

/// [`spread`], other ones for each start.
pub(crate) fn spread_from(start: usize, shape: &[i64], low: f64, high: f64) -> Tensor {
    let count = shape.iter().product::<i64>() as usize;
    let at = |element: usize| low + (high - low) * ((element + 31 * start + 1) as f64 * 0.754_877_666_246_693).fract();
    Tensor::from_vec((0..count).map(at).collect::<Vec<f64>>(), shape).unwrap()
}

/// Integers as an operand.
pub(crate) fn integers(elements: &[i64]) -> Tensor {
    Tensor::from_slice(elements, &[elements.len() as i64]).unwrap()
}
