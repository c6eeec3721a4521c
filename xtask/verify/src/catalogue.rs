//! The list of all sweeps, by name.

use anyhow::{Result, bail};
use stratal_tensor_base::{DType, bf16, f16};

use crate::{
    cast::sweep::CastSweep,
    half::{backends::BACKENDS, narrow::NarrowSweep, widen::WidenSweep, witnesses::WITNESSES},
    sweep::{Extent, Sweep},
    unary::{functions::functions, sweep::UnarySweep},
};

/// A sweep that has not been made ready yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A 16-bit float to f32.
    Widen(Half),
    /// f32 to a 16-bit float.
    Narrow(Half),
    /// This dtype to all 13.
    Cast(DType),
    /// The function with this name, of one f32.
    Unary(&'static str),
}

/// The 16-bit floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Binary16,
    Bfloat16,
}

/// All sweeps, in the order of the report.
pub(crate) fn all() -> Vec<Entry> {
    let halves = [Half::Binary16, Half::Bfloat16];
    let widen = halves.map(Entry::Widen);
    let narrow = halves.map(Entry::Narrow);
    let cast = DType::ALL.map(Entry::Cast);
    let unary = functions().into_iter().map(|function| Entry::Unary(function.name));
    widen.into_iter().chain(narrow).chain(cast).chain(unary).collect()
}

/// The sweeps with these names, in the order of the report; all of them when there are no names.
///
/// # Errors
/// When a name is unknown, with a list of those that exist.
pub(crate) fn select(names: &[String]) -> Result<Vec<Entry>> {
    let all = all();
    if names.is_empty() {
        return Ok(all);
    }
    for name in names {
        if !all.iter().any(|entry| entry.name() == *name) {
            let known: Vec<_> = all.into_iter().map(Entry::name).collect();
            bail!("no sweep is named {name:?}; there are: {}", known.join(", "));
        }
    }
    Ok(all.into_iter().filter(|entry| names.contains(&entry.name())).collect())
}

impl Entry {
    pub(crate) fn name(self) -> String {
        match self {
            Self::Widen(half) => format!("widen-{}", half.dtype()),
            Self::Narrow(half) => format!("narrow-{}", half.dtype()),
            Self::Cast(source) => format!("cast-{source}"),
            Self::Unary(name) => format!("unary-{name}"),
        }
    }

    pub(crate) fn description(self) -> String {
        match self {
            Self::Widen(half) => {
                format!("all 65,536 patterns of {} to float32, under both NaN rules", half.dtype())
            }
            Self::Narrow(half) => {
                format!("all 2^32 floats to {}, under both NaN rules", half.dtype())
            }
            Self::Cast(source) if source.size() <= 2 => {
                format!("every value of {source} to all 13 dtypes")
            }
            Self::Cast(source) => {
                format!("boundaries, ties, neighbours and NaNs of {source} to all 13 dtypes")
            }
            Self::Unary(name) => format!("{name} of all 2^32 floats, on every backend"),
        }
    }

    /// Makes the sweep ready: its tables, its values.
    pub(crate) fn prepare(self, extent: Extent) -> Result<Box<dyn Sweep>> {
        Ok(match self {
            Self::Widen(Half::Binary16) => Box::new(WidenSweep::<f16>::new(&BACKENDS, WITNESSES)?),
            Self::Widen(Half::Bfloat16) => Box::new(WidenSweep::<bf16>::new(&BACKENDS, WITNESSES)?),
            Self::Narrow(Half::Binary16) => Box::new(NarrowSweep::<f16>::new(extent, &BACKENDS, WITNESSES)?),
            Self::Narrow(Half::Bfloat16) => Box::new(NarrowSweep::<bf16>::new(extent, &BACKENDS, WITNESSES)?),
            Self::Cast(source) => Box::new(CastSweep::new(source)),
            Self::Unary(name) => Box::new(UnarySweep::new(extent, name)?),
        })
    }
}

impl Half {
    fn dtype(self) -> DType {
        match self {
            Self::Binary16 => DType::F16,
            Self::Bfloat16 => DType::BF16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_in_the_order_of_the_report() {
        let names = ["cast-bool", "narrow-bfloat16", "cast-bool"].map(String::from);
        let selected = select(&names).unwrap();
        assert_eq!(selected, [Entry::Narrow(Half::Bfloat16), Entry::Cast(DType::Bool)]);
        assert_eq!(select(&[]).unwrap(), all());
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
        let error = select(&["cast-bool".to_owned(), "narrow".to_owned()]).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("no sweep is named \"narrow\""), "{message}");
        for entry in all() {
            assert!(message.contains(&entry.name()), "{message}");
        }
    }

    #[test]
    fn every_pair_of_dtypes_is_swept() {
        let sources = DType::ALL.iter().filter(|dtype| all().contains(&Entry::Cast(**dtype)));
        assert_eq!(sources.count(), 13);
        let sweep = Entry::Cast(DType::U8).prepare(Extent::Quick).unwrap();
        assert_eq!(sweep.parts().len(), 13);
    }
}
