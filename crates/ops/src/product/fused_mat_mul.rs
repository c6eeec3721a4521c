//! `FusedMatMul`: products of transposed matrices, with a factor.

use stratal_kernels::{AnyView, Epilogue};
use stratal_tensor_base::Geometry;

use super::{product_shape, sides, with_matrix};
use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, MICROSOFT, Node, Operator, Outputs, SymbolicShape, dtypes,
};

/// [`MatMul`](crate::MatMul) of floats, of operands that are transposed before, times a factor. Vectors are never transposed.
#[derive(Debug, Clone, Copy)]
pub struct FusedMatMul {
    /// What the product is multiplied by.
    pub alpha: f32,
    /// How the left side is turned.
    pub a: Turn,
    /// How the right side is turned.
    pub b: Turn,
}

/// How matrices are turned before they are multiplied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turn {
    /// Whether the first axis is moved behind all other axes but the last: `[m, .., k]` becomes `[.., m, k]`. This is done
    /// first.
    pub batch: bool,
    /// Whether the last two axes are swapped.
    pub matrix: bool,
}

impl FusedMatMul {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        name: "FusedMatMul",
        since: 1,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["alpha", "transA", "transB", "transBatchA", "transBatchB"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let turn = |node: &Node<'_>, matrix, batch| {
                Ok::<_, Cause>(Turn { matrix: node.flag(matrix, false)?, batch: node.flag(batch, false)? })
            };
            Ok(Box::new(Self {
                alpha: node.float_or("alpha", 1.0)?,
                a: turn(node, "transA", "transBatchA")?,
                b: turn(node, "transB", "transBatchB")?,
            }))
        },
    };
}

impl Turn {
    /// Where each axis comes from.
    fn axes(self, rank: usize) -> Vec<usize> {
        let mut axes: Vec<_> = (0..rank).collect();
        if rank >= 2 {
            if self.batch {
                axes[..rank - 1].rotate_left(1);
            }
            if self.matrix {
                axes.swap(rank - 2, rank - 1);
            }
        }
        axes
    }

    fn shape(self, shape: &SymbolicShape) -> SymbolicShape {
        self.axes(shape.rank()).into_iter().map(|axis| shape[axis].clone()).collect()
    }

    fn view<'a>(self, view: &AnyView<'a>) -> Result<AnyView<'a>, Cause> {
        let axes: Vec<i64> = self.axes(view.shape().rank()).into_iter().map(|axis| axis as i64).collect();
        view.seen(|geometry: &Geometry| Ok(geometry.permute(&axes)?))
    }
}

impl Operator for FusedMatMul {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        let (a, b) = (self.a.shape(inputs.shape(0)?), self.b.shape(inputs.shape(1)?));
        Ok(vec![Fact::new(dtype, product_shape(&a, &b)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (a, b) = (self.a.view(inputs.required(0)?)?, self.b.view(inputs.required(1)?)?);
        let epilogue = Epilogue { alpha: self.alpha, ..Epilogue::default() };
        outputs.write(0, |result| {
            let [left, right] = sides(&a, &b)?;
            let mut product = with_matrix(result, &a, &b)?;
            Ok::<_, Cause>(context.kernels().matmul(&left, &right, &epilogue, &mut product)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Attributes, MatMul, build};

    #[test]
    fn turned_operands_are_permuted_ones() {
        let context = Context::new().unwrap();
        let of = |extents: &[i64]| {
            let count = extents.iter().product();
            Tensor::arange(0, count, 1, DType::F32).unwrap().reshape(extents).unwrap()
        };
        let product = |a: &Tensor, b: &Tensor| context.run(&MatMul, &[Some(a), Some(b)]).unwrap().remove(0);
        // [k, batch, m] becomes [batch, m, k]; [n, batch, k] becomes [batch, k, n], after a first turn to [batch, n, k].
        let (a, b) = (of(&[4, 2, 3]), of(&[5, 2, 4]));
        let attributes = ["transBatchA", "transA", "transBatchB", "transB"];
        let attributes = attributes.into_iter().fold(Attributes::new(), |attributes, name| attributes.with(name, 1));
        let fused = build(MICROSOFT, "FusedMatMul", &attributes.with("alpha", 0.5_f32), 2, 1).unwrap();
        let turned = context.run(&*fused, &[Some(&a), Some(&b)]).unwrap().remove(0);
        let plain = product(&a.permute(&[1, 2, 0]).unwrap(), &b.permute(&[1, 2, 0]).unwrap());
        let halves: Vec<f32> = plain.to_vec::<f32>().unwrap().into_iter().map(|x| x * 0.5).collect();
        assert_eq!((turned.shape(), turned.to_vec::<f32>().unwrap()), (plain.shape(), halves));
    }

    #[test]
    fn vectors_stay_what_they_are() {
        let turn = Turn { batch: true, matrix: true };
        assert_eq!(turn.axes(1), [0]);
        assert_eq!(turn.axes(2), [1, 0]);
        assert_eq!(turn.axes(4), [1, 2, 3, 0]);
        assert_eq!(Turn { matrix: false, ..turn }.axes(4), [1, 2, 0, 3]);
    }
}
