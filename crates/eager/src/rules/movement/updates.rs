//! What `ScatterElements` and `ScatterND` have in common: updates that are put, added, multiplied or compared at indices.
//!
//! - Put: the operand has the gradient but where updates went; of several updates the last one has it.
//! - Added: operand and updates all have the gradient.
//! - Otherwise it is written in terms of other operations, in rounds: the first updates of all elements, the second ones and so
//!   on. Nothing is divided by, so zeros among factors do no harm. Of equal ones compared, the first has the gradient.

use rustc_hash::FxHashMap;
use stratal_kernels::movement::ScatterReduction;
use stratal_ops::{And, Equal, IsNan, Not, Operator, Or, ScatterElements};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::derivative::{Call, Gradients, Need, Saves, by_composition};
use crate::private::{indices, places};
use crate::views::extents;
use crate::{EagerError, Var, apply};

/// An operator that updates at indices, with the one that gathers from there.
pub(crate) trait Updates: Operator + Clone {
    /// What becomes of an element that is updated.
    fn reduction(&self) -> ScatterReduction;

    /// What is where the updates go.
    fn gathered(&self, x: &Var, indices: &Var) -> Result<Var, EagerError>;
}

pub(crate) fn saves(operator: &impl Updates, need: &Need<'_>) -> Saves {
    match operator.reduction() {
        ScatterReduction::None => Saves::input(1),
        ScatterReduction::Add => Saves::nothing().and_input_if(need.input(2), 1),
        _ => Saves::inputs(0..3),
    }
}

pub(crate) fn backward(operator: &impl Updates, call: &Call<'_>) -> Result<Gradients, EagerError> {
    match operator.reduction() {
        ScatterReduction::None => {
            let (gradient, indices) = (call.gradient()?, call.input(1)?);
            let x = call.wanted(0, || {
                let nothing = gradient.number(0.0)?.expand_to(call.shape(2))?;
                apply(operator, &[Some(&gradient), Some(&indices), Some(&nothing)])
            })?;
            let updates = call.wanted(2, || {
                let lasts = lasts(operator, call, &indices)?;
                lasts.select_by(&operator.gathered(&gradient, &indices)?, &gradient.number(0.0)?)
            })?;
            Ok([x, None, updates].into())
        }
        ScatterReduction::Add => {
            let gradient = call.gradient()?;
            let updates = call.wanted(2, || operator.gathered(&gradient, &call.input(1)?))?;
            Ok([Some(gradient), None, updates].into())
        }
        reduction => by_composition(call, |inputs| match inputs {
            [Some(x), Some(indices), Some(updates)] => {
                Ok(vec![in_rounds(x, &operator.gathered(&places(x.shape())?, indices)?, updates, reduction)?])
            }
            _ => Err(EagerError::Unfit("an input of a scatter was left out".into())),
        }),
    }
}

/// Which updates no other one comes after.
fn lasts(operator: &impl Updates, call: &Call<'_>, indices: &Var) -> Result<Var, EagerError> {
    let (own, nobody) = (places(call.shape(2))?, Tensor::full(&extents(call.shape(0)), -1_i64, DType::I64)?);
    let owners = apply(operator, &[Some(&nobody.into()), Some(indices), Some(&own)])?;
    apply(&Equal, &[Some(&operator.gathered(&owners, indices)?), Some(&own)])
}

/// The updates of elements at places, each after those of the same place before it.
fn in_rounds(x: &Var, places: &Var, updates: &Var, reduction: ScatterReduction) -> Result<Var, EagerError> {
    let put = ScatterElements { axis: 0, reduction: ScatterReduction::None };
    let updates = updates.reshape(&[updates.tensor().count() as i64])?;
    let mut result = x.reshape(&[x.tensor().count() as i64])?;
    for (places, numbers) in rounds(&places.to_vec::<i64>()?) {
        let (places, updates) = (indices(places)?, updates.gather(0, &indices(numbers)?)?);
        let updated = combined(&result.gather(0, &places)?, &updates, reduction)?;
        result = apply(&put, &[Some(&result), Some(&places), Some(&updated)])?;
    }
    result.reshape_to(x.shape())
}

/// The places that are updated in each round, none twice, and the numbers of their updates.
fn rounds(places: &[i64]) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut rounds: Vec<(Vec<i64>, Vec<i64>)> = Vec::new();
    let mut updated: FxHashMap<i64, usize> = FxHashMap::default();
    for (number, &place) in places.iter().enumerate() {
        let round = updated.entry(place).or_default();
        if rounds.len() == *round {
            rounds.push(Default::default());
        }
        rounds[*round].0.push(place);
        rounds[*round].1.push(number as i64);
        *round += 1;
    }
    rounds
}

/// An element and its update.
fn combined(x: &Var, update: &Var, reduction: ScatterReduction) -> Result<Var, EagerError> {
    let exceeds = match reduction {
        ScatterReduction::None => return Ok(update.clone()),
        ScatterReduction::Add => return x.add(update),
        ScatterReduction::Mul => return x.mul(update),
        ScatterReduction::Min => update.less(x)?,
        ScatterReduction::Max => update.greater(x)?,
    };
    // The first NaN stays.
    let is_nan = |x: &Var| apply(&IsNan, &[Some(&x.detach())]);
    let is_new = apply(&And, &[Some(&is_nan(update)?), Some(&apply(&Not, &[Some(&is_nan(x)?)])?)])?;
    apply(&Or, &[Some(&exceeds), Some(&is_new)])?.select_by(update, x)
}
