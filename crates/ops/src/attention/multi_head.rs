//! `Attention`: values, added up by how well their keys answer queries.

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use super::heads::{HeadExtents, split, split_mut};
use super::masking::Masking;
use super::scaled_dot_product::{Operands, ScaledDotProduct, Shown};
use crate::operands::unfit;
use crate::{
    Cause, Context, Definition, Extent, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, Place, SymbolicShape,
    attribute, dtypes, read, write,
};

/// `softmax(scale * queries * keys^T + mask) * values` for each head.
///
/// Queries, keys and values have shape `[batch, heads, sequence, size]`, or `[batch, sequence, heads * size]` with the numbers
/// of heads as attributes. Several heads of queries may share one head of keys and values. `past_key` and `past_value` stand
/// before the keys and values; what both make together are the outputs `present_key` and `present_value`.
///
/// A query sees a key unless a mask of truths says false, a mask of numbers says negative infinity, or its place forbids it:
/// `is_causal`, the windows, and `nonpad_kv_seqlen`, the number of keys that each batch has. The first query's place is behind
/// the past, or such that the last query stands at the last key of its batch. Behind the end of a mask no key is seen.
///
/// A query that sees no key has a result of zeros. Keys that a query does not see change nothing, even where scores with
/// them are NaN (their values, by a share of zero, do: zero times NaN is NaN). Scores are f32 from the product to the
/// softmax for operands of 16 bits, where ONNX Runtime rounds each step; shares are rounded once, to the operands' dtype.
#[derive(Debug, Clone, Default)]
pub struct Attention {
    /// The number of heads of queries, where they have no axis.
    pub q_num_heads: Option<usize>,
    /// The number of heads of keys and values, where they have no axis.
    pub kv_num_heads: Option<usize>,
    /// What products are multiplied by; `1 / sqrt(size)` if nothing is said.
    pub scale: Option<f32>,
    /// If not 0: `softcap * tanh(score / softcap)` takes a score's place.
    pub softcap: f32,
    /// Whether a query sees no key behind its place.
    pub is_causal: bool,
    /// How many keys before its place a query sees.
    pub left_window_size: Option<usize>,
    /// How many keys behind its place a query sees.
    pub right_window_size: Option<usize>,
    /// What softmax is computed in, if not in the dtype of scores.
    pub softmax_precision: Option<DType>,
    /// What the fourth output shows.
    pub scores: AttentionScores,
}

/// A stage of the scores of [`Attention`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AttentionScores {
    /// The scaled products.
    #[default]
    Products,
    /// With the soft cap.
    Capped,
    /// With the mask; negative infinity for keys that are not seen.
    Masked,
    /// After softmax.
    Shares,
}

impl Attention {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Attention",
        since: 25,
        inputs: 3..=7,
        outputs: 1..=4,
        attributes: &[
            "is_causal",
            "kv_num_heads",
            "left_window_size",
            "q_num_heads",
            "qk_matmul_output_mode",
            "right_window_size",
            "scale",
            "softcap",
            "softmax_precision",
        ],
        dtypes: dtypes::FLOATS,
        build: |node| {
            Ok(Box::new(Self {
                q_num_heads: heads(node, "q_num_heads")?,
                kv_num_heads: heads(node, "kv_num_heads")?,
                scale: node.float("scale")?,
                softcap: softcap(node)?,
                is_causal: node.flag("is_causal", false)?,
                left_window_size: window(node, "left_window_size")?,
                right_window_size: window(node, "right_window_size")?,
                softmax_precision: softmax_precision(node)?,
                scores: match node.int_or("qk_matmul_output_mode", 0)? {
                    0 => AttentionScores::Products,
                    1 => AttentionScores::Capped,
                    2 => AttentionScores::Masked,
                    3 => AttentionScores::Shares,
                    other => return Err(attribute("qk_matmul_output_mode", other, "0, 1, 2 or 3")),
                },
            }))
        },
    };

    fn masking<'a>(&self, inputs: &Inputs<'a>, mask: Option<AnyView<'a>>, keys: usize) -> Result<Masking<'a>, Cause> {
        let lengths = inputs.integers(6)?.map(|lengths| {
            let length = |&length: &i64| usize::try_from(length).ok().filter(|&length| length <= keys);
            lengths.iter().map(|given| length(given).ok_or(length_error(*given, keys))).collect::<Result<Vec<_>, _>>()
        });
        Ok(Masking {
            mask,
            is_causal: self.is_causal,
            left: self.left_window_size,
            right: self.right_window_size,
            past: inputs.get(4).map_or(0, |past| past.shape().extent(2)),
            lengths: lengths.transpose()?,
        })
    }
}

impl Operator for Attention {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtype(1, dtype)?;
        let dtype_of_values = inputs.dtype(2, dtypes::FLOATS)?;
        let (rank, queries) =
            (inputs.shape(0)?.rank(), HeadExtents::of(inputs, 0, Some("q_num_heads"), self.q_num_heads)?);
        let keys = HeadExtents::of(inputs, 1, Some("kv_num_heads"), self.kv_num_heads)?;
        let values = HeadExtents::of(inputs, 2, Some("kv_num_heads"), self.kv_num_heads)?;
        let HeadExtents { batch, heads, sequence, size } = queries.clone();
        let expected = HeadExtents { batch: batch.clone(), size: size.clone(), ..keys.clone() };
        inputs.check_shape(1, &expected.shape(rank)?)?;
        inputs.check_shape(2, &HeadExtents { size: values.size.clone(), ..expected.clone() }.shape(rank)?)?;
        check_groups(&heads, &keys.heads)?;

        let past = if inputs.get(4).is_some() { inputs.shape_of_rank(4, 4)?[2].clone() } else { 0.into() };
        if inputs.get(4).is_some() != inputs.get(5).is_some() {
            return Err(Cause::Unfit("past_key and past_value are only there together".into()));
        }
        inputs.check_dtype(4, dtype)?;
        inputs.check_dtype(5, dtype_of_values)?;
        let of_past = HeadExtents { sequence: past.clone(), ..expected.clone() };
        inputs.check_shape(4, &of_past.shape(4)?)?;
        inputs.check_shape(5, &HeadExtents { size: values.size.clone(), ..of_past }.shape(4)?)?;
        if inputs.get(6).is_some() {
            inputs.dtype(6, &[DType::I64])?;
            inputs.check_shape(6, &SymbolicShape::new([batch.clone()]))?;
            if inputs.get(4).is_some() {
                return Err(Cause::Unfit("nonpad_kv_seqlen cannot be there together with past_key".into()));
            }
        }

        let total = past.add(&keys.sequence)?;
        check_mask(inputs, 3, &[batch.clone(), heads.clone(), sequence.clone(), total.clone()])?;
        let present = HeadExtents { sequence: total.clone(), ..expected };
        Ok(vec![
            Fact::new(dtype, HeadExtents { size: values.size.clone(), ..queries }.shape(rank)?),
            Fact::new(dtype, present.shape(4)?),
            Fact::new(dtype_of_values, HeadExtents { size: values.size, ..present }.shape(4)?),
            Fact::new(dtype, SymbolicShape::new([batch, heads, sequence, total])),
        ])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let queries = split(inputs.required(0)?, self.q_num_heads)?;
        let keys = split(inputs.required(1)?, self.kv_num_heads)?;
        let values = split(inputs.required(2)?, self.kv_num_heads)?;
        let [mut result, mut present_key, mut present_value, mut scores] = outputs.places([0, 1, 2, 3])?;

        let mut present_key = present_key.as_mut().map(Place::view).transpose()?;
        let joined_keys = join(context, inputs.get(4), &keys, present_key.as_mut())?;
        let read_keys = joined_keys.as_ref().map(read).transpose()?;
        let keys = match (&present_key, &read_keys) {
            (Some(present), _) => present.as_view(),
            (None, Some(joined)) => joined.view()?,
            (None, None) => keys,
        };
        let mut present_value = present_value.as_mut().map(Place::view).transpose()?;
        let joined_values = join(context, inputs.get(5), &values, present_value.as_mut())?;
        let read_values = joined_values.as_ref().map(read).transpose()?;
        let values = match (&present_value, &read_values) {
            (Some(present), _) => present.as_view(),
            (None, Some(joined)) => joined.view()?,
            (None, None) => values,
        };

        // Numbers of the mask are added to scores, so they are of their dtype.
        let dtype = if queries.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
        let mask = inputs.get(3);
        let is_other = |mask: &&AnyView<'_>| mask.dtype() != DType::Bool && mask.dtype() != dtype;
        let converted = mask.filter(is_other).map(|mask| context.converted(mask, dtype)).transpose()?;
        let read_mask = converted.as_ref().map(read).transpose()?;
        let mask = match &read_mask {
            Some(mask) => Some(mask.view()?),
            None => mask.copied(),
        };
        let masking = self.masking(inputs, mask, keys.shape().extent(2))?;

        let attention = ScaledDotProduct { scale: self.scale, softcap: self.softcap, softmax: self.softmax_precision };
        let mut scores = scores.as_mut().map(Place::view).transpose()?;
        let shown = scores.as_mut().map(|place| Shown { stage: self.scores, place });
        let operands = Operands { queries, keys, values };
        if let Some(result) = &mut result {
            let mut result = result.view()?;
            let mut result = split_mut(&mut result, self.q_num_heads)?;
            return attention.compute(context, &operands, &masking, &mut result, shown);
        }
        if shown.is_some() {
            let &[batch, heads, sequence, _] = queries.shape().extents() else {
                return Err(unfit(queries.dtype(), queries.shape()));
            };
            let shape = [batch, heads, sequence, values.shape().extents()[3]].map(i64::from);
            let unwanted = context.scratch(queries.dtype(), &Shape::new(&shape)?)?;
            write(&unwanted, |unwanted| attention.compute(context, &operands, &masking, unwanted, shown))?;
        }
        Ok(())
    }
}

/// Keys or values behind those of the past: in a place, or in scratch space if there is a past.
fn join(
    context: &Context<'_>,
    past: Option<&AnyView<'_>>,
    new: &AnyView<'_>,
    place: Option<&mut AnyViewMut<'_>>,
) -> Result<Option<Tensor>, Cause> {
    let kernels = context.kernels();
    match (past, place) {
        (Some(past), Some(place)) => kernels.concat(&[*past, *new], 2, place)?,
        (None, Some(place)) => kernels.copy(new, place)?,
        (Some(past), None) => {
            let shape = stratal_kernels::movement::concat_shape([*past.shape(), *new.shape()], 2)?;
            let joined = context.scratch(new.dtype(), &shape)?;
            write(&joined, |joined| kernels.concat(&[*past, *new], 2, joined))?;
            return Ok(Some(joined));
        }
        (None, None) => {}
    }
    Ok(None)
}

fn heads(node: &Node<'_>, name: &'static str) -> Result<Option<usize>, Cause> {
    let heads = node.int(name)?;
    let positive = |heads: i64| usize::try_from(heads).ok().filter(|&heads| heads > 0);
    heads.map(|heads| positive(heads).ok_or_else(|| attribute(name, heads, "a positive number"))).transpose()
}

fn window(node: &Node<'_>, name: &'static str) -> Result<Option<usize>, Cause> {
    match node.int_or(name, -1)? {
        -1 => Ok(None),
        size => usize::try_from(size).map(Some).map_err(|_| attribute(name, size, "-1 or no negative number")),
    }
}

fn softcap(node: &Node<'_>) -> Result<f32, Cause> {
    let softcap = node.float_or("softcap", 0.0)?;
    if softcap >= 0.0 { Ok(softcap) } else { Err(attribute("softcap", softcap, "no negative number")) }
}

/// The dtype of softmax, as ONNX numbers dtypes.
pub(super) fn softmax_precision(node: &Node<'_>) -> Result<Option<DType>, Cause> {
    let name = "softmax_precision";
    let dtype = |code| DType::from_onnx(code).ok().filter(|dtype| dtype.is_float());
    node.int(name)?.map(|code| dtype(code).ok_or_else(|| attribute(name, code, "1, 10, 11 or 16"))).transpose()
}

/// Checks that heads of queries can share heads of keys.
pub(super) fn check_groups(queries: &Extent, keys: &Extent) -> Result<(), Cause> {
    let (Some(of_queries), Some(of_keys)) = (queries.known(), keys.known()) else { return Ok(()) };
    if of_keys == 0 && of_queries == 0 || of_keys > 0 && of_queries % of_keys == 0 {
        return Ok(());
    }
    Err(Cause::Unfit(format!("{queries} heads of queries cannot share {keys} heads of keys")))
}

/// Checks that a mask is one of scores of some shape. Its last axis may be shorter.
fn check_mask(inputs: &Facts<'_>, input: usize, scores: &[Extent; 4]) -> Result<(), Cause> {
    const EXPECTED: &[DType] = &[DType::Bool, DType::F32, DType::F64, DType::F16, DType::BF16];
    if inputs.get(input).is_none() {
        return Ok(());
    }
    inputs.dtype(input, EXPECTED)?;
    let mask = inputs.shape(input)?;
    let fits = |(axis, (is, should)): (usize, (&Extent, &Extent))| match (is.known(), should.known()) {
        (Some(is), Some(should)) if axis == 0 => is <= should,
        (Some(is), Some(should)) => is == 1 || is == should,
        _ => true,
    };
    if (1..=4).contains(&mask.rank()) && mask.iter().rev().zip(scores.iter().rev()).enumerate().all(fits) {
        return Ok(());
    }
    let expected = format!("one to four axes that broadcast to {}", SymbolicShape::new(scores.clone()));
    Err(Cause::Shape { input, shape: mask.to_string(), expected })
}

fn length_error(length: i64, keys: usize) -> Cause {
    Cause::Element { input: 6, value: length.into(), expected: format!("0 to {keys}, the number of keys") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, build, infer};

    fn tensor(elements: &[f32], shape: &[i64]) -> Tensor {
        Tensor::from_slice(elements, shape).unwrap()
    }

    fn fact(extents: impl Into<SymbolicShape>) -> Fact {
        Fact::new(DType::F32, extents)
    }

    fn run(attention: &Attention, inputs: &[Option<&Tensor>]) -> Vec<f32> {
        Context::new().unwrap().run(attention, inputs).unwrap().remove(0).to_vec().unwrap()
    }

    /// Two queries and two keys of size 1 in one head: scores are zero where queries are.
    fn zeros() -> Tensor {
        tensor(&[0.0, 0.0], &[1, 1, 2, 1])
    }

    #[test]
    fn rows_without_keys_are_zeros_whatever_values_are() {
        let values = tensor(&[f32::NAN, f32::INFINITY], &[1, 1, 2, 1]);
        let mask = Tensor::from_slice(&[false, false].map(stratal_tensor_base::Bool::from), &[2]).unwrap();
        let none = run(&Attention::default(), &[Some(&zeros()), Some(&zeros()), Some(&values), Some(&mask)]);
        assert_eq!(none, [0.0, 0.0]);
        let mask = tensor(&[f32::NEG_INFINITY], &[1, 1]);
        let none = run(&Attention::default(), &[Some(&zeros()), Some(&zeros()), Some(&values), Some(&mask)]);
        assert_eq!(none, [0.0, 0.0]);
        let keys = tensor(&[], &[1, 1, 0, 1]);
        assert_eq!(run(&Attention::default(), &[Some(&zeros()), Some(&keys), Some(&keys)]), [0.0, 0.0]);
    }

    #[test]
    fn keys_that_are_not_seen_change_nothing() {
        let (queries, keys) = (tensor(&[1.0, 1.0], &[1, 1, 2, 1]), tensor(&[0.0, f32::NAN], &[1, 1, 2, 1]));
        let values = tensor(&[3.0, 5.0], &[1, 1, 2, 1]);
        let causal = Attention { is_causal: true, ..Attention::default() };
        let result = run(&causal, &[Some(&queries), Some(&keys), Some(&values)]);
        assert_eq!(result[0], 3.0);
        assert!(result[1].is_nan());
        // Behind the last key of a batch even values are not looked at.
        let (values, one) = (tensor(&[3.0, f32::NAN], &[1, 1, 2, 1]), Tensor::from_slice(&[1_i64], &[1]).unwrap());
        let inputs = [Some(&queries), Some(&keys), Some(&values), None, None, None, Some(&one)];
        assert_eq!(run(&Attention::default(), &inputs), [3.0, 3.0]);
    }

    #[test]
    fn the_mask_may_be_shorter_than_the_keys() {
        let (values, mask) = (tensor(&[3.0, 5.0], &[1, 1, 2, 1]), tensor(&[0.5], &[1]));
        let result = run(&Attention::default(), &[Some(&zeros()), Some(&zeros()), Some(&values), Some(&mask)]);
        assert_eq!(result, [3.0, 3.0]);
    }

    #[test]
    fn heads_share_keys_whichever_way_they_lie() {
        // Two heads of queries, one of keys, two queries: both layouts, all groups in one product or not.
        let queries = [1.0, 2.0, 3.0, 4.0];
        let (keys, values) = ([0.0, 1.0], [1.0, 2.0]);
        let by_head = run(
            &Attention::default(),
            &[
                Some(&tensor(&queries, &[1, 2, 2, 1])),
                Some(&tensor(&keys, &[1, 1, 2, 1])),
                Some(&tensor(&values, &[1, 1, 2, 1])),
            ],
        );
        let attention = Attention { q_num_heads: Some(2), kv_num_heads: Some(1), ..Attention::default() };
        let side_by_side = run(
            &attention,
            &[
                Some(&tensor(&[1.0, 3.0, 2.0, 4.0], &[1, 2, 2])),
                Some(&tensor(&keys, &[1, 2, 1])),
                Some(&tensor(&values, &[1, 2, 1])),
            ],
        );
        assert_eq!([by_head[0], by_head[2], by_head[1], by_head[3]], side_by_side[..]);
        let share = |query: f32| 1.0 + 1.0 / (1.0 + (-query).exp());
        assert!(by_head.iter().zip(queries).all(|(is, query)| (is - share(query)).abs() < 1e-6));
    }

    #[test]
    fn the_result_need_not_be_wanted() {
        let attention = Attention { scores: AttentionScores::Shares, ..Attention::default() };
        let inputs = [Some(&zeros()), Some(&zeros()), Some(&zeros())];
        let outputs = Context::new().unwrap().run_wanted(&attention, &inputs, |output| output == 3).unwrap();
        assert_eq!(outputs[3].as_ref().unwrap().to_vec::<f32>().unwrap(), [0.5; 4]);
        assert!(outputs[0].is_none());
    }

    #[test]
    fn lengths_are_checked() {
        let inputs = [zeros(), zeros(), zeros()];
        let length = Tensor::from_slice(&[3_i64], &[1]).unwrap();
        let inputs = [Some(&inputs[0]), Some(&inputs[1]), Some(&inputs[2]), None, None, None, Some(&length)];
        let error = Context::new().unwrap().run(&Attention::default(), &inputs).unwrap_err();
        assert_eq!(error.to_string(), "Attention: input 6 holds 3: expected 0 to 2, the number of keys");
    }

    #[test]
    fn the_present_is_the_past_and_what_is_new() {
        let (batch, past) = (Extent::symbol("batch"), Extent::symbol("past"));
        let new = |heads: i64| fact(SymbolicShape::new([batch.clone(), 1.into(), (heads * 8).into()]));
        let past = fact(SymbolicShape::new([batch.clone(), 2.into(), past, 8.into()]));
        let attention = Attention { q_num_heads: Some(4), kv_num_heads: Some(2), ..Attention::default() };
        let (queries, keys) = (new(4), new(2));
        let inputs = [Some(&queries), Some(&keys), Some(&keys), None, Some(&past), Some(&past)];
        let facts = infer(&attention, "attention", &inputs).unwrap();
        let shapes: Vec<_> = facts.iter().map(|fact| fact.shape.as_ref().unwrap().to_string()).collect();
        assert_eq!(
            shapes,
            ["[batch, 1, 32]", "[batch, 2, past + 1, 8]", "[batch, 2, past + 1, 8]", "[batch, 4, 1, past + 1]"]
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let message = |attention: &Attention, inputs: &[Option<&Fact>]| {
            infer(attention, "attention", inputs).unwrap_err().to_string()
        };
        let (four, three) = (fact([2, 3, 4, 8]), fact([2, 4, 24]));
        let plain = Attention::default();
        insta::assert_snapshot!([
            message(&plain, &[Some(&three), Some(&three), Some(&three)]),
            message(&plain, &[Some(&fact([2, 3])), Some(&four), Some(&four)]),
            message(&plain, &[Some(&four), Some(&fact([2, 3, 4, 7])), Some(&four)]),
            message(&plain, &[Some(&four), Some(&fact([2, 2, 4, 8])), Some(&fact([2, 2, 4, 8]))]),
            message(&plain, &[Some(&four), Some(&four), Some(&four), Some(&fact([5]))]),
            message(&plain, &[Some(&four), Some(&four), Some(&four), None, Some(&four)]),
            message(&Attention { q_num_heads: Some(5), ..Attention::default() }, &[Some(&three), Some(&three), Some(&three)]),
            message(&Attention { q_num_heads: Some(2), ..Attention::default() }, &[Some(&four), Some(&four), Some(&four)]),
        ].join("\n"), @r"
        Attention: attribute q_num_heads is missing
        Attention: input 0 has shape [2, 3]: expected rank 3 or 4
        Attention: input 1 has shape [2, 3, 4, 7]: expected [2, 3, 4, 8]
        Attention: 3 heads of queries cannot share 2 heads of keys
        Attention: input 3 has shape [5]: expected one to four axes that broadcast to [2, 3, 4, 4]
        Attention: past_key and past_value are only there together
        Attention: input 0 has shape [2, 4, 24]: expected a multiple of the 5 heads at axis 2
        Attention: input 0 has shape [2, 3, 4, 8]: expected 2 heads at axis 1, as q_num_heads says
        ");
        let built = |name: &str, value: i64| {
            build(ONNX, "Attention", &Attributes::new().with(name, value), 3, 1).unwrap_err().to_string()
        };
        insta::assert_snapshot!([
            built("q_num_heads", 0),
            built("left_window_size", -2),
            built("softmax_precision", 7),
            built("qk_matmul_output_mode", 4),
        ].join("\n"), @r"
        Attention: attribute q_num_heads is 0: expected a positive number
        Attention: attribute left_window_size is -2: expected -1 or no negative number
        Attention: attribute softmax_precision is 7: expected 1, 10, 11 or 16
        Attention: attribute qk_matmul_output_mode is 4: expected 0, 1, 2 or 3
        ");
    }
}
