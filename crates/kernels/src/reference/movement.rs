//! Movement, by index: for each element of the result, where it comes from.

use stratal_tensor_base::{Bool, Geometry, Scalar, match_dtype};

use super::{Reference, scalars, write};
use crate::movement::{PadMode, Padding, ScatterReduction, Triangle, put};
use crate::{AnyView, AnyViewMut, KernelError, MapKernels, MovementKernels, check};

impl MovementKernels for Reference {
    fn concat(&self, parts: &[AnyView<'_>], axis: i64, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        let axis = check::movement::concat(parts, axis, result)?;
        write_each(result, |index| {
            let mut index = index.to_vec();
            let mut parts = parts.iter();
            loop {
                // The extents sum to the result's, so one of the parts has it.
                let part = parts.next()?;
                match index[axis].checked_sub(part.shape().extent(axis)) {
                    Some(behind) => index[axis] = behind,
                    None => return Some(element(part, &index)),
                }
            }
        });
        Ok(())
    }

    fn split(&self, x: &AnyView<'_>, axis: i64, results: &mut [AnyViewMut<'_>]) -> Result<(), KernelError> {
        let axis = check::movement::split(x, axis, results)?;
        let mut start = 0;
        for result in results {
            write_each(result, |index| {
                let mut index = index.to_vec();
                index[axis] += start;
                Some(element(x, &index))
            });
            start += result.shape().extent(axis);
        }
        Ok(())
    }

    fn tile(&self, x: &AnyView<'_>, repeats: &[i64], result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::movement::tile(x, repeats, result)?;
        write_each(result, |index| {
            let source: Vec<usize> =
                index.iter().enumerate().map(|(axis, index)| index % x.shape().extent(axis)).collect();
            Some(element(x, &source))
        });
        Ok(())
    }

    fn pad(&self, x: &AnyView<'_>, padding: &Padding<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::movement::pad(x, padding, result)?;
        write_each(result, |index| {
            let mut source = vec![0; index.len()];
            for (axis, index) in index.iter().enumerate() {
                let place = *index as i64 - padding.before[axis];
                match padded(padding, axis, x.shape().extent(axis) as i64, place) {
                    Ok(place) => source[axis] = place as usize,
                    Err(value) => return Some(value),
                }
            }
            Some(element(x, &source))
        });
        Ok(())
    }

    fn gather(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::movement::gather(x, indices, axis, result)?;
        let behind = axis + indices.shape().rank();
        write_each(result, |index| {
            let mut source = index[..axis].to_vec();
            source.push(position(indices, &index[axis..behind], x.shape().extent(axis)));
            source.extend(&index[behind..]);
            Some(element(x, &source))
        });
        Ok(())
    }

    fn gather_elements(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::movement::gather_elements(x, indices, axis, result)?;
        write_each(result, |index| {
            let mut source = index.to_vec();
            source[axis] = position(indices, index, x.shape().extent(axis));
            Some(element(x, &source))
        });
        Ok(())
    }

    fn gather_nd(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        batch_axes: usize,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::movement::gather_nd(x, indices, batch_axes, result)?;
        let positions = indices.shape().rank() - 1;
        write_each(result, |index| {
            let mut source = index[..batch_axes].to_vec();
            source.extend(tuple(indices, &index[..positions], x.shape().extents(), batch_axes));
            source.extend(&index[positions..]);
            Some(element(x, &source))
        });
        Ok(())
    }

    fn scatter_elements(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        axis: i64,
        reduction: ScatterReduction,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::movement::result_of("scatter_elements", x, result)?;
        check::movement::scatter_elements(x, indices, updates, axis, reduction)?;
        self.copy(x, result)?;
        self.scatter_elements_in_place(result, indices, updates, axis, reduction)
    }

    fn scatter_elements_in_place(
        &self,
        x: &mut AnyViewMut<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        axis: i64,
        reduction: ScatterReduction,
    ) -> Result<(), KernelError> {
        let axis = check::movement::scatter_elements(&x.as_view(), indices, updates, axis, reduction)?;
        for index in indices_of(updates.geometry()) {
            let mut target = index.clone();
            target[axis] = position(indices, &index, x.shape().extent(axis));
            update(x, &target, element(updates, &index), reduction);
        }
        Ok(())
    }

    fn scatter_nd(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        reduction: ScatterReduction,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::movement::result_of("scatter_nd", x, result)?;
        check::movement::scatter_nd(x, indices, updates, reduction)?;
        self.copy(x, result)?;
        self.scatter_nd_in_place(result, indices, updates, reduction)
    }

    fn scatter_nd_in_place(
        &self,
        x: &mut AnyViewMut<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        reduction: ScatterReduction,
    ) -> Result<(), KernelError> {
        check::movement::scatter_nd(&x.as_view(), indices, updates, reduction)?;
        let positions = indices.shape().rank() - 1;
        for index in indices_of(updates.geometry()) {
            let mut target = tuple(indices, &index[..positions], x.shape().extents(), 0);
            target.extend(&index[positions..]);
            update(x, &target, element(updates, &index), reduction);
        }
        Ok(())
    }

    fn one_hot(
        &self,
        indices: &AnyView<'_>,
        depth: i64,
        axis: i64,
        [off, on]: [Scalar; 2],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::movement::one_hot(indices, depth, axis, [off, on], result)?;
        write_each(result, |index| {
            let mut row = index.to_vec();
            let place = row.remove(axis) as i64;
            let wanted = number(indices, &row);
            Some(if wanted == place || wanted == place - depth { on } else { off })
        });
        Ok(())
    }

    fn triangular(
        &self,
        x: &AnyView<'_>,
        triangle: Triangle,
        diagonal: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::movement::triangular(x, result)?;
        let zero = match_dtype!(x.dtype(), T => Scalar::from(<T as bytemuck::Zeroable>::zeroed()));
        write_each(result, |index| {
            let [.., row, column] = *index else { return None };
            let right_of_diagonal = column as i128 - row as i128 - i128::from(diagonal);
            let is_kept = match triangle {
                Triangle::Upper => right_of_diagonal >= 0,
                Triangle::Lower => right_of_diagonal <= 0,
            };
            Some(if is_kept { element(x, index) } else { zero })
        });
        Ok(())
    }

    fn count_non_zero(&self, x: &AnyView<'_>) -> usize {
        scalars(x).filter(|element| is_not_zero(*element)).count()
    }

    fn non_zero(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::movement::non_zero(x, self.count_non_zero(x), result)?;
        let found: Vec<Vec<usize>> = indices_of(x.geometry()).filter(|index| is_not_zero(element(x, index))).collect();
        write_each(result, |index| Some(Scalar::I64(found[index[1]][index[0]] as i64)));
        Ok(())
    }

    fn compress(
        &self,
        x: &AnyView<'_>,
        condition: &AnyView<'_>,
        axis: Option<i64>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::movement::compress(x, condition, axis, result)?;
        let truths = scalars(condition).enumerate().filter(|(_, truth)| is_not_zero(*truth));
        let chosen: Vec<usize> = truths.map(|(position, _)| position).collect();
        let Some(axis) = axis else {
            let elements: Vec<Scalar> = scalars(x).collect();
            write(result, chosen.into_iter().map(|position| elements[position]));
            return Ok(());
        };
        write_each(result, |index| {
            let mut source = index.to_vec();
            source[axis] = chosen[index[axis]];
            Some(element(x, &source))
        });
        Ok(())
    }

    fn reverse_sequence(
        &self,
        x: &AnyView<'_>,
        lengths: &AnyView<'_>,
        batch_axis: i64,
        time_axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let (batch, time) = check::movement::reverse_sequence(x, lengths, batch_axis, time_axis, result)?;
        write_each(result, |index| {
            let mut source = index.to_vec();
            let length = number(lengths, &[index[batch]]) as usize;
            if index[time] < length {
                source[time] = length - 1 - index[time];
            }
            Some(element(x, &source))
        });
        Ok(())
    }
}

/// Writes what a function gives for each index; it gives something for all.
fn write_each(result: &mut AnyViewMut<'_>, source: impl Fn(&[usize]) -> Option<Scalar>) {
    let elements: Vec<Scalar> = indices_of(result.geometry()).filter_map(|index| source(&index)).collect();
    write(result, elements.into_iter());
}

/// All indices, in row-major order.
fn indices_of(geometry: &Geometry) -> impl Iterator<Item = Vec<usize>> + use<> {
    let shape = *geometry.shape();
    (0..shape.count()).map(move |position| {
        let mut left = position;
        let mut index = vec![0; shape.rank()];
        for (axis, coordinate) in index.iter_mut().enumerate().rev() {
            *coordinate = left % shape.extent(axis);
            left /= shape.extent(axis);
        }
        index
    })
}

/// Where the element at an index is.
fn offset(geometry: &Geometry, index: &[usize]) -> usize {
    let steps = index.iter().zip(geometry.strides()).map(|(index, stride)| *index as isize * *stride as isize);
    geometry.offset().wrapping_add_signed(steps.sum())
}

fn element(x: &AnyView<'_>, index: &[usize]) -> Scalar {
    match_dtype!(x.dtype(), T => x.elements::<T>()[offset(x.geometry(), index)].into())
}

/// An index operand's number.
fn number(indices: &AnyView<'_>, index: &[usize]) -> i64 {
    match element(indices, index) {
        Scalar::I32(number) => number.into(),
        other => other.cast(),
    }
}

/// An index operand's number, counted from the first element.
fn position(indices: &AnyView<'_>, index: &[usize], extent: usize) -> usize {
    let number = number(indices, index);
    (if number < 0 { number + extent as i64 } else { number }) as usize
}

/// The coordinates at an index, which point along the axes from `first` on.
fn tuple(indices: &AnyView<'_>, index: &[usize], extents: &[u32], first: usize) -> Vec<usize> {
    let coordinates = indices.shape().extent(index.len());
    let at = |coordinate: usize| {
        let index: Vec<usize> = index.iter().copied().chain([coordinate]).collect();
        position(indices, &index, extents[first + coordinate] as usize)
    };
    (0..coordinates).map(at).collect()
}

fn update(x: &mut AnyViewMut<'_>, index: &[usize], update: Scalar, reduction: ScatterReduction) {
    let old = element(&x.as_view(), index);
    let new = put::operation(reduction).map_or(update, |operation| operation.element(old, update));
    let offset = offset(x.geometry(), index);
    match_dtype!(x.dtype(), T => {
        if let Some(new) = new.get::<T>() {
            x.elements_mut::<T>()[offset] = new;
        }
    });
}

/// Which element of an axis is at a place counted from its first, or the constant.
fn padded(padding: &Padding<'_>, axis: usize, extent: i64, place: i64) -> Result<i64, Scalar> {
    if let PadMode::Constant(value) = padding.mode {
        return if (0..extent).contains(&place) { Ok(place) } else { Err(value) };
    }
    // What is left after cutting is what is extended.
    let first = (-padding.before[axis]).max(0);
    let last = extent - 1 - (-padding.after[axis]).max(0);
    Ok(match padding.mode {
        PadMode::Constant(_) => place,
        PadMode::Edge => place.clamp(first, last),
        PadMode::Wrap => first + (place - first).rem_euclid(last - first + 1),
        PadMode::Reflect if place < first => 2 * first - place,
        PadMode::Reflect if place > last => 2 * last - place,
        PadMode::Reflect => place,
    })
}

fn is_not_zero(element: Scalar) -> bool {
    element.cast::<Bool>().get()
}
