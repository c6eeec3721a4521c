//! Which kernels a process gets: the best, those it set, or those that the environment names.

use std::env;
use std::ffi::OsStr;
use std::process::Command;
use std::sync::Arc;

use stratal_kernels::{
    BACKEND_VARIABLE, Backend, KernelError, Precision, Selection, Threads, process_kernels, set_process_kernels,
};

/// What the test below must find in a process of its own.
const EXPECTED: &str = "STRATAL_TEST_EXPECTS";

/// The outcome of a selection that names no backend, as text.
fn chosen() -> String {
    match Selection::new().kernels() {
        Ok(kernels) => kernels.backend().to_string(),
        Err(error) => error.to_string(),
    }
}

/// In a process of its own this is what [`the_environment_forces_a_backend`] asks; in that of all tests, the best backend
/// unless the environment says otherwise.
#[test]
fn a_selection_that_names_nothing() {
    let forced = env::var(BACKEND_VARIABLE).ok().filter(|name| !name.is_empty());
    let expected = env::var(EXPECTED).ok().or(forced).unwrap_or_else(|| Backend::best().to_string());
    assert_eq!(chosen(), expected);
}

/// This program again, for one test, with the environment naming a backend.
fn runs_as(variable: impl AsRef<OsStr>, expected: &str) {
    let variable = variable.as_ref();
    let program = env::current_exe().unwrap();
    // Under emulation, through the emulator.
    let runner = format!("CARGO_TARGET_{}_UNKNOWN_LINUX_GNU_RUNNER", env::consts::ARCH.to_uppercase());
    let runner = env::var(runner).unwrap_or_default();
    let mut words = runner.split_whitespace().map(Into::into).chain([program.into_os_string()]);
    let output = Command::new(words.next().unwrap())
        .args(words)
        .args(["--exact", "selection::a_selection_that_names_nothing"])
        .env(BACKEND_VARIABLE, variable)
        .env(EXPECTED, expected)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{variable:?}: {text}");
}

#[test]
fn the_environment_forces_a_backend() {
    for backend in Backend::ALL {
        match backend.is_available() {
            true => runs_as(backend.name(), backend.name()),
            false => runs_as(backend.name(), &format!("backend {backend} does not run on this machine")),
        }
    }
    runs_as("", Backend::best().name());
    for nonsense in ["nonsense", "AVX2", " scalar", "avx512 ", "fast"] {
        let expected =
            format!("STRATAL_BACKEND is {nonsense:?}: expected one of reference, scalar, avx2, avx512, neon");
        runs_as(nonsense, &expected);
    }
    #[cfg(unix)]
    {
        let no_text: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"avx2\xFF");
        let expected = "STRATAL_BACKEND is \"avx2\u{FFFD}\": expected one of reference, scalar, avx2, avx512, neon";
        runs_as(no_text, expected);
    }
}

/// A backend that is named is not looked up in the environment.
#[test]
fn a_named_backend_stands() {
    for backend in Backend::ALL {
        match Selection::new().backend(backend).kernels() {
            Ok(kernels) => assert_eq!(kernels.backend(), backend),
            Err(error) => assert_eq!(error, KernelError::UnavailableBackend { backend }),
        }
    }
}

#[test]
fn precision_and_threads_are_kept() {
    for precision in [Precision::Exact, Precision::Fast] {
        let selection = Selection::new().backend(Backend::Scalar).precision(precision);
        assert_eq!(selection.kernels().unwrap().precision(), precision);
        // The reference is exact by definition, and on the calling thread.
        let reference = selection.backend(Backend::Reference).threads(Threads::process()).kernels().unwrap();
        assert_eq!((reference.precision(), reference.threads().count()), (Precision::Exact, 1));
    }
    let selection = Selection::new().backend(Backend::Scalar).threads(Threads::own(3).unwrap());
    assert_eq!(selection.kernels().unwrap().threads().count(), 3);
}

/// The only test that asks for the kernels of the process, since it changes them.
#[test]
fn the_process_has_one_choice_that_can_be_set() {
    let first = process_kernels().unwrap();
    assert_eq!(first.backend().to_string(), chosen());
    assert!(Arc::ptr_eq(&first, &process_kernels().unwrap()));
    let mine = Selection::new().backend(Backend::Scalar).kernels().unwrap();
    set_process_kernels(Arc::clone(&mine));
    assert!(Arc::ptr_eq(&mine, &process_kernels().unwrap()));
    set_process_kernels(Arc::clone(&first));
    assert!(Arc::ptr_eq(&first, &process_kernels().unwrap()));
}
