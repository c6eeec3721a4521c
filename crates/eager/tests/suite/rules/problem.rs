//! `Problem`: an operator with its inputs, whose gradients are checked.
#![allow(dead_code, reason = "while families are being written")]

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
        let mut failures = Vec::new();
        let differentiable: Vec<usize> = (0..self.inputs.len()).filter(|&input| self.has_gradient(input)).collect();
        let mut choices: Vec<Vec<usize>> = vec![differentiable.clone()];
        if differentiable.len() > 1 {
            choices.extend(differentiable.iter().map(|&input| vec![input]));
        }
        for layout in [Layout::RowMajor, Layout::Backward, Layout::Interleaved] {
            for needing in &choices {
                let is_all = needing.len() == differentiable.len();
                // Second derivatives once a layout: they are the product of everything else.
                let second_order = info.is_differentiable && is_all;
                let check = GradientCheck { second_order, ..self.check };
                let found = self.vars(layout, needing).and_then(|vars| check.run(|vars| self.apply(vars), &vars));
                match found {
                    Ok(report) if report.is_close() => {}
                    Ok(report) => failures.push(format!(
                        "{:?} of {}, {layout:?}, for {needing:?}: {report}",
                        self.operator,
                        self.shapes()
                    )),
                    Err(error) => failures.push(format!(
                        "{:?} of {}, {layout:?}, for {needing:?}: {error}",
                        self.operator,
                        self.shapes()
                    )),
                }
            }
        }
        failures.extend(self.check_single(&differentiable));
        if info.is_differentiable {
            failures.extend(self.check_created_graph(&differentiable));
        }
        failures
    }

    /// Whether gradients are the same when they are to be differentiated themselves: rules may have a shorter way otherwise.
    fn check_created_graph(&self, needing: &[usize]) -> Option<String> {
        let gradients = |create_graph: bool| -> Result<Vec<f64>, EagerError> {
            let vars = self.vars(Layout::RowMajor, needing)?;
            let outputs = self.apply(&vars)?;
            let outputs: Vec<&Var> = outputs.iter().filter(|output| output.requires_grad()).collect();
            let seeds = outputs.iter().map(|output| Tensor::ones(&extents(output.tensor()), output.dtype()));
            let seeds = seeds.collect::<Result<Vec<_>, _>>()?;
            let given = outputs.iter().zip(seeds);
            let given: Vec<_> = given
                .map(|(output, seed)| Output::with_gradient(output.as_variable(), Variable::constant(seed)))
                .collect();
            let wanted: Vec<_> = vars.iter().filter(|var| var.requires_grad()).map(Var::as_variable).collect();
            if given.is_empty() {
                return Ok(Vec::new());
            }
            let options = GradOptions { create_graph, allow_unreachable: true, ..GradOptions::default() };
            let found = engine()?.grad(&given, &wanted, options)?;
            let elements = found.into_iter().flatten().map(|gradient| Ok(gradient.tensor().to_vec::<f64>()?));
            Ok(elements.collect::<Result<Vec<_>, EagerError>>()?.concat())
        };
        let both = gradients(false).and_then(|short| Ok((short, gradients(true)?)));
        let (short, recorded) = match both {
            Ok(both) => both,
            Err(error) => return Some(format!("{:?} of {}: {error}", self.operator, self.shapes())),
        };
        let is_off = |(short, recorded): (&f64, &f64)| {
            let close = (short - recorded).abs() <= 1e-10 * (1.0 + recorded.abs());
            !(close || short == recorded || short.is_nan() && recorded.is_nan())
        };
        let off = short.iter().zip(&recorded).position(is_off)?;
        let (short, recorded) = (short[off], recorded[off]);
        let shapes = self.shapes();
        Some(format!("{:?} of {shapes}: the gradient is {short}, but {recorded} with a graph", self.operator))
    }

    /// Whether f32 gives the same gradients as f64, but for rounding.
    fn check_single(&self, needing: &[usize]) -> Option<String> {
        let gradients = |dtype: DType| -> Result<Vec<Option<Tensor>>, EagerError> {
            let vars = self.vars(Layout::RowMajor, needing)?;
            let cast = |(position, var): (usize, &Var)| -> Result<Var, EagerError> {
                let is_float = var.dtype().is_float();
                let tensor = if is_float { var.tensor().cast(dtype)? } else { var.tensor().clone() };
                if self.needs(position, needing) { Var::parameter(tensor) } else { Ok(Var::constant(tensor)) }
            };
            let vars: Vec<Var> = vars.iter().enumerate().map(cast).collect::<Result<_, _>>()?;
            let outputs = self.apply(&vars)?;
            // One walk for all outputs, which may be of several dtypes: it lets go of what they share.
            let sum = |output: &Var| output.cast(DType::F64)?.sum(&[], false);
            let sums = outputs.iter().filter(|output| output.requires_grad()).map(sum);
            let total = sums.reduce(|total, sum| total?.add(&sum?));
            if let Some(total) = total {
                total?.backward()?;
            }
            vars.iter().map(|var| Ok(var.gradient().map(|gradient| gradient.cast(DType::F64)).transpose()?)).collect()
        };
        let both = gradients(DType::F32).and_then(|single| Ok((single, gradients(DType::F64)?)));
        let (single, double) = match both {
            Ok(both) => both,
            Err(error) => return Some(format!("{:?} of {} in float32: {error}", self.operator, self.shapes())),
        };
        for (single, double) in single.iter().zip(&double) {
            let (Some(single), Some(double)) = (single, double) else { continue };
            let (single, double) = (single.to_vec::<f64>().unwrap(), double.to_vec::<f64>().unwrap());
            let scale = double.iter().fold(1.0_f64, |scale, element| scale.max(element.abs()));
            let is_off = |(single, double): (&f64, &f64)| {
                !((single - double).abs() <= 2e-4 * scale || single == double || single.is_nan() && double.is_nan())
            };
            if let Some(index) = single.iter().zip(&double).position(is_off) {
                return Some(format!(
                    "{:?} of {}: in float32 the gradient is {} at {index}, in float64 {}",
                    self.operator,
                    self.shapes(),
                    single[index],
                    double[index]
                ));
            }
        }
        None
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

    /// Whether the variable at this position, among those given, needs a gradient.
    fn needs(&self, position: usize, needing: &[usize]) -> bool {
        let given = self.inputs.iter().enumerate().filter(|(_, tensor)| tensor.is_some());
        given.map(|(input, _)| input).nth(position).is_some_and(|input| needing.contains(&input))
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
