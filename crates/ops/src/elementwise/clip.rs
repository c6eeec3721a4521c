//! `Clip`: elements cut at limits.

use stratal_kernels::{AnyViewMut, map};

use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Elements cut at a lower and an upper limit, of which each may be left out. NaN stays NaN.
///
/// Where the lower limit is above the upper one, the upper one wins. A limit that is NaN cuts nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clip;

impl Clip {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Clip",
        since: 13,
        inputs: 1..=3,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::NUMBERS,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Clip {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::NUMBERS)?;
        inputs.check_dtypes(dtype)?;
        for input in [1, 2] {
            let Some(shape) = inputs.get(input).and_then(|limit| limit.shape.as_ref()) else { continue };
            if shape.count()?.known().is_some_and(|count| count != 1) {
                return Err(Cause::Shape { input, shape: shape.to_string(), expected: "a single element".into() });
            }
        }
        let x = inputs.required(0)?;
        let limit = |input: usize| match inputs.get(input) {
            Some(limit) => limit.integers()?.first().cloned().map(Some),
            None => Some(None),
        };
        let cut = |x: &Extent| {
            let x = limit(1)?.map_or_else(|| Ok(x.clone()), |lower| x.larger(&lower)).ok()?;
            limit(2)?.map_or_else(|| Ok(x.clone()), |upper| x.smaller(&upper)).ok()
        };
        let elements = x.integers().and_then(|elements| elements.iter().map(cut).collect::<Option<_>>());
        let elements = elements.map(crate::Elements::Integers);
        Ok(vec![Fact { dtype, shape: x.shape.clone(), elements }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let kernel = map::Clip::new(inputs.scalar(1)?, inputs.scalar(2)?);
        super::unary::compute(&kernel, context, inputs, outputs)
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        let kernel = map::Clip::new(inputs.scalar(1)?, inputs.scalar(2)?);
        super::unary::compute_in_place(&kernel, context, x)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::elementwise::testing::floats;
    use crate::infer;
    use stratal_tensor_base::DType;

    #[test]
    fn nan_stays_and_the_upper_limit_wins() {
        let result = floats(&Clip, &[&[f32::NAN, -3.0, f32::INFINITY], &[-1.0], &[1.0]]);
        assert!(result[0].is_nan());
        assert_eq!(result[1..], [-1.0, 1.0]);
        assert_eq!(floats(&Clip, &[&[0.0, 5.0], &[3.0], &[1.0]]), [1.0, 1.0]);
        assert_eq!(floats(&Clip, &[&[-5.0, 5.0], &[f32::NAN], &[1.0]]), [-5.0, 1.0]);
    }

    #[test]
    fn limits_are_single_elements_of_the_same_dtype() {
        let context = Context::new().unwrap();
        let x = Tensor::from_slice(&[1_i64 << 60, -7], &[2]).unwrap();
        let upper = Tensor::scalar((1_i64 << 60) - 1).unwrap();
        let result = context.run(&Clip, &[Some(&x), None, Some(&upper)]).unwrap().remove(0);
        assert_eq!(result.to_vec::<i64>().unwrap(), [(1 << 60) - 1, -7]);
        let error = context.run(&Clip, &[Some(&x), Some(&x)]).unwrap_err();
        assert_eq!(error.to_string(), "Clip: input 1 has shape [2]: expected a single element");
        let lower = Tensor::scalar(0_i32).unwrap();
        let error = context.run(&Clip, &[Some(&x), Some(&lower)]).unwrap_err();
        assert_eq!(error.to_string(), "Clip: input 1 is int32: expected int64, as another input is");
    }

    #[test]
    fn elements_of_shapes_are_cut() {
        let x = Fact::of_extents(DType::I64, vec![Extent::symbol("seq"), 900.into(), (-1).into()]);
        let limit = |value: i64| Fact::of_extents(DType::I64, vec![value.into()]);
        let facts = infer(&Clip, "clip", &[Some(&x), Some(&limit(0)), Some(&limit(512))]).unwrap();
        let elements = facts[0].integers().unwrap();
        assert_eq!(format!("{elements:?}"), "[min(512, seq), 512, 0]");
        let unknown = Fact::new(DType::I64, []);
        let facts = infer(&Clip, "clip", &[Some(&x), Some(&unknown)]).unwrap();
        assert_eq!(facts[0].elements, None);
    }
}
