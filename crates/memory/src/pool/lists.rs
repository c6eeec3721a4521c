//! `Lists`: what a pool's lock guards: the free lists of all classes, and the figures.

use crate::{BlockSource, ClassUsage, PoolUsage, SizeClass, Usage, counted::Counted, header::Header, sync::PlainArc};

/// How many headers without a lease are kept for later.
const SPARES_MAX: usize = 256;

/// What a pool's lock guards.
#[derive(Debug)]
pub(super) struct Lists {
    source: PlainArc<dyn BlockSource>,
    max_idle_bytes: u64,
    // The pool value and each arena and planned block that may still come for blocks.
    users: usize,
    is_closed: bool,
    total: Usage,
    damage: u64,
    // By class index, as far as a class was ever asked for.
    classes: Vec<ClassList>,
    // Headers without a lease. No other handle to any of them exists.
    spares: Vec<Counted<Header>>,
}

#[derive(Debug, Default)]
struct ClassList {
    class_bytes: u64,
    usage: Usage,
    // Headers with the storage of one block of the class each, last in first out. No other handle to
    // any of them exists.
    idle: Vec<Counted<Header>>,
}

/// A header whose block passes the cap, and the source that the block goes to.
pub(super) type Rejected = (Counted<Header>, PlainArc<dyn BlockSource>);

/// What all lists held.
pub(super) struct Drained {
    pub(super) bytes: u64,
    pub(super) headers: Vec<Counted<Header>>,
    pub(super) source: PlainArc<dyn BlockSource>,
}

impl Lists {
    pub(super) fn new(source: PlainArc<dyn BlockSource>, max_idle_bytes: u64) -> Self {
        Self {
            source,
            max_idle_bytes,
            users: 1,
            is_closed: false,
            total: Usage::default(),
            damage: 0,
            classes: Vec::new(),
            spares: Vec::new(),
        }
    }

    pub(super) fn source(&self) -> PlainArc<dyn BlockSource> {
        PlainArc::clone(&self.source)
    }

    pub(super) fn max_idle_bytes(&self) -> u64 {
        self.max_idle_bytes
    }

    pub(super) fn damage(&self) -> u64 {
        self.damage
    }

    /// Takes the block that came last to the class, and the number of the rent.
    #[inline]
    pub(super) fn take_idle(&mut self, class: SizeClass) -> Option<(Counted<Header>, u64)> {
        let list = self.classes.get_mut(class.index())?;
        let header = list.idle.pop()?;
        let rent = self.total.rents;
        list.usage.note_hit(class.bytes());
        self.total.note_hit(class.bytes());
        Some((header, rent))
    }

    /// Counts a block that came from the source, and gives the number of the rent.
    pub(super) fn note_fresh(&mut self, class: SizeClass) -> u64 {
        if self.classes.len() <= class.index() {
            self.classes.resize_with(class.index() + 1, ClassList::default);
        }
        let rent = self.total.rents;
        let list = &mut self.classes[class.index()];
        list.class_bytes = class.bytes();
        list.usage.note_rent(class.bytes());
        self.total.note_rent(class.bytes());
        rent
    }

    /// Keeps a block that comes back with its header. If the cap is passed, returns the header, and the
    /// source that the block goes to.
    #[inline]
    pub(super) fn put_idle(&mut self, class: SizeClass, header: Counted<Header>) -> Result<(), Rejected> {
        self.note_gone(class);
        if self.total.idle_bytes + class.bytes() > self.max_idle_bytes {
            return Err((header, self.source()));
        }
        let list = &mut self.classes[class.index()];
        list.usage.idle_bytes += class.bytes();
        self.total.idle_bytes += class.bytes();
        list.idle.push(header);
        Ok(())
    }

    /// Counts a block that is no longer rented.
    #[inline]
    pub(super) fn note_gone(&mut self, class: SizeClass) {
        self.classes[class.index()].usage.live_bytes -= class.bytes();
        self.total.live_bytes -= class.bytes();
    }

    /// Counts a block that is given up.
    pub(super) fn note_damage(&mut self, class: SizeClass) {
        self.note_gone(class);
        self.damage += 1;
    }

    pub(super) fn take_spare(&mut self) -> Option<Counted<Header>> {
        self.spares.pop()
    }

    /// Keeps a header without a lease, or returns it if there are enough.
    pub(super) fn put_spare(&mut self, header: Counted<Header>) -> Result<(), Counted<Header>> {
        if self.is_closed || self.spares.len() >= SPARES_MAX {
            return Err(header);
        }
        self.spares.push(header);
        Ok(())
    }

    /// Empties all lists. The caller frees what they held once the lock is released.
    pub(super) fn drain(&mut self) -> Drained {
        let mut drained = std::mem::take(&mut self.spares);
        for list in &mut self.classes {
            list.usage.idle_bytes = 0;
            drained.append(&mut list.idle);
        }
        Drained { bytes: std::mem::take(&mut self.total.idle_bytes), headers: drained, source: self.source() }
    }

    pub(super) fn usage(&self) -> PoolUsage {
        let classes = self
            .classes
            .iter()
            .filter(|list| list.usage.rents > 0)
            .map(|list| ClassUsage { class_bytes: list.class_bytes, usage: list.usage })
            .collect();
        PoolUsage { total: self.total, classes }
    }

    pub(super) fn add_user(&mut self) {
        self.users += 1;
    }

    pub(super) fn remove_user(&mut self) {
        self.users -= 1;
    }

    /// From now on nothing is kept.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.max_idle_bytes = 0;
    }

    /// Whether nobody can come for blocks or bring one back any more.
    #[cfg(not(loom))]
    pub(super) fn is_finished(&self) -> bool {
        self.is_closed && self.users == 0 && self.total.live_bytes == 0
    }
}
