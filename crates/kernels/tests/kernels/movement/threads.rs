//! threads.
