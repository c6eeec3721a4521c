//! `RotaryEmbedding`: features turned by angles that follow from places.

use std::ops::{Add, Mul, Sub};

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor::{Tensor, View, ViewMut};
use stratal_tensor_base::{DType, Element};

use super::heads::{HeadExtents, split_mut};
use crate::operands::unfit;
use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, attribute, dtypes, read,
    write,
};

/// Turns pairs of features: `(cos * a - sin * b, sin * a + cos * b)`.
///
/// The operand has shape `[batch, heads, sequence, size]`, or `[batch, sequence, heads * size]`. A pair is a feature of the
/// first half and one of the second, or two neighbours if `interleaved`; features behind `rotary_embedding_dim` stay. Cosines
/// and sines have shape `[batch, sequence, pairs]`, or are rows of tables `[places, pairs]` that `position_ids` choose.
#[derive(Debug, Clone, Copy, Default)]
pub struct RotaryEmbedding {
    /// Whether neighbours are a pair.
    pub interleaved: bool,
    /// The number of heads, where they have no axis.
    pub num_heads: Option<usize>,
    /// How many features of each head are turned; all if nothing is said.
    pub rotary_embedding_dim: Option<usize>,
}

/// What it is defined for.
const DTYPES: &[DType] = &[DType::F32, DType::F64, DType::F16, DType::BF16];

impl RotaryEmbedding {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "RotaryEmbedding",
        since: 23,
        inputs: 3..=4,
        outputs: 1..=1,
        attributes: &["interleaved", "num_heads", "rotary_embedding_dim"],
        dtypes: DTYPES,
        build: |node| {
            let some = |number: usize| (number > 0).then_some(number);
            let rotary_embedding_dim = node.size_or("rotary_embedding_dim", 0)?;
            if !rotary_embedding_dim.is_multiple_of(2) {
                return Err(attribute("rotary_embedding_dim", rotary_embedding_dim, "an even number"));
            }
            Ok(Box::new(Self {
                interleaved: node.flag("interleaved", false)?,
                num_heads: some(node.size_or("num_heads", 0)?),
                rotary_embedding_dim: some(rotary_embedding_dim),
            }))
        },
    };

    /// Turns the features of the operand, which has been copied to its place.
    fn turn(&self, context: &Context<'_>, inputs: &Inputs<'_>, x: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        let mut x = split_mut(x, self.num_heads)?;
        let dtype = if x.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
        let places = inputs.get(3);
        let angles = [1, 2].map(|input| self.angles(context, inputs.required(input)?, places, dtype));
        let [cosines, sines] = angles;
        let (cosines, sines) = (cosines?, sines?);
        let (cosines, sines) = (read(&cosines)?, read(&sines)?);
        let (cosines, sines) = (cosines.view()?, sines.view()?);
        if x.dtype() == dtype {
            return self.turn_wide(&mut x, &cosines, &sines);
        }
        let wide = context.converted(&x.as_view(), dtype)?;
        write(&wide, |wide| self.turn_wide(wide, &cosines, &sines))?;
        Ok(context.kernels().cast(&read(&wide)?.view()?, &mut x)?)
    }

    /// Cosines or sines of each place, of shape `[batch, sequence, pairs]`.
    fn angles(
        &self,
        context: &Context<'_>,
        cache: &AnyView<'_>,
        places: Option<&AnyView<'_>>,
        dtype: DType,
    ) -> Result<Tensor, Cause> {
        let Some(places) = places else { return context.converted(cache, dtype) };
        let shape = stratal_kernels::movement::gather_shape(cache.shape(), places.shape(), 0)?;
        let chosen = context.scratch(cache.dtype(), &shape)?;
        write(&chosen, |chosen| context.kernels().gather(cache, places, 0, chosen))?;
        if chosen.dtype() == dtype { Ok(chosen) } else { context.converted(&read(&chosen)?.view()?, dtype) }
    }

    fn turn_wide(&self, x: &mut AnyViewMut<'_>, cosines: &AnyView<'_>, sines: &AnyView<'_>) -> Result<(), Cause> {
        if let (Some(x), Some(cosines), Some(sines)) = (x.typed::<f32>(), cosines.typed(), sines.typed()) {
            return turn(x, &cosines, &sines, self.interleaved);
        }
        if let (Some(x), Some(cosines), Some(sines)) = (x.typed::<f64>(), cosines.typed(), sines.typed()) {
            return turn(x, &cosines, &sines, self.interleaved);
        }
        Err(unfit(x.dtype(), x.shape()))
    }
}

impl Operator for RotaryEmbedding {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, DTYPES)?;
        inputs.check_dtype(1, dtype)?;
        inputs.check_dtype(2, dtype)?;
        let x = HeadExtents::of(inputs, 0, Some("num_heads"), self.num_heads)?;
        let size = match self.rotary_embedding_dim {
            Some(size) => (size as i64).into(),
            None => x.size.clone(),
        };
        let is_fit = |size: i64| size % 2 == 0 && x.size.known().is_none_or(|all| size <= all);
        if !size.known().is_none_or(is_fit) {
            let what = format!("cannot turn {size} of {} features: expected an even number, and no more", x.size);
            return Err(Cause::Unfit(what));
        }
        let pairs = size.divide_floor(&2.into())?;
        let expected = if inputs.get(3).is_some() {
            inputs.dtype(3, dtypes::INDICES)?;
            inputs.check_shape(3, &SymbolicShape::new([x.batch, x.sequence]))?;
            let places = inputs.shape_of_rank(1, 2)?[0].clone();
            SymbolicShape::new([places, pairs])
        } else {
            SymbolicShape::new([x.batch, x.sequence, pairs])
        };
        inputs.check_shape(1, &expected)?;
        inputs.check_shape(2, &expected)?;
        Ok(vec![Fact::new(dtype, inputs.shape(0)?.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| {
            context.kernels().copy(x, result)?;
            self.turn(context, inputs, result)
        })
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        self.turn(context, inputs, x)
    }
}

/// Turns the pairs of `[batch, heads, sequence, size]` by angles of `[batch, sequence, pairs]`, which lie row-major.
fn turn<T>(mut x: ViewMut<'_, T>, cosines: &View<'_, T>, sines: &View<'_, T>, interleaved: bool) -> Result<(), Cause>
where
    T: Element + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    let geometry = *x.geometry();
    let (&[_, heads, sequence, _], &[_, _, _, stride]) = (geometry.shape().extents(), geometry.strides()) else {
        return Err(unfit(T::DTYPE, geometry.shape()));
    };
    let pairs = cosines.shape().extents().last().map_or(0, |&pairs| pairs as usize);
    let (Some(cosines), Some(sines)) = (cosines.as_slice(), sines.as_slice()) else {
        return Err(unfit(T::DTYPE, cosines.shape()));
    };
    if pairs == 0 || geometry.shape().is_empty() {
        return Ok(());
    }
    let stride = stride as isize;
    let (first, second) = if interleaved { (2 * stride, stride) } else { (stride, pairs as isize * stride) };
    let elements = x.elements_mut();
    for (row, angles) in cosines.chunks_exact(pairs).zip(sines.chunks_exact(pairs)).enumerate() {
        let (batch, place) = (row / sequence as usize, row % sequence as usize);
        for head in 0..heads {
            let start = geometry.offset_of(&[batch as i64, head.into(), place as i64, 0])?;
            for (pair, (&cosine, &sine)) in angles.0.iter().zip(angles.1).enumerate() {
                let at = start.wrapping_add_signed(pair as isize * first);
                let (a, b) = (elements[at], elements[at.wrapping_add_signed(second)]);
                elements[at] = cosine * a - sine * b;
                elements[at.wrapping_add_signed(second)] = sine * a + cosine * b;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, build, infer};

    fn tensor(elements: &[f32], shape: &[i64]) -> Tensor {
        Tensor::from_slice(elements, shape).unwrap()
    }

    #[test]
    fn a_quarter_turn() {
        let x = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1, 1, 1, 5]);
        let (cosines, sines) = (tensor(&[0.0, 1.0], &[1, 1, 2]), tensor(&[1.0, 0.0], &[1, 1, 2]));
        let run = |interleaved| {
            let operator = RotaryEmbedding { interleaved, num_heads: None, rotary_embedding_dim: Some(4) };
            let inputs = [Some(&x), Some(&cosines), Some(&sines)];
            Context::new().unwrap().run(&operator, &inputs).unwrap().remove(0).to_vec::<f32>().unwrap()
        };
        // What is behind the four features stays.
        assert_eq!(run(false), [-3.0, 2.0, 1.0, 4.0, 5.0]);
        assert_eq!(run(true), [-2.0, 1.0, 3.0, 4.0, 5.0]);
    }

    #[test]
    fn in_place_it_is_the_same() {
        let x = tensor(&[1.0, 2.0, 3.0, 4.0], &[1, 2, 2]);
        let (cosines, sines) = (tensor(&[0.5, 0.25], &[2, 1]), tensor(&[0.75, 1.0], &[2, 1]));
        let places = Tensor::from_slice(&[1_i64, 0], &[1, 2]).unwrap();
        let operator = RotaryEmbedding { num_heads: Some(1), ..RotaryEmbedding::default() };
        let inputs = [Some(&x), Some(&cosines), Some(&sines), Some(&places)];
        let context = Context::new().unwrap();
        let expected = context.run(&operator, &inputs).unwrap().remove(0).to_vec::<f32>().unwrap();
        let held = inputs.map(|tensor| read(tensor.unwrap()).unwrap());
        let mut views: Vec<_> = held.iter().map(|held| Some(held.view().unwrap())).collect();
        let copy = context.converted(&views[0].take().unwrap(), DType::F32).unwrap();
        write(&copy, |copy| operator.compute_in_place(&context, 0, copy, &Inputs::new(&views))).unwrap();
        assert_eq!(copy.to_vec::<f32>().unwrap(), expected);
        assert_eq!(expected[..2], [0.25 - 2.0, 1.0 + 0.5]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fact =
            |extents: &[i64]| Fact::new(DType::F32, extents.iter().map(|&x| x.into()).collect::<SymbolicShape>());
        let message = |operator: &RotaryEmbedding, x: &[i64], cache: &[i64]| {
            let (x, cache) = (fact(x), fact(cache));
            infer(operator, "rotary", &[Some(&x), Some(&cache), Some(&cache)]).unwrap_err().to_string()
        };
        let all = RotaryEmbedding::default();
        let some = RotaryEmbedding { rotary_embedding_dim: Some(6), ..all };
        insta::assert_snapshot!([
            message(&all, &[1, 2, 3, 5], &[1, 3, 2]),
            message(&all, &[1, 2, 3, 4], &[1, 3, 3]),
            message(&some, &[1, 2, 3, 4], &[1, 3, 3]),
            message(&all, &[1, 3, 8], &[1, 3, 3]),
            build(ONNX, "RotaryEmbedding", &Attributes::new().with("rotary_embedding_dim", 3), 3, 1).unwrap_err().to_string(),
        ].join("\n"), @r"
        RotaryEmbedding: cannot turn 5 of 5 features: expected an even number, and no more
        RotaryEmbedding: input 1 has shape [1, 3, 3]: expected [1, 3, 2]
        RotaryEmbedding: cannot turn 6 of 4 features: expected an even number, and no more
        RotaryEmbedding: attribute num_heads is missing
        RotaryEmbedding: attribute rotary_embedding_dim is 3: expected an even number
        ");
    }
}
