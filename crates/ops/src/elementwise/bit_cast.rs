//! `BitCast`: the same bits as another dtype.

use stratal_kernels::AnyViewMut;
use stratal_tensor_base::DType;

use super::cast::keep;
use super::unary;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes, read};

/// The bits of each element as an element of another dtype of the same size.
///
/// A truth has the bits 0 or 1, and whatever has another bit than none is true.
#[derive(Debug, Clone, Copy)]
pub struct BitCast {
    /// The dtype of the result.
    pub to: DType,
}

impl BitCast {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("BitCast", 26, dtypes::ALL, &["to"], |node| {
        Ok(Box::new(Self { to: node.needed("to", node.dtype("to")?)? }))
    });
}

impl Operator for BitCast {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let x = inputs.required(0)?;
        let (from, to) = (x.dtype, self.to);
        if from.size() != to.size() {
            let sizes = (from.size(), to.size());
            return Err(Cause::Unfit(format!("cannot read {from} of {} bytes as {to} of {}", sizes.0, sizes.1)));
        }
        let elements = x.elements.clone().filter(|_| from == to);
        Ok(vec![Fact { dtype: to, shape: x.shape.clone(), elements }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| {
            if self.to == DType::Bool {
                return Ok::<_, Cause>(context.kernels().cast(x, result)?);
            }
            let copy = context.converted(x, x.dtype())?.reinterpret(self.to)?;
            Ok(context.kernels().copy(&read(&copy)?.view()?, result)?)
        })
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

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::Bool;

    use super::*;

    #[test]
    fn bits_are_kept_whatever_the_strides() {
        let context = Context::new().unwrap();
        let signaling = f32::from_bits(0xff80_0001);
        let x = Tensor::from_slice(&[signaling, 1.0, -0.0, 2.0], &[2, 2]).unwrap().t().unwrap();
        let bits = context.run(&BitCast { to: DType::U32 }, &[Some(&x)]).unwrap().remove(0);
        assert_eq!(bits.to_vec::<u32>().unwrap(), [0xff80_0001, 0x8000_0000, 0x3f80_0000, 0x4000_0000]);
        let bytes = Tensor::from_slice(&[0_u8, 1, 254], &[3]).unwrap();
        let truths = context.run(&BitCast { to: DType::Bool }, &[Some(&bytes)]).unwrap().remove(0);
        assert_eq!(truths.to_vec::<Bool>().unwrap(), [Bool::FALSE, Bool::TRUE, Bool::TRUE]);
        let error = context.run(&BitCast { to: DType::I16 }, &[Some(&bytes)]).unwrap_err();
        assert_eq!(error.to_string(), "BitCast: cannot read uint8 of 1 bytes as int16 of 2");
    }
}
