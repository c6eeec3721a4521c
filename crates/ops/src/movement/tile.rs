//! `Tile`: a tensor repeated along each axis.

use stratal_tensor_base::Geometry;

use super::{axes, elements};
use crate::{
    Cause, Context, Definition, Elements, Fact, Facts, Inputs, MAX_FACT_ELEMENTS, ONNX, Operator, Outputs, dtypes,
};

/// Repeats each axis as many times as the second input says, which may be 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tile;

impl Tile {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Tile",
        since: 13,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::ALL,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Tile {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        inputs.required(1)?;
        axes::check_list(inputs, 1, shape.rank())?;
        let Some(repeats) = inputs.required(1)?.integers() else {
            return Ok(vec![Fact::new(x.dtype, inputs.unknown_shape(shape.rank()))]);
        };
        axes::check_extents(1, repeats)?;
        let extents = shape.iter().zip(repeats).map(|(extent, repeat)| extent.multiply(repeat));
        let shape = extents.collect::<Result<Vec<_>, _>>()?;
        let elements = repeats.iter().map(|repeat| repeat.known()).collect::<Option<Vec<_>>>();
        let elements = elements.and_then(|repeats| repeated(x, &repeats));
        Ok(vec![Fact::new(x.dtype, crate::SymbolicShape::new(shape)).with_elements(elements)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let repeats = inputs.integers(1)?.ok_or(Cause::MissingInput { input: 1 })?;
        outputs.write(0, |result| context.kernels().tile(x, &repeats, result))
    }
}

/// The elements of a small tensor that is repeated.
fn repeated(fact: &Fact, repeats: &[i64]) -> Option<Elements> {
    let elements = fact.elements.as_ref()?;
    let shape = fact.shape.as_ref()?.known().ok()??;
    let tiled = stratal_kernels::movement::tile_shape(&shape, repeats).ok()?;
    if tiled.count() > MAX_FACT_ELEMENTS {
        return None;
    }
    let geometry = Geometry::contiguous(shape);
    let position = |place: usize| {
        let mut place = place;
        let mut index = vec![0; shape.rank()];
        for axis in (0..shape.rank()).rev() {
            let extent = tiled.extent(axis);
            index[axis] = (place % extent % shape.extent(axis)) as i64;
            place /= extent;
        }
        geometry.offset_of(&index).unwrap_or(usize::MAX)
    };
    elements::picked(elements, (0..tiled.count()).map(position))
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Extent, SymbolicShape, infer};

    fn tiled(x: &Fact, repeats: &[i64]) -> Result<Fact, String> {
        let repeats = Fact::of_extents(DType::I64, repeats.iter().map(|&repeat| repeat.into()).collect());
        Ok(infer(&Tile, "node", &[Some(x), Some(&repeats)]).map_err(|error| error.to_string())?.remove(0))
    }

    #[test]
    fn extents_are_multiplied() {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("n"), 3.into()]));
        assert_eq!(tiled(&x, &[2, 0]).unwrap().shape.unwrap().to_string(), "[2*n, 0]");
        assert_eq!(tiled(&x, &[2]).unwrap_err(), "Tile: input 1 has shape [1]: expected [2]");
        assert_eq!(tiled(&x, &[2, -1]).unwrap_err(), "Tile: input 1 holds -1: expected no negative number");
    }

    #[test]
    fn elements_are_repeated() {
        let x = Fact { shape: Some([2, 2].into()), ..Fact::of_extents(DType::I64, (1..5).map(Extent::from).collect()) };
        let expected = [1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4];
        assert_eq!(tiled(&x, &[2, 2]).unwrap().known_integers().unwrap(), expected);
        assert_eq!(tiled(&x, &[1000, 2]).unwrap().elements, None);
    }
}
