//! The errors of this crate: one enum a subject, each naming the values involved, none of them on the heap.

use crate::Excerpt;

/// A text that names no device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The part before the colon is no known kind of device.
    #[error("unknown device {device}: expected \"cpu\", \"cuda\" or \"cuda:N\"")]
    UnknownDevice {
        /// The whole text.
        device: Excerpt,
    },
    /// There is one host memory, so it takes no index.
    #[error("device {device} carries an index, but there is only one \"cpu\"")]
    CpuIndex {
        /// The whole text.
        device: Excerpt,
    },
    /// The part after the colon is not a plain decimal below 2^32.
    #[error(
        "device {device} has a bad index: expected digits without sign or leading zero, below 2^32"
    )]
    BadIndex {
        /// The whole text.
        device: Excerpt,
    },
}
