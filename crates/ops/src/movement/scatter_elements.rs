//! `ScatterElements`: elements of an axis, updated at an index each.

use stratal_kernels::AnyViewMut;
use stratal_kernels::movement::ScatterReduction;

use super::axes::check_at_most;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, axis, dtypes};

/// Updates the element at each index along an axis, at the index's own place along all others. Inputs are the operand, the
/// indices and the updates, of one shape, which is nowhere longer than the operand's but along that axis.
///
/// Updates are applied in row-major order: of several without a reduction the last one stays. Negative indices count from
/// the end; one out of range is an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScatterElements {
    /// The axis; it may count from the end.
    pub axis: i64,
    /// What becomes of an element that is updated.
    pub reduction: ScatterReduction,
}

impl ScatterElements {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "ScatterElements",
        since: 18,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &["axis", "reduction"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", 0)?, reduction: reduction(node)? })),
    };
}

impl Operator for ScatterElements {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        check_dtypes(inputs, self.reduction)?;
        let along = axis(self.axis, shape.rank())?;
        let indices = inputs.shape_of_rank(1, shape.rank())?;
        check_at_most(inputs, 1, shape, |axis| axis != along)?;
        inputs.shape_of_rank(2, shape.rank())?;
        (0..shape.rank()).try_for_each(|axis| super::axes::check_extent(inputs, 2, axis, &indices[axis]))?;
        Ok(vec![Fact::new(x.dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, indices, updates) = (inputs.required(0)?, inputs.required(1)?, inputs.required(2)?);
        let Self { axis, reduction } = *self;
        outputs.write(0, |result| context.kernels().scatter_elements(x, indices, updates, axis, reduction, result))
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        let (indices, updates) = (inputs.required(1)?, inputs.required(2)?);
        Ok(context.kernels().scatter_elements_in_place(x, indices, updates, self.axis, self.reduction)?)
    }
}

/// What becomes of an element that is updated.
pub(super) fn reduction(node: &Node<'_>) -> Result<ScatterReduction, Cause> {
    let words = [
        ("none", ScatterReduction::None),
        ("add", ScatterReduction::Add),
        ("mul", ScatterReduction::Mul),
        ("min", ScatterReduction::Min),
        ("max", ScatterReduction::Max),
    ];
    node.word("reduction", "none, add, mul, min or max", &words)
}

/// Checks the dtypes of operand, indices and updates.
pub(super) fn check_dtypes(inputs: &Facts<'_>, reduction: ScatterReduction) -> Result<(), Cause> {
    let numbers = if reduction == ScatterReduction::None { dtypes::ALL } else { dtypes::NUMBERS };
    let dtype = inputs.dtype(0, numbers)?;
    inputs.dtype(1, dtypes::INDICES)?;
    inputs.required(2)?;
    inputs.check_dtype(2, dtype)
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Attributes, build, infer};

    fn error(x: DType, indices: [i64; 2], updates: [i64; 2], reduction: ScatterReduction) -> String {
        let x = Fact::new(x, [2, 3]);
        let (indices, updates) = (Fact::new(DType::I64, indices), Fact::new(DType::F32, updates));
        let scatter = ScatterElements { axis: 1, reduction };
        infer(&scatter, "node", &[Some(&x), Some(&indices), Some(&updates)]).unwrap_err().cause.to_string()
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let none = ScatterReduction::None;
        let shapes = |indices, updates| error(DType::F32, indices, updates, none);
        assert_eq!(shapes([3, 9], [3, 9]), "input 1 has shape [3, 9]: expected an extent of at most 2 at axis 0");
        assert_eq!(shapes([2, 9], [2, 8]), "input 2 has shape [2, 8]: expected extent 9 at axis 1");
        let mixed = error(DType::F64, [2, 1], [2, 1], none);
        assert_eq!(mixed, "input 2 is float32: expected float64, as another input is");
        let truths = error(DType::Bool, [2, 1], [2, 1], ScatterReduction::Add);
        assert!(truths.starts_with("input 0 is bool: expected one of"), "{truths}");
        let attributes = Attributes::new().with("reduction", "sum");
        let word = build("", "ScatterElements", &attributes, 3, 1).unwrap_err().cause.to_string();
        assert_eq!(word, r#"attribute reduction is "sum": expected none, add, mul, min or max"#);
    }

    #[test]
    fn updates_are_applied_one_after_the_other() {
        let context = Context::new().unwrap();
        let x = Tensor::from_slice(&[1.0_f32, 2.0, 3.0], &[3]).unwrap();
        let indices = Tensor::from_slice(&[-1_i32, 0, 2, 2], &[4]).unwrap();
        let updates = Tensor::from_slice(&[5.0_f32, f32::NAN, 7.0, 6.0], &[4]).unwrap();
        let inputs = [Some(&x), Some(&indices), Some(&updates)];
        let scattered = |reduction| {
            let scattered = context.run(&ScatterElements { axis: 0, reduction }, &inputs).unwrap();
            scattered[0].to_vec::<f32>().unwrap()
        };
        assert_eq!(scattered(ScatterReduction::None)[1..], [2.0, 6.0]);
        assert_eq!(scattered(ScatterReduction::Add)[1..], [2.0, 21.0]);
        let largest = scattered(ScatterReduction::Max);
        assert!(largest[0].is_nan());
        assert_eq!(largest[1..], [2.0, 7.0]);
    }
}
