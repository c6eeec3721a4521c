//! `Weights`: the tensors of a file, whatever its format.
