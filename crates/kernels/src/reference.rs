//! The reference backend: one element after another, by index. It is the meaning that all others are compared with.

mod convolutions;
mod maps;
mod movement;
mod pooling;
mod products;
mod reductions;
mod resize;
mod sorting;

use stratal_tensor_base::{Scalar, match_dtype};

use crate::{AnyView, AnyViewMut, Backend, Kernels, Precision, Threads};

/// Scalar loops on the calling thread.
#[derive(Debug)]
pub(crate) struct Reference {
    threads: Threads,
}

impl Reference {
    pub(crate) const fn new() -> Self {
        Self { threads: Threads::calling() }
    }
}

impl Kernels for Reference {
    fn backend(&self) -> Backend {
        Backend::Reference
    }

    fn precision(&self) -> Precision {
        Precision::Exact
    }

    fn threads(&self) -> &Threads {
        &self.threads
    }
}

/// The elements in logical order.
fn scalars<'a>(view: &AnyView<'a>) -> Box<dyn Iterator<Item = Scalar> + 'a> {
    let offsets = view.geometry().offsets();
    match_dtype!(view.dtype(), T => {
        let elements = view.elements::<T>();
        Box::new(offsets.map(move |offset| elements[offset].into()))
    })
}

/// Writes elements of the view's dtype in logical order.
fn write(view: &mut AnyViewMut<'_>, scalars: impl Iterator<Item = Scalar>) {
    let offsets = view.geometry().offsets();
    match_dtype!(view.dtype(), T => {
        let elements = view.elements_mut::<T>();
        for (offset, element) in offsets.zip(scalars.filter_map(Scalar::get::<T>)) {
            elements[offset] = element;
        }
    });
}
