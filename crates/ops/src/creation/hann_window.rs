//! `HannWindow`: a raised cosine.

super::window::window!(
    HannWindow,
    "HannWindow",
    /// A raised cosine: `0.5 - 0.5 cos x`.
    [0.5, 0.5, 0.0]
);
