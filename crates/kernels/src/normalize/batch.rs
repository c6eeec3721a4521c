//! Batch normalisation with statistics that are given, as in inference.
//!
//! `((x - mean) * (1 / sqrt(variance + epsilon))) * scale + bias`, the last two steps a fused multiply-add.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::DType;

use crate::convert::Half;
use crate::map::driver::{Input, Output, map};
use crate::map::half_blocks;
use crate::reduce::order::load_rest;
use crate::simd::{Float, Isa, LANES, Simd, Task};
use crate::{KernelError, Threads};

/// Batch normalisation by a given mean and variance, scale and bias: one each for every element, broadcast from channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchNorm {
    /// What is added to the variance.
    pub epsilon: f32,
}

impl BatchNorm {
    /// The operation's name.
    pub const NAME: &'static str = "batch_normalization";
}

/// Normalises elements by those of the other operands: x, mean, variance, scale, bias.
pub(crate) fn run(
    batch: BatchNorm,
    isa: Isa,
    threads: &Threads,
    dtype: DType,
    operands: [Input<'_>; 5],
    result: Output<'_>,
) -> Result<(), KernelError> {
    let epsilon = batch.epsilon;
    map(operands, result, threads, Some(isa), &|operands, result| match Half::of(dtype) {
        Some(half) => {
            let operands = operands.map(cast_slice);
            half_blocks::map(isa, half, operands, cast_slice_mut(result), |operands, result| {
                isa.run(Floats { epsilon, operands, result });
            });
        }
        None if dtype == DType::F32 => {
            isa.run(Floats { epsilon, operands: operands.map(cast_slice), result: cast_slice_mut(result) });
        }
        None => doubles(epsilon.into(), operands.map(cast_slice), cast_slice_mut(result)),
    })?;
    Ok(())
}

struct Floats<'a> {
    epsilon: f32,
    operands: [&'a [f32]; 5],
    result: &'a mut [f32],
}

impl Task for Floats<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let epsilon = simd.f32(self.epsilon);
        let vectors = self.operands.map(|operand| operand.as_chunks::<LANES>());
        let (targets, rest) = self.result.as_chunks_mut::<LANES>();
        for (at, target) in targets.iter_mut().enumerate() {
            let mut operands = [epsilon; 5];
            for (operand, (vectors, _)) in operands.iter_mut().zip(&vectors) {
                *operand = simd.load(&vectors[at]);
            }
            normalize(simd, epsilon, operands).store(target);
        }
        if !rest.is_empty() {
            let mut lanes = [0.0; LANES];
            let mut operands = [epsilon; 5];
            for (operand, (_, rest)) in operands.iter_mut().zip(&vectors) {
                *operand = load_rest(simd, rest).0;
            }
            normalize(simd, epsilon, operands).store(&mut lanes);
            rest.copy_from_slice(&lanes[..rest.len()]);
        }
    }
}

#[inline(always)]
fn normalize<S: Simd>(simd: S, epsilon: S::F32, [x, mean, variance, scale, bias]: [S::F32; 5]) -> S::F32 {
    let inverse = simd.f32(1.0) / (variance + epsilon).sqrt();
    ((x - mean) * inverse).mul_add(scale, bias)
}

fn doubles(epsilon: f64, [x, mean, variance, scale, bias]: [&[f64]; 5], result: &mut [f64]) {
    for (index, result) in result.iter_mut().enumerate() {
        let inverse = 1.0 / (variance[index] + epsilon).sqrt();
        *result = ((x[index] - mean[index]) * inverse).mul_add(scale[index], bias[index]);
    }
}
