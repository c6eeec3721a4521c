//! Random chains of views, with sensible and hostile arguments, against the naive model.

use proptest::prelude::*;
use stratal_tensor_base::{Geometry, ViewError};

use crate::{
    naive::Naive,
    numbers::{hostile, hostile_list, small_geometry},
};

#[derive(Debug, Clone)]
enum View {
    Permute(Vec<i64>),
    Transpose(i64, i64),
    Movedim(i64, i64),
    Slice(i64, Option<i64>, Option<i64>, i64),
    Narrow(i64, i64, i64),
    Select(i64, i64),
    Flip(Vec<i64>),
    Squeeze(Vec<i64>),
    Unsqueeze(i64),
    Expand(Vec<i64>),
    Unfold(i64, i64, i64),
    Diagonal(i64, i64, i64),
}

fn view() -> impl Strategy<Value = View> {
    let number = || prop_oneof![5 => -4..5_i64, 1 => hostile()];
    let list = || prop_oneof![5 => proptest::collection::vec(-4..5_i64, 0..5), 1 => hostile_list()];
    let bound = || prop_oneof![1 => Just(None), 3 => number().prop_map(Some)];
    let permutation = (0..6_i64).prop_flat_map(|rank| Just((0..rank).collect::<Vec<_>>()).prop_shuffle());
    prop_oneof![
        permutation.prop_map(View::Permute),
        list().prop_map(View::Permute),
        (number(), number()).prop_map(|(a, b)| View::Transpose(a, b)),
        (number(), number()).prop_map(|(from, to)| View::Movedim(from, to)),
        (number(), bound(), bound(), number())
            .prop_map(|(axis, start, stop, step)| View::Slice(axis, start, stop, step)),
        (number(), number(), number()).prop_map(|(axis, start, length)| View::Narrow(axis, start, length)),
        (number(), number()).prop_map(|(axis, index)| View::Select(axis, index)),
        list().prop_map(View::Flip),
        list().prop_map(View::Squeeze),
        number().prop_map(View::Unsqueeze),
        list().prop_map(View::Expand),
        (number(), number(), number()).prop_map(|(axis, size, step)| View::Unfold(axis, size, step)),
        (number(), number(), number()).prop_map(|(offset, a, b)| View::Diagonal(offset, a, b)),
    ]
}

impl View {
    fn apply(&self, source: &Geometry) -> Result<Geometry, ViewError> {
        match self {
            Self::Permute(axes) => source.permute(axes),
            Self::Transpose(first, second) => source.transpose(*first, *second),
            Self::Movedim(from, to) => source.movedim(*from, *to),
            Self::Slice(axis, start, stop, step) => source.slice(*axis, *start, *stop, *step),
            Self::Narrow(axis, start, length) => source.narrow(*axis, *start, *length),
            Self::Select(axis, index) => source.select(*axis, *index),
            Self::Flip(axes) => source.flip(axes),
            Self::Squeeze(axes) => source.squeeze(axes),
            Self::Unsqueeze(axis) => source.unsqueeze(*axis),
            Self::Expand(extents) => source.expand(extents),
            Self::Unfold(axis, size, step) => source.unfold(*axis, *size, *step),
            Self::Diagonal(offset, first, second) => source.diagonal(*offset, *first, *second),
        }
    }

    /// The view over lists; none where the rules refuse it. Small extents break no limit but the rank's.
    fn model(&self, source: &Naive) -> Option<Naive> {
        let rank = source.extents.len() as i64;
        let axis_below = |axis: i64, rank: i64| (-rank..rank).contains(&axis).then(|| axis.rem_euclid(rank) as usize);
        let axis = |number: i64| axis_below(number, rank);
        let axes = |numbers: &[i64]| numbers.iter().map(|number| axis(*number)).collect::<Option<Vec<_>>>();
        let result = match self {
            Self::Permute(numbers) => {
                let axes = axes(numbers)?;
                if numbers.len() as i64 != rank || (0..rank as usize).any(|axis| !axes.contains(&axis)) {
                    return None;
                }
                permuted(source, &axes)
            }
            Self::Transpose(first, second) => {
                let mut order: Vec<usize> = (0..rank as usize).collect();
                order.swap(axis(*first)?, axis(*second)?);
                permuted(source, &order)
            }
            Self::Movedim(from, to) => {
                let mut order: Vec<usize> = (0..rank as usize).collect();
                let moved = order.remove(axis(*from)?);
                order.insert(axis(*to)?, moved);
                permuted(source, &order)
            }
            Self::Slice(number, start, stop, step) => {
                let axis = axis(*number)?;
                if *step == 0 {
                    return None;
                }
                source.picked(axis, &python_slice(source.extents[axis], *start, *stop, *step))
            }
            Self::Narrow(number, start, length) => {
                let axis = axis(*number)?;
                let extent = source.extents[axis] as i128;
                let first = if *start < 0 { i128::from(*start) + extent } else { i128::from(*start) };
                let end = first + i128::from(*length);
                if first < 0 || *length < 0 || end > extent {
                    return None;
                }
                source.picked(axis, &(first as usize..end as usize).collect::<Vec<_>>())
            }
            Self::Select(number, index) => {
                let axis = axis(*number)?;
                let index = axis_below(*index, source.extents[axis] as i64)?;
                let mut selected = source.picked(axis, &[index]);
                selected.extents.remove(axis);
                selected
            }
            Self::Flip(numbers) => {
                let axes = axes(numbers)?;
                if axes.iter().enumerate().any(|(position, axis)| axes[..position].contains(axis)) {
                    return None;
                }
                axes.iter().fold(source.clone(), |flipped, axis| {
                    flipped.picked(*axis, &(0..source.extents[*axis]).rev().collect::<Vec<_>>())
                })
            }
            Self::Squeeze(numbers) => {
                let axes = axes(numbers)?;
                if axes.iter().any(|axis| source.extents[*axis] != 1) {
                    return None;
                }
                let kept = source.extents.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
                Naive { extents: kept.map(|(_, extent)| *extent).collect(), ..source.clone() }
            }
            Self::Unsqueeze(number) => {
                let mut unsqueezed = source.clone();
                unsqueezed.extents.insert(axis_below(*number, rank + 1)?, 1);
                unsqueezed
            }
            Self::Expand(numbers) => expanded(source, numbers)?,
            Self::Unfold(number, size, step) => {
                let axis = axis(*number)?;
                let extent = source.extents[axis] as i64;
                if *size < 1 || *size > extent || *step < 1 {
                    return None;
                }
                let step = (*step).min(extent) as usize;
                let mut extents = source.extents.clone();
                extents[axis] = (extent - size) as usize / step + 1;
                extents.push(*size as usize);
                source.rearranged(extents, |index| {
                    let (window, index) = index.split_last().expect("a window was added");
                    let mut origin = index.to_vec();
                    origin[axis] = index[axis] * step + window;
                    origin
                })
            }
            Self::Diagonal(offset, first, second) => {
                let (first, second) = (axis(*first)?, axis(*second)?);
                if first == second {
                    return None;
                }
                let cells = (0..source.extents[first]).filter_map(|row| {
                    let column = row as i128 + i128::from(*offset);
                    (0..source.extents[second] as i128).contains(&column).then_some((row, column as usize))
                });
                let cells: Vec<_> = cells.collect();
                let kept: Vec<usize> = (0..rank as usize).filter(|axis| *axis != first && *axis != second).collect();
                let mut extents: Vec<usize> = kept.iter().map(|axis| source.extents[*axis]).collect();
                extents.push(cells.len());
                source.rearranged(extents, |index| {
                    let (cell, index) = index.split_last().expect("a diagonal was added");
                    let mut origin = vec![0; rank as usize];
                    for (axis, index) in kept.iter().zip(index) {
                        origin[*axis] = *index;
                    }
                    (origin[first], origin[second]) = cells[*cell];
                    origin
                })
            }
        };
        (result.extents.len() <= 8).then_some(result)
    }
}

fn permuted(source: &Naive, axes: &[usize]) -> Naive {
    let extents = axes.iter().map(|axis| source.extents[*axis]).collect();
    source.rearranged(extents, |index| {
        let mut origin = vec![0; index.len()];
        for (axis, index) in axes.iter().zip(index) {
            origin[*axis] = *index;
        }
        origin
    })
}

fn expanded(source: &Naive, request: &[i64]) -> Option<Naive> {
    let added = request.len().checked_sub(source.extents.len())?;
    let mut extents = Vec::new();
    for (axis, request) in request.iter().enumerate() {
        let own = axis.checked_sub(added).map(|own| source.extents[own]);
        extents.push(match (own, *request) {
            (Some(own), -1) => own,
            (_, request) if !(0..1 << 31).contains(&request) => return None,
            (None | Some(1), request) => request as usize,
            (Some(own), request) if own as i64 == request => own,
            _ => return None,
        });
    }
    // A request may be within the limits and still too large to list; such ones have their own test.
    let count = extents
        .iter()
        .try_fold(1_usize, |count, extent| count.checked_mul(*extent).filter(|count| *count < 1 << 31))?;
    if count > 100_000 {
        return Some(Naive { extents, elements: Vec::new() });
    }
    Some(source.rearranged(extents, |index| {
        let own = index[added..].iter().zip(&source.extents);
        own.map(|(index, extent)| if *extent == 1 { 0 } else { *index }).collect()
    }))
}

/// Python's slice, element by element.
fn python_slice(extent: usize, start: Option<i64>, stop: Option<i64>, step: i64) -> Vec<usize> {
    let extent = extent as i128;
    let step = i128::from(step);
    let clamp = |bound: i64| {
        let bound = i128::from(bound) + if bound < 0 { extent } else { 0 };
        if step > 0 { bound.clamp(0, extent) } else { bound.clamp(-1, extent - 1) }
    };
    let mut position = start.map_or(if step > 0 { 0 } else { extent - 1 }, clamp);
    let stop = stop.map_or(if step > 0 { extent } else { -1 }, clamp);
    let mut positions = Vec::new();
    while if step > 0 { position < stop } else { position > stop } {
        positions.push(position as usize);
        position += step;
    }
    positions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8192))]

    #[test]
    fn chains_of_views_equal_the_lists_they_stand_for(
        base in small_geometry(),
        views in proptest::collection::vec(view(), 1..7),
    ) {
        let mut geometry = base;
        let mut model = Naive::of(&base);
        for view in views {
            let next = view.apply(&geometry);
            let expected = view.model(&model);
            prop_assert_eq!(next.is_ok(), expected.is_some(), "{:?} of {:?}: {:?}", view, geometry, next);
            // A refused view leaves the chain where it is.
            let (Ok(next), Some(expected)) = (next, expected) else { continue };
            prop_assert_eq!(
                next.shape().extents().iter().map(|extent| *extent as usize).collect::<Vec<_>>(),
                expected.extents.clone(),
                "{:?} of {:?}", view, geometry
            );
            if next.shape().count() > 100_000 {
                break;
            }
            prop_assert_eq!(&Naive::of(&next), &expected, "{:?} of {:?} gave {:?}", view, geometry, next);
            prop_assert!(next.offsets().eq(expected.elements.iter().copied()));
            // No offset ever leaves what the base reaches, not even that of an empty view.
            prop_assert!(next.offset() <= base.span().map_or(base.offset(), |span| *span.end()));
            (geometry, model) = (next, expected);
        }
    }

    #[test]
    fn an_index_finds_its_element(geometry in small_geometry(), index in hostile_list()) {
        let model = Naive::of(&geometry);
        let is_inside = index.len() == geometry.shape().rank()
            && index.iter().zip(&model.extents).all(|(index, extent)| (-(*extent as i64)..*extent as i64).contains(index));
        prop_assert_eq!(geometry.offset_of(&index).is_ok(), is_inside);
        for (index, element) in crate::naive::indices(&model.extents).zip(&model.elements) {
            let from_start: Vec<i64> = index.iter().map(|index| *index as i64).collect();
            let from_end: Vec<i64> =
                from_start.iter().zip(&model.extents).map(|(index, extent)| index - *extent as i64).collect();
            prop_assert_eq!(geometry.offset_of(&from_start), Ok(*element));
            prop_assert_eq!(geometry.offset_of(&from_end), Ok(*element));
        }
    }

    #[test]
    fn parts_put_together_are_the_whole(geometry in small_geometry(), axis in -4..5_i64, size in hostile(), cuts in proptest::collection::vec(0..4_i64, 0..4)) {
        let Ok(position) = geometry.shape().axis(axis) else {
            prop_assert!(geometry.split_every(axis, 1).is_err() && geometry.chunk(axis, 1).is_err());
            prop_assert!(geometry.unbind(axis).is_err() && geometry.split(axis, &[]).is_err());
            return Ok(());
        };
        let extent = geometry.shape().extent(position);
        let lengths = |parts: &[Geometry]| parts.iter().map(|part| part.shape().extent(position)).collect::<Vec<_>>();

        match geometry.split_every(axis, size) {
            Ok(parts) => {
                let parts: Vec<Geometry> = parts.collect();
                prop_assert_eq!(lengths(&parts).iter().sum::<usize>(), extent);
                prop_assert!(lengths(&parts).iter().rev().skip(1).all(|length| *length as i64 == size));
                for (number, part) in parts.iter().enumerate() {
                    let start = number as i64 * size;
                    prop_assert_eq!(Ok(*part), geometry.slice(axis, Some(start), Some(start.saturating_add(size)), 1).and_then(|slice| geometry.narrow(axis, start, slice.shape().extent(position) as i64)));
                }
            }
            Err(error) => prop_assert!(size < 1, "{}", error),
        }
        match geometry.chunk(axis, size) {
            Ok(parts) => {
                let parts: Vec<Geometry> = parts.collect();
                prop_assert!(parts.len() as i64 <= size);
                prop_assert_eq!(lengths(&parts).iter().sum::<usize>(), extent);
                prop_assert!(extent != 0 || parts.len() == 1);
            }
            Err(error) => prop_assert!(size < 1, "{}", error),
        }
        match geometry.split(axis, &cuts) {
            Ok(parts) => {
                let parts: Vec<Geometry> = parts.collect();
                prop_assert_eq!(lengths(&parts).iter().map(|length| *length as i64).collect::<Vec<_>>(), &cuts[..]);
            }
            Err(error) => prop_assert!(cuts.iter().sum::<i64>() != extent as i64, "{}", error),
        }
        let selected: Vec<Geometry> = geometry.unbind(axis).unwrap().collect();
        prop_assert_eq!(selected.len(), extent);
        for (index, part) in selected.iter().enumerate() {
            prop_assert_eq!(Ok(*part), geometry.select(axis, index as i64));
        }
    }
}
