//! `LinearAttention`: attention whose past is a state of fixed size.

use stratal_kernels::map;
use stratal_tensor_base::{DType, Shape};

use crate::operands::{unfit, zeros};
use crate::{
    Cause, Context, Definition, Extent, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, SymbolicShape, attribute,
    read, write,
};

/// Attention as a recurrence over a state `[batch, heads, size of keys, size of values]`.
///
/// Queries, keys and values have shape `[batch, sequence, heads * size]`. At each step the state is multiplied by the
/// exponential of `decay` (for each key, or each feature of one), and `key * value` is added to it; with a rule of `delta`, it
/// is `key * beta * (value - what the state says for the key)`. The result is `scale * query * state`. Several heads of
/// queries may share one head of keys. The second output is the state behind the last step.
///
/// All steps are computed in f32, and rounded once to the operands' dtype, the state to its own.
#[derive(Debug, Clone, Copy)]
pub struct LinearAttention {
    /// The number of heads of queries.
    pub q_num_heads: usize,
    /// The number of heads of keys and values.
    pub kv_num_heads: usize,
    /// What results are multiplied by; `1 / sqrt(size of keys)` if it is 0.
    pub scale: f32,
    /// How the state changes.
    pub update_rule: UpdateRule,
}

/// How the state of [`LinearAttention`] changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UpdateRule {
    /// By what is new.
    Linear,
    /// By what is new, after it has decayed.
    Gated,
    /// By what is new beside what it says already.
    Delta,
    /// Both.
    #[default]
    GatedDelta,
}

impl UpdateRule {
    const fn has_decay(self) -> bool {
        matches!(self, Self::Gated | Self::GatedDelta)
    }

    const fn has_beta(self) -> bool {
        matches!(self, Self::Delta | Self::GatedDelta)
    }
}

/// What it is defined for.
const DTYPES: &[DType] = &[DType::F32, DType::F16, DType::BF16];

impl LinearAttention {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "LinearAttention",
        since: 27,
        inputs: 3..=6,
        outputs: 1..=2,
        attributes: &["chunk_size", "kv_num_heads", "q_num_heads", "scale", "update_rule"],
        dtypes: DTYPES,
        build: |node| {
            // How many steps at a time a GPU may take does not matter here.
            node.size_or("chunk_size", 64)?;
            let rules = [
                ("gated_delta", UpdateRule::GatedDelta),
                ("linear", UpdateRule::Linear),
                ("gated", UpdateRule::Gated),
                ("delta", UpdateRule::Delta),
            ];
            let (q_num_heads, kv_num_heads) = (heads(node, "q_num_heads")?, heads(node, "kv_num_heads")?);
            if !q_num_heads.is_multiple_of(kv_num_heads) {
                return Err(attribute("q_num_heads", q_num_heads, "a multiple of kv_num_heads"));
            }
            Ok(Box::new(Self {
                q_num_heads,
                kv_num_heads,
                scale: node.float_or("scale", 0.0)?,
                update_rule: node.word("update_rule", "linear, gated, delta or gated_delta", &rules)?,
            }))
        },
    };

    /// Checks that an input is there if the rule has it, and only then.
    fn check_gate(&self, inputs: &Facts<'_>, input: usize, is_needed: bool) -> Result<(), Cause> {
        match (inputs.get(input).is_some(), is_needed) {
            (false, true) => Err(Cause::MissingInput { input }),
            (true, false) => Err(Cause::Unfit(format!("input {input} has no meaning for {:?}", self.update_rule))),
            _ => Ok(()),
        }
    }
}

impl Operator for LinearAttention {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, DTYPES)?;
        [1, 2, 4, 5].into_iter().try_for_each(|input| inputs.check_dtype(input, dtype))?;
        let state = if inputs.get(3).is_some() { inputs.dtype(3, DTYPES)? } else { dtype };
        let (queries, values) = (inputs.shape_of_rank(0, 3)?, inputs.shape_of_rank(2, 3)?);
        let (batch, sequence) = (queries[0].clone(), queries[1].clone());
        let (heads, heads_of_keys) = (Extent::from(self.q_num_heads as i64), Extent::from(self.kv_num_heads as i64));
        let size = size_of_head(inputs, 0, &heads)?;
        let size_of_values = size_of_head(inputs, 2, &heads_of_keys)?;
        let shape = |features: Extent| SymbolicShape::new([batch.clone(), sequence.clone(), features]);
        inputs.check_shape(1, &shape(heads_of_keys.multiply(&size)?))?;
        inputs.check_shape(2, &shape(values[2].clone()))?;
        self.check_gate(inputs, 4, self.update_rule.has_decay())?;
        self.check_gate(inputs, 5, self.update_rule.has_beta())?;
        // A gate has a factor for each head, or else for each feature, or for all.
        if inputs.get(4).is_some() {
            let is_by_head = inputs.shape_of_rank(4, 3)?[2] == heads_of_keys;
            let factors = if is_by_head { heads_of_keys.clone() } else { heads_of_keys.multiply(&size)? };
            inputs.check_shape(4, &shape(factors))?;
        }
        if inputs.get(5).is_some() {
            let is_of_all = inputs.shape_of_rank(5, 3)?[2].is(1);
            inputs.check_shape(5, &shape(if is_of_all { 1.into() } else { heads_of_keys.clone() }))?;
        }
        let result = shape(heads.multiply(&size_of_values)?);
        let of_state = SymbolicShape::new([batch.clone(), heads_of_keys, size, size_of_values]);
        inputs.check_shape(3, &of_state)?;
        Ok(vec![Fact::new(dtype, result), Fact::new(state, of_state)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let wide = |input| inputs.get(input).map(|view| context.converted(view, DType::F32)).transpose();
        let queries = inputs.required(0)?;
        let (&[batch, sequence, features], &[_, _, features_of_values]) =
            (queries.shape().extents(), inputs.required(2)?.shape().extents())
        else {
            return Err(unfit(queries.dtype(), queries.shape()));
        };
        let (batch, sequence) = (batch as usize, sequence as usize);
        let (size, size_of_values) =
            (features as usize / self.q_num_heads, features_of_values as usize / self.kv_num_heads);

        let shape = [batch, self.kv_num_heads, size, size_of_values].map(|extent| extent as i64);
        let state = match wide(3)? {
            Some(state) => state,
            None => zeros(context, DType::F32, &Shape::new(&shape)?)?,
        };
        let result = [batch, sequence, self.q_num_heads * size_of_values].map(|extent| extent as i64);
        let result = context.scratch(DType::F32, &Shape::new(&result)?)?;
        let decay = wide(4)?;
        if let Some(decay) = &decay {
            write(decay, |decay| context.kernels().unary_in_place(&map::Exp, decay))?;
        }
        let scale = if self.scale == 0.0 { (1.0 / (size as f64).sqrt()) as f32 } else { self.scale };
        let operands = [wide(0)?, wide(1)?, wide(2)?, decay, wide(5)?];
        let held = operands.each_ref().map(|operand| operand.as_ref().map(read).transpose());
        let [queries, keys, values, decay, beta] = held;
        let held = [queries?, keys?, values?, decay?, beta?];
        let views = held.each_ref().map(|held| held.as_ref().map(|held| held.view()).transpose());
        let [queries, keys, values, decay, beta] = views;
        let views = [queries?, keys?, values?, decay?, beta?].map(|view| view.and_then(|view| view.typed::<f32>()));
        let slices = views.each_ref().map(|view| view.as_ref().and_then(|view| view.as_slice()));
        let [Some(queries), Some(keys), Some(values), decay, beta] = slices else {
            return Err(unfit(DType::F32, result.shape()));
        };
        let recurrence = Recurrence {
            heads: self.kv_num_heads,
            group: self.q_num_heads / self.kv_num_heads,
            size,
            size_of_values,
            sequence,
            scale,
            queries,
            keys,
            values,
            decay,
            beta,
        };
        write(&state, |state| {
            write(&result, |result| {
                if let (Some(mut state), Some(mut result)) = (state.typed(), result.typed())
                    && let (Some(state), Some(result)) = (state.as_mut_slice(), result.as_mut_slice())
                {
                    recurrence.run(state, result);
                }
                Ok::<_, Cause>(())
            })
        })?;
        outputs.write(0, |place| Ok::<_, Cause>(context.kernels().cast(&read(&result)?.view()?, place)?))?;
        outputs.write(1, |place| Ok::<_, Cause>(context.kernels().cast(&read(&state)?.view()?, place)?))
    }
}

/// The operands as rows of f32.
struct Recurrence<'a> {
    /// Heads of keys.
    heads: usize,
    /// Heads of queries for each of them.
    group: usize,
    size: usize,
    size_of_values: usize,
    sequence: usize,
    scale: f32,
    queries: &'a [f32],
    keys: &'a [f32],
    values: &'a [f32],
    /// The factors of the state.
    decay: Option<&'a [f32]>,
    beta: Option<&'a [f32]>,
}

impl Recurrence<'_> {
    fn run(&self, state: &mut [f32], result: &mut [f32]) {
        let of_head = self.size * self.size_of_values;
        if of_head == 0 {
            return result.fill(0.0);
        }
        let mut update = vec![0.0; self.size_of_values];
        for (index, state) in state.chunks_exact_mut(of_head).enumerate() {
            let (batch, head) = (index / self.heads, index % self.heads);
            for step in batch * self.sequence..(batch + 1) * self.sequence {
                self.step(step, head, state, &mut update, result);
            }
        }
    }

    /// One step of one head.
    fn step(&self, step: usize, head: usize, state: &mut [f32], update: &mut [f32], result: &mut [f32]) {
        let &Self { heads, group, size, size_of_values, scale, .. } = self;
        let key = &self.keys[(step * heads + head) * size..][..size];
        let value = &self.values[(step * heads + head) * size_of_values..][..size_of_values];
        if let Some(decay) = self.decay {
            let of_step = row(decay, self.values.len() / size_of_values / heads, step);
            let is_by_feature = of_step.len() != heads;
            for (feature, state) in state.chunks_exact_mut(size_of_values).enumerate() {
                let factor = of_step[if is_by_feature { head * size + feature } else { head }];
                state.iter_mut().for_each(|state| *state *= factor);
            }
        }
        update.copy_from_slice(value);
        if let Some(beta) = self.beta {
            let of_step = row(beta, self.values.len() / size_of_values / heads, step);
            let beta = of_step[if of_step.len() == 1 { 0 } else { head }];
            update.fill(0.0);
            add_products(update, key, state, size_of_values);
            update.iter_mut().zip(value).for_each(|(update, value)| *update = beta * (value - *update));
        }
        for (&key, state) in key.iter().zip(state.chunks_exact_mut(size_of_values)) {
            state.iter_mut().zip(&*update).for_each(|(state, update)| *state += key * update);
        }
        for head in head * group..(head + 1) * group {
            let query = &self.queries[(step * heads * group + head) * size..][..size];
            let result = &mut result[(step * heads * group + head) * size_of_values..][..size_of_values];
            result.fill(0.0);
            add_products(result, query, state, size_of_values);
            result.iter_mut().for_each(|result| *result *= scale);
        }
    }
}

/// One of so many rows of equal length.
fn row(elements: &[f32], rows: usize, row: usize) -> &[f32] {
    let length = elements.len() / rows;
    &elements[row * length..][..length]
}

/// Adds the product of a row and a matrix.
fn add_products(sums: &mut [f32], row: &[f32], matrix: &[f32], columns: usize) {
    for (factor, terms) in row.iter().zip(matrix.chunks_exact(columns)) {
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += factor * term);
    }
}

fn heads(node: &Node<'_>, name: &'static str) -> Result<usize, Cause> {
    let heads = node.needed(name, node.int(name)?)?;
    let heads_or_none = usize::try_from(heads).ok().filter(|&heads| heads > 0);
    heads_or_none.ok_or_else(|| attribute(name, heads, "a positive number"))
}

/// The size of each of some heads that lie side by side.
fn size_of_head(inputs: &Facts<'_>, input: usize, heads: &Extent) -> Result<Extent, Cause> {
    let shape = inputs.shape_of_rank(input, 3)?;
    let is_multiple =
        shape[2].known().zip(heads.known()).is_none_or(|(features, heads)| heads != 0 && features % heads == 0);
    if is_multiple {
        return Ok(shape[2].divide_floor(heads)?);
    }
    Err(Cause::Shape {
        input,
        shape: shape.to_string(),
        expected: format!("a multiple of the {heads} heads at axis 2"),
    })
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, build, infer};

    fn tensor(elements: &[f32], shape: &[i64]) -> Tensor {
        Tensor::from_slice(elements, shape).unwrap()
    }

    #[test]
    fn gates_of_other_batches_are_refused() {
        let fault = |rule: &str, decay: Option<[i64; 3]>, beta: Option<[i64; 3]>| {
            let attributes = Attributes::new().with("q_num_heads", 1).with("kv_num_heads", 1).with("update_rule", rule);
            let operator = build("", "LinearAttention", &attributes, 6, 1).unwrap();
            let fact = |shape: [i64; 3]| crate::Fact::new(DType::F32, shape);
            let (x, decay, beta) = (fact([2, 3, 4]), decay.map(fact), beta.map(fact));
            infer(&*operator, "node", &[Some(&x), Some(&x), Some(&x), None, decay.as_ref(), beta.as_ref()])
                .unwrap_err()
                .to_string()
        };
        let decay = fault("gated", Some([2, 0, 1]), None);
        assert_eq!(decay, "LinearAttention: input 4 has shape [2, 0, 1]: expected [2, 3, 1]");
        let beta = fault("delta", None, Some([0, 3, 1]));
        assert_eq!(beta, "LinearAttention: input 5 has shape [0, 3, 1]: expected [2, 3, 1]");
    }

    #[test]
    fn what_the_state_says_already_is_not_added_again() {
        // One head of one feature: the state is a number.
        let operator = LinearAttention { q_num_heads: 1, kv_num_heads: 1, scale: 1.0, update_rule: UpdateRule::Delta };
        let (ones, values) = (tensor(&[1.0, 1.0, 1.0], &[1, 3, 1]), tensor(&[2.0, 2.0, 6.0], &[1, 3, 1]));
        let rate = tensor(&[1.0, 0.5, 0.5], &[1, 3, 1]);
        let inputs = [Some(&ones), Some(&ones), Some(&values), None, None, Some(&rate)];
        let outputs = Context::new().unwrap().run(&operator, &inputs).unwrap();
        assert_eq!(outputs[0].to_vec::<f32>().unwrap(), [2.0, 2.0, 4.0]);
        assert_eq!(outputs[1].to_vec::<f32>().unwrap(), [4.0]);
    }

    #[test]
    fn no_heads_are_an_error() {
        let operator = LinearAttention { q_num_heads: 0, kv_num_heads: 0, scale: 1.0, update_rule: UpdateRule::Linear };
        let fact = Fact::new(DType::F32, [1, 2, 4]);
        let error = infer(&operator, "linear", &[Some(&fact), Some(&fact), Some(&fact)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "LinearAttention: input 0 has shape [1, 2, 4]: expected a multiple of the 0 heads at axis 2"
        );
    }

    #[test]
    fn no_steps_keep_the_state() {
        let operator = LinearAttention { q_num_heads: 2, kv_num_heads: 1, scale: 0.0, update_rule: UpdateRule::Linear };
        let (none, state) = (tensor(&[], &[1, 0, 2]), tensor(&[7.0, 8.0], &[1, 1, 1, 2]));
        let keys = tensor(&[], &[1, 0, 1]);
        let outputs =
            Context::new().unwrap().run(&operator, &[Some(&none), Some(&keys), Some(&none), Some(&state)]).unwrap();
        assert_eq!(outputs[0].shape().extents(), [1, 0, 4]);
        assert_eq!(outputs[1].to_vec::<f32>().unwrap(), [7.0, 8.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fact = |extents: [i64; 3]| Fact::new(DType::F32, extents);
        let operator = LinearAttention { q_num_heads: 2, kv_num_heads: 1, scale: 0.0, update_rule: UpdateRule::Gated };
        let message = |queries: [i64; 3], keys: [i64; 3], decay: Option<[i64; 3]>, beta: Option<[i64; 3]>| {
            let (queries, keys, decay, beta) = (fact(queries), fact(keys), decay.map(fact), beta.map(fact));
            let inputs = [Some(&queries), Some(&keys), Some(&keys), None, decay.as_ref(), beta.as_ref()];
            infer(&operator, "linear", &inputs).unwrap_err().to_string()
        };
        insta::assert_snapshot!([
            message([1, 2, 5], [1, 2, 4], None, None),
            message([1, 2, 8], [1, 2, 5], None, None),
            message([1, 2, 8], [1, 2, 4], None, None),
            message([1, 2, 8], [1, 2, 4], Some([1, 2, 3]), None),
            message([1, 2, 8], [1, 2, 4], Some([1, 2, 4]), Some([1, 2, 1])),
            build(ONNX, "LinearAttention", &Attributes::new().with("q_num_heads", 3).with("kv_num_heads", 2), 3, 1)
                .unwrap_err()
                .to_string(),
        ].join("\n"), @r"
        LinearAttention: input 0 has shape [1, 2, 5]: expected a multiple of the 2 heads at axis 2
        LinearAttention: input 1 has shape [1, 2, 5]: expected [1, 2, 4]
        LinearAttention: input 4 is missing
        LinearAttention: input 4 has shape [1, 2, 3]: expected [1, 2, 4]
        LinearAttention: input 5 has no meaning for Gated
        LinearAttention: attribute q_num_heads is 3: expected a multiple of kv_num_heads
        ");
    }
}
