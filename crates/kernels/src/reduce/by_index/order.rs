//! The order of evaluation as it is written down, in the plainest words.

/// Combines the terms of a row. Sixteen lanes take every sixteenth term each.
pub(crate) fn total<T: Copy>(terms: &[T], neutral: T, combine: &dyn Fn(T, T) -> T) -> T {
    let lane = |lane: usize| -> T {
        let terms: Vec<T> = terms.iter().skip(lane).step_by(16).copied().collect();
        let blocks: Vec<T> = terms.chunks(64).map(|block| total_of_block(block, neutral, combine)).collect();
        if blocks.is_empty() { neutral } else { total_of_blocks(&blocks, combine) }
    };
    let mut lanes: Vec<T> = (0..16).map(lane).collect();
    // Each with the one half of them away.
    while lanes.len() > 1 {
        let (first, second) = lanes.split_at(lanes.len() / 2);
        lanes = first.iter().zip(second).map(|(a, b)| combine(*a, *b)).collect();
    }
    lanes[0]
}

/// A block has four partial results, which take every fourth term each, one after another.
fn total_of_block<T: Copy>(block: &[T], neutral: T, combine: &dyn Fn(T, T) -> T) -> T {
    let partial = |first: usize| block.iter().skip(first).step_by(4).fold(neutral, |a, b| combine(a, *b));
    combine(combine(partial(0), partial(2)), combine(partial(1), partial(3)))
}

/// Blocks are combined in two halves, the first being the greatest power of two that leaves something for the second.
fn total_of_blocks<T: Copy>(blocks: &[T], combine: &dyn Fn(T, T) -> T) -> T {
    if let [only] = blocks {
        return *only;
    }
    let half = blocks.len().next_power_of_two() / 2;
    combine(total_of_blocks(&blocks[..half], combine), total_of_blocks(&blocks[half..], combine))
}
