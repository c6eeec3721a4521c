//! `access`: the guards of one output and its inputs, taken together.

use crate::{AccessError, Buffer, ReadGuard, WriteGuard};

/// Opens one buffer for writing and others for reading, all or none.
///
/// The version of the output advances only when all guards are held. The same input may come several
/// times. Since nobody ever waits for a guard, any order of any calls is free of deadlock.
///
/// ```
/// use stratal_memory::{Pool, access};
///
/// let pool = Pool::new();
/// let (a, b, sum) = (pool.rent_zeroed(8)?, pool.rent_zeroed(8)?, pool.rent(8)?);
/// a.write()?.fill(3);
///
/// let (mut output, [a, b]) = access(&sum, [&a, &b])?;
/// for ((sum, a), b) in output.iter_mut().zip(&*a).zip(&*b) {
///     *sum = a + b;
/// }
/// assert_eq!(output[7], 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`AccessError::OutputIsInput`] if an input is the output's buffer, else whatever the first guard that
/// is refused says. No guard is held and no version has changed then.
pub fn access<'a, const N: usize>(
    output: &'a Buffer,
    inputs: [&'a Buffer; N],
) -> Result<(WriteGuard<'a>, [ReadGuard<'a>; N]), AccessError> {
    if let Some(input) = inputs.iter().position(|input| input.is_same(output))
        && !output.is_stale()
    {
        return Err(AccessError::OutputIsInput { origin: output.origin(), input });
    }
    let writer = WriteGuard::open(output.header())?;
    let attempts = inputs.map(Buffer::read);
    if let Some(error) = attempts.iter().find_map(|attempt| attempt.as_ref().err()) {
        return Err(*error);
    }
    let readers = attempts.map(|attempt| match attempt {
        Ok(reader) => reader,
        Err(_) => unreachable!("a refused reader has returned above"),
    });
    Ok((writer.counted(), readers))
}
