//! `Einsum`: sums of products, by an equation of labels.

mod contraction;
mod equation;

use std::collections::BTreeMap;

use stratal_tensor_base::DType;

use crate::{ANY_NUMBER, Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

pub use equation::Equation;
use equation::{Indices, Label};

/// Multiplies operands whose axes an equation labels, and sums over the labels that the output does not have.
///
/// Axes of one label have one extent, or 1, which broadcasts; a label twice in one operand is its diagonal. Ellipses stand for
/// any axes that are left, which broadcast from the last one on, and of which operands may have different numbers. Without an
/// arrow the output has the axes of the ellipses, and then the labels that are there once, sorted.
///
/// Operands are multiplied from the first one on: by a product of matrices where labels are summed over, and each sum is taken
/// as soon as no other operand has its label. Integers wrap, and floats of 16 bits are rounded at last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Einsum {
    /// The labels of the operands, and of the output.
    pub equation: Equation,
}

impl Einsum {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Einsum",
        since: 28,
        inputs: 1..=ANY_NUMBER,
        outputs: 1..=1,
        attributes: &["equation"],
        dtypes: dtypes::NUMBERS,
        build: |node| {
            let equation = node.needed("equation", node.string("equation")?)?;
            Ok(Box::new(Self { equation: equation.parse()? }))
        },
    };

    /// The labels of operands and output, for operands of these ranks.
    fn indices(&self, ranks: impl IntoIterator<Item = usize>) -> Result<Indices, Cause> {
        self.equation.indices(&ranks.into_iter().collect::<Vec<_>>())
    }
}

impl Operator for Einsum {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::NUMBERS)?;
        inputs.check_dtypes(dtype)?;
        let shapes = (0..inputs.len()).map(|input| inputs.shape(input)).collect::<Result<Vec<_>, _>>()?;
        let indices = self.indices(shapes.iter().map(|shape| shape.rank()))?;
        let mut extents = BTreeMap::<Label, Extent>::new();
        for (labels, shape) in indices.operands.iter().zip(shapes) {
            let mut own = BTreeMap::<Label, &Extent>::new();
            for (&label, extent) in labels.iter().zip(shape.iter()) {
                let unfit =
                    |other: &Extent| Cause::Unfit(format!("label {label} has extents {other:?} and {extent:?}"));
                // Those of a diagonal do not broadcast.
                if let Some(other) = own.insert(label, extent)
                    && other.known().zip(extent.known()).is_some_and(|(other, extent)| other != extent)
                {
                    return Err(unfit(other));
                }
                let joined = match extents.get(&label) {
                    Some(other) => other.broadcast(extent).map_err(|_| unfit(other))?,
                    None => extent.clone(),
                };
                extents.insert(label, joined);
            }
        }
        let shape = indices.output.iter().map(|label| extents.get(label).cloned().unwrap_or_else(|| 1.into()));
        Ok(vec![Fact::new(dtype, shape.collect::<crate::SymbolicShape>())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let operands: Vec<_> = inputs.present().copied().collect();
        let indices = self.indices(operands.iter().map(|view| view.shape().rank()))?;
        let dtype = inputs.required(0)?.dtype();
        outputs.write(0, |result| {
            contraction::compute(context, &operands, &indices, working_dtype(dtype, operands.len()), result)
        })
    }
}

/// What products and sums are computed in.
const fn working_dtype(dtype: DType, operands: usize) -> DType {
    match dtype {
        // A single sum is rounded once anyway.
        _ if operands == 1 => dtype,
        DType::F16 | DType::BF16 => DType::F32,
        // Whatever wraps at 32 bits wraps at less too.
        DType::I8 | DType::I16 => DType::I32,
        DType::U8 | DType::U16 => DType::U32,
        _ => dtype,
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{Scalar, cast, f16};

    use super::*;
    use crate::{Attributes, SymbolicShape, build, infer};

    fn sum(equation: &str, operands: &[&Tensor]) -> Result<Tensor, String> {
        let attributes = Attributes::new().with("equation", equation);
        let einsum = build("", "Einsum", &attributes, operands.len(), 1).map_err(|error| error.to_string())?;
        let inputs: Vec<_> = operands.iter().map(|tensor| Some(*tensor)).collect();
        Context::new()
            .unwrap()
            .run(&*einsum, &inputs)
            .map(|mut outputs| outputs.remove(0))
            .map_err(|error| error.to_string())
    }

    fn floats(equation: &str, operands: &[&Tensor]) -> Vec<f32> {
        sum(equation, operands).unwrap().to_vec().unwrap()
    }

    fn counted(from: i64, extents: &[i64]) -> Tensor {
        let count: i64 = extents.iter().product();
        Tensor::arange(from, from + count, 1, DType::F32).unwrap().reshape(extents).unwrap()
    }

    #[test]
    fn labels_of_extent_one_broadcast() {
        assert_eq!(floats("ij,ij->j", &[&counted(1, &[1, 3]), &counted(1, &[4, 3])]), [22.0, 52.0, 90.0]);
        assert_eq!(floats("ij,ij->", &[&counted(1, &[0, 3]), &counted(1, &[0, 3])]), [0.0]);
        assert_eq!(floats("i,i->i", &[&counted(2, &[1]), &counted(3, &[1])]), [6.0]);
    }

    #[test]
    fn terms_that_share_no_label_wait() {
        // From left to right, the first two would make 2^40 elements.
        let count = 1 << 20;
        let ones = [&[count][..], &[count], &[count, 1], &[count, 1]]
            .map(|extents| Tensor::ones(extents, DType::I64).unwrap());
        assert_eq!(sum("i,j,ik,jk->", &ones.each_ref()).unwrap().to_vec::<i64>().unwrap(), [count * count]);
        let [a, b, c] = [counted(1, &[2, 3]), counted(-2, &[4, 2]), counted(5, &[3, 4])];
        let exact: Vec<f32> = naive("ij,kl,jk->il", &[&a, &b, &c]).into_iter().map(|x| x as f32).collect();
        assert_eq!(floats("ij,kl,jk->il", &[&a, &b, &c]), exact);
    }

    #[test]
    fn diagonals_scalars_and_single_operands() {
        let matrix = counted(1, &[2, 2]);
        let (three, two) = (counted(1, &[3]), Tensor::from_slice(&[5.0_f32, 7.0], &[2]).unwrap());
        assert_eq!(floats("ii,j,i->", &[&matrix, &three, &two]), [198.0]);
        assert_eq!(floats("->", &[&Tensor::scalar(2.5_f32).unwrap()]), [2.5]);
        assert_eq!(floats(",->", &[&Tensor::scalar(2.5_f32).unwrap(), &Tensor::scalar(2.0_f32).unwrap()]), [5.0]);
        assert_eq!(floats("ii", &[&matrix]), [5.0]);
        assert_eq!(floats("ba", &[&matrix]), [1.0, 3.0, 2.0, 4.0]);
        assert_eq!(floats("iij->ji", &[&counted(0, &[2, 2, 2])]), [0.0, 6.0, 1.0, 7.0]);
        assert_eq!(floats("ba->a", &[&counted(3, &[2, 1])]), [7.0]);
        assert_eq!(sum("ab,cd->abcd", &[&matrix, &matrix]).unwrap().shape().extents(), [2; 4]);
    }

    #[test]
    fn ellipses_broadcast() {
        let vectors = [counted(1, &[2]), counted(3, &[2]), counted(5, &[2])];
        assert_eq!(floats("...,...,...->...", &vectors.each_ref()), [15.0, 48.0]);
        // Different numbers of axes, counted from the last; axes that the output lacks are summed over.
        assert_eq!(floats("...i, ... i -> ...", &[&counted(0, &[2, 1, 2]), &counted(1, &[3, 2])]).len(), 6);
        assert_eq!(floats("...i->i", &[&counted(0, &[2, 2, 2])]), [12.0, 16.0]);
        assert_eq!(floats("i...", &[&counted(0, &[2, 3])]), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    }

    /// The sum over all labels, one product after another.
    fn naive(equation: &str, operands: &[&Tensor]) -> Vec<f64> {
        let (inputs, output) = equation.split_once("->").unwrap();
        let terms: Vec<Vec<char>> = inputs.split(',').map(|term| term.chars().collect()).collect();
        let mut extents = BTreeMap::new();
        for (term, operand) in terms.iter().zip(operands) {
            for (label, extent) in term.iter().zip(operand.shape().extents()) {
                let known = extents.entry(*label).or_insert(1_usize);
                *known = (*known).max(*extent as usize);
            }
        }
        let labels: Vec<char> = extents.keys().copied().collect();
        let count = output.chars().map(|label| extents[&label]).product();
        let mut sums = vec![0.0; count];
        let elements: Vec<Vec<f32>> = operands.iter().map(|operand| operand.to_vec().unwrap()).collect();
        for mut position in 0..extents.values().product() {
            let places: BTreeMap<char, usize> = labels
                .iter()
                .map(|label| {
                    let place = position % extents[label];
                    position /= extents[label];
                    (*label, place)
                })
                .collect();
            let product: f64 = terms
                .iter()
                .zip(operands)
                .zip(&elements)
                .map(|((term, operand), elements)| {
                    let shape = operand.shape().extents();
                    let at = term
                        .iter()
                        .zip(shape)
                        .fold(0, |at, (label, extent)| at * *extent as usize + places[label] % *extent as usize);
                    f64::from(elements[at])
                })
                .product();
            let at = output.chars().fold(0, |at, label| at * extents[&label] + places[&label]);
            sums[at] += product;
        }
        sums
    }

    #[test]
    fn equations_of_every_kind_give_the_sums() {
        let extents = BTreeMap::from([('a', 2), ('b', 3), ('c', 4), ('d', 1), ('h', 2), ('k', 3), ('m', 5)]);
        for equation in [
            "ab,bc->ac",
            "ab,cb->ca",
            "ba,bc->ca",
            "mc,hck->hmk",
            "abc,abd->acd",
            "abc,cab->",
            "abc,ab->c",
            "ab,ab->ab",
            "ab,c->cab",
            "habk,hbmk->hamk",
            "ab,bc,cm->am",
            "ab,bc,ca->",
            "abc,bd,dc->ab",
            "ab,ac,am->bcm",
            "bhak,bhmk->bham",
            "bham,bhmk->bahk",
            "aa,ab->b",
            "abab->ba",
            "abc->",
            "abc->cb",
            "ab,cd,hk->kcahbd",
            "abk,cbk->ac",
            "kba,bkc->ca",
        ] {
            let tensors: Vec<Tensor> = equation
                .split("->")
                .next()
                .unwrap()
                .split(',')
                .enumerate()
                .map(|(number, term)| {
                    let extents: Vec<i64> = term.chars().map(|label| extents[&label]).collect();
                    counted(number as i64 - 2, &extents)
                })
                .collect();
            let operands: Vec<&Tensor> = tensors.iter().collect();
            let sums: Vec<f64> = floats(equation, &operands).into_iter().map(f64::from).collect();
            assert_eq!(sums, naive(equation, &operands), "{equation}");
        }
    }

    #[test]
    fn sixteen_bits_are_rounded_at_last_and_bytes_wrap() {
        let tensor = |x: f32| Tensor::from_slice(&[cast::<f32, f16>(x); 2], &[2]).unwrap();
        let product = sum("i,i,i->i", &[&tensor(256.0), &tensor(256.0), &tensor(0.5)]).unwrap();
        assert_eq!(Scalar::from(product.to_vec::<f16>().unwrap()[0]).cast::<f32>(), 32_768.0);
        let bytes = Tensor::from_slice(&[100_i8, 100, 3], &[3]).unwrap();
        let wrapped = sum("i,i->", &[&bytes, &bytes]).unwrap().to_vec::<i8>().unwrap();
        assert_eq!(wrapped, [(20_009 % 256 - 256) as i8]);
    }

    #[test]
    fn extents_that_are_not_known() {
        let [batch, seq] = ["batch", "seq"].map(Extent::symbol);
        let q = Fact::new(DType::F32, SymbolicShape::new([batch.clone(), 12.into(), seq.clone(), 64.into()]));
        let k = Fact::new(
            DType::F32,
            SymbolicShape::new([batch, 12.into(), Extent::symbol("past").add(&seq).unwrap(), 64.into()]),
        );
        let einsum = Einsum { equation: "bhqd,bhkd->bhqk".parse().unwrap() };
        let scores = infer(&einsum, "scores", &[Some(&q), Some(&k)]).unwrap();
        assert_eq!(scores[0].shape.as_ref().unwrap().to_string(), "[batch, 12, seq, past + seq]");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let (matrix, wide) = (counted(0, &[2, 3]), counted(0, &[2, 4]));
        let fault = |equation: &str, operands: &[&Tensor]| sum(equation, operands).unwrap_err();
        insta::assert_snapshot!(
            [
                fault("ij,ij->i", &[&matrix, &wide]),
                fault("ii->i", &[&matrix]),
                fault("ijk->i", &[&matrix]),
                fault("...ijk->i", &[&matrix]),
                fault("ij->i", &[&matrix, &wide]),
                fault("ij->k", &[&matrix]),
                fault("ij->ii", &[&matrix]),
                fault("ij->i->j", &[&matrix]),
                fault("i.j->i", &[&matrix]),
                fault("...i...->i", &[&matrix]),
                fault("i1->i", &[&matrix]),
            ]
            .join("\n")
        );
    }
}
