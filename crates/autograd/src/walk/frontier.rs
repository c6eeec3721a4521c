//! The frontier: gradients on their way to records that were not visited yet.

use smallvec::SmallVec;

use crate::Variable;

/// Gradients on their way to records that were not visited yet.
///
/// A long graph has many records and few of them on the frontier, so places are handed out and used again.
pub(crate) struct Frontier {
    /// The place of each node, and [`NO_PLACE`] for most.
    places: Vec<u32>,
    entries: Vec<SmallVec<[Option<Sum>; 1]>>,
    free: Vec<u32>,
}

/// What has come for one output so far.
pub(crate) struct Sum {
    pub(crate) gradient: Variable,
    /// Accumulation has made it for this walk, and nobody else has seen it.
    pub(crate) is_own: bool,
}

/// What has come for each output of a record, once all its users were visited.
pub(crate) type Complete = SmallVec<[Option<Variable>; 1]>;

const NO_PLACE: u32 = u32::MAX;

impl Frontier {
    pub(crate) fn new(node_count: usize) -> Self {
        Self { places: vec![NO_PLACE; node_count], entries: Vec::new(), free: Vec::new() }
    }

    /// What has come for an output of a node so far.
    pub(crate) fn sum(&mut self, node: u32, output: usize, output_count: usize) -> &mut Option<Sum> {
        let place = &mut self.places[node as usize];
        if *place == NO_PLACE {
            *place = self.free.pop().unwrap_or_else(|| {
                self.entries.push(SmallVec::new());
                self.entries.len() as u32 - 1
            });
            self.entries[*place as usize].resize_with(output_count, || None);
        }
        &mut self.entries[*place as usize][output]
    }

    /// All that has come for a node, which is then done with. Nothing if nothing came.
    pub(crate) fn take(&mut self, node: u32) -> Option<Complete> {
        let place = std::mem::replace(&mut self.places[node as usize], NO_PLACE);
        if place == NO_PLACE {
            return None;
        }
        self.free.push(place);
        Some(self.entries[place as usize].drain(..).map(|sum| Some(sum?.gradient)).collect())
    }
}
