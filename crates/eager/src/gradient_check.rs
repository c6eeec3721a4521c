//! `GradientCheck`: gradients beside central differences.

use std::fmt;

use stratal_autograd::{GradOptions, Output, no_grad};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use crate::{EagerError, Var, engine};

/// Compares the gradients of a function with central differences, in f64.
///
/// The outputs are weighted by fixed numbers and added up, so that no gradient hides behind another. Each element of each input
/// that requires a gradient is moved up and down by a step, and what comes of it compared with what backward says.
///
/// ```
/// use stratal_eager::{GradientCheck, Var};
///
/// let x = Var::leaf(&[0.5_f64, -1.5], &[2])?;
/// let report = GradientCheck::default().run(|inputs| Ok(vec![inputs[0].tanh()?]), &[x])?;
/// assert!(report.is_close(), "{report}");
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct GradientCheck {
    /// How far elements are moved. The default, 1e-5, balances rounding with curvature.
    pub step: f64,
    /// What a gradient may be off, by itself. The default is 1e-7.
    pub absolute: f64,
    /// What a gradient may be off, by its size. The default is 1e-6.
    pub relative: f64,
    /// Whether gradients of gradients are compared as well.
    pub second_order: bool,
}

impl Default for GradientCheck {
    fn default() -> Self {
        Self { step: 1e-5, absolute: 1e-7, relative: 1e-6, second_order: false }
    }
}

/// How far gradients are from central differences.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GradientReport {
    /// How many elements were compared.
    pub compared: usize,
    /// How many of them were too far off.
    pub mismatches: usize,
    /// The element that is off furthest, in proportion to what it may be. Nothing if nothing was compared.
    pub worst: Option<WorstGradient>,
}

/// The element whose gradient is off furthest.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WorstGradient {
    /// Whether it is a gradient of a gradient.
    pub is_second_order: bool,
    /// Which input.
    pub input: usize,
    /// Where in it.
    pub index: Vec<usize>,
    /// What backward says.
    pub gradient: f64,
    /// What central differences say.
    pub difference: f64,
    /// How far they are apart, in units of what is allowed: more than 1 is too much.
    pub excess: f64,
}

impl GradientReport {
    /// Whether no element is too far off.
    pub fn is_close(&self) -> bool {
        self.mismatches == 0
    }

    fn add(&mut self, found: WorstGradient) {
        self.compared += 1;
        // A NaN on one side alone is as far off as can be.
        let is_off = found.excess.is_nan() || found.excess > 1.0;
        self.mismatches += usize::from(is_off);
        let beats =
            |worst: &WorstGradient| !worst.excess.is_nan() && (found.excess.is_nan() || found.excess > worst.excess);
        if self.worst.as_ref().is_none_or(beats) {
            self.worst = Some(found);
        }
    }
}

impl fmt::Display for GradientReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(worst) = &self.worst else { return formatter.write_str("no gradients to compare") };
        let WorstGradient { is_second_order, input, index, gradient, difference, excess } = worst;
        let order = if *is_second_order { "second " } else { "" };
        write!(
            formatter,
            "{} of {} gradients are off; the worst is the {order}gradient of input {input} at {index:?}: {gradient} \
             instead of {difference}, {excess:.2} times what is allowed",
            self.mismatches, self.compared
        )
    }
}

/// The function that is checked.
type Function<'a> = dyn Fn(&[Var]) -> Result<Vec<Var>, EagerError> + 'a;

impl GradientCheck {
    /// Compares all gradients of a function of these inputs. Outputs that are no floats do not count.
    ///
    /// # Errors
    /// Those of the function and of backward, and [`EagerError::Unfit`] for an input that requires a gradient and is not f64.
    pub fn run(
        &self,
        function: impl Fn(&[Var]) -> Result<Vec<Var>, EagerError>,
        inputs: &[Var],
    ) -> Result<GradientReport, EagerError> {
        let mut report = GradientReport { compared: 0, mismatches: 0, worst: None };
        let inputs = leaves(inputs)?;
        self.compare(&function, &inputs, false, &mut report)?;
        if self.second_order {
            let slopes = |inputs: &[Var]| gradients(&function, inputs, true);
            self.compare(&slopes, &inputs, true, &mut report)?;
        }
        Ok(report)
    }

    fn compare(
        &self,
        function: &Function<'_>,
        inputs: &[Var],
        is_second_order: bool,
        report: &mut GradientReport,
    ) -> Result<(), EagerError> {
        let needing: Vec<usize> = (0..inputs.len()).filter(|&input| inputs[input].requires_grad()).collect();
        let found = gradients(function, inputs, false)?;
        for (&input, gradient) in needing.iter().zip(&found) {
            let gradient = gradient.to_vec::<f64>()?;
            for (element, &gradient) in gradient.iter().enumerate() {
                let index = index_of(inputs[input].shape(), element);
                let difference = self.difference(function, inputs, input, &index)?;
                let allowed = self.absolute + self.relative * difference.abs();
                let excess = if gradient.is_nan() && difference.is_nan() || gradient == difference {
                    0.0
                } else {
                    (gradient - difference).abs() / allowed
                };
                report.add(WorstGradient { is_second_order, input, index, gradient, difference, excess });
            }
        }
        Ok(())
    }

    /// How much the weighted outputs change as one element does.
    fn difference(
        &self,
        function: &Function<'_>,
        inputs: &[Var],
        input: usize,
        index: &[usize],
    ) -> Result<f64, EagerError> {
        let index: Vec<i64> = index.iter().map(|&position| position as i64).collect();
        let before = inputs[input].tensor().item::<f64>(&index)?;
        let at = |moved: f64| -> Result<f64, EagerError> {
            let copy = inputs[input].tensor().clone();
            copy.set(&index, moved)?;
            let value = weighted(function, inputs);
            copy.set(&index, before)?;
            value
        };
        let (up, down) = (before + self.step, before - self.step);
        Ok((at(up)? - at(down)?) / (up - down))
    }
}

/// The inputs as leaves of their own that keep their strides, since rules see these.
fn leaves(inputs: &[Var]) -> Result<Vec<Var>, EagerError> {
    let leaf = |(input, var): (usize, &Var)| {
        if !var.requires_grad() {
            return Ok(var.detach());
        }
        if var.dtype() != DType::F64 {
            return Err(EagerError::Unfit(format!(
                "input {input} is {}: gradients are checked in float64",
                var.dtype()
            )));
        }
        var.with_requires_grad()
    };
    inputs.iter().enumerate().map(leaf).collect()
}

/// The gradients of all inputs that require one; zeros where no output depends on one.
fn gradients(function: &Function<'_>, inputs: &[Var], create_graph: bool) -> Result<Vec<Var>, EagerError> {
    let needing: Vec<&Var> = inputs.iter().filter(|input| input.requires_grad()).collect();
    let outputs = function(inputs)?;
    let outputs: Vec<&Var> = outputs.iter().filter(|output| output.requires_grad()).collect();
    let seeds: Vec<Var> =
        outputs.iter().enumerate().map(|(output, var)| weights(output, var)).collect::<Result<_, _>>()?;
    let pairs: Vec<_> = outputs
        .iter()
        .zip(&seeds)
        .map(|(output, seed)| Output::with_gradient(output.as_variable(), seed.as_variable().clone()))
        .collect();
    let wanted: Vec<_> = needing.iter().map(|var| var.as_variable()).collect();
    let options = GradOptions { create_graph, allow_unreachable: true, ..GradOptions::default() };
    let found = if pairs.is_empty() { vec![None; wanted.len()] } else { engine()?.grad(&pairs, &wanted, options)? };
    let or_zeros = |(gradient, var): (Option<_>, &&Var)| match gradient {
        Some(gradient) => Ok(Var::from(gradient)),
        None => crate::derivative::zeros(var.shape(), var.dtype()),
    };
    found.into_iter().zip(&needing).map(or_zeros).collect()
}

/// The outputs, weighted and added up.
fn weighted(function: &Function<'_>, inputs: &[Var]) -> Result<f64, EagerError> {
    // Leaves stay leaves: a function that takes gradients itself needs them.
    let outputs = function(inputs)?;
    no_grad(|| {
        let mut sum = 0.0;
        for (output, var) in outputs.iter().filter(|var| var.dtype().is_float() && !is_constant(var)).enumerate() {
            let products = var.detach().mul(&weights(output, var)?)?;
            sum += products.to_vec::<f64>()?.iter().sum::<f64>();
        }
        Ok(sum)
    })
}

/// Whether a variable is none of those that gradients come from.
fn is_constant(var: &Var) -> bool {
    !var.requires_grad()
}

/// Fixed numbers between 0.25 and 1.75, different for neighbours.
fn weights(output: usize, var: &Var) -> Result<Var, EagerError> {
    let weight = |element: usize| 0.25 + 1.5 * ((element + 7 * output + 1) as f64 * 0.618_033_988_749_895).fract();
    let elements: Vec<f64> = (0..var.shape().count()).map(weight).collect();
    let extents: Vec<i64> = var.shape().extents().iter().map(|&extent| extent.into()).collect();
    Ok(Tensor::from_vec(elements, &extents)?.into())
}

fn index_of(shape: &Shape, element: usize) -> Vec<usize> {
    let mut rest = element;
    let mut index = vec![0; shape.rank()];
    for axis in (0..shape.rank()).rev() {
        index[axis] = rest % shape.extent(axis);
        rest /= shape.extent(axis);
    }
    index
}
