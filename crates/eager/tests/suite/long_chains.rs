//! Graphs that are deep: nothing on the way is recursive.

use stratal_eager::{EagerError, GradOptions, Var, grad};

const MANY: usize = 100_000;

/// Runs on a thread whose stack is far too small for a recursion over many records.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(512 << 10).spawn(work).unwrap().join().unwrap();
}

fn chain(x: &Var, count: usize, link: impl Fn(&Var) -> Result<Var, EagerError>) -> Var {
    (0..count).fold(x.clone(), |y, _| link(&y).unwrap())
}

#[test]
fn many_additions_go_backward_and_are_dropped() {
    on_a_small_stack(|| {
        let x = Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap();
        // Of numbers.
        let y = chain(&x, MANY, |y| y.add(1.0));
        assert_eq!(y.to_vec::<f64>().unwrap(), [100_001.0, 100_002.0]);
        y.sum(&[], false).unwrap().backward().unwrap();
        drop(y);
        assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [1.0, 1.0]);
        // Of the leaf, which gets a gradient from each.
        x.clear_gradient();
        let y = chain(&x, MANY, |y| y.add(&x));
        y.sum(&[], false).unwrap().backward().unwrap();
        drop(y);
        assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [100_001.0, 100_001.0]);
        // Without a walk.
        drop(chain(&x, MANY, |y| y.add(&x)));
    });
}

#[test]
fn many_views_and_saved_values_go_backward_and_are_dropped() {
    on_a_small_stack(|| {
        let x = Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap();
        let y = chain(&x, MANY, |y| y.flip(&[0]));
        y.mul(&x).unwrap().sum(&[], false).unwrap().backward().unwrap();
        assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [2.0, 4.0]);
        drop(y);
        x.clear_gradient();
        let y = chain(&x, MANY, Var::relu);
        y.sum(&[], false).unwrap().backward().unwrap();
        drop(y);
        assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [1.0, 1.0]);
        drop(chain(&x, MANY, Var::relu));
        // A ladder: each record is used by two others.
        let y = chain(&x, MANY / 2, |y| y.add(&y.neg()?)?.add(&x));
        y.sum(&[], false).unwrap().backward().unwrap();
    });
}

#[test]
fn many_are_differentiated_twice() {
    on_a_small_stack(|| {
        let x = Var::leaf(&[3.0_f64], &[1]).unwrap();
        let y = chain(&x, 20_000, |y| y.mul(1.0)).square().unwrap();
        let options = GradOptions { create_graph: true, ..GradOptions::default() };
        let slope = grad(&[&y], &[&x], options).unwrap().remove(0);
        let curvature = grad(&[&slope], &[&x], GradOptions::default()).unwrap().remove(0);
        assert_eq!((slope.item().unwrap(), curvature.item().unwrap()), (6.0, 2.0));
    });
}
