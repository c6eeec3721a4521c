//! npy and npz: arrays of NumPy.
