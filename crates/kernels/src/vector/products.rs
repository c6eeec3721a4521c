//! Products on vectors.

use super::Vector;
use crate::matmul::{self, Machine};
use crate::{AnyView, AnyViewMut, Epilogue, KernelError, MatMulKernels, PackedMatrix, ZeroPoints, check};

impl MatMulKernels for Vector {
    fn matmul(
        &self,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        matmul::run(machine(self), &check::products::matmul(a, b, epilogue, result)?, epilogue, result)
    }

    fn matmul_packed(
        &self,
        a: &AnyView<'_>,
        b: &PackedMatrix,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        matmul::run(machine(self), &check::products::matmul_packed(a, b, epilogue, result)?, epilogue, result)
    }

    fn matmul_integer(
        &self,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        matmul::run_bytes(machine(self), &check::products::matmul_integer(a, b, zero_points, result)?, result)
    }

    fn matmul_integer_packed(
        &self,
        a: &AnyView<'_>,
        b: &PackedMatrix,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        matmul::run_bytes(machine(self), &check::products::matmul_integer_packed(a, b, zero_points, result)?, result)
    }

    fn pack_matrix(&self, matrix: &AnyView<'_>) -> Result<PackedMatrix, KernelError> {
        PackedMatrix::new(self.isa, matrix)
    }
}

pub(super) fn machine(kernels: &Vector) -> Machine<'_> {
    Machine { isa: kernels.isa, precision: kernels.precision, threads: &kernels.threads }
}
