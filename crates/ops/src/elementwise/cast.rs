//! `Cast`: elements of another dtype.

use stratal_kernels::AnyViewMut;
use stratal_tensor_base::{DType, Scalar, match_dtype};

use super::{elements, unary};
use crate::{Cause, Context, Definition, Elements, Extent, Fact, Facts, Inputs, Node, Operator, Outputs, dtypes};

/// The elements as ones of another dtype, by the rule of [`stratal_tensor_base::cast`].
///
/// Floats become the nearest ones; on the way to an integer they are rounded toward zero and cut at the ends of its range, and
/// NaN becomes 0. Integers wrap. What is not zero, NaN too, is true. ONNX leaves open what becomes of floats that an integer
/// cannot hold.
#[derive(Debug, Clone, Copy)]
pub struct Cast {
    /// The dtype of the result.
    pub to: DType,
}

impl Cast {
    /// What is known of it.
    pub const DEFINITION: Definition =
        unary::definition("Cast", 28, dtypes::ALL, &["round_mode", "saturate", "to"], |node| {
            check_modes(node)?;
            Ok(Box::new(Self { to: node.needed("to", node.dtype("to")?)? }))
        });
}

/// Checks the attributes that say how floats of 8 bits are rounded, of which there are none: they change nothing.
pub(crate) fn check_modes(node: &Node<'_>) -> Result<(), Cause> {
    node.flag("saturate", true)?;
    node.word("round_mode", "up, down or nearest", &[("up", ()), ("down", ()), ("nearest", ())])
}

impl Operator for Cast {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![cast_fact(inputs.required(0)?, self.to)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| context.kernels().cast(x, result))
    }

    fn compute_in_place(
        &self,
        _context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        keep(x, self.to)
    }
}

/// Checks that elements have a dtype already.
pub(crate) fn keep(x: &AnyViewMut<'_>, dtype: DType) -> Result<(), Cause> {
    if x.dtype() == dtype {
        return Ok(());
    }
    Err(Cause::Unsupported { what: format!("{} in the place of {}", dtype, x.dtype()) })
}

/// What is known of a tensor as one of another dtype.
pub(crate) fn cast_fact(fact: &Fact, to: DType) -> Fact {
    let elements = fact.elements.as_ref().and_then(|elements| cast_elements(elements, fact.dtype, to));
    Fact { dtype: to, shape: fact.shape.clone(), elements }
}

fn cast_elements(elements: &Elements, from: DType, to: DType) -> Option<Elements> {
    if from == to {
        return Some(elements.clone());
    }
    match elements {
        Elements::Integers(integers) if to.is_float() => {
            let float = |extent: &Extent| extent.known().map(|value| as_float(value.into(), to));
            integers.iter().map(float).collect::<Option<_>>().map(Elements::Floats)
        }
        Elements::Integers(integers) => {
            let integer = |extent: &Extent| match extent.known() {
                Some(value) => as_integer(value.into(), to).map(Extent::from),
                None => elements::fits(extent, to).then(|| extent.clone()),
            };
            integers.iter().map(integer).collect::<Option<_>>().map(Elements::Integers)
        }
        Elements::Floats(floats) if to.is_float() => {
            Some(Elements::Floats(floats.iter().map(|&value| as_float(value.into(), to)).collect()))
        }
        Elements::Floats(floats) => {
            let integer = |&value: &f64| as_integer(value.into(), to).map(Extent::from);
            floats.iter().map(integer).collect::<Option<_>>().map(Elements::Integers)
        }
    }
}

/// A number of a dtype, as a double.
fn as_float(value: Scalar, dtype: DType) -> f64 {
    match_dtype!(dtype, T => Scalar::from(value.cast::<T>()).cast())
}

/// An integer or truth of a dtype, unless it has more than 63 bits.
fn as_integer(value: Scalar, dtype: DType) -> Option<i64> {
    match_dtype!(dtype, T => match Scalar::from(value.cast::<T>()) {
        Scalar::U64(value) => value.try_into().ok(),
        value => Some(value.cast()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, build};

    #[test]
    fn elements_of_shapes_are_converted() {
        let seq = Extent::symbol("seq");
        let elements = |x: Vec<Extent>, from, to| {
            let fact = cast_fact(&Fact::of_extents(from, x), to);
            fact.elements.map(|elements| format!("{elements:?}"))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(elements(vec![seq.clone(), 3.into()], DType::I64, DType::I32), some("Integers([seq, 3])"));
        assert_eq!(elements(vec![300.into(), 0.into()], DType::I64, DType::U8), some("Integers([44, 0])"));
        assert_eq!(elements(vec![300.into(), 0.into()], DType::I64, DType::Bool), some("Integers([1, 0])"));
        assert_eq!(elements(vec![2049.into()], DType::I64, DType::F16), some("Floats([2048.0])"));
        assert_eq!(elements(vec![(-1).into()], DType::I64, DType::U64), None);
        assert_eq!(elements(vec![seq.clone()], DType::I64, DType::F32), None);
        assert_eq!(elements(vec![seq], DType::I64, DType::Bool), None);
        let floats = Fact::new(DType::F32, [2]).with_elements(Some(Elements::Floats(vec![-2.5, f64::NAN])));
        assert_eq!(cast_fact(&floats, DType::I8).known_integers(), Some(vec![-2, 0]));
        assert_eq!(cast_fact(&floats, DType::Bool).known_integers(), Some(vec![1, 1]));
    }

    #[test]
    fn attributes_are_checked() {
        let error = |attributes| build("", "Cast", &attributes, 1, 1).unwrap_err().to_string();
        assert_eq!(error(Attributes::new()), "Cast: attribute to is missing");
        let expected = "Cast: attribute to is 8: expected the ONNX code of a dtype that tensors have";
        assert_eq!(error(Attributes::new().with("to", 8)), expected);
        let mode = Attributes::new().with("to", 1).with("round_mode", "out");
        assert_eq!(error(mode), r#"Cast: attribute round_mode is "out": expected up, down or nearest"#);
    }
}
