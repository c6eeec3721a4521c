//! Optimisers beside plain models of them, written element by element in f64.

use stratal_eager::{
    Adam, AdamW, ConstantSchedule, CosineSchedule, LinearSchedule, Optimizer, Parameters, Schedule, Sgd, StepSchedule,
    Var, Warmup,
};
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

/// What one element goes through.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Sgd { momentum: f64, nesterov: bool, decay: f64 },
    Adam { betas: (f64, f64), epsilon: f64, decay: f64, decoupled: bool },
}

/// One element, and what is kept for it.
#[derive(Debug, Clone, Copy, Default)]
struct Element {
    x: f64,
    steps: i32,
    velocity: f64,
    average: f64,
    squares: f64,
}

impl Element {
    fn step(&mut self, rule: Rule, rate: f64, mut gradient: f64) {
        self.steps += 1;
        match rule {
            Rule::Sgd { momentum, nesterov, decay } => {
                gradient += decay * self.x;
                if momentum != 0.0 {
                    self.velocity = if self.steps == 1 { gradient } else { momentum * self.velocity + gradient };
                    gradient = if nesterov { gradient + momentum * self.velocity } else { self.velocity };
                }
                self.x -= rate * gradient;
            }
            Rule::Adam { betas, epsilon, decay, decoupled } => {
                if decoupled {
                    self.x -= rate * decay * self.x;
                } else {
                    gradient += decay * self.x;
                }
                self.average = betas.0 * self.average + (1.0 - betas.0) * gradient;
                self.squares = betas.1 * self.squares + (1.0 - betas.1) * gradient * gradient;
                let average = self.average / (1.0 - betas.0.powi(self.steps));
                let squares = self.squares / (1.0 - betas.1.powi(self.steps));
                self.x -= rate * average / (squares.sqrt() + epsilon);
            }
        }
    }
}

/// Makes an optimiser of parameters and a rate.
type Make = Box<dyn Fn(Parameters, f64) -> Box<dyn Optimizer>>;

/// The optimisers, and what each one should do.
fn optimizers() -> Vec<(Rule, Make)> {
    let mut all: Vec<(Rule, Make)> = Vec::new();
    for (momentum, nesterov, decay) in [
        (0.0, false, 0.0),
        (0.0, false, 0.1),
        (0.9, false, 0.0),
        (0.9, true, 0.0),
        (0.5, true, 0.01),
        (0.9, false, 0.05),
    ] {
        all.push((
            Rule::Sgd { momentum, nesterov, decay },
            Box::new(move |parameters, rate| {
                let sgd = Sgd::new(parameters, rate).weight_decay(decay);
                Box::new(if nesterov { sgd.nesterov(momentum) } else { sgd.momentum(momentum) })
            }),
        ));
    }
    for (betas, epsilon, decay) in [((0.9, 0.999), 1e-8, 0.0), ((0.5, 0.9), 1e-3, 0.1), ((0.0, 0.99), 1e-8, 0.01)] {
        for decoupled in [false, true] {
            all.push((
                Rule::Adam { betas, epsilon, decay, decoupled },
                Box::new(move |parameters, rate| {
                    if decoupled {
                        let adam = AdamW::new(parameters, rate).betas(betas.0, betas.1);
                        Box::new(adam.epsilon(epsilon).weight_decay(decay))
                    } else {
                        let adam = Adam::new(parameters, rate).betas(betas.0, betas.1);
                        Box::new(adam.epsilon(epsilon).weight_decay(decay))
                    }
                }),
            ));
        }
    }
    // What they are if nothing is said.
    let (betas, epsilon) = ((0.9, 0.999), 1e-8);
    all.push((
        Rule::Adam { betas, epsilon, decay: 0.0, decoupled: false },
        Box::new(|parameters, rate| Box::new(Adam::new(parameters, rate))),
    ));
    all.push((
        Rule::Adam { betas, epsilon, decay: 0.01, decoupled: true },
        Box::new(|parameters, rate| Box::new(AdamW::new(parameters, rate))),
    ));
    let plain = Rule::Sgd { momentum: 0.0, nesterov: false, decay: 0.0 };
    all.push((plain, Box::new(|parameters, rate| Box::new(Sgd::new(parameters, rate)))));
    all
}

/// Numbers between -1 and 1.
fn number(seed: usize) -> f64 {
    2.0 * ((seed + 1) as f64 * 0.754_877_666_246_693).fract() - 1.0
}

const EXTENTS: [&[i64]; 5] = [&[5, 7], &[3], &[], &[0, 4], &[1, 2, 1]];

fn tensor(elements: &[f64], extents: &[i64], dtype: DType) -> Tensor {
    Tensor::from_slice(elements, extents).unwrap().cast(dtype).unwrap()
}

fn elements(tensor: &Tensor) -> Vec<f64> {
    tensor.cast(DType::F64).unwrap().to_vec().unwrap()
}

/// Whether a parameter has a gradient at a step: the second one now and then, the third one late, the last one never.
fn has_gradient(parameter: usize, step: usize) -> bool {
    match parameter {
        1 => step % 3 != 1,
        2 => step >= 20,
        4 => false,
        _ => true,
    }
}

#[test]
fn steps_are_those_of_the_models() {
    let schedule = Warmup { steps: 10, then: CosineSchedule { first: 0.05, last: 0.001, steps: 150 } };
    for (dtype, tolerance) in [(DType::F64, 1e-12), (DType::F32, 2e-5)] {
        for (rule, build) in optimizers() {
            let mut parameters = Parameters::new();
            let mut models: Vec<Vec<Element>> = Vec::new();
            for (place, extents) in EXTENTS.iter().enumerate() {
                let count = extents.iter().product::<i64>() as usize;
                let first: Vec<f64> = (0..count).map(|element| number(element + 100 * place)).collect();
                let first = tensor(&first, extents, dtype);
                models.push(elements(&first).into_iter().map(|x| Element { x, ..Element::default() }).collect());
                parameters.add(format!("p{place}"), Var::parameter(first).unwrap()).unwrap();
            }
            let handles = parameters.clone();
            let mut optimizer = build(parameters, f64::NAN);
            for step in 0..200 {
                let rate = schedule.rate(step as u64);
                optimizer.set_rate(rate);
                assert_eq!(optimizer.rate(), rate);
                optimizer.clear_gradients();
                for (place, (_, parameter)) in
                    handles.iter().enumerate().filter(|&(place, _)| has_gradient(place, step))
                {
                    // The slope of a bowl, and noise. Some gradients are views, as those of backward are.
                    let slope = |(element, x): (usize, f64)| 0.5 * x + number(step * 31 + element * 7 + place);
                    let gradient: Vec<f64> =
                        models[place].iter().map(|element| element.x).enumerate().map(slope).collect();
                    for (element, &gradient) in models[place].iter_mut().zip(&gradient) {
                        element.step(rule, rate, gradient);
                    }
                    let mut given = tensor(&gradient, EXTENTS[place], dtype);
                    if step % 2 == 1 && given.rank() == 2 {
                        given = given.t().unwrap().contiguous().unwrap().t().unwrap();
                    }
                    parameter.set_gradient(given).unwrap();
                }
                optimizer.step().unwrap();
                for (place, (name, parameter)) in handles.iter().enumerate() {
                    assert_eq!(parameter.dtype(), dtype);
                    assert_eq!(parameter.gradient().is_some(), has_gradient(place, step));
                    for (model, found) in models[place].iter().zip(elements(parameter.tensor())) {
                        let off = (model.x - found).abs();
                        assert!(
                            off <= tolerance * (1.0 + model.x.abs()),
                            "{rule:?}, {dtype}, {name}, step {step}: {found} {model:?}"
                        );
                    }
                }
            }
        }
    }
}

/// The gradients of a graph, the steps, and the minimum, which all find.
#[test]
fn all_find_the_bottom_of_a_bowl() {
    for (rule, build) in optimizers() {
        let decays = matches!(rule, Rule::Sgd { decay, .. } | Rule::Adam { decay, .. } if decay > 0.0);
        let mut parameters = Parameters::new();
        let x = parameters.add("x", Var::leaf(&[3.0_f64, -2.0], &[2]).unwrap()).unwrap();
        let bias = parameters.add("bias", Var::leaf(&[0.5_f64], &[1]).unwrap()).unwrap();
        let schedule = LinearSchedule { first: 0.1, last: 0.0, steps: 600 };
        let mut optimizer = build(parameters, 0.1);
        for step in 0..600 {
            optimizer.set_rate(schedule.rate(step));
            optimizer.clear_gradients();
            let off = &x + &bias;
            (off.square().unwrap().sum(&[], false).unwrap() + bias.square().unwrap().sum(&[], false).unwrap())
                .backward()
                .unwrap();
            optimizer.step().unwrap();
        }
        let near = if decays { 0.05 } else { 1e-3 };
        for found in x.to_vec::<f64>().unwrap().into_iter().chain(bias.to_vec::<f64>().unwrap()) {
            assert!(found.abs() < near, "{rule:?} ends at {found}");
        }
    }
}

/// Gradients that are clones, views or the parameter's own elements.
#[test]
fn gradients_may_share_memory() {
    for (rule, build) in optimizers() {
        let mut parameters = Parameters::new();
        let a = parameters.add("a", Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap()).unwrap();
        let b = parameters.add("b", Var::leaf(&[3.0_f64, 4.0], &[2]).unwrap()).unwrap();
        let mut optimizer = build(parameters, 0.1);
        let mut models = [1.0, 2.0, 3.0, 4.0].map(|x| Element { x, ..Element::default() });
        for _ in 0..3 {
            optimizer.clear_gradients();
            // Half of the square of itself has itself as a gradient.
            a.backward_from(&a.detach()).unwrap();
            assert!(a.gradient().unwrap().shares_buffer(a.tensor()));
            b.sum(&[], false).unwrap().backward().unwrap();
            optimizer.step().unwrap();
            for (place, model) in models.iter_mut().enumerate() {
                let gradient = if place < 2 { model.x } else { 1.0 };
                model.step(rule, 0.1, gradient);
            }
        }
        let found = [a.to_vec::<f64>().unwrap(), b.to_vec::<f64>().unwrap()].concat();
        for (model, found) in models.iter().zip(found) {
            assert!((model.x - found).abs() < 1e-12, "{rule:?}: {found}, {model:?}");
        }
    }
}

#[test]
fn a_step_that_cannot_be_says_why_and_can_be_made_again() {
    for (rule, build) in optimizers() {
        let mut parameters = Parameters::new();
        let x = parameters.add("x", Var::leaf(&[1.0_f32, 2.0], &[2]).unwrap()).unwrap();
        let mut optimizer = build(parameters, 0.1);
        x.square().unwrap().sum(&[], false).unwrap().backward().unwrap();
        {
            let _reading = x.tensor().data::<f32>().unwrap();
            let text = optimizer.step().unwrap_err().to_string();
            assert!(text.contains("read"), "{text}");
        }
        assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0], "{rule:?}");
        // As if nothing had been tried.
        let mut models = [1.0, 2.0].map(|x| Element { x, ..Element::default() });
        for _ in 0..2 {
            optimizer.step().unwrap();
            for (model, gradient) in models.iter_mut().zip([2.0, 4.0]) {
                model.step(rule, 0.1, gradient);
            }
        }
        for (model, found) in models.iter().zip(x.to_vec::<f32>().unwrap()) {
            assert!((model.x - f64::from(found)).abs() < 1e-5, "{rule:?}: {found}, {model:?}");
        }
    }
}

/// A parameter whose elements are one and the same cannot be stepped.
#[test]
fn a_parameter_that_overlaps_itself_is_refused() {
    for (rule, build) in optimizers() {
        let one = Tensor::from_slice(&[1.0_f32], &[1]).unwrap();
        let mut parameters = Parameters::new();
        let x = parameters.add("x", Var::parameter(one.expand(&[3]).unwrap()).unwrap()).unwrap();
        x.square().unwrap().sum(&[], false).unwrap().backward().unwrap();
        let refused = build(parameters, 0.1).step();
        assert!(refused.is_err(), "{rule:?}: {:?}", x.to_vec::<f32>());
        assert_eq!(one.to_vec::<f32>().unwrap(), [1.0]);
    }
}

#[test]
fn without_parameters_and_without_gradients_nothing_happens() {
    for (_, build) in optimizers() {
        build(Parameters::new(), 0.1).step().unwrap();
        let mut parameters = Parameters::new();
        let x = parameters.add("x", Var::leaf(&[1.0_f32], &[1]).unwrap()).unwrap();
        let mut optimizer = build(parameters, 0.1);
        assert_eq!((optimizer.rate(), optimizer.parameters().len()), (0.1, 1));
        optimizer.step().unwrap();
        assert_eq!(x.tensor().version(), Var::leaf(&[1.0_f32], &[1]).unwrap().tensor().version());
    }
}

#[test]
fn halves_are_stepped_too() {
    for dtype in [DType::F16, DType::BF16] {
        for (rule, build) in optimizers() {
            let mut parameters = Parameters::new();
            let first = Tensor::from_slice(&[1.0_f32, -2.0], &[2]).unwrap().cast(dtype).unwrap();
            let x = parameters.add("x", Var::parameter(first).unwrap()).unwrap();
            let mut optimizer = build(parameters, 0.125);
            x.set_gradient(Tensor::full(&[2], 0.5, dtype).unwrap()).unwrap();
            optimizer.step().unwrap();
            for (found, first) in elements(x.tensor()).into_iter().zip([1.0, -2.0]) {
                let mut model = Element { x: first, ..Element::default() };
                model.step(rule, 0.125, 0.5);
                assert!((found - model.x).abs() <= 0.01 * (1.0 + model.x.abs()), "{rule:?} {dtype}: {found} {model:?}");
            }
        }
    }
}

#[test]
fn schedules_at_their_ends() {
    let constant = ConstantSchedule { rate: 0.3 };
    let step = StepSchedule { first: 1.0, every: 0, factor: 0.5 };
    let cosine = CosineSchedule { first: 1.0, last: 0.1, steps: 10 };
    let line = LinearSchedule { first: 0.0, last: 1.0, steps: u64::MAX };
    assert_eq!((constant.rate(0), constant.rate(u64::MAX)), (0.3, 0.3));
    assert_eq!((step.rate(0), step.rate(1), step.rate(u64::MAX)), (1.0, 0.5, 0.0));
    assert_eq!((cosine.rate(0), cosine.rate(10), cosine.rate(u64::MAX)), (1.0, 0.1, 0.1));
    assert!((cosine.rate(5) - 0.55).abs() < 1e-15);
    assert_eq!((line.rate(0), line.rate(u64::MAX)), (0.0, 1.0));
    assert!((line.rate(u64::MAX / 2) - 0.5).abs() < 1e-15);
    // Rates never turn back on the way.
    let down: Vec<f64> = (0..=10).map(|step| cosine.rate(step)).collect();
    assert!(down.windows(2).all(|pair| pair[1] < pair[0]), "{down:?}");
    let warm = Warmup { steps: u64::MAX, then: Warmup { steps: 2, then: constant } };
    assert!((warm.rate(u64::MAX - 1) - 0.15).abs() < 1e-15);
    assert_eq!((warm.rate(u64::MAX), Warmup { steps: 3, then: line }.rate(0)), (0.15, 0.0));
    // Schedules of any kind, as one.
    let all: Vec<Box<dyn Schedule>> = vec![Box::new(constant), Box::new(step), Box::new(cosine), Box::new(line)];
    assert_eq!(all.iter().map(|schedule| schedule.rate(0)).collect::<Vec<_>>(), [0.3, 1.0, 1.0, 0.0]);
}
