//! ONNX files through the public face.

mod elements;
mod external;
#[path = "../shared/fetched.rs"]
mod fetched;
mod hostile;
mod models;
mod round_trip;
mod sample;
mod weights;
