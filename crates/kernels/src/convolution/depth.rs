//! `Depth`: the order in which the terms of a convolution are summed.

use crate::matmul::DEPTH_BLOCK;

/// Channels of a block.
const BLOCK: usize = 16;

/// Channels of a group and elements of a kernel, in the order of sums: blocks of sixteen channels, in each the elements of the
/// kernel, for each the channels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depth {
    pub(crate) channels: usize,
    /// Elements of the kernel.
    pub(crate) taps: usize,
}

impl Depth {
    /// The number of terms.
    pub(crate) const fn count(self) -> usize {
        self.channels * self.taps
    }

    /// Terms of a block of depth: whole blocks of channels, as many as fit in that of a product.
    pub(crate) fn block(self) -> usize {
        let terms = (BLOCK * self.taps).max(1);
        (DEPTH_BLOCK / terms).max(1) * terms
    }

    /// Channel and element of the kernel of each term.
    pub(crate) fn terms(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.channels).step_by(BLOCK).flat_map(move |first| {
            let last = (first + BLOCK).min(self.channels);
            (0..self.taps).flat_map(move |tap| (first..last).map(move |channel| (channel, tap)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_in_blocks_of_channels() {
        let terms: Vec<_> = Depth { channels: 18, taps: 2 }.terms().collect();
        assert_eq!(terms.len(), 36);
        assert_eq!(terms[..2], [(0, 0), (1, 0)]);
        assert_eq!(terms[15..18], [(15, 0), (0, 1), (1, 1)]);
        assert_eq!(terms[31..], [(15, 1), (16, 0), (17, 0), (16, 1), (17, 1)]);
    }

    #[test]
    fn blocks_hold_whole_blocks_of_channels() {
        let block = |channels, taps| Depth { channels, taps }.block();
        assert_eq!(block(64, 1), 256);
        assert_eq!(block(64, 9), 144);
        assert_eq!(block(3, 49), 784);
        assert_eq!(block(64, 3), 240);
        assert_eq!(block(64, 0), 256);
    }
}
