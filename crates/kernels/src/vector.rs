//! The backends with vectors: the drivers and formulas of this crate, on one instruction set.

mod convolutions;
mod maps;
mod movement;
mod pooling;
mod products;
mod reductions;
mod resize;
mod sorting;

use crate::map::driver::{Input, Output};
use crate::simd::Isa;
use crate::{AnyView, AnyViewMut, Backend, Kernels, Precision, Threads};

/// The kernels of one instruction set.
#[derive(Debug)]
pub(crate) struct Vector {
    backend: Backend,
    isa: Isa,
    precision: Precision,
    threads: Threads,
}

impl Vector {
    pub(crate) const fn new(backend: Backend, isa: Isa, precision: Precision, threads: Threads) -> Self {
        Self { backend, isa, precision, threads }
    }
}

impl Kernels for Vector {
    fn backend(&self) -> Backend {
        self.backend
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn threads(&self) -> &Threads {
        &self.threads
    }
}

fn input<'a>(view: &'a AnyView<'_>) -> Input<'a> {
    Input { bytes: view.bytes(), geometry: view.geometry(), size: view.dtype().size() }
}

fn output<'a>(view: &'a mut AnyViewMut<'_>) -> Output<'a> {
    let size = view.dtype().size();
    let (geometry, bytes) = view.parts();
    Output { bytes, geometry, size, is_read: false }
}

fn in_place<'a>(view: &'a mut AnyViewMut<'_>) -> Output<'a> {
    Output { is_read: true, ..output(view) }
}
