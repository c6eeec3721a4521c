//! `SavedTensor`: a value kept for backward, which notices when its elements were overwritten.

use std::{fmt, ops::Deref};

use stratal_tensor::{
    Tensor,
    memory::{AccessError, ReadGuard},
};

use crate::{Edge, Variable};

/// A value kept for backward. It shares the elements of the original, and remembers their version.
///
/// ```
/// use stratal_autograd::{SavedError, SavedTensor};
/// use stratal_tensor::Tensor;
///
/// let tensor = Tensor::from_vec(vec![2.0_f32, 3.0], &[2])?;
/// let saved = SavedTensor::new(tensor.clone());
/// assert_eq!(saved.unpack()?.tensor().item::<f32>(&[1])?, 3.0);
///
/// tensor.fill(10)?;
/// assert!(matches!(saved.unpack(), Err(SavedError::Overwritten { saved: 0, now: 1 })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SavedTensor {
    tensor: Tensor,
    version: u64,
    origin: SavedOrigin,
}

/// What a saved value was to the operation that saved it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedOrigin {
    /// An input, by its index. Its edge is the one that the record keeps for that input.
    Input(u32),
    /// An output, by its index. Its edge leads to the record itself, and so is not kept but made at unpacking: a
    /// record that held it would hold itself.
    Output(u32),
    /// A tensor that the operation made for backward alone, such as indices. It has no edge.
    Owned,
}

/// Why a saved value could not be unpacked.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedError {
    /// The elements are not those that were saved.
    #[error(
        "overwritten since it was saved: it was at version {saved} and is at version {now}; write to it after backward, \
         or to a copy"
    )]
    Overwritten {
        /// The version when it was saved.
        saved: u64,
        /// The version now.
        now: u64,
    },
    /// The elements could not be opened for reading.
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl SavedTensor {
    /// Saves a tensor as it is now.
    pub fn new(tensor: Tensor) -> Self {
        Self::of(tensor, SavedOrigin::Owned)
    }

    /// The version of the elements when they were saved.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What the value was to the operation.
    pub fn origin(&self) -> SavedOrigin {
        self.origin
    }

    /// The value, held open for reading, so that it stays what it is for as long as the guard lives.
    ///
    /// # Errors
    /// [`SavedError::Overwritten`] if the elements were opened for writing since they were saved, through any view of
    /// the buffer; [`SavedError::Access`] if they are being written, or gone.
    pub fn unpack(&self) -> Result<Unpacked<'_>, SavedError> {
        self.unpack_with(Edge::NONE)
    }

    #[inline]
    pub(crate) fn of(tensor: Tensor, origin: SavedOrigin) -> Self {
        // Saved before the operation reads: a writer that comes between is found, for it makes the version another.
        let version = tensor.version();
        Self { tensor, version, origin }
    }

    pub(crate) fn unpack_with(&self, edge: Edge) -> Result<Unpacked<'_>, SavedError> {
        let guard = self.tensor.buffer().read()?;
        // Under the guard nobody writes, so this comparison holds for as long as it lives.
        let now = guard.version();
        if now != self.version {
            return Err(SavedError::Overwritten { saved: self.version, now });
        }
        Ok(Unpacked { variable: Variable::new(self.tensor.clone(), edge), guard })
    }

    /// Whether unpacking would fail by now, as far as can be seen without a guard.
    pub(crate) fn is_spoiled(&self) -> bool {
        self.tensor.version() != self.version || self.tensor.is_stale()
    }
}

impl fmt::Debug for SavedTensor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tensor, version, origin } = self;
        write!(formatter, "{origin}, {} {:?} at version {version}", tensor.dtype(), tensor.shape())
    }
}

impl fmt::Display for SavedOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(index) => write!(formatter, "input {index}"),
            Self::Output(index) => write!(formatter, "output {index}"),
            Self::Owned => formatter.write_str("a tensor of its own"),
        }
    }
}

/// A saved value, unpacked: a variable whose elements are held open for reading.
pub struct Unpacked<'a> {
    variable: Variable,
    guard: ReadGuard<'a>,
}

impl Unpacked<'_> {
    /// The version of the elements, which is the one they were saved at.
    pub fn version(&self) -> u64 {
        self.guard.version()
    }
}

impl Deref for Unpacked<'_> {
    type Target = Variable;

    fn deref(&self) -> &Variable {
        &self.variable
    }
}

impl fmt::Debug for Unpacked<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.variable, formatter)
    }
}
