//! Products of matrices: what is not read, what is broadcast, what does not fit.

use stratal_eager::{Var, apply};
use stratal_ops::Gemm;

#[test]
fn what_a_factor_of_zero_leaves_out_has_no_slope() {
    let (a, b) = (Var::leaf(&[1.0, 2.0], &[1, 2]).unwrap(), Var::leaf(&[3.0, 4.0], &[2, 1]).unwrap());
    let c = Var::leaf(&[f64::NAN], &[1, 1]).unwrap();
    let y = apply(&Gemm { beta: 0.0, ..Gemm::default() }, &[Some(&a), Some(&b), Some(&c)]).unwrap();
    assert_eq!(y.item().unwrap(), 11.0);
    y.backward().unwrap();
    let gradient = |var: &Var| var.gradient().unwrap().to_vec::<f64>().unwrap();
    assert_eq!((gradient(&a), gradient(&b), gradient(&c)), (vec![3.0, 4.0], vec![1.0, 2.0], vec![0.0]));
}

#[test]
fn layers_take_any_axes_before_the_last() {
    let weight = Var::leaf(&[1.0, 2.0, 3.0, 4.0], &[2, 2]).unwrap();
    let bias = Var::leaf(&[10.0, 20.0], &[2]).unwrap();
    let elements: Vec<f64> = (0..12).map(f64::from).collect();
    for extents in [&[6, 2][..], &[3, 2, 2], &[1, 3, 2, 2]] {
        let x = Var::leaf(&elements, extents).unwrap();
        let y = x.linear(&weight, Some(&bias)).unwrap();
        assert_eq!(y.to_vec::<f64>().unwrap()[..4], [12.0, 24.0, 18.0, 38.0]);
        bias.clear_gradient();
        y.sum(&[], false).unwrap().backward().unwrap();
        assert_eq!(bias.gradient().unwrap().to_vec::<f64>().unwrap(), [6.0, 6.0]);
        assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap()[..2], [4.0, 6.0]);
    }
    let single = Var::leaf(&[1.0, 1.0], &[2]).unwrap().linear(&weight, None).unwrap();
    assert_eq!((single.rank(), single.to_vec::<f64>().unwrap()), (1, vec![3.0, 7.0]));
    assert!(Var::from_slice(&[1.0], &[]).unwrap().linear(&weight, None).is_err());
    assert!(Var::from_slice(&[1.0; 3], &[3]).unwrap().linear(&weight, None).is_err());
}

#[test]
fn what_is_no_equation_is_named() {
    let a = Var::leaf(&[1.0, 2.0], &[2]).unwrap();
    let fault = |equation: &str| Var::einsum(equation, &[&a]).unwrap_err().to_string();
    assert!(fault("i->j").contains("\"i->j\""), "{}", fault("i->j"));
    assert_eq!(fault("i,j->ij"), "Einsum: equation i,j->ij is of 2 operands, found 1");
}
