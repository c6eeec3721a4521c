//! The backends under test, each forced by name and on the calling thread.

use std::sync::{Arc, LazyLock};

use stratal_kernels::{Backend, Kernels, Selection, Threads};

/// Those that this machine runs, the reference first.
pub(crate) static BACKENDS: LazyLock<Vec<Arc<dyn Kernels>>> =
    LazyLock::new(|| Backend::available().into_iter().map(|backend| on_threads(backend, Threads::calling())).collect());

/// The reference backend.
pub(crate) fn reference() -> &'static dyn Kernels {
    &*BACKENDS[0]
}

/// A backend by name on certain threads.
pub(crate) fn on_threads(backend: Backend, threads: Threads) -> Arc<dyn Kernels> {
    let kernels = Selection::new().backend(backend).threads(threads).kernels().unwrap();
    assert_eq!(kernels.backend(), backend);
    kernels
}

#[test]
fn the_reference_comes_first_and_every_name_once() {
    assert_eq!(reference().backend(), Backend::Reference);
    let names: Vec<Backend> = BACKENDS.iter().map(|kernels| kernels.backend()).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    assert!(names.contains(&Backend::Scalar));
}
