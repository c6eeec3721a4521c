//! `GatherND`: slices at tuples of coordinates.

use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// The slices at tuples of coordinates, which lie along the last axis of the indices. The first `batch_axes` axes of both
/// operands are the same, and a tuple points into its own batch. Negative coordinates count from the end; one out of range
/// is an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct GatherND {
    /// How many leading axes both operands share.
    pub batch_axes: usize,
}

impl GatherND {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "GatherND",
        since: 13,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["batch_dims"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { batch_axes: node.size_or("batch_dims", 0)? })),
    };
}

impl Operator for GatherND {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let x = inputs.required(0)?;
        inputs.dtype(1, dtypes::INDICES)?;
        let shape = slices(inputs, self.batch_axes)?;
        Ok(vec![Fact { dtype: x.dtype, shape, elements: None }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, indices) = (inputs.required(0)?, inputs.required(1)?);
        outputs.write(0, |result| context.kernels().gather_nd(x, indices, self.batch_axes, result))
    }
}

/// The shape of the slices of the first input at the coordinates of the second, if their number is known.
pub(super) fn slices(inputs: &Facts<'_>, batch_axes: usize) -> Result<Option<SymbolicShape>, Cause> {
    let (shape, indices) = (inputs.shape(0)?, inputs.shape(1)?);
    let unfit = |expected| Cause::Shape { input: 1, shape: indices.to_string(), expected };
    let Some((coordinates, positions)) = indices.split_last() else {
        return Err(unfit("rank 1 or more".into()));
    };
    let most = shape.rank().saturating_sub(batch_axes) as i64;
    let is_within = coordinates.known().is_none_or(|count| (1..=most).contains(&count));
    if batch_axes > positions.len() || most == 0 || !is_within {
        return Err(unfit(format!(
            "1 to {most} coordinates behind {batch_axes} batch axes, for input 0 of shape {shape}"
        )));
    }
    let mut batch = Vec::with_capacity(batch_axes);
    for (axis, (own, other)) in shape.iter().zip(positions).take(batch_axes).enumerate() {
        super::axes::check_extent(inputs, 1, axis, own)?;
        batch.push(if own.known().is_some() { own } else { other });
    }
    let Some(count) = coordinates.known() else { return Ok(None) };
    let rest = &shape[batch_axes + count as usize..];
    let extents = batch.into_iter().chain(&positions[batch_axes..]).chain(rest);
    Ok(Some(extents.map(Extent::clone).collect()))
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    fn shape(
        x: impl Into<SymbolicShape>,
        indices: impl Into<SymbolicShape>,
        batch_axes: usize,
    ) -> Result<String, String> {
        let (x, indices) = (Fact::new(DType::F32, x), Fact::new(DType::I64, indices));
        let facts = infer(&GatherND { batch_axes }, "node", &[Some(&x), Some(&indices)]);
        let shape = facts.map_err(|error| error.to_string())?[0].shape.clone();
        Ok(shape.map_or("unknown".into(), |shape| shape.to_string()))
    }

    #[test]
    fn slices_stand_behind_the_positions() {
        let n = || Extent::symbol("n");
        assert_eq!(shape([2, 3, 4], [7, 2], 0).unwrap(), "[7, 4]");
        assert_eq!(shape([2, 3, 4], SymbolicShape::new([2.into(), n(), 1.into()]), 1).unwrap(), "[2, n, 4]");
        assert_eq!(shape(SymbolicShape::new([n(), 3.into()]), [2, 1], 1).unwrap(), "[2]");
        assert_eq!(shape([2, 3], SymbolicShape::new([2.into(), n()]), 0).unwrap(), "unknown");
        let error = shape([2, 3], [7, 3], 0).unwrap_err();
        assert!(
            error.contains("expected 1 to 2 coordinates behind 0 batch axes, for input 0 of shape [2, 3]"),
            "{error}"
        );
        assert!(shape([2, 3], [], 0).is_err());
        assert!(shape([2, 3], [7, 0], 0).is_err());
        assert!(shape([2, 3], [2, 1], 2).is_err());
        let error = shape([2, 3], [4, 1], 1).unwrap_err();
        assert_eq!(error, "GatherND: input 1 has shape [4, 1]: expected extent 2 at axis 0");
    }

    #[test]
    fn nothing_is_gathered_from_empty_axes() {
        let context = Context::new().unwrap();
        let gathered = |x: &Tensor, indices: &Tensor| {
            let slices =
                context.run(&GatherND::default(), &[Some(x), Some(indices)]).map_err(|error| error.to_string())?;
            Ok::<_, String>((slices[0].shape().to_string(), slices[0].to_vec::<f32>().unwrap()))
        };
        let rows = Tensor::from_slice(&[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0], &[3, 2]).unwrap();
        let index = |indices: &[i64], extents: &[i64]| Tensor::from_slice(indices, extents).unwrap();
        assert_eq!(gathered(&rows, &index(&[-1], &[1, 1])).unwrap(), ("[1, 2]".into(), vec![4.0, 5.0]));
        let empty = Tensor::zeros(&[2, 0], DType::F32).unwrap();
        assert_eq!(gathered(&empty, &index(&[0], &[1, 1])).unwrap(), ("[1, 0]".into(), vec![]));
        let square = Tensor::zeros(&[2, 2], DType::F32).unwrap();
        assert_eq!(gathered(&square, &index(&[], &[0, 1])).unwrap(), ("[0, 2]".into(), vec![]));
        let error = gathered(&square, &index(&[-3, 0], &[1, 2])).unwrap_err();
        assert_eq!(error, "GatherND: gather_nd: index -3 is out of range for axis 0 of extent 2");
    }
}
