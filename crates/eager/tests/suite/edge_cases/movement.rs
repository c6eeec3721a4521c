//! Elements that are moved: twice to one place, from nowhere, or not at all.

use stratal_eager::{EagerError, GradientCheck, Var, apply, apply_outputs};
use stratal_kernels::movement::ScatterReduction;
use stratal_kernels::resize::Interpolation;
use stratal_ops as ops;
use stratal_tensor::Tensor;
use stratal_tensor::base::{DType, f16};

/// The gradients of inputs, for the gradients of an output.
fn gradients(
    inputs: &[&[f64]],
    gradient: &[f64],
    function: impl Fn(&[Var]) -> Result<Var, EagerError>,
) -> Result<Vec<Vec<f64>>, EagerError> {
    let inputs: Vec<Var> =
        inputs.iter().map(|input| Var::leaf(input, &[input.len() as i64])).collect::<Result<_, _>>()?;
    let output = function(&inputs)?;
    output.backward_from(&Var::from_slice(gradient, &[gradient.len() as i64])?)?;
    inputs
        .iter()
        .map(|input| input.gradient().map_or_else(|| Ok(Vec::new()), |gradient| Ok(gradient.to_vec::<f64>()?)))
        .collect()
}

fn indices(indices: &[i64]) -> Result<Var, EagerError> {
    Var::from_slice(indices, &[indices.len() as i64])
}

#[test]
fn rows_that_are_looked_up_again_have_all_gradients() -> Result<(), EagerError> {
    let table = Var::leaf(&[0.5_f32; 6], &[3, 2])?;
    let rows = table.gather(0, &Var::from_slice(&[2_i64, -1, 0, 2], &[2, 2])?)?;
    rows.backward_from(&Var::from_slice(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[2, 2, 2])?)?;
    assert_eq!(table.gradient().unwrap().to_vec::<f32>()?, [5.0, 6.0, 0.0, 0.0, 11.0, 14.0]);
    Ok(())
}

#[test]
fn sixteen_bit_gradients_are_rounded_once() -> Result<(), EagerError> {
    // In f16 alone the sum would stay at 2048.
    let x = Var::leaf(&[f16::from_f32(1.0)], &[1])?;
    let taken = x.gather(0, &Var::constant(Tensor::zeros(&[3000], DType::I64)?))?;
    taken.backward_from(&Var::full(&[3000], 1_u8, DType::F16)?)?;
    assert_eq!(x.gradient().unwrap().to_vec::<f16>()?, [f16::from_f32(3000.0)]);
    Ok(())
}

#[test]
fn factors_of_zero_are_not_divided_by() -> Result<(), EagerError> {
    let multiplied = |updates: &[f64], places: &'static [i64]| {
        let scatter = ops::ScatterElements { axis: 0, reduction: ScatterReduction::Mul };
        gradients(&[&[2.0, 5.0], updates], &[1.0, 1.0], |inputs| {
            apply(&scatter, &[Some(&inputs[0]), Some(&indices(places)?), Some(&inputs[1])])
        })
    };
    assert_eq!(multiplied(&[3.0, 0.0], &[0, 0])?, [vec![0.0, 1.0], vec![0.0, 6.0]]);
    assert_eq!(multiplied(&[0.0, 0.0, 4.0], &[0, 0, 1])?, [vec![0.0, 4.0], vec![0.0, 0.0, 5.0]]);
    Ok(())
}

#[test]
fn the_first_of_equal_ones_has_the_gradient() -> Result<(), EagerError> {
    let scattered = |x: &[f64], updates: &[f64], reduction| {
        let scatter = ops::ScatterElements { axis: 0, reduction };
        gradients(&[x, updates], &[1.0], |inputs| {
            apply(&scatter, &[Some(&inputs[0]), Some(&indices(&[0, 0])?), Some(&inputs[1])])
        })
    };
    for reduction in [ScatterReduction::Max, ScatterReduction::Min] {
        assert_eq!(scattered(&[1.0], &[1.0, 1.0], reduction)?, [vec![1.0], vec![0.0, 0.0]]);
    }
    assert_eq!(scattered(&[0.0], &[2.0, 2.0], ScatterReduction::Max)?, [vec![0.0], vec![1.0, 0.0]]);
    assert_eq!(scattered(&[0.0], &[f64::NAN, f64::NAN], ScatterReduction::Max)?, [vec![0.0], vec![1.0, 0.0]]);
    assert_eq!(scattered(&[f64::NAN], &[9.0, f64::NAN], ScatterReduction::Max)?, [vec![1.0], vec![0.0, 0.0]]);
    // Of several that are put, the last one stays.
    assert_eq!(scattered(&[1.0], &[7.0, 7.0], ScatterReduction::None)?, [vec![0.0], vec![0.0, 1.0]]);

    let top = gradients(&[&[3.0, 3.0, 1.0]], &[1.0], |inputs| Ok(inputs[0].top_k(1, 0, true)?.0))?;
    assert_eq!(top, [[1.0, 0.0, 0.0]]);
    let unique = ops::Unique { axis: None, is_sorted: true };
    let unique = gradients(&[&[3.0, 1.0, 3.0, 1.0]], &[5.0, 7.0], |inputs| apply(&unique, &[Some(&inputs[0])]))?;
    assert_eq!(unique, [[7.0, 5.0, 0.0, 0.0]]);
    Ok(())
}

#[test]
fn what_is_cropped_has_no_gradient() -> Result<(), EagerError> {
    let padded = gradients(&[&[0.0, 1.0, 2.0]], &[5.0, 6.0, 7.0, 8.0], |inputs| inputs[0].pad(&[-1], &[2], 0.0))?;
    assert_eq!(padded, [[0.0, 5.0, 6.0]]);
    let sliced = |start: i64, end: i64, step: i64, gradient: &[f64]| {
        gradients(&[&[0.0, 1.0, 2.0, 3.0]], gradient, |inputs| {
            let bounds = [&[start], &[end], &[0], &[step]].map(|bound| indices(bound));
            let [start, end, axis, step] = bounds;
            apply(&ops::Slice, &[Some(&inputs[0]), Some(&start?), Some(&end?), Some(&axis?), Some(&step?)])
        })
    };
    assert_eq!(sliced(-1, i64::MAX, -1, &[])?, [[0.0; 4]]);
    assert_eq!(sliced(-1, i64::MIN, -1, &[1.0, 2.0, 3.0, 4.0])?, [[4.0, 3.0, 2.0, 1.0]]);
    assert_eq!(sliced(100, i64::MIN, -2, &[1.0, 2.0])?, [[0.0, 2.0, 0.0, 1.0]]);
    assert_eq!(sliced(1, i64::MAX, i64::MAX, &[9.0])?, [[0.0, 9.0, 0.0, 0.0]]);
    Ok(())
}

#[test]
fn parts_that_are_not_used_have_zeros() -> Result<(), EagerError> {
    let x = Var::leaf(&[1.0_f64, 2.0, 3.0, 4.0, 5.0], &[5])?;
    let parts = apply_outputs(&ops::Split { axis: 0, parts: 3 }, &[Some(&x)], 2)?;
    parts[1].sum(&[], false)?.backward()?;
    assert_eq!(x.gradient().unwrap().to_vec::<f64>()?, [0.0, 0.0, 1.0, 1.0, 0.0]);
    Ok(())
}

#[test]
fn an_infinite_gradient_stays_where_it_belongs() -> Result<(), EagerError> {
    let infinite = [f64::INFINITY, 0.0, 0.0, 0.0];
    let resize = ops::Resize { interpolation: Interpolation::Linear, ..ops::Resize::default() };
    let resized = gradients(&[&[1.0, 2.0]], &infinite, |inputs| {
        apply(&resize, &[Some(&inputs[0]), None, None, Some(&indices(&[4])?)])
    })?;
    assert_eq!(resized, [[f64::INFINITY, 0.0]]);
    let lower = gradients(&[&[1.0, 2.0, 3.0, 4.0]], &[0.0, f64::INFINITY, 0.0, 0.0], |inputs| {
        inputs[0].reshape(&[2, 2])?.tril(0)?.reshape(&[4])
    })?;
    assert_eq!(lower, [[0.0; 4]]);
    let filled = gradients(&[&[1.0, f64::INFINITY]], &[2.0, f64::INFINITY], |inputs| {
        inputs[0].masked_fill(&inputs[0].greater(9.0)?, 0.0)
    })?;
    assert_eq!(filled, [[2.0, 0.0]]);
    Ok(())
}

#[test]
fn the_constant_of_a_pad_has_the_gradients_of_all_that_was_added() -> Result<(), EagerError> {
    let (x, value) = (Var::leaf(&[1.0_f64, 2.0], &[2])?, Var::leaf(&[9.0_f64], &[])?);
    let padded = apply(&ops::Pad::default(), &[Some(&x), Some(&indices(&[1, 2])?), Some(&value)])?;
    padded.backward_from(&Var::from_slice(&[1.0, 10.0, 100.0, 1000.0, 10000.0], &[5])?)?;
    assert_eq!(x.gradient().unwrap().to_vec::<f64>()?, [10.0, 100.0]);
    assert_eq!(value.gradient().unwrap().to_vec::<f64>()?, [11001.0]);
    Ok(())
}

#[test]
fn an_index_that_is_overwritten_is_found() -> Result<(), EagerError> {
    let x = Var::leaf(&[1.0_f64, 2.0], &[2])?;
    let chosen = indices(&[1])?;
    let taken = x.gather(0, &chosen)?;
    chosen.set_data(&Tensor::from_slice(&[0_i64], &[1])?)?;
    let error = taken.sum(&[], false)?.backward().unwrap_err().to_string();
    assert!(error.contains("Gather"), "{error}");
    Ok(())
}

/// Moving elements is linear: only of a square does the gradient depend on the elements, and go through the rules' own
/// operations a second time.
#[test]
fn gradients_of_gradients_go_the_same_ways() -> Result<(), EagerError> {
    let elements: Vec<f64> = (0..12).map(|element| f64::from(element * 5 % 12) / 6.0 - 0.9).collect();
    let x = Var::leaf(&elements, &[3, 4])?;
    let list = |numbers: &[i64]| Var::from_slice(numbers, &[numbers.len() as i64]);
    type Moved<'a> = &'a dyn Fn(&Var) -> Result<Var, EagerError>;
    let ways: [(&str, Moved<'_>); 19] = [
        ("Concat", &|x| Var::concat(&[x, x], 1)),
        ("Expand", &|x| apply(&ops::Expand, &[Some(x), Some(&list(&[2, 1, 1])?)])),
        ("Gather of rows", &|x| x.gather(0, &list(&[2, 0, 2])?)),
        ("Gather of columns", &|x| x.gather(1, &list(&[2, 0, 2])?)),
        ("GatherElements", &|x| x.gather_elements(1, &Var::from_slice(&[3_i64, 3, 0, 1], &[2, 2])?)),
        ("GatherND", &|x| {
            apply(&ops::GatherND { batch_axes: 0 }, &[Some(x), Some(&Var::from_slice(&[1_i64, 2, 1, 2], &[2, 2])?)])
        }),
        ("GatherND of batches", &|x| {
            apply(&ops::GatherND { batch_axes: 1 }, &[Some(x), Some(&Var::from_slice(&[3_i64, 0, 3], &[3, 1])?)])
        }),
        ("Pad", &|x| x.pad(&[1, -1], &[0, 2], 0.5)),
        ("Pad with edges", &|x| apply(&ops::Pad { mode: ops::PadMode::Edge }, &[Some(x), Some(&list(&[1, 0, 0, 2])?)])),
        ("Resize", &|x| {
            let resize = ops::Resize { interpolation: Interpolation::Linear, ..ops::Resize::default() };
            apply(&resize, &[Some(x), None, None, Some(&list(&[2, 5])?)])
        }),
        ("ScatterElements", &|x| {
            x.scatter(1, &Var::from_slice(&[1_i64, 1], &[1, 2])?, &x.narrow(0, 0, 1)?.narrow(1, 0, 2)?)
        }),
        ("ScatterElements, added", &|x| {
            x.scatter_add(1, &Var::from_slice(&[1_i64, 1], &[1, 2])?, &x.narrow(0, 0, 1)?.narrow(1, 0, 2)?)
        }),
        ("Slice", &|x| {
            let bounds = [list(&[2, 3])?, list(&[0, 0])?, list(&[0, 1])?, list(&[-1, -2])?];
            let [starts, ends, axes, steps] = bounds;
            apply(&ops::Slice, &[Some(x), Some(&starts), Some(&ends), Some(&axes), Some(&steps)])
        }),
        ("Split", &|x| Ok(x.split(&[1, 3], 1)?.remove(1))),
        ("TensorScatter", &|x| {
            let scatter = ops::TensorScatter { axis: 1, is_circular: true };
            apply(&scatter, &[Some(x), Some(&x.narrow(1, 0, 2)?), Some(&list(&[3, 0, 1])?)])
        }),
        ("Tile", &|x| x.tile(&[1, 2])),
        ("TopK", &|x| Ok(x.top_k(2, 1, true)?.0)),
        ("Trilu", &|x| x.tril(0)),
        ("Unique", &|x| apply(&ops::Unique { axis: None, is_sorted: true }, &[Some(x)])),
    ];
    for (name, moved) in ways {
        let check = GradientCheck { second_order: true, ..GradientCheck::default() };
        let report = check.run(|inputs| Ok(vec![moved(&inputs[0])?.square()?]), std::slice::from_ref(&x))?;
        assert!(report.is_close(), "{name}: {report}");
    }
    Ok(())
}
