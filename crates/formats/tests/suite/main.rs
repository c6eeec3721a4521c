//! Files of arrays: what is read, what is written, and what is refused.

mod confinement;
mod corpus;
#[path = "../shared/fetched.rs"]
mod fetched;
mod hostile;
mod kinds;
mod memory;
mod npy;
mod real_files;
mod safetensors;
mod texts;
