//! `Reshape`: the same elements in another shape.

use crate::symbolic_shape::product;
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// The same elements in row-major order, in the shape that the second input gives.
///
/// One extent may be -1: it follows from the others. An extent of 0 means that of the operand at the same axis, unless
/// `allow_zero` says that it means 0; then there can be no -1 beside it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reshape {
    /// Whether 0 means 0.
    pub allow_zero: bool,
}

impl Reshape {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Reshape",
        since: 25,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["allowzero"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { allow_zero: node.flag("allowzero", false)? })),
    };
}

impl Operator for Reshape {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let x = inputs.required(0)?;
        inputs.dtype(1, dtypes::INDICES)?;
        let shape = match inputs.required(1)?.integers() {
            Some(extents) => Some(self.shape(inputs, inputs.shape(0)?, extents)?),
            None => inputs.vector_length(1)?.map(|rank| inputs.unknown_shape(rank)),
        };
        Ok(vec![Fact { dtype: x.dtype, shape, elements: x.elements.clone() }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| copy_reshaped(context, x, result))
    }
}

/// Copies elements in row-major order, whatever the two shapes are.
pub(crate) fn copy_reshaped(
    context: &Context<'_>,
    x: &stratal_kernels::AnyView<'_>,
    result: &mut stratal_kernels::AnyViewMut<'_>,
) -> Result<(), Cause> {
    let shape = *x.shape();
    // The result is row-major as a rule, and then takes any shape of as many elements.
    if let Some(geometry) = result.geometry().try_reshape(&shape) {
        let mut result = result.seen(|_| Ok::<_, Cause>(geometry))?;
        return Ok(context.kernels().copy(x, &mut result)?);
    }
    let copy = context.converted(x, x.dtype())?;
    let copy = crate::read(&copy)?;
    let target = *result.shape();
    let reshaped = copy.view()?.seen(|geometry| {
        geometry.try_reshape(&target).ok_or_else(|| Cause::Unfit(format!("cannot reshape {shape} to {target}")))
    })?;
    Ok(context.kernels().copy(&reshaped, result)?)
}

impl Reshape {
    fn shape(&self, inputs: &Facts<'_>, from: &SymbolicShape, to: &[Extent]) -> Result<SymbolicShape, Cause> {
        let unfit = || Cause::Unfit(format!("cannot reshape {from} to {to:?}"));
        let mut shape = Vec::with_capacity(to.len());
        let mut open = None;
        for (axis, extent) in to.iter().enumerate() {
            let extent = match extent.known() {
                Some(0) if !self.allow_zero => from.get(axis).cloned().ok_or_else(unfit)?,
                Some(-1) if open.replace(axis).is_some() => return Err(unfit()),
                Some(..-1) => return Err(unfit()),
                Some(-1) => 1.into(),
                _ => extent.clone(),
            };
            shape.push(extent);
        }
        let count = from.count();
        if let Some(open) = open {
            let others = product(&shape);
            if others.as_ref().is_ok_and(|others| others.is(0)) {
                return Err(unfit());
            }
            let length = count.clone().and_then(|count| count.divide_floor(&others?));
            shape[open] = inputs.or_unknown(&open.to_string(), length)?;
        }
        let count = inputs.or_unknown("from", count)?;
        let to = inputs.or_unknown("to", product(&shape))?;
        let is_unfit = count.known().zip(to.known()).is_some_and(|(from, to)| from != to);
        if is_unfit { Err(unfit()) } else { Ok(SymbolicShape::new(shape)) }
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    fn shape(from: impl Into<SymbolicShape>, to: &[i64], allow_zero: bool) -> Result<String, String> {
        let x = Fact::new(DType::F32, from);
        let to = Fact::of_extents(DType::I64, to.iter().map(|&extent| extent.into()).collect());
        let facts =
            infer(&Reshape { allow_zero }, "reshape", &[Some(&x), Some(&to)]).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn extents_follow_from_the_others_and_from_the_operand() {
        assert_eq!(shape([2, 3, 4], &[0, -1], false).unwrap(), "[2, 12]");
        assert_eq!(shape([2, 0], &[4, -1], false).unwrap(), "[4, 0]");
        assert_eq!(shape([2, 0], &[0, 5], true).unwrap(), "[0, 5]");
        assert_eq!(shape([], &[1, 1], false).unwrap(), "[1, 1]");
        let unknown = SymbolicShape::new([Extent::symbol("batch"), Extent::symbol("seq"), 768.into()]);
        assert_eq!(shape(unknown, &[0, 0, 12, -1], false).unwrap(), "[batch, seq, 12, 64]");
    }

    #[test]
    fn counts_of_too_many_parts_are_unknown() {
        let axis = |axis: i64| Extent::symbol(format!("a{axis}")).add(&Extent::symbol(format!("b{axis}"))).unwrap();
        let from: SymbolicShape = (0..12).map(axis).collect();
        assert!(from.count().is_err());
        assert_eq!(shape(from.clone(), &[-1, 2], false).unwrap(), "[reshape.0, 2]");
        assert_eq!(shape(from, &[3, 2], false).unwrap(), "[3, 2]");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_eq!(shape([8], &[4], false).unwrap_err(), "Reshape: cannot reshape [8] to [4]");
        assert!(shape([1, 2, 256, 0], &[1, 512, 256], false).is_err());
        assert!(shape([0, 4], &[0, -1], true).is_err());
        assert!(shape([0, 4], &[0, -1], false).is_err());
        assert!(shape([4], &[-1, -1], false).is_err());
        assert!(shape([4], &[4, 0], false).is_err());
        assert!(shape([4], &[-2, -2], false).is_err());
    }
}
