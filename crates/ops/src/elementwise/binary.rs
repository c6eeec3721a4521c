//! What all operators of two operands that broadcast have in common.

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::Binary;
use stratal_tensor_base::DType;

use super::elements::{self, OfTwo};
use crate::operands::broadcast;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, SymbolicShape};

/// Implements an operator of two operands by a kernel: `operator!(Sub, |_| map::Sub)`, or by one of several:
/// `operator!(Mod, dyn |modulo| ...)`. With a third argument, a function of two extents, the rule computes elements of
/// shapes too. One that is `commutative` takes the place of either operand.
macro_rules! operator {
    (@implement $operator:ty, $kind:ty, ($($borrow:tt)?), $places:expr, $kernel:expr, $extents:expr) => {
        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn in_place_inputs(&self) -> &'static [usize] {
                $places
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::elementwise::binary::infer(&Self::DEFINITION, inputs, $extents)
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let kernel: fn(&Self) -> $kind = $kernel;
                $crate::elementwise::binary::compute($($borrow)? kernel(self), context, inputs, outputs)
            }

            fn compute_in_place(
                &self,
                context: &$crate::Context<'_>,
                input: usize,
                x: &mut stratal_kernels::AnyViewMut<'_>,
                inputs: &$crate::Inputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let kernel: fn(&Self) -> $kind = $kernel;
                $crate::elementwise::binary::compute_in_place($($borrow)? kernel(self), context, input, x, inputs)
            }
        }
    };
    (commutative $operator:ty, $kernel:expr, $extents:expr) => {
        $crate::elementwise::binary::operator!(@implement $operator, _, (&), &[0, 1], $kernel, $extents);
    };
    ($operator:ty, dyn $kernel:expr, $extents:expr) => {
        $crate::elementwise::binary::operator!(
            @implement $operator, &'static dyn stratal_kernels::map::Binary, (), &[0], $kernel, $extents
        );
    };
    ($operator:ty, $kernel:expr) => {
        $crate::elementwise::binary::operator!($operator, $kernel, |_, _| None);
    };
    ($operator:ty, $kernel:expr, $extents:expr) => {
        $crate::elementwise::binary::operator!(@implement $operator, _, (&), &[0], $kernel, $extents);
    };
}
pub(crate) use operator;

/// The definition of an operator of two operands.
pub(crate) const fn definition(
    name: &'static str,
    since: u32,
    dtypes: &'static [DType],
    attributes: &'static [&'static str],
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    Definition { domain: ONNX, name, since, inputs: 2..=2, outputs: 1..=1, attributes, dtypes, build }
}

pub(crate) fn infer(definition: &Definition, inputs: &Facts<'_>, of_extents: OfTwo) -> Result<Vec<Fact>, Cause> {
    let dtype = inputs.dtype(0, definition.dtypes)?;
    inputs.check_dtypes(dtype)?;
    let elements = elements::zip(inputs, dtype, of_extents);
    Ok(vec![Fact::new(dtype, inputs.broadcast()?).with_elements(elements)])
}

pub(crate) fn compute(
    kernel: &dyn Binary,
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let (a, b) = (inputs.required(0)?, inputs.required(1)?);
    outputs.write(0, |result| {
        let (a, b) = (broadcast(a, result.shape())?, broadcast(b, result.shape())?);
        Ok::<_, Cause>(context.kernels().binary(kernel, &a, &b, result)?)
    })
}

pub(crate) fn compute_in_place(
    kernel: &dyn Binary,
    context: &Context<'_>,
    input: usize,
    x: &mut AnyViewMut<'_>,
    inputs: &Inputs<'_>,
) -> Result<(), Cause> {
    let other = broadcast(inputs.required(1 - input.min(1))?, x.shape())?;
    Ok(context.kernels().binary_in_place(kernel, x, &other)?)
}

/// The shape of the first operand, to which the second one, if it is there, must broadcast.
pub(crate) fn first_shape(inputs: &Facts<'_>) -> Result<SymbolicShape, Cause> {
    let shape = inputs.shape(0)?;
    if inputs.get(1).is_none() {
        return Ok(shape.clone());
    }
    let other = inputs.shape(1)?;
    let unfit = || {
        let expected = format!("a shape that broadcasts to {shape}");
        Cause::Shape { input: 1, shape: other.to_string(), expected }
    };
    let both = shape.broadcast(other).map_err(|_| unfit())?;
    if both.rank() > shape.rank() {
        return Err(unfit());
    }
    shape
        .iter()
        .zip(both.iter())
        .map(|(own, both)| match (own.known(), both.known()) {
            (Some(own), Some(both)) if own != both => Err(unfit()),
            (None, Some(_)) => Ok(both.clone()),
            _ => Ok(own.clone()),
        })
        .collect()
}

/// The shape of two operands that do not broadcast.
pub(crate) fn same_shape(inputs: &Facts<'_>) -> Result<SymbolicShape, Cause> {
    let (first, second) = (inputs.shape(0)?, inputs.shape(1)?);
    let unfit = || Cause::Shape { input: 1, shape: second.to_string(), expected: format!("{first}, as input 0 has") };
    if first.rank() != second.rank() {
        return Err(unfit());
    }
    first
        .iter()
        .zip(second.iter())
        .map(|(first, second)| match (first.known(), second.known()) {
            (Some(first), Some(second)) if first != second => Err(unfit()),
            (None, Some(_)) => Ok(second.clone()),
            _ => Ok(first.clone()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Add, Extent, PRelu, SwiGlu, infer};

    fn shape(operator: &dyn Operator, a: SymbolicShape, b: SymbolicShape) -> Result<String, String> {
        let (a, b) = (Fact::new(DType::F32, a), Fact::new(DType::F32, b));
        let facts = infer(operator, "node", &[Some(&a), Some(&b)]).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn shapes_broadcast_as_the_operator_allows() {
        let batch = || SymbolicShape::new([Extent::symbol("batch"), 3.into()]);
        assert_eq!(shape(&Add, batch(), [2, 1, 1].into()), Ok("[2, batch, 3]".into()));
        assert_eq!(shape(&Add, [2, 1].into(), [2, 0].into()), Ok("[2, 0]".into()));
        assert_eq!(shape(&Add, [0, 3].into(), [1, 3].into()), Ok("[0, 3]".into()));
        assert_eq!(shape(&Add, [2, 3].into(), [4].into()), Err("Add: cannot broadcast 3 with 4".into()));

        assert_eq!(shape(&PRelu, batch(), [3].into()), Ok("[batch, 3]".into()));
        assert_eq!(shape(&PRelu, batch(), [7, 1].into()), Ok("[7, 3]".into()));
        let wider = "PRelu: input 1 has shape [2, 3]: expected a shape that broadcasts to [1, 3]";
        assert_eq!(shape(&PRelu, [1, 3].into(), [2, 3].into()), Err(wider.into()));
        assert!(shape(&PRelu, [3].into(), [1, 3].into()).is_err());

        let swiglu = SwiGlu::default();
        assert_eq!(shape(&swiglu, batch(), [4, 3].into()), Ok("[4, 3]".into()));
        let other = "SwiGLU: input 1 has shape [1, 3]: expected [4, 3], as input 0 has";
        assert_eq!(shape(&swiglu, [4, 3].into(), [1, 3].into()), Err(other.into()));
        assert!(shape(&swiglu, [3].into(), [1, 3].into()).is_err());
    }

    #[test]
    fn elements_of_shapes_are_computed() {
        let seq = Extent::symbol("seq");
        let elements = |operator: &dyn Operator, dtype, a: Vec<Extent>, b: Vec<Extent>| {
            let (a, b) = (Fact::of_extents(dtype, a), Fact::of_extents(dtype, b));
            infer(operator, "node", &[Some(&a), Some(&b)]).unwrap()[0]
                .elements
                .clone()
                .map(|elements| format!("{elements:?}"))
        };
        assert_eq!(
            elements(&Add, DType::I64, vec![seq.clone(), 2.into()], vec![1.into()]).unwrap(),
            "Integers([seq + 1, 3])"
        );
        // 300 does not fit a byte: what wraps is not said.
        assert_eq!(elements(&Add, DType::U8, vec![200.into()], vec![100.into()]), None);
        assert_eq!(elements(&crate::Div, DType::I64, vec![(-7).into()], vec![2.into()]).unwrap(), "Integers([-3])");
        let (shorter, two) = (seq.subtract(&3.into()).unwrap(), vec![2.into()]);
        assert_eq!(
            elements(&crate::Div, DType::I64, vec![seq.clone()], two.clone()).unwrap(),
            "Integers([floor(seq / 2)])"
        );
        // Rounded toward zero, if it is negative.
        assert_eq!(elements(&crate::Div, DType::I64, vec![shorter.clone()], two.clone()), None);
        assert_eq!(elements(&crate::Mod { truncated: false }, DType::I64, vec![shorter], two), None);
        let modulo = elements(&crate::Mod { truncated: true }, DType::I64, vec![seq.clone()], vec![8.into()]);
        assert_eq!(modulo.unwrap(), "Integers([seq - 8*floor(seq / 8)])");
        assert_eq!(
            elements(&crate::Equal, DType::I64, vec![seq.clone(), 3.into()], vec![(-1).into()]).unwrap(),
            "Integers([0, 0])"
        );
        assert_eq!(
            elements(&crate::Less, DType::I64, vec![seq.clone()], vec![seq.add(&1.into()).unwrap()]).unwrap(),
            "Integers([1])"
        );
        assert_eq!(elements(&crate::Less, DType::I64, vec![seq], vec![1.into()]), None);
        assert_eq!(elements(&Add, DType::I64, vec![], vec![1.into()]).unwrap(), "Integers([])");
    }
}
