//! edge_cases.
