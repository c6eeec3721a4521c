//! The extent of a slice, of which axis and bounds may be expressions.

use stratal_tensor_base::MAX_EXTENT;

use crate::{Extent, ExtentError};

/// A bound, and which end of the axis it counts from.
enum Bound {
    /// From the first element: never negative.
    Front(Extent),
    /// From behind the last element: negative.
    Back(Extent),
    /// Before the first element, however long the axis is.
    BeforeAll,
    /// Behind the last element, however long the axis is.
    BehindAll,
}

/// How many elements of an axis there are from a start up to an end, every `step`; none if it cannot be said.
pub(super) fn sliced(extent: &Extent, start: &Extent, end: &Extent, step: i64) -> Option<Extent> {
    let (start, end) = (Bound::new(start)?, Bound::new(end)?);
    let distance = if step > 0 { forward(extent, start, end) } else { backward(extent, start, end) };
    let step = i64::try_from(step.unsigned_abs()).unwrap_or(i64::MAX);
    let steps = distance.and_then(|distance| distance.larger(&0.into())?.divide_ceil(&step.into()));
    steps.ok()
}

impl Bound {
    /// A bound, unless it is not known which end it counts from.
    fn new(bound: &Extent) -> Option<Self> {
        let farthest = i64::from(MAX_EXTENT);
        match (bound.known(), bound.lower_bound()) {
            (Some(known), _) if known >= farthest => Some(Self::BehindAll),
            (Some(known), _) if known < -farthest => Some(Self::BeforeAll),
            (Some(..0), _) => Some(Self::Back(bound.clone())),
            (_, Some(0..)) => Some(Self::Front(bound.clone())),
            _ => None,
        }
    }
}

/// How far it is from a start up to an end; 0 or less if there is nothing.
fn forward(extent: &Extent, start: Bound, end: Bound) -> Result<Extent, ExtentError> {
    let zero = Extent::from(0);
    match (start, end) {
        (_, Bound::BeforeAll) | (Bound::BehindAll, _) => Ok(zero),
        (Bound::BeforeAll, end) => forward(extent, Bound::Front(zero), end),
        // The start need not be clamped to the extent: the end is not behind that.
        (Bound::Front(start), Bound::BehindAll) => extent.subtract(&start),
        (Bound::Front(start), Bound::Front(end)) => extent.smaller(&end)?.subtract(&start),
        (Bound::Front(start), Bound::Back(end)) => extent.add(&end)?.subtract(&start),
        (Bound::Back(start), Bound::BehindAll) => extent.smaller(&zero.subtract(&start)?),
        (Bound::Back(start), Bound::Back(end)) => extent.add(&end)?.smaller(&end.subtract(&start)?),
        (Bound::Back(start), Bound::Front(end)) => extent.smaller(&end)?.subtract(&extent.add(&start)?.larger(&zero)?),
    }
}

/// How far it is from a start down to an end.
fn backward(extent: &Extent, start: Bound, end: Bound) -> Result<Extent, ExtentError> {
    let before = Extent::from(-1);
    let last = extent.subtract(&1.into())?;
    let start = match start {
        Bound::BeforeAll => last.smaller(&0.into())?,
        Bound::BehindAll => last,
        Bound::Front(start) => start.smaller(&last)?,
        Bound::Back(start) if start.is(-1) => last,
        // ONNX clamps to the first element, if there is one.
        Bound::Back(start) => extent.add(&start)?.larger(&last.smaller(&0.into())?)?,
    };
    match end {
        Bound::BeforeAll => start.subtract(&before),
        Bound::BehindAll => Ok(0.into()),
        // The end need not be clamped to the last element: the start is not behind that.
        Bound::Front(end) => start.subtract(&end),
        Bound::Back(end) => start.subtract(&extent.add(&end)?.larger(&before)?),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stratal_tensor_base::{Geometry, Shape};

    use super::*;

    fn text(start: impl Into<Extent>, end: impl Into<Extent>, step: i64) -> String {
        let seq = Extent::symbol("seq").add(&2.into()).unwrap();
        sliced(&seq, &start.into(), &end.into(), step).map_or("unknown".into(), |extent| extent.to_string())
    }

    #[test]
    fn extents_are_as_simple_as_they_can_be() {
        assert_eq!(text(0, i64::MAX, 1), "seq + 2");
        assert_eq!(text(1, i64::MAX, 1), "seq + 1");
        assert_eq!(text(0, -1, 1), "seq + 1");
        assert_eq!(text(1, -1, 1), "seq");
        assert_eq!(text(-1, i64::MAX, 1), "1");
        assert_eq!(text(-2, -1, 1), "1");
        assert_eq!(text(0, 2, 1), "2");
        assert_eq!(text(-1, i64::MIN, -1), "seq + 2");
        assert_eq!(text(0, i64::MAX, 2), "-floor(-seq / 2) + 1");
        assert_eq!(text(0, Extent::symbol("seq"), 1), "seq");
        assert_eq!(text(Extent::symbol("seq"), i64::MAX, 1), "2");
        assert_eq!(text(0, Extent::symbol("seq").subtract(&1.into()).unwrap(), 1), "unknown");
    }

    proptest! {
        /// What is said of an unknown extent is what a slice has once it is known.
        #[test]
        fn extents_are_those_of_slices(
            extent in 0_i64..9, start in -12_i64..12, end in -12_i64..12, far in 0..6, step in prop::sample::select(vec![-3_i64, -2, -1, 1, 2, 5, i64::MIN, i64::MAX]),
        ) {
            let far = |bound: i64, number: i32| match far {
                far if far == number => i64::MAX,
                far if far == number + 1 => i64::MIN,
                _ => bound,
            };
            let (start, end) = (far(start, 0), far(end, 2));
            let geometry = Geometry::contiguous(Shape::new(&[extent]).unwrap());
            let view = |start, end| super::super::view(&geometry, &[0], [&[start], &[end], &[step]]);
            let count = |start, end| view(start, end).unwrap().shape().extent(0) as i64;
            let expected = count(start, end);
            let symbol = Extent::symbol("extent");
            let symbolic = sliced(&symbol, &start.into(), &end.into(), step).unwrap();
            prop_assert_eq!(symbolic.evaluate(&|_| Some(extent)), Ok(expected), "{}", symbolic);
            prop_assert_eq!(sliced(&extent.into(), &start.into(), &end.into(), step), Some(expected.into()));
            // Bounds that are symbols count from the front.
            let (start, end) = (start.max(0), end.max(0));
            let expected = count(start, end);
            let symbols = |name: &str| match name { "start" => Some(start), "end" => Some(end), _ => Some(extent) };
            let symbolic = sliced(&symbol, &Extent::symbol("start"), &Extent::symbol("end"), step).unwrap();
            prop_assert_eq!(symbolic.evaluate(&symbols), Ok(expected), "{}", symbolic);
        }
    }
}
