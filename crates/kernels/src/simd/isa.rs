//! `Isa`: which instruction set to run on, chosen while the program runs.

use super::{Portable, Simd, Task};

#[cfg(target_arch = "aarch64")]
use super::Neon;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};

/// An instruction set that this machine has, with the token that proves it.
///
/// Where generic code has a [`Simd`] token as a type, this is the token as a value: [`run`](Self::run) goes from one to
/// the other.
#[derive(Debug, Clone, Copy)]
pub enum Isa {
    /// One lane of sixteen, which is how the reference backend evaluates formulas; blocks need all lanes.
    #[cfg(test)]
    Reference(Portable<1>),
    /// Arrays of sixteen.
    Scalar(Portable),
    /// Vectors of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Vectors of 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// Vectors of 512 bits, and instructions for dot products of bytes.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(Avx512<true>),
    /// Vectors of 128 bits.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

impl Isa {
    /// Runs a task that is compiled for this instruction set.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            #[cfg(test)]
            Self::Reference(token) => token.vectorize(task),
            Self::Scalar(token) => token.vectorize(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(token) => token.vectorize(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(token) => token.vectorize(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni(token) => token.without_vnni().vectorize(task),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(token) => token.vectorize(task),
        }
    }

    /// Runs a task that is compiled for this instruction set and its [dot products](Simd::add_dots), which few tasks have.
    pub fn run_dots<T: Task>(self, task: T) -> T::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni(token) => token.vectorize(task),
            _ => self.run(task),
        }
    }

    /// The same without instructions for dot products of bytes: the same bits, in more steps.
    #[must_use]
    pub fn without_dots(self) -> Self {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni(token) => Self::Avx512(token.without_vnni()),
            _ => self,
        }
    }
}
