//! `CenterCropPad`: axes cropped or extended about their middle.

use stratal_kernels::movement::{PadMode, Padding};

use super::axes::{check_extents, check_list, listed, zero};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Crops axes, or extends them with zeros, to the extents that the second input gives, so that the middle stays. Of an odd
/// number of elements the larger part is cropped, or added, at the end.
#[derive(Debug, Clone, Default)]
pub struct CenterCropPad {
    /// The axes that the extents are of, each at most once; they may count from the end. None for all.
    pub axes: Option<Vec<i64>>,
}

impl CenterCropPad {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "CenterCropPad",
        since: 18,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["axes"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { axes: node.ints("axes")?.map(<[i64]>::to_vec) })),
    };
}

impl Operator for CenterCropPad {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let x = inputs.required(0)?;
        let mut shape = inputs.shape(0)?.clone();
        let axes = listed(self.axes.as_deref(), shape.rank())?;
        let extents = inputs.required(1)?.integers();
        check_list(inputs, 1, axes.len())?;
        check_extents(1, extents.unwrap_or_default())?;
        for (position, axis) in axes.into_iter().enumerate() {
            let extent = extents.map(|extents| extents[position].clone());
            shape.extents_mut()[axis] = extent.unwrap_or_else(|| inputs.unknown(&axis.to_string()));
        }
        Ok(vec![Fact::new(x.dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| {
            // Negative where elements are cropped; rounded toward zero both ways.
            let added = result.shape().extents().iter().zip(x.shape().extents());
            let added = added.map(|(to, from)| i64::from(*to) - i64::from(*from)).collect::<Vec<_>>();
            let before: Vec<_> = added.iter().map(|added| added / 2).collect();
            let after: Vec<_> = added.iter().map(|added| added - added / 2).collect();
            let padding = Padding { before: &before, after: &after, mode: PadMode::Constant(zero(x.dtype())) };
            context.kernels().pad(x, &padding, result)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Extent, SymbolicShape, infer};

    #[test]
    fn the_middle_stays() {
        let context = Context::new().unwrap();
        let x = Tensor::from_slice(&[1, 2, 3, 4], &[4]).unwrap();
        let centered = |extent: i64| {
            let extents = Tensor::from_slice(&[extent], &[1]).unwrap();
            context.run(&CenterCropPad::default(), &[Some(&x), Some(&extents)]).unwrap()[0].to_vec::<i32>().unwrap()
        };
        assert_eq!(centered(1), [2]);
        assert_eq!(centered(2), [2, 3]);
        assert_eq!(centered(7), [0, 1, 2, 3, 4, 0, 0]);
        assert!(centered(0).is_empty());
    }

    #[test]
    fn extents_are_given() {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("h"), Extent::symbol("w"), 3.into()]));
        let shape = |axes: &[i64], extents: &Fact| {
            let crop = CenterCropPad { axes: Some(axes.to_vec()) };
            let facts = infer(&crop, "node", &[Some(&x), Some(extents)]).map_err(|error| error.to_string())?;
            Ok::<_, String>(facts[0].shape.as_ref().unwrap().to_string())
        };
        let extents = |extents: &[Extent]| Fact::of_extents(DType::I64, extents.to_vec());
        assert_eq!(shape(&[1], &extents(&[Extent::symbol("size")])).unwrap(), "[h, size, 3]");
        assert_eq!(shape(&[-1, 0], &Fact::new(DType::I64, [2])).unwrap(), "[node.0, w, node.2]");
        let error = shape(&[0], &extents(&[(-1).into()])).unwrap_err();
        assert_eq!(error, "CenterCropPad: input 1 holds -1: expected no negative number");
        let error = shape(&[0, 1], &extents(&[1.into()])).unwrap_err();
        assert_eq!(error, "CenterCropPad: input 1 has shape [1]: expected [2]");
        assert!(shape(&[0, -3], &extents(&[1.into(), 1.into()])).is_err());
    }
}
