//! Fills: one value, and seeded random numbers that are the same everywhere.

use rand_mt::Mt64;
use stratal_tensor_base::{CastFromAny, DType, Scalar, Walk, bf16, cast, f16, match_dtype};

use crate::{Tensor, TensorError, ViewMut};

impl Tensor {
    /// Writes one value to every element. Advances the version by one.
    ///
    /// # Errors
    /// [`TensorError::NoSuchValue`] as for [`full`](Self::full), and the errors of [`view_mut`](Self::view_mut).
    pub fn fill(&self, value: impl Into<Scalar>) -> Result<(), TensorError> {
        let value = value.into();
        match_dtype!(self.dtype(), T => {
            let value: T = representable(value)?;
            let mut guard = self.view_mut::<T>()?;
            fill_view(&mut guard.as_view_mut(), value)?;
        });
        Ok(())
    }

    /// Draws every element from the uniform distribution over `low..high`. Advances the version by one.
    ///
    /// The numbers are those of the 64-bit Mersenne Twister, in row-major order of the index: with `x` its next output,
    /// `low + u * (high - low)` where `u` is the upper 53 bits of `x` as a fraction. The same seed gives the same bits
    /// on every platform.
    ///
    /// # Errors
    /// [`TensorError::NotFloat`], [`TensorError::BadRange`] unless the range is finite and ascending, and the errors of
    /// [`view_mut`](Self::view_mut).
    ///
    /// ```
    /// use stratal_tensor::{Tensor, base::DType};
    ///
    /// let weights = Tensor::empty(&[2, 3], DType::F32)?;
    /// weights.fill_uniform(-0.1, 0.1, 42)?;
    /// let again = Tensor::empty(&[3, 2], DType::F32)?;
    /// again.fill_uniform(-0.1, 0.1, 42)?;
    /// assert_eq!(weights.to_vec::<f32>()?, again.to_vec::<f32>()?);
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn fill_uniform(&self, low: f64, high: f64, seed: u64) -> Result<(), TensorError> {
        if !(low <= high && (high - low).is_finite()) {
            return Err(TensorError::BadRange { low, high });
        }
        let mut generator = Mt64::new(seed);
        self.fill_with("fill_uniform", move || low + unit(&mut generator) * (high - low))
    }

    /// Draws every element from a normal distribution. Advances the version by one.
    ///
    /// Pairs of uniform numbers become pairs of normal ones by Box and Muller's transform, in row-major order of the
    /// index, cosine before sine; the last sine of an odd count is dropped. The same seed gives the same numbers up to
    /// the last bits of the platform's logarithm, sine and cosine.
    ///
    /// # Errors
    /// [`TensorError::NotFloat`], [`TensorError::BadNormal`] unless the mean is finite and the deviation finite and at
    /// least 0, and the errors of [`view_mut`](Self::view_mut).
    pub fn fill_normal(&self, mean: f64, deviation: f64, seed: u64) -> Result<(), TensorError> {
        if !(mean.is_finite() && deviation.is_finite() && deviation >= 0.0) {
            return Err(TensorError::BadNormal { mean, deviation });
        }
        let mut generator = Mt64::new(seed);
        let mut pending = None;
        self.fill_with("fill_normal", move || {
            let normal = pending.take().unwrap_or_else(|| {
                // One minus a number below one is above zero, so the logarithm is finite.
                let radius = (-2.0 * (1.0 - unit(&mut generator)).ln()).sqrt();
                let angle = std::f64::consts::TAU * unit(&mut generator);
                pending = Some(radius * angle.sin());
                radius * angle.cos()
            });
            mean + deviation * normal
        })
    }

    /// Writes what `next` gives to the elements of a floating-point tensor, in row-major order of the index.
    fn fill_with(&self, operation: &'static str, next: impl FnMut() -> f64) -> Result<(), TensorError> {
        match self.dtype() {
            DType::F32 => self.write_each::<f32>(next),
            DType::F64 => self.write_each::<f64>(next),
            DType::F16 => self.write_each::<f16>(next),
            DType::BF16 => self.write_each::<bf16>(next),
            dtype => Err(TensorError::NotFloat { operation, dtype }),
        }
    }

    fn write_each<T: CastFromAny>(&self, mut next: impl FnMut() -> f64) -> Result<(), TensorError> {
        let mut guard = self.view_mut::<T>()?;
        let mut view = guard.as_view_mut();
        for offset in view.geometry().offsets() {
            view.elements_mut()[offset] = cast(next());
        }
        Ok(())
    }
}

/// Writes one value to every element of a view.
pub(crate) fn fill_view<T: CastFromAny>(view: &mut ViewMut<'_, T>, value: T) -> Result<(), TensorError> {
    let walk = Walk::new([view.geometry()])?;
    let ([stride], length) = (walk.run_strides(), walk.run_length());
    for [start] in walk.runs() {
        if stride == 1 {
            view.elements_mut()[start..start + length].fill(value);
        } else {
            for step in 0..length {
                view.elements_mut()[start.wrapping_add_signed(stride * step as isize)] = value;
            }
        }
    }
    Ok(())
}

/// A value as an element of a dtype that must be able to hold it.
pub(crate) fn representable<T: CastFromAny>(value: Scalar) -> Result<T, TensorError> {
    let refused = TensorError::NoSuchValue { value, dtype: T::DTYPE };
    let number: f64 = value.cast();
    if let Some(value) = value.get() {
        Ok(value)
    } else if T::DTYPE.is_float() {
        Ok(value.cast())
    } else if T::DTYPE == DType::Bool {
        if number == 0.0 || number == 1.0 { Ok(value.cast()) } else { Err(refused) }
    } else if value.dtype() == DType::Bool {
        Ok(value.cast())
    } else if value.dtype().is_float() && number.fract() != 0.0 {
        // NaN and infinities have no fraction either, and are refused here or below.
        Err(refused)
    } else {
        value.try_cast().map_err(|_| refused)
    }
}

/// The next number of the generator in `0..1`, all 53 bits of a double's significand.
fn unit(generator: &mut Mt64) -> f64 {
    (generator.next_u64() >> 11) as f64 * 2_f64.powi(-53)
}
