//! What rows are multiplied by, or added to: an operand beside them.

use bytemuck::cast_slice_mut;
use stratal_tensor_base::DType;

use super::apply::Factor;
use super::computed;
use crate::AnyView;
use crate::rows::Along;
use crate::simd::Isa;
use crate::stage::Source;

/// An operand of the shape of `x`, most often broadcast.
pub(super) struct Aside<'a> {
    source: Source<'a>,
    dtype: DType,
    /// The row, in words, if all rows are the same and it does not lie side by side in the type that it computes in.
    row: Option<Vec<u64>>,
}

impl<'a> Aside<'a> {
    pub(super) fn new(isa: Isa, view: &AnyView<'a>, along: &Along) -> Self {
        let (source, dtype) = (Source::new(view, along), computed(view.dtype()));
        let mut aside = Self { source, dtype, row: None };
        let is_staged_once = source.places.across().is_constant()
            && !source.places.along().is_constant()
            && source.places.across().count() > 0
            && !source.is_direct();
        if is_staged_once {
            let mut row = Vec::new();
            aside.read(isa, 0, &mut row);
            aside.row = Some(row);
        }
        aside
    }

    /// What belongs to a row.
    pub(super) fn factor<'r>(&'r self, isa: Isa, row: usize, room: &'r mut Vec<u64>) -> Factor<'r> {
        if self.source.places.along().is_constant() {
            let mut one = [0_u64];
            let bytes = &mut cast_slice_mut::<u64, u8>(&mut one)[..self.dtype.size()];
            self.source.read(isa, row, bytes);
            let one = match self.dtype {
                DType::F64 => bytemuck::pod_read_unaligned::<f64>(bytes),
                _ => bytemuck::pod_read_unaligned::<f32>(bytes).into(),
            };
            return Factor::One(one);
        }
        if let Some(row) = &self.row {
            return Factor::Row(&bytemuck::cast_slice(row)[..self.row_bytes()]);
        }
        if let Some(row) = self.source.direct(row) {
            return Factor::Row(row);
        }
        self.read(isa, row, room);
        Factor::Row(&bytemuck::cast_slice(room)[..self.row_bytes()])
    }

    fn row_bytes(&self) -> usize {
        self.source.places.along().count() * self.dtype.size()
    }

    fn read(&self, isa: Isa, row: usize, room: &mut Vec<u64>) {
        room.resize(self.row_bytes().div_ceil(8), 0);
        self.source.read(isa, row, &mut cast_slice_mut(room)[..self.row_bytes()]);
    }
}
