//! `BlackmanWindow`: two cosines.

super::window::window!(
    BlackmanWindow,
    "BlackmanWindow",
    /// Two cosines: `0.42 - 0.5 cos x + 0.08 cos 2x`.
    [0.42, 0.5, 0.08]
);
