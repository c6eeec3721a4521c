//! Parameters, and what their elements are at first.

use stratal_eager::{Initializer, Parameters, Var};
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

fn two() -> Parameters {
    let mut parameters = Parameters::new();
    parameters.add("weight", Var::leaf(&[1.0_f32, 2.0], &[1, 2]).unwrap()).unwrap();
    parameters.add("bias", Var::leaf(&[3.0_f32], &[1]).unwrap()).unwrap();
    parameters
}

fn elements(parameters: &Parameters) -> Vec<f32> {
    parameters.iter().flat_map(|(_, parameter)| parameter.to_vec::<f32>().unwrap()).collect()
}

#[test]
fn what_cannot_be_added_is_refused() {
    let mut parameters = two();
    let leaf = Var::leaf(&[0.0_f32], &[1]).unwrap();
    let refused = [
        parameters.add("bias", leaf.clone()).unwrap_err().to_string(),
        parameters.add("constant", leaf.detach()).unwrap_err().to_string(),
        parameters.add("computed", leaf.neg().unwrap()).unwrap_err().to_string(),
    ];
    insta::assert_snapshot!(refused.join("\n"));
    assert_eq!(parameters.len(), 2);
    // A part's names come behind its own.
    let mut whole = Parameters::new();
    whole.add_part("first", &parameters).unwrap();
    whole.add_part("second", &parameters).unwrap();
    assert!(whole.add_part("first", &parameters).is_err());
    let names: Vec<_> = whole.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["first.weight", "first.bias", "second.weight", "second.bias"]);
    assert_eq!((whole.count(), whole.is_empty(), Parameters::new().is_empty()), (6, false, true));
    assert!(whole.get("weight").is_none());
    insta::assert_snapshot!(format!("{parameters:?}"));
}

#[test]
fn loading_is_all_or_nothing() {
    let named = |name: &str, tensor: Tensor| (name.to_owned(), tensor);
    let weight = || named("weight", Tensor::from_slice(&[5.0_f32, 6.0], &[1, 2]).unwrap());
    let bias = || named("bias", Tensor::from_slice(&[7.0_f32], &[1]).unwrap());
    let parameters = two();
    let refused = |tensors: &[(String, Tensor)]| {
        let text = parameters.load(tensors).unwrap_err().to_string();
        assert_eq!(elements(&parameters), [1.0, 2.0, 3.0], "{text}");
        text
    };
    let texts = [
        refused(&[]),
        refused(&[weight()]),
        refused(&[weight(), bias(), named("more", bias().1)]),
        refused(&[weight(), named("bias", Tensor::from_slice(&[7.0_f64], &[1]).unwrap())]),
        refused(&[weight(), named("bias", Tensor::from_slice(&[7.0_f32], &[]).unwrap())]),
        refused(&[weight(), named("bias", Tensor::from_slice(&[7.0_f32, 8.0], &[2]).unwrap())]),
        // A name given twice says two things at once.
        refused(&[weight(), bias(), bias()]),
    ];
    insta::assert_snapshot!(texts.join("\n"));
    // Elements in use, of the last one.
    {
        let held = parameters.get("bias").unwrap().tensor().data::<f32>().unwrap();
        assert!(parameters.load(&[weight(), bias()]).is_err());
        drop(held);
        assert_eq!(elements(&parameters), [1.0, 2.0, 3.0]);
    }
    // A tensor that cannot be read.
    let stale = bias();
    let other = stale.1.clone();
    other.release().unwrap();
    assert!(parameters.load(&[weight(), stale]).is_err());
    assert_eq!(elements(&parameters), [1.0, 2.0, 3.0]);
    // In any order; its own elements, too.
    parameters.load(&[bias(), weight()]).unwrap();
    assert_eq!(elements(&parameters), [5.0, 6.0, 7.0]);
    let own: Vec<_> = parameters.iter().map(|(name, own)| named(name, own.tensor().clone())).collect();
    parameters.load(&own).unwrap();
    assert_eq!(elements(&parameters), [5.0, 6.0, 7.0]);
}

#[test]
fn parameters_may_be_loaded_from_each_other() {
    let mut parameters = Parameters::new();
    let a = parameters.add("a", Var::leaf(&[1.0_f32, 2.0], &[2]).unwrap()).unwrap();
    let b = parameters.add("b", Var::leaf(&[3.0_f32, 4.0], &[2]).unwrap()).unwrap();
    // The same one under another name.
    parameters.add("tied", a.clone()).unwrap();
    let exchanged = [("a", &b), ("b", &a), ("tied", &b)].map(|(name, other)| (name.to_owned(), other.tensor().clone()));
    parameters.load(&exchanged).unwrap();
    assert_eq!(elements(&parameters), [3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
    // One whose elements are all one, behind another that could be written.
    let overlapping = Var::parameter(Tensor::full(&[1], 5.0, DType::F32).unwrap().expand(&[2]).unwrap()).unwrap();
    parameters.add("overlapping", overlapping).unwrap();
    let zeros = Tensor::zeros(&[2], DType::F32).unwrap();
    let all: Vec<_> = parameters.iter().map(|(name, _)| (name.to_owned(), zeros.clone())).collect();
    assert!(parameters.load(&all).is_err());
    assert_eq!(elements(&parameters), [3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0]);
}

const ALL: [Initializer; 9] = [
    Initializer::Zeros,
    Initializer::Constant(0.5),
    Initializer::Uniform(-1.0, 3.0),
    Initializer::Normal(2.0, 0.5),
    Initializer::XavierUniform,
    Initializer::XavierNormal,
    Initializer::KaimingUniform,
    Initializer::KaimingNormal,
    Initializer::FanInUniform,
];

/// Mean and variance that elements should have, and the bounds within which they lie.
fn expected(initializer: Initializer, fan_in: f64, fan_out: f64) -> (f64, f64, (f64, f64)) {
    let even = |bound: f64| (0.0, bound * bound / 3.0, (-bound, bound));
    let normal = |mean: f64, variance: f64| (mean, variance, (f64::NEG_INFINITY, f64::INFINITY));
    match initializer {
        Initializer::Zeros => (0.0, 0.0, (0.0, 0.0)),
        Initializer::Constant(value) => (value, 0.0, (value, value)),
        Initializer::Uniform(low, high) => ((low + high) / 2.0, (high - low).powi(2) / 12.0, (low, high)),
        Initializer::Normal(mean, deviation) => normal(mean, deviation * deviation),
        Initializer::XavierUniform => even((6.0 / (fan_in + fan_out)).sqrt()),
        Initializer::XavierNormal => normal(0.0, 2.0 / (fan_in + fan_out)),
        Initializer::KaimingUniform => even((6.0 / fan_in).sqrt()),
        Initializer::KaimingNormal => normal(0.0, 2.0 / fan_in),
        Initializer::FanInUniform => even((1.0 / fan_in).sqrt()),
        other => panic!("{other:?} is not expected"),
    }
}

#[test]
fn means_variances_and_bounds_are_those_of_the_fans() {
    let shapes: [(&[i64], f64, f64); 5] = [
        (&[100_000], 1e5, 1e5),
        (&[250, 400], 250.0, 400.0),
        (&[100, 40, 25], 1000.0, 2500.0),
        (&[100, 40, 5, 5], 1000.0, 2500.0),
        (&[100, 8, 5, 5, 5], 1000.0, 12500.0),
    ];
    for dtype in [DType::F32, DType::F64] {
        for initializer in ALL {
            for (extents, fan_in, fan_out) in shapes {
                let drawn = initializer.parameter(extents, dtype, 11).unwrap();
                assert!(drawn.requires_grad() && drawn.is_leaf() && drawn.dtype() == dtype);
                let drawn: Vec<f64> = drawn.tensor().cast(DType::F64).unwrap().to_vec().unwrap();
                let count = drawn.len() as f64;
                assert_eq!(count, 1e5);
                let (mean, variance, (low, high)) = expected(initializer, fan_in, fan_out);
                let rounding = 1.0 + 1e-6;
                let within = |x: &f64| *x >= low - (rounding - 1.0) * low.abs() && *x <= high * rounding;
                assert!(drawn.iter().all(within), "{initializer:?} {extents:?}");
                let found = drawn.iter().sum::<f64>() / count;
                let spread = drawn.iter().map(|x| (x - found).powi(2)).sum::<f64>() / count;
                // Five deviations of a mean, and of a variance of normal numbers.
                assert!(
                    (found - mean).abs() <= 5.0 * (variance / count).sqrt() + 1e-12,
                    "{initializer:?}: mean {found}"
                );
                let off = (spread - variance).abs();
                assert!(off <= 5.0 * variance * (2.0 / count).sqrt() + 1e-12, "{initializer:?} {extents:?}: {spread}");
            }
        }
    }
}

#[test]
fn seeds_say_what_is_drawn() {
    for initializer in ALL {
        let drawn = |seed| initializer.parameter(&[6, 5], DType::F32, seed).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(drawn(7), drawn(7));
        let is_drawn = expected(initializer, 6.0, 5.0).1 > 0.0;
        assert_eq!(drawn(7) != drawn(8), is_drawn, "{initializer:?}");
    }
}

#[test]
fn any_shape_can_be_drawn_and_what_cannot_is_refused() {
    for initializer in ALL {
        for extents in [&[][..], &[0], &[0, 3], &[3, 0], &[2, 0, 3], &[0, 2, 2, 2], &[1, 1, 0, 1, 1], &[1; 8]] {
            for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
                let drawn = initializer.parameter(extents, dtype, 0).unwrap();
                let elements: Vec<f64> = drawn.tensor().cast(DType::F64).unwrap().to_vec().unwrap();
                assert!(elements.iter().all(|x| x.is_finite()), "{initializer:?} {extents:?}: {elements:?}");
            }
        }
        for dtype in [DType::I64, DType::Bool, DType::U8] {
            let refused = initializer.parameter(&[2], dtype, 0).unwrap_err().to_string();
            assert!(refused.contains(&dtype.to_string()), "{refused}");
        }
        for extents in [&[-1][..], &[1; 9], &[i64::MAX], &[1 << 20, 1 << 20, 1 << 20]] {
            assert!(initializer.parameter(extents, DType::F32, 0).is_err());
        }
    }
    // Bounds and deviations that are none.
    let strange = [
        Initializer::Uniform(1.0, 0.0),
        Initializer::Uniform(f64::NAN, 0.0),
        Initializer::Uniform(0.0, f64::INFINITY),
        Initializer::Normal(0.0, -1.0),
        Initializer::Normal(f64::NAN, 1.0),
        Initializer::Normal(0.0, f64::INFINITY),
    ];
    for initializer in strange {
        assert!(initializer.parameter(&[2], DType::F32, 0).is_err(), "{initializer:?}");
    }
    // Fans that are none.
    for fan in [0.0, -1.0, f64::NAN] {
        for initializer in &ALL[4..] {
            let refused = initializer.parameter_with_fans(&[2], DType::F32, 0, fan, fan);
            assert!(refused.is_err(), "{initializer:?} with fans of {fan}: {:?}", refused.unwrap().to_vec::<f32>());
        }
    }
}
