//! `Names`: finding an entry of a list by its name.

/// The places of a list's entries, sorted by their names.
///
/// A hash table would hold every name twice; this is eight bytes an entry, and entries with one name meet when they are sorted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Names {
    by_name: Vec<usize>,
}

impl Names {
    /// Sorts a list of `count` names, or gives the place of one that is there already.
    pub(super) fn new<'a>(count: usize, name: impl Fn(usize) -> &'a str) -> Result<Self, usize> {
        let mut by_name: Vec<usize> = (0..count).collect();
        by_name.sort_unstable_by_key(|index| (name(*index), *index));
        match by_name.windows(2).find(|pair| name(pair[0]) == name(pair[1])) {
            Some(pair) => Err(pair[1]),
            None => Ok(Self { by_name }),
        }
    }

    /// The place of a name in the list that this was made of.
    pub(super) fn find<'a>(&self, wanted: &str, name: impl Fn(usize) -> &'a str) -> Option<usize> {
        let place = self.by_name.binary_search_by_key(&wanted, |index| name(*index)).ok()?;
        Some(self.by_name[place])
    }
}
