//! `Gemm`: a product of two matrices, with factors, and a third operand added.

use stratal_kernels::{AnyView, AnyViewMut, Epilogue};

use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// `alpha * A * B + beta * C`, where the matrices `A` and `B` may be transposed before, and `C`, if it is there, broadcasts.
///
/// With a `beta` of 0, `C` is not read. Integers wrap, and have no factors but 1, and 0 for `beta`.
#[derive(Debug, Clone, Copy)]
pub struct Gemm {
    /// What the product is multiplied by.
    pub alpha: f32,
    /// What the third operand is multiplied by.
    pub beta: f32,
    /// Whether the left side is transposed.
    pub transpose_a: bool,
    /// Whether the right side is transposed.
    pub transpose_b: bool,
}

impl Default for Gemm {
    fn default() -> Self {
        Self { alpha: 1.0, beta: 1.0, transpose_a: false, transpose_b: false }
    }
}

impl Gemm {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Gemm",
        since: 13,
        inputs: 2..=3,
        outputs: 1..=1,
        attributes: &["alpha", "beta", "transA", "transB"],
        dtypes: dtypes::WITH_PRODUCTS,
        build: |node| {
            Ok(Box::new(Self {
                alpha: node.float_or("alpha", 1.0)?,
                beta: node.float_or("beta", 1.0)?,
                transpose_a: node.flag("transA", false)?,
                transpose_b: node.flag("transB", false)?,
            }))
        },
    };

    fn sides<'a>(&self, inputs: &Inputs<'a>) -> Result<[AnyView<'a>; 2], Cause> {
        let side = |view: &AnyView<'a>, is_transposed: bool| {
            view.seen(|geometry| Ok::<_, Cause>(if is_transposed { geometry.t()? } else { *geometry }))
        };
        Ok([side(inputs.required(0)?, self.transpose_a)?, side(inputs.required(1)?, self.transpose_b)?])
    }
}

impl Operator for Gemm {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[2]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::WITH_PRODUCTS)?;
        inputs.check_dtypes(dtype)?;
        let (a, b) = (inputs.shape_of_rank(0, 2)?, inputs.shape_of_rank(1, 2)?);
        let turned = |shape: &SymbolicShape, is_transposed: bool| -> [Extent; 2] {
            let (first, second) = (shape[0].clone(), shape[1].clone());
            if is_transposed { [second, first] } else { [first, second] }
        };
        let ([rows, depth], [depth_of_b, columns]) = (turned(a, self.transpose_a), turned(b, self.transpose_b));
        if depth.known().zip(depth_of_b.known()).is_some_and(|(a, b)| a != b) {
            let (a, b) = (SymbolicShape::new([rows, depth]), SymbolicShape::new([depth_of_b, columns]));
            return Err(Cause::Unfit(format!("cannot multiply matrices {a} by {b}")));
        }
        if !dtype.is_float() && (self.alpha != 1.0 || !matches!(self.beta, 0.0 | 1.0)) {
            return Err(Cause::Unsupported { what: format!("factors {} and {} of {dtype}", self.alpha, self.beta) });
        }
        let shape = SymbolicShape::new([rows, columns]);
        if let Some(added) = inputs.get(2) {
            let added = added.shape.as_ref().ok_or(Cause::UnknownRank { input: 2 })?;
            // One that is known must stay what it is.
            let grown = shape.broadcast(added).ok().filter(|grown| {
                grown.rank() == 2
                    && grown.iter().zip(shape.iter()).all(|(grown, kept)| kept.known().is_none() || grown == kept)
            });
            if grown.is_none() {
                let expected = format!("one that broadcasts to {shape}");
                return Err(Cause::Shape { input: 2, shape: added.to_string(), expected });
            }
        }
        Ok(vec![Fact::new(dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let [a, b] = self.sides(inputs)?;
        // One that is not read may be anything.
        let added = inputs.get(2).filter(|_| self.beta != 0.0);
        outputs.write(0, |result| {
            let mut epilogue = Epilogue { alpha: self.alpha, ..Epilogue::default() };
            match added {
                Some(added) if self.beta != 1.0 => {
                    let shape = *result.shape();
                    let added = added.seen(|geometry| Ok::<_, Cause>(geometry.broadcast_to(&shape)?))?;
                    context.kernels().copy(&added, result)?;
                    epilogue.beta = self.beta;
                }
                added => epilogue.bias = added,
            }
            Ok::<_, Cause>(context.kernels().matmul(&a, &b, &epilogue, result)?)
        })
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        let [a, b] = self.sides(inputs)?;
        let epilogue = Epilogue { alpha: self.alpha, beta: self.beta, ..Epilogue::default() };
        Ok(context.kernels().matmul(&a, &b, &epilogue, x)?)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    fn computed(gemm: Gemm, a: &Tensor, b: &Tensor, added: &Tensor) -> Vec<f32> {
        Context::new().unwrap().run(&gemm, &[Some(a), Some(b), Some(added)]).unwrap()[0].to_vec().unwrap()
    }

    #[test]
    fn what_is_not_added_is_not_read() {
        let (a, b) = (Tensor::ones(&[3, 2], DType::F32).unwrap(), Tensor::ones(&[2, 5], DType::F32).unwrap());
        let added = Tensor::full(&[3, 5], f32::NAN, DType::F32).unwrap();
        assert_eq!(computed(Gemm { beta: 0.0, ..Gemm::default() }, &a, &b, &added), [2.0; 15]);
        assert!(computed(Gemm::default(), &a, &b, &added)[14].is_nan());
    }

    #[test]
    fn columns_are_added_to_products_of_nothing() {
        let (a, b) = (Tensor::zeros(&[2, 0], DType::F32).unwrap(), Tensor::zeros(&[0, 3], DType::F32).unwrap());
        let added = Tensor::from_slice(&[1.0_f32, 2.0], &[2, 1]).unwrap();
        assert_eq!(computed(Gemm::default(), &a, &b, &added), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        let halved = Gemm { beta: 0.5, ..Gemm::default() };
        assert_eq!(computed(halved, &a, &b, &added), [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn in_place_is_the_same() {
        let [a, b, added] = [vec![4, 3], vec![5, 4], vec![3, 5]].map(|extents: Vec<i64>| {
            let count = extents.iter().product();
            Tensor::arange(0, count, 1, DType::F32).unwrap().reshape(&extents).unwrap()
        });
        let context = Context::new().unwrap();
        for beta in [0.0, 0.25, 1.0] {
            let gemm = Gemm { alpha: 0.5, beta, transpose_a: true, transpose_b: true };
            let expected = computed(gemm, &a, &b, &added);
            let copy = context.converted(&crate::read(&added).unwrap().view().unwrap(), DType::F32).unwrap();
            let (held_a, held_b) = (crate::read(&a).unwrap(), crate::read(&b).unwrap());
            let views = [Some(held_a.view().unwrap()), Some(held_b.view().unwrap()), None];
            crate::write(&copy, |x| gemm.compute_in_place(&context, 2, x, &Inputs::new(&views))).unwrap();
            assert_eq!(copy.to_vec::<f32>().unwrap(), expected);
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fault = |gemm: Gemm, dtype: DType, added: SymbolicShape| {
            let [a, b, added] = [[2, 3].into(), [3, 4].into(), added].map(|shape| Fact::new(dtype, shape));
            infer(&gemm, "gemm", &[Some(&a), Some(&b), Some(&added)]).unwrap_err().to_string()
        };
        insta::assert_snapshot!(
            [
                fault(Gemm { transpose_a: true, ..Gemm::default() }, DType::F32, [4].into()),
                fault(Gemm::default(), DType::F32, [3].into()),
                fault(Gemm::default(), DType::F32, [1, 2, 4].into()),
                fault(Gemm { alpha: 0.5, ..Gemm::default() }, DType::I32, [4].into()),
                fault(Gemm::default(), DType::I8, [4].into()),
            ]
            .join("\n")
        );
    }
}
