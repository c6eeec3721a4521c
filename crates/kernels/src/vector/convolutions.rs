//! Convolutions on vectors.

use super::Vector;
use super::products::machine;
use crate::convolution::{self, Convolution, TransposedConvolution};
use crate::{AnyView, AnyViewMut, ConvolutionKernels, Epilogue, KernelError, ZeroPoints, check};

impl ConvolutionKernels for Vector {
    fn convolve(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let fitted = check::convolutions::convolve(convolution, x, weights, epilogue, result)?;
        convolution::run(machine(self), convolution, &fitted, epilogue, result)
    }

    fn convolve_transposed(
        &self,
        convolution: &TransposedConvolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let fitted = check::convolutions::convolve_transposed(convolution, x, weights, epilogue, result)?;
        convolution::run_transposed(machine(self), convolution, &fitted, epilogue, result)
    }

    fn convolve_weight_gradient(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        gradient: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::convolutions::weight_gradient(convolution, x, gradient, result)?;
        convolution::choose(convolution, &result.as_view())?;
        convolution::weight_gradient(machine(self), convolution, x, gradient, result)
    }

    fn convolve_integer(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let fitted = check::convolutions::convolve_integer(convolution, x, weights, zero_points, result)?;
        convolution::choose(convolution, weights)?;
        convolution::run_bytes(self, machine(self), convolution, &fitted, result)
    }
}
