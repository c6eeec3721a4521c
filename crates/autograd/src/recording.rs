//! `Recording`: how an operation leaves a record, at no cost when nobody will ask for gradients.

use std::{any::Any, mem, slice, sync::Arc};

use smallvec::SmallVec;
use stratal_tensor::Tensor;

use crate::{
    AutogradError, BackwardRecord, Edge, OpKind, RecordedInput, RecordedOutput, SavedOrigin, SavedTensor, Variable,
    is_grad_enabled,
    record::{Attributes, SavedSlots},
    variable::check_differentiable,
};

/// Whether an operation on these inputs records: grad mode is on, and one of them requires gradients.
pub fn should_record(inputs: &[&Variable]) -> bool {
    is_grad_enabled() && inputs.iter().any(|input| input.requires_grad())
}

/// How an operation leaves a record.
///
/// An operation starts its recording, saves inputs, computes, and finishes with what it computed. If it
/// [should not record](should_record), all of this does nothing and allocates nothing; work that only backward needs,
/// such as the indices of a maximum, is done only if the recording [is active](Self::is_active).
///
/// Inputs are saved *before* computing. A writer that comes between is then found at backward, since the version that
/// was noted is the one from before.
///
/// ```
/// use stratal_autograd::{AutogradError, OpKind, Recording, Variable};
/// use stratal_tensor::Tensor;
///
/// const NEGATE: OpKind = OpKind::new("negate");
///
/// fn negate(input: &Variable) -> Result<Variable, AutogradError> {
///     let recording = Recording::start(NEGATE, &[input]);
///     let output: Vec<f32> = input.tensor().to_vec()?.iter().map(|element: &f32| -element).collect();
///     recording.finish(Tensor::from_vec(output, &[2])?)
/// }
///
/// let x = Variable::leaf(Tensor::from_slice(&[1.0_f32, 2.0], &[2])?)?;
/// let y = negate(&x)?;
/// assert_eq!(y.grad_fn().unwrap().op(), NEGATE);
/// assert!(!negate(&x.detach())?.requires_grad());
/// # Ok::<(), AutogradError>(())
/// ```
#[derive(Debug)]
#[must_use = "an operation that does not finish its recording is cut out of the graph"]
pub struct Recording<'a> {
    op: OpKind,
    /// Nothing if the operation does not record.
    draft: Option<Draft<'a>>,
}

/// What was said of the record so far.
#[derive(Debug)]
struct Draft<'a> {
    inputs: SmallVec<[&'a Variable; 4]>,
    slots: SavedSlots,
    /// Which slots are filled with which outputs, once these are there.
    saved_outputs: SmallVec<[(u32, u32); 2]>,
    ints: SmallVec<[i64; 2]>,
    floats: SmallVec<[f64; 2]>,
    attributes: Option<Arc<Attributes>>,
}

impl<'a> Recording<'a> {
    /// Begins to record an operation on these inputs, in the order its rule knows them by.
    #[inline]
    pub fn start(op: OpKind, inputs: &[&'a Variable]) -> Self {
        Self { op, draft: should_record(inputs).then(|| Draft::of(inputs)) }
    }

    /// Whether there will be a record.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.draft.is_some()
    }

    /// Whether there will be a record that needs the gradient of this input, so that the operation can leave slots
    /// empty that only other inputs would use.
    ///
    /// # Panics
    /// If it is active and there is no such input.
    pub fn needs(&self, input: usize) -> bool {
        self.draft.as_ref().is_some_and(|draft| draft.inputs[input].requires_grad())
    }

    /// Fills the next slot with an input.
    ///
    /// # Panics
    /// If it is active and there is no such input.
    #[inline]
    pub fn save_input(&mut self, index: usize) {
        if let Some(draft) = &mut self.draft {
            let saved = SavedTensor::of(draft.inputs[index].tensor().clone(), SavedOrigin::Input(index as u32));
            draft.slots.push(Some(saved));
        }
    }

    /// Fills the next slot with an output, once it is there.
    pub fn save_output(&mut self, index: usize) {
        if let Some(draft) = &mut self.draft {
            draft.saved_outputs.push((draft.slots.len() as u32, index as u32));
            draft.slots.push(None);
        }
    }

    /// Fills the next slot with a tensor that the operation made for backward alone. It has no edge, so a rule that
    /// can be differentiated does not take it for a function of the inputs.
    pub fn save_owned(&mut self, tensor: Tensor) {
        if let Some(draft) = &mut self.draft {
            draft.slots.push(Some(SavedTensor::of(tensor, SavedOrigin::Owned)));
        }
    }

    /// Leaves the next slot empty.
    pub fn save_nothing(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.slots.push(None);
        }
    }

    /// Appends integer attributes, such as axes and strides.
    pub fn ints(&mut self, values: &[i64]) {
        if let Some(draft) = &mut self.draft {
            draft.ints.extend_from_slice(values);
        }
    }

    /// Appends floating-point attributes, such as a scale.
    pub fn floats(&mut self, values: &[f64]) {
        if let Some(draft) = &mut self.draft {
            draft.floats.extend_from_slice(values);
        }
    }

    /// Keeps attributes of any type, such as the operation itself. The rule finds them by their type in the
    /// [record](BackwardRecord::attributes). They must own no variable: a chain of those would be freed in a recursion.
    pub fn attributes(&mut self, attributes: Arc<dyn Any + Send + Sync>) {
        if let Some(draft) = &mut self.draft {
            draft.attributes = Some(attributes);
        }
    }

    /// Makes the record, if there is to be one, and the output as a variable that leads to it.
    ///
    /// An output of integers or bool never requires gradients.
    ///
    /// # Errors
    /// [`AutogradError::Blocked`] if the output would require gradients and is blocked.
    ///
    /// # Panics
    /// If another output than this one is to be saved.
    #[inline]
    pub fn finish(mut self, output: Tensor) -> Result<Variable, AutogradError> {
        let Some(draft) = &mut self.draft else { return Ok(Variable::constant(output)) };
        let record = draft.finish(self.op, slice::from_ref(&output))?;
        Ok(attach(output, record, 0))
    }

    /// [`finish`](Self::finish) for an operation with several outputs.
    ///
    /// # Errors
    /// As for [`finish`](Self::finish).
    ///
    /// # Panics
    /// If an output is to be saved that there is not.
    pub fn finish_all<const N: usize>(mut self, outputs: [Tensor; N]) -> Result<[Variable; N], AutogradError> {
        let Some(draft) = &mut self.draft else { return Ok(outputs.map(Variable::constant)) };
        let record = draft.finish(self.op, &outputs)?;
        let mut index = 0;
        Ok(outputs.map(|output| {
            index += 1;
            attach(output, Arc::clone(&record), index - 1)
        }))
    }

    /// [`finish_all`](Self::finish_all) for an operation whose number of outputs is known only when it runs.
    ///
    /// # Errors
    /// As for [`finish`](Self::finish).
    ///
    /// # Panics
    /// If an output is to be saved that there is not.
    pub fn finish_vec(mut self, outputs: Vec<Tensor>) -> Result<Vec<Variable>, AutogradError> {
        let Some(draft) = &mut self.draft else { return Ok(outputs.into_iter().map(Variable::constant).collect()) };
        let record = draft.finish(self.op, &outputs)?;
        let indexed = outputs.into_iter().enumerate();
        Ok(indexed.map(|(index, output)| attach(output, Arc::clone(&record), index)).collect())
    }
}

impl<'a> Draft<'a> {
    #[inline]
    fn of(inputs: &[&'a Variable]) -> Self {
        Self {
            inputs: SmallVec::from_slice(inputs),
            slots: SmallVec::new(),
            saved_outputs: SmallVec::new(),
            ints: SmallVec::new(),
            floats: SmallVec::new(),
            attributes: None,
        }
    }

    /// Makes the record, of parts that are taken from where they are: a draft is too large to be moved for nothing.
    #[inline]
    fn finish(&mut self, op: OpKind, outputs: &[Tensor]) -> Result<Arc<BackwardRecord>, AutogradError> {
        for output in outputs.iter().filter(|output| output.dtype().is_float()) {
            check_differentiable(output)?;
        }
        for &(slot, index) in &self.saved_outputs {
            let Some(output) = outputs.get(index as usize) else {
                panic!("{op} saves output {index} of {}", outputs.len())
            };
            self.slots[slot as usize] = Some(SavedTensor::of(output.clone(), SavedOrigin::Output(index)));
        }
        let of_input = |input: &&Variable| RecordedInput {
            edge: input.edge().clone(),
            shape: *input.shape(),
            dtype: input.dtype(),
        };
        let of_output = |output: &Tensor| RecordedOutput { shape: *output.shape(), dtype: output.dtype() };
        Ok(Arc::new(BackwardRecord::new(
            op,
            self.inputs.iter().map(of_input).collect(),
            outputs.iter().map(of_output).collect(),
            mem::take(&mut self.slots),
            mem::take(&mut self.ints),
            mem::take(&mut self.floats),
            self.attributes.take(),
        )))
    }
}

/// An output as a variable that leads to its record, if it can have a gradient.
fn attach(output: Tensor, record: Arc<BackwardRecord>, index: usize) -> Variable {
    let edge = if output.dtype().is_float() { Edge::output(record, index) } else { Edge::NONE };
    Variable::new(output, edge)
}
