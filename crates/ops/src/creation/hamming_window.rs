//! `HammingWindow`: a cosine that does not reach zero.

super::window::window!(
    HammingWindow,
    "HammingWindow",
    /// A cosine that does not reach zero: `25 / 46 - 21 / 46 * cos x`.
    [25.0 / 46.0, 21.0 / 46.0, 0.0]
);
