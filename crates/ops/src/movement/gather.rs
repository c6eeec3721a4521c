//! `Gather`: slices of an axis, chosen by indices.

use stratal_kernels::movement::gather_shape;

use super::elements;
use crate::{
    Cause, Context, Definition, Elements, Fact, Facts, Inputs, MAX_FACT_ELEMENTS, ONNX, Operator, Outputs,
    SymbolicShape, axis, dtypes,
};

/// The slices of an axis at indices, whose axes stand in its place. Negative indices count from the end; one out of range
/// is an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gather {
    /// The axis; it may count from the end.
    pub axis: i64,
}

impl Gather {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Gather",
        since: 13,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", 0)? })),
    };
}

impl Operator for Gather {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        inputs.dtype(1, dtypes::INDICES)?;
        let along = axis(self.axis, shape.rank())?;
        let (before, after) = (&shape[..along], &shape[along + 1..]);
        let gathered: SymbolicShape = before.iter().chain(&**inputs.shape(1)?).chain(after).cloned().collect();
        let elements = elements(x, inputs.required(1)?, along);
        Ok(vec![Fact::new(x.dtype, gathered).with_elements(elements)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, indices) = (inputs.required(0)?, inputs.required(1)?);
        outputs.write(0, |result| context.kernels().gather(x, indices, self.axis, result))
    }
}

/// The elements of a small tensor at indices, if those exist.
fn elements(x: &Fact, indices: &Fact, along: usize) -> Option<Elements> {
    let elements = x.elements.as_ref()?;
    let shape = x.shape.as_ref()?.known().ok()??;
    let taken = gather_shape(&shape, &indices.shape.as_ref()?.known().ok()??, along as i64).ok()?;
    match taken.count() {
        // What is empty may have extents whose product is beyond all limits.
        0 => return elements::picked(elements, std::iter::empty()),
        count if count > MAX_FACT_ELEMENTS => return None,
        _ => {}
    }
    let indices = indices.known_integers()?;
    let (extent, inner) = (shape.extent(along), shape.extents()[along + 1..].iter().product::<u32>() as usize);
    let outer = shape.extents()[..along].iter().product::<u32>() as usize;
    let place = |index: &i64| {
        let counted = if *index < 0 { index.checked_add(extent as i64)? } else { *index };
        usize::try_from(counted).ok().filter(|index| *index < extent)
    };
    let places = indices.iter().map(place).collect::<Option<Vec<_>>>()?;
    let positions = (0..outer).flat_map(|row| {
        let slices = places.iter().map(move |place| (row * extent + place) * inner);
        slices.flat_map(move |start| start..start + inner)
    });
    elements::picked(elements, positions)
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Extent, infer};

    fn gathered(x: &Fact, indices: Fact, axis: i64) -> Result<Fact, String> {
        let facts = infer(&Gather { axis }, "node", &[Some(x), Some(&indices)]);
        Ok(facts.map_err(|error| error.to_string())?.remove(0))
    }

    #[test]
    fn axes_of_indices_stand_in_the_place_of_the_axis() {
        let table = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("words"), 64.into()]));
        let indices = SymbolicShape::new([Extent::symbol("batch"), Extent::symbol("seq")]);
        let rows = gathered(&table, Fact::new(DType::I64, indices), 0).unwrap();
        assert_eq!(rows.shape.unwrap().to_string(), "[batch, seq, 64]");
        let column = gathered(&table, Fact::new(DType::I32, []), -1).unwrap();
        assert_eq!(column.shape.unwrap().to_string(), "[words]");
        let error = gathered(&table, Fact::new(DType::F32, []), 0).unwrap_err();
        assert_eq!(error, "Gather: input 1 is float32: expected one of int32, int64");
        assert!(gathered(&table, Fact::new(DType::I64, []), 2).unwrap_err().contains("axis 2"));
    }

    #[test]
    fn elements_are_gathered() {
        let x = Fact { shape: Some([2, 3].into()), ..Fact::of_extents(DType::I64, (0..6).map(Extent::from).collect()) };
        let indices = |indices: &[i64]| Fact::of_extents(DType::I64, indices.iter().map(|&one| one.into()).collect());
        let of = |at: &[i64], axis| gathered(&x, indices(at), axis).unwrap().known_integers();
        assert_eq!(of(&[-1, 0], 1).unwrap(), [2, 0, 5, 3]);
        assert_eq!(of(&[1], 0).unwrap(), [3, 4, 5]);
        // Whoever computes it gets the error.
        assert_eq!(of(&[3], 1), None);
    }
}
