//! The golden vectors in `tests/fixtures`, computed by an independent program, reproduced bit for bit.

mod broadcast;
mod cast;
mod half;
mod layouts;
mod load;
mod reshape;
mod shape_limits;
mod views;
