//! `OneHot`: a row for each index, in which it is marked.

use stratal_kernels::AnyView;
use stratal_tensor_base::{DType, Scalar, match_dtype};

use super::axes::{check_length, check_single};
use crate::{Cause, Context, Definition, Elements, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes, read};

/// A row of `depth` elements for each index, along a new axis: the second of two values at the index, the first everywhere
/// else. Inputs are the indices, the depth and the two values.
///
/// Negative indices count from the end of the row; of one out of range all of the row is the first value. Indices and depth
/// may be of any dtype, and are truncated toward zero.
#[derive(Debug, Clone, Copy)]
pub struct OneHot {
    /// The new axis, as it is numbered in the result; it may count from the end.
    pub axis: i64,
}

impl OneHot {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "OneHot",
        since: 28,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::NUMBERS,
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", -1)? })),
    };
}

impl Operator for OneHot {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, dtypes::NUMBERS)?;
        inputs.required(1)?;
        check_single(inputs, 1, dtypes::NUMBERS)?;
        let values = inputs.required(2)?.dtype;
        check_length(inputs, 2, 2)?;
        let mut shape = inputs.shape(0)?.clone();
        let place = axis(self.axis, shape.rank() + 1)?;
        let depth = match &inputs.required(1)?.elements {
            Some(Elements::Integers(depth)) => depth.first().cloned(),
            Some(Elements::Floats(depth)) => depth.first().map(|depth| (*depth as i64).into()),
            None => None,
        };
        let depth = depth.unwrap_or_else(|| inputs.unknown("depth"));
        if let Some(depth) = depth.known().filter(|depth| *depth < 0) {
            return Err(Cause::Element { input: 1, value: depth.into(), expected: "no negative number".into() });
        }
        shape.extents_mut().insert(place, depth);
        Ok(vec![Fact::new(values, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let indices = inputs.required(0)?;
        let values = values(inputs.required(2)?)?;
        let place = axis(self.axis, indices.shape().rank() + 1)?;
        let converted = match indices.dtype() {
            DType::I32 | DType::I64 => None,
            // What is beyond 63 bits is out of range, and stays so.
            DType::U64 => {
                let numbers = context.converted(indices, DType::F64)?;
                let numbers = read(&numbers)?;
                Some(context.converted(&numbers.view()?, DType::I64)?)
            }
            _ => Some(context.converted(indices, DType::I64)?),
        };
        let converted = converted.as_ref().map(read).transpose()?;
        let converted = converted.as_ref().map(|indices| indices.view()).transpose()?;
        let indices = converted.as_ref().unwrap_or(indices);
        outputs.write(0, |result| {
            let depth = result.shape().extent(place) as i64;
            context.kernels().one_hot(indices, depth, self.axis, values, result)
        })
    }
}

fn values(view: &AnyView<'_>) -> Result<[Scalar; 2], Cause> {
    let values: Vec<Scalar> = match_dtype!(view.dtype(), T => {
        view.typed::<T>().into_iter().flat_map(|view| view.iter()).map(Scalar::from).collect()
    });
    values.try_into().map_err(|_| Cause::Shape { input: 2, shape: view.shape().to_string(), expected: "[2]".into() })
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Extent, SymbolicShape, infer};

    #[test]
    fn indices_of_any_dtype_are_truncated() {
        let context = Context::new().unwrap();
        let (depth, values) =
            (Tensor::from_slice(&[3.9_f32], &[1]).unwrap(), Tensor::from_slice(&[7_u8, 9], &[2]).unwrap());
        let rows = |indices: &Tensor| {
            let rows = context.run(&OneHot { axis: -1 }, &[Some(indices), Some(&depth), Some(&values)]).unwrap();
            assert_eq!(rows[0].shape().extents(), [2, 3]);
            rows[0].to_vec::<u8>().unwrap()
        };
        assert_eq!(rows(&Tensor::from_slice(&[1.9_f32, -0.9], &[2]).unwrap()), [7, 9, 7, 9, 7, 7]);
        assert_eq!(rows(&Tensor::from_slice(&[u64::MAX, 2], &[2]).unwrap()), [7, 7, 7, 7, 7, 9]);
        assert_eq!(rows(&Tensor::from_slice(&[-3_i8, -4], &[2]).unwrap()), [9, 7, 7, 7, 7, 7]);
        assert_eq!(rows(&Tensor::from_slice(&[f32::INFINITY, 1e20], &[2]).unwrap()), [7; 6]);
    }

    #[test]
    fn the_depth_is_an_extent() {
        let indices = Fact::new(DType::I64, SymbolicShape::new([Extent::symbol("n")]));
        let values = Fact::new(DType::F16, [2]);
        let shape = |depth: &Fact, axis| {
            let facts = infer(&OneHot { axis }, "node", &[Some(&indices), Some(depth), Some(&values)]);
            let fact = facts.map_err(|error| error.to_string())?.remove(0);
            assert_eq!(fact.dtype, DType::F16);
            Ok::<_, String>(fact.shape.unwrap().to_string())
        };
        let depth = |depth: Extent| Fact::of_extents(DType::I64, vec![depth]);
        assert_eq!(shape(&depth(0.into()), 0).unwrap(), "[0, n]");
        assert_eq!(shape(&depth(Extent::symbol("classes")), -1).unwrap(), "[n, classes]");
        assert_eq!(shape(&Fact::new(DType::I64, []), 1).unwrap(), "[n, node.depth]");
        assert_eq!(shape(&depth(3.into()), 2).unwrap_err(), "OneHot: axis 2 does not exist at rank 2");
        let error = shape(&depth((-1).into()), 0).unwrap_err();
        assert_eq!(error, "OneHot: input 1 holds -1: expected no negative number");
        let error = shape(&Fact::new(DType::I64, [2]), 0).unwrap_err();
        assert_eq!(error, "OneHot: input 1 has shape [2]: expected a single element");
    }
}
