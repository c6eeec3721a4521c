//! Calls with several results, on operands and to results where they lie, compared with the reference on rows without gaps.

use std::sync::Arc;

use stratal_kernels::{AnyView, AnyViewMut, KernelError, Kernels};
use stratal_tensor_base::DType;

use crate::array::Array;
use crate::backends::{BACKENDS, reference};
use crate::place::Place;
use crate::runner::compare;

/// A call, with the kernels, operands and results.
pub(crate) type Call<'a> = &'a dyn Fn(&dyn Kernels, &[AnyView<'_>], &mut [AnyViewMut<'_>]) -> Result<(), KernelError>;

/// The results of a call on operands without gaps, by certain kernels.
pub(crate) fn results(
    kernels: &dyn Kernels,
    operands: &[(Array, Vec<i64>)],
    kinds: &[(DType, Vec<i64>)],
    call: Call<'_>,
) -> Vec<Array> {
    let places: Vec<Place> = operands.iter().map(|(_, extents)| dense(extents)).collect();
    let views: Vec<AnyView<'_>> = operands.iter().zip(&places).map(|((array, _), place)| array.view(place)).collect();
    let mut found: Vec<Array> =
        kinds.iter().map(|(dtype, extents)| Array::canary(*dtype, dense(extents).count())).collect();
    {
        let views_mut = found.iter_mut().zip(kinds).map(|(array, (_, extents))| array.view_mut(&dense(extents)));
        call(kernels, &views, &mut views_mut.collect::<Vec<_>>()).unwrap();
    }
    found
}

/// Without gaps, in a buffer of no more.
pub(crate) fn dense(extents: &[i64]) -> Place {
    let place = Place::dense(extents, 0);
    Place { buffer: place.count(), ..place }
}

/// Compares a call through every backend with the reference.
pub(crate) fn check(
    operands: &[(&Array, &Place)],
    places: &[(DType, &Place)],
    is_exact: bool,
    call: Call<'_>,
    context: &dyn Fn() -> String,
) {
    check_with(&BACKENDS, operands, places, is_exact, call, context);
}

/// [`check`] through certain backends.
pub(crate) fn check_with(
    backends: &[Arc<dyn Kernels>],
    operands: &[(&Array, &Place)],
    places: &[(DType, &Place)],
    is_exact: bool,
    call: Call<'_>,
    context: &dyn Fn() -> String,
) {
    let rows: Vec<(Array, Vec<i64>)> =
        operands.iter().map(|(array, place)| (array.gather(&place.positions()), place.extents.clone())).collect();
    let kinds: Vec<(DType, Vec<i64>)> = places.iter().map(|(dtype, place)| (*dtype, place.extents.clone())).collect();
    let expected = results(reference(), &rows, &kinds, call);
    let views: Vec<AnyView<'_>> = operands.iter().map(|(array, place)| array.view(place)).collect();
    for kernels in backends {
        let mut found: Vec<Array> = places.iter().map(|(dtype, place)| Array::canary(*dtype, place.buffer)).collect();
        {
            let views_mut = found.iter_mut().zip(places).map(|(array, (_, place))| array.view_mut(place));
            call(&**kernels, &views, &mut views_mut.collect::<Vec<_>>()).unwrap();
        }
        for ((found, (dtype, place)), expected) in found.iter().zip(places).zip(&expected) {
            let positions = place.positions();
            let mut whole = Array::canary(*dtype, place.buffer);
            whole.scatter(&positions, expected);
            compare(found, &whole, &positions, is_exact, || {
                format!(
                    "{} on {kernels:?} from {:?} to {places:?}",
                    context(),
                    operands.iter().map(|(_, place)| place).collect::<Vec<_>>()
                )
            });
        }
    }
}
