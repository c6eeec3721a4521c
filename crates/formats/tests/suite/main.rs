//! Files of arrays: what is read, what is written, and what is refused.

mod confinement;
mod corpus;
mod hostile;
mod kinds;
mod memory;
mod npy;
mod safetensors;
mod texts;
