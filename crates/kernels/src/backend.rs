//! `Backend`: the names of the implementations, and which of them this machine can run.

use std::fmt;
use std::str::FromStr;

use stratal_tensor_base::Excerpt;

use crate::KernelError;
use crate::simd::{Isa, Portable};

#[cfg(target_arch = "aarch64")]
use crate::simd::Neon;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512};

/// An implementation of the kernels. Later ones are faster, as far as a machine has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Scalar loops over indices, one thread, f64 sums in products: the meaning of every operation.
    Reference,
    /// The vector text on arrays, for machines without vectors that we know.
    Scalar,
    /// 256-bit vectors of x86-64: AVX2, FMA and F16C.
    Avx2,
    /// 512-bit vectors of x86-64: AVX-512 F, BW, DQ and VL, and VNNI for products of bytes where it is.
    Avx512,
    /// 128-bit vectors of aarch64.
    Neon,
}

impl Backend {
    /// All names, whether or not this machine can run them.
    pub const ALL: [Self; 5] = [Self::Reference, Self::Scalar, Self::Avx2, Self::Avx512, Self::Neon];

    /// The backends that this machine can run, slowest first. Every test of a kernel goes through this list.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|backend| backend.is_available()).collect()
    }

    /// The fastest backend that this machine can run.
    pub fn best() -> Self {
        Self::ALL.into_iter().rfind(|backend| backend.is_available()).unwrap_or(Self::Scalar)
    }

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        self == Self::Reference || self.isa().is_some()
    }

    /// The instruction set of the backend's vectors, if it has vectors and this machine the instructions.
    pub fn isa(self) -> Option<Isa> {
        match self {
            Self::Reference => None,
            Self::Scalar => Some(Isa::Scalar(Portable)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().map(Isa::Avx2),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512::detect().map(|token| token.with_vnni().map_or(Isa::Avx512(token), Isa::Avx512Vnni)),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => Neon::detect().map(Isa::Neon),
            _ => None,
        }
    }

    /// The name, as [`FromStr`] reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = KernelError;

    fn from_str(name: &str) -> Result<Self, KernelError> {
        Self::ALL
            .into_iter()
            .find(|backend| backend.name() == name)
            .ok_or_else(|| KernelError::UnknownBackend { name: Excerpt::new(name) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for backend in Backend::ALL {
            assert_eq!(backend.to_string().parse(), Ok(backend));
        }
    }

    #[test]
    fn an_unknown_name_is_quoted() {
        assert_eq!(
            "AVX-512".parse::<Backend>().unwrap_err().to_string(),
            "unknown backend \"AVX-512\": expected one of reference, scalar, avx2, avx512, neon",
        );
    }

    #[test]
    fn the_portable_backends_run_everywhere() {
        let available = Backend::available();
        assert!(available.starts_with(&[Backend::Reference, Backend::Scalar]), "{available:?}");
        assert_eq!(available.last(), Some(&Backend::best()));
    }
}
