//! `ArgMax`: where the greatest elements are.

use stratal_kernels::reduce::Extreme;

use super::arg;

arg::operator! {
    /// The index of the greatest element along an axis, as int64: of equal ones the first or the last, and the first NaN if
    /// there is one. An axis without elements is an error.
    ArgMax, Extreme::Max
}

#[cfg(test)]
mod tests {
    use stratal_kernels::reduce::Tie;
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Context, Extent, Fact, SymbolicShape, infer};

    #[test]
    fn the_first_nan_is_greatest() {
        let nan = f32::NAN;
        let x = Tensor::from_slice(&[1.0, nan, 3.0, nan, 2.0, 5.0, 5.0, 1.0], &[2, 4]).unwrap();
        let context = Context::new().unwrap();
        for (tie, expected) in [(Tie::First, [1, 1]), (Tie::Last, [1, 2])] {
            let found = context.run(&ArgMax { axis: -1, keeps_axis: false, tie }, &[Some(&x)]).unwrap();
            assert_eq!(found[0].shape().extents(), [2]);
            assert_eq!(found[0].to_vec::<i64>().unwrap(), expected);
        }
    }

    #[test]
    fn axes_become_one_or_go() {
        let shape = |x: SymbolicShape, axis, keeps_axis| {
            let x = Fact::new(DType::F32, x);
            let facts = infer(&ArgMax { axis, keeps_axis, tie: Tie::First }, "node", &[Some(&x)]);
            Ok::<_, String>(facts.map_err(|error| error.to_string())?[0].shape.as_ref().unwrap().to_string())
        };
        let n = || SymbolicShape::new([Extent::symbol("n"), 3.into()]);
        assert_eq!(shape(n(), -1, true).unwrap(), "[n, 1]");
        assert_eq!(shape(n(), 0, false).unwrap(), "[3]");
        assert_eq!(shape([2, 0].into(), 0, true).unwrap(), "[1, 0]");
        let error = shape([2, 0].into(), 1, true).unwrap_err();
        assert_eq!(error, "ArgMax: input 0 has shape [2, 0]: expected elements along axis 1");
        assert_eq!(shape(n(), 2, true).unwrap_err(), "ArgMax: axis 2 does not exist at rank 2");
    }
}
