//! `Pad`: axes extended or cropped at both ends.

use stratal_kernels::movement::{PadMode as Mode, Padding, pad_shape};
use stratal_tensor_base::Scalar;

use super::axes::{check_list, check_single, listed, zero};
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// Extends or crops axes at both ends. Inputs are the operand, the pads, the constant (0 if there is none) and the axes (all
/// if there are none); pads hold for each axis what is added before, then for each what is added behind.
///
/// Negative pads crop. Where one end is cropped and the other extended from the axis' own elements, it is cropped first.
/// Reflecting more than there is, and repeating nothing, are errors.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pad {
    /// What is added.
    pub mode: PadMode,
}

/// What padding adds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PadMode {
    /// One value everywhere.
    #[default]
    Constant,
    /// The elements mirrored at the first and last one, which are not repeated.
    Reflect,
    /// The first and the last element again and again.
    Edge,
    /// The elements from the other end.
    Wrap,
}

impl Pad {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Pad",
        since: 25,
        inputs: 2..=4,
        outputs: 1..=1,
        attributes: &["mode"],
        dtypes: dtypes::ALL,
        build: |node| {
            let words = [
                ("constant", PadMode::Constant),
                ("reflect", PadMode::Reflect),
                ("edge", PadMode::Edge),
                ("wrap", PadMode::Wrap),
            ];
            Ok(Box::new(Self { mode: node.word("mode", "constant, reflect, edge or wrap", &words)? }))
        },
    };

    fn mode(self, constant: Scalar) -> Mode {
        match self.mode {
            PadMode::Constant => Mode::Constant(constant),
            PadMode::Reflect => Mode::Reflect,
            PadMode::Edge => Mode::Edge,
            PadMode::Wrap => Mode::Wrap,
        }
    }
}

impl Operator for Pad {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1, 3]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        inputs.dtype(1, dtypes::INDICES)?;
        inputs.check_dtype(2, x.dtype)?;
        check_single(inputs, 2, dtypes::ALL)?;
        let of_fact = |shape| Ok(vec![Fact::new(x.dtype, shape)]);
        let axes = match inputs.get(3) {
            None => Some(listed(None, shape.rank())?),
            Some(_) => {
                inputs.dtype(3, dtypes::INDICES)?;
                inputs.vector_length(3)?;
                inputs.integers(3).map(|axes| listed(Some(&axes), shape.rank())).transpose()?
            }
        };
        let Some(axes) = axes else { return of_fact(inputs.unknown_shape(shape.rank())) };
        check_list(inputs, 1, 2 * axes.len())?;
        let mut padded = shape.clone();
        let Some(pads) = inputs.required(1)?.integers() else {
            axes.iter().for_each(|axis| padded.extents_mut()[*axis] = inputs.unknown(&axis.to_string()));
            return of_fact(padded);
        };
        if let (Some(known), Some(pads)) = (shape.known()?, known(pads)) {
            let [before, after] = spread(&pads, &axes, shape.rank())?;
            let padding = Padding { before: &before, after: &after, mode: self.mode(zero(x.dtype)) };
            return of_fact(SymbolicShape::from(&pad_shape(&known, &padding)?));
        }
        for (position, axis) in axes.iter().enumerate() {
            let sum = shape[*axis].add(&pads[position])?.add(&pads[position + axes.len()])?;
            padded.extents_mut()[*axis] = sum;
        }
        of_fact(padded)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let pads = inputs.integers(1)?.ok_or(Cause::MissingInput { input: 1 })?;
        let axes = listed(inputs.integers(3)?.as_deref(), x.shape().rank())?;
        let [before, after] = spread(&pads, &axes, x.shape().rank())?;
        let constant = inputs.scalar(2)?.unwrap_or_else(|| zero(x.dtype()));
        let padding = Padding { before: &before, after: &after, mode: self.mode(constant) };
        outputs.write(0, |result| context.kernels().pad(x, &padding, result))
    }
}

/// Pads of some axes as lists of all axes, before and after.
fn spread(pads: &[i64], axes: &[usize], rank: usize) -> Result<[Vec<i64>; 2], Cause> {
    if pads.len() != 2 * axes.len() {
        return Err(Cause::Unfit(format!("{} pads are not two for each of {} axes", pads.len(), axes.len())));
    }
    let [mut before, mut after] = [vec![0; rank], vec![0; rank]];
    for (position, axis) in axes.iter().enumerate() {
        before[*axis] = pads[position];
        after[*axis] = pads[position + axes.len()];
    }
    Ok([before, after])
}

fn known(extents: &[Extent]) -> Option<Vec<i64>> {
    extents.iter().map(Extent::known).collect()
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    fn padded(x: &[i32], pads: &[i64], mode: PadMode) -> Result<Vec<i32>, String> {
        let x = Tensor::from_slice(x, &[x.len() as i64]).unwrap();
        let pads = Tensor::from_slice(pads, &[pads.len() as i64]).unwrap();
        let padded = Context::new().unwrap().run(&Pad { mode }, &[Some(&x), Some(&pads)]);
        Ok(padded.map_err(|error| error.to_string())?[0].to_vec().unwrap())
    }

    #[test]
    fn ends_are_cropped_and_extended() {
        assert_eq!(padded(&[0, 1, 2], &[-1, 2], PadMode::Constant).unwrap(), [1, 2, 0, 0]);
        assert_eq!(padded(&[1, 2, 3], &[2, 2], PadMode::Reflect).unwrap(), [3, 2, 1, 2, 3, 2, 1]);
        assert_eq!(padded(&[1, 2, 3], &[-1, 1], PadMode::Wrap).unwrap(), [2, 3, 2]);
        assert_eq!(padded(&[], &[1, 1], PadMode::Constant).unwrap(), [0, 0]);
        let error = padded(&[1, 2, 3], &[3, 0], PadMode::Reflect).unwrap_err();
        assert_eq!(error, "Pad: pad with reflect: 3 before and 0 after do not come from axis 0 of extent 3");
        assert!(padded(&[], &[1, 0], PadMode::Edge).is_err());
        assert!(padded(&[1], &[-2, 0], PadMode::Constant).is_err());
        assert!(padded(&[1], &[i64::MAX, i64::MAX], PadMode::Constant).is_err());
    }

    fn shape(pads: &Fact, axes: Option<&Fact>) -> Result<String, String> {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("n"), 3.into()]));
        let facts = infer(&Pad::default(), "node", &[Some(&x), Some(pads), None, axes]);
        Ok(facts.map_err(|error| error.to_string())?[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn extents_grow_by_their_pads() {
        let pads = |pads: &[Extent]| Fact::of_extents(DType::I64, pads.to_vec());
        let p = Extent::symbol("p");
        assert_eq!(shape(&pads(&[1.into(), 0.into(), p, 2.into()]), None).unwrap(), "[n + p + 1, 5]");
        let two = pads(&[1.into(), 1.into()]);
        assert_eq!(shape(&two, Some(&pads(&[(-1).into()]))).unwrap(), "[n, 5]");
        assert_eq!(shape(&Fact::new(DType::I64, [2]), Some(&pads(&[0.into()]))).unwrap(), "[node.0, 3]");
        assert_eq!(shape(&two, Some(&Fact::new(DType::I64, [1]))).unwrap(), "[node.0, node.1]");
        assert_eq!(shape(&two, None).unwrap_err(), "Pad: input 1 has shape [2]: expected [4]");
        let twice = Some(pads(&[0.into(), 0.into()]));
        assert!(shape(&two, twice.as_ref()).unwrap_err().contains("axis 0 is listed twice"));
    }
}
