//! `Selection`: which implementation a process or a session uses.

use std::env;
use std::sync::{Arc, PoisonError, RwLock};

use stratal_tensor_base::Excerpt;

use crate::reference::Reference;
use crate::vector::Vector;
use crate::{Backend, KernelError, Kernels, Threads};

/// The environment variable that forces a backend on every selection that names none, for tests.
pub const BACKEND_VARIABLE: &str = "STRATAL_BACKEND";

/// The answer to where exactness has a price: in products, convolutions and attention, and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// The bits of the reference: products are summed in f64 and rounded once.
    Exact,
    /// Products are summed in f32 in one fixed order, the same on every backend and number of threads.
    #[default]
    Fast,
}

/// A choice of kernels, open where nothing was said: the best backend of the machine, fast, on the threads of the process.
///
/// ```
/// use stratal_kernels::{Backend, Selection, Threads};
///
/// let kernels = Selection::new().backend(Backend::Scalar).threads(Threads::calling()).kernels()?;
/// assert_eq!(kernels.backend(), Backend::Scalar);
/// # Ok::<(), stratal_kernels::KernelError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Selection {
    backend: Option<Backend>,
    precision: Precision,
    threads: Threads,
    without_dots: bool,
}

impl Selection {
    /// Nothing said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a backend by name, whatever the environment says.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = Some(backend);
        self
    }

    /// Says what exactness may cost.
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Says which threads may work.
    #[must_use]
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Leaves out instructions for dot products of bytes, where the machine has them: products of bytes take longer, and have
    /// the same bits. For tests and measurements.
    #[must_use]
    pub fn without_dot_instructions(mut self) -> Self {
        self.without_dots = true;
        self
    }

    /// The kernels chosen.
    ///
    /// # Errors
    /// [`KernelError::UnavailableBackend`] when this machine cannot run the backend asked for, and
    /// [`KernelError::UnknownForcedBackend`] when [`BACKEND_VARIABLE`] names none.
    pub fn kernels(&self) -> Result<Arc<dyn Kernels>, KernelError> {
        let backend = match self.backend {
            Some(backend) => backend,
            None => forced(env::var_os(BACKEND_VARIABLE).map(|name| name.to_string_lossy().into_owned()))?
                .unwrap_or_else(Backend::best),
        };
        match (backend, backend.isa()) {
            (Backend::Reference, _) => Ok(Arc::new(Reference::new())),
            (_, Some(isa)) => {
                let isa = if self.without_dots { isa.without_dots() } else { isa };
                Ok(Arc::new(Vector::new(backend, isa, self.precision, self.threads.clone())))
            }
            (_, None) => Err(KernelError::UnavailableBackend { backend }),
        }
    }
}

/// The kernels of the process: those that [`set_process_kernels`] was given, else what a new [`Selection`] gives.
///
/// # Errors
/// Those of [`Selection::kernels`].
pub fn process_kernels() -> Result<Arc<dyn Kernels>, KernelError> {
    if let Some(kernels) = &*PROCESS.read().unwrap_or_else(PoisonError::into_inner) {
        return Ok(Arc::clone(kernels));
    }
    let chosen = Selection::new().kernels()?;
    let mut process = PROCESS.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have been first.
    Ok(Arc::clone(process.get_or_insert(chosen)))
}

/// Makes kernels those of the process, from the next call of [`process_kernels`] on.
pub fn set_process_kernels(kernels: Arc<dyn Kernels>) {
    // Dropped after the lock is given back: kernels of another crate may ask for those of the process when they end.
    let _previous = PROCESS.write().unwrap_or_else(PoisonError::into_inner).replace(kernels);
}

static PROCESS: RwLock<Option<Arc<dyn Kernels>>> = RwLock::new(None);

/// The backend that the environment names, if any. An empty value names none.
fn forced(value: Option<String>) -> Result<Option<Backend>, KernelError> {
    match value.as_deref() {
        None | Some("") => Ok(None),
        Some(name) => {
            name.parse().map(Some).map_err(|_| KernelError::UnknownForcedBackend { name: Excerpt::new(name) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_a_backend_or_is_an_error() {
        assert_eq!(forced(None), Ok(None));
        assert_eq!(forced(Some(String::new())), Ok(None));
        assert_eq!(forced(Some("avx2".to_owned())), Ok(Some(Backend::Avx2)));
        assert_eq!(
            forced(Some("sse9".to_owned())).unwrap_err().to_string(),
            "STRATAL_BACKEND is \"sse9\": expected one of reference, scalar, avx2, avx512, neon",
        );
    }

    #[test]
    fn what_the_machine_lacks_is_refused_by_name() {
        for backend in Backend::ALL {
            let kernels = Selection::new().backend(backend).kernels();
            match kernels {
                Ok(kernels) => assert_eq!(kernels.backend(), backend),
                Err(error) => {
                    assert!(!backend.is_available());
                    assert_eq!(error.to_string(), format!("backend {backend} does not run on this machine"));
                }
            }
        }
    }
}
