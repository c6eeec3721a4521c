//! What operators of this family give together, and on memory of any strides.

use stratal_kernels::movement::{ScatterReduction, Triangle};
use stratal_kernels::reduce::Tie;
use stratal_kernels::resize::Interpolation;
use stratal_tensor::{Allocator, Tensor};
use stratal_tensor_base::{DType, Element};

use crate::*;

fn symbol(name: &str) -> Extent {
    Extent::symbol(name)
}

fn list(integers: &[i64]) -> Fact {
    Fact::of_extents(DType::I64, integers.iter().map(|&integer| integer.into()).collect())
}

/// The only output of an operator.
fn fold(operator: &dyn Operator, inputs: &[&Fact]) -> Fact {
    let inputs: Vec<_> = inputs.iter().map(|fact| Some(*fact)).collect();
    infer(operator, "node", &inputs).unwrap().remove(0)
}

fn shape(fact: &Fact) -> String {
    fact.shape.as_ref().unwrap().to_string()
}

/// `reshape(x, concat(shape(x)[0], -1, shape(x)[2:]))`, as exporters write it.
#[test]
fn a_computed_shape_is_known_before_the_data() {
    let x = Fact::new(DType::F32, SymbolicShape::new([symbol("batch"), symbol("seq"), 12.into(), symbol("head")]));
    let extents = fold(&crate::Shape::default(), &[&x]);
    let batch = fold(&Gather { axis: 0 }, &[&extents, &Fact { shape: Some([].into()), ..list(&[0]) }]);
    assert_eq!(shape(&batch), "[]");
    let batch = fold(&Unsqueeze, &[&batch, &list(&[0])]);
    let rest = fold(&Slice, &[&extents, &list(&[3]), &list(&[i64::MAX])]);
    let to = fold(&Concat { axis: 0 }, &[&batch, &list(&[-1]), &rest]);
    assert_eq!(format!("{:?}", to.integers().unwrap()), "[batch, -1, head]");
    let reshaped = fold(&Reshape::default(), &[&x, &to]);
    assert_eq!(shape(&reshaped), "[batch, 12*seq, head]");
    // And back, with heads split off.
    let back = fold(&Concat { axis: 0 }, &[&batch, &list(&[-1, 12]), &rest]);
    assert_eq!(shape(&fold(&Reshape::default(), &[&reshaped, &back])), "[batch, seq, 12, head]");
}

#[test]
fn elements_go_through_whatever_moves_them() {
    let x = Fact::new(DType::F32, SymbolicShape::new([symbol("a"), symbol("b"), symbol("c"), 4.into()]));
    let extents = fold(&crate::Shape::default(), &[&x]);
    let matrix = fold(&Reshape::default(), &[&extents, &list(&[2, 2])]);
    let text = |fact: &Fact| format!("{:?}", fact.integers().unwrap());
    let transposed = fold(&Transpose::default(), &[&matrix]);
    assert_eq!(text(&transposed), "[a, c, b, 4]");
    assert_eq!(
        text(&fold(&Slice, &[&matrix, &list(&[-1]), &list(&[i64::MIN]), &list(&[0]), &list(&[-1])])),
        "[c, 4, a, b]"
    );
    let row = fold(&Slice, &[&transposed, &list(&[1]), &list(&[2])]);
    assert_eq!((shape(&row), text(&row)), ("[1, 2]".into(), "[b, 4]".into()));
    let row = fold(&Squeeze, &[&row, &list(&[0])]);
    assert_eq!(text(&fold(&Expand, &[&row, &list(&[2, 1])])), "[b, 4, b, 4]");
    assert_eq!(text(&fold(&Tile, &[&row, &list(&[2])])), "[b, 4, b, 4]");
    assert_eq!(text(&fold(&Flatten { axis: 0 }, &[&row])), "[b, 4]");
    let parts = infer(&Split { axis: 0, parts: 2 }, "node", &[Some(&extents)]).unwrap();
    assert_eq!((text(&parts[0]), text(&parts[1])), ("[a, b]".into(), "[c, 4]".into()));
    assert_eq!(text(&fold(&Size, &[&x])), "[4*a*b*c]");
}

/// The rows of a mask that a step of decoding needs.
#[test]
fn slices_of_a_cache_are_as_long_as_what_is_new() {
    let (past, new) = (symbol("past"), symbol("new"));
    let all = past.add(&new).unwrap();
    let mask = Fact::new(DType::Bool, SymbolicShape::new([1.into(), all.clone()]));
    let bound = |extent: &Extent| Fact::of_extents(DType::I64, vec![extent.clone()]);
    let rows = fold(&Slice, &[&mask, &bound(&past), &bound(&all), &list(&[1])]);
    assert_eq!(shape(&rows), "[1, new]");
    assert_eq!(shape(&fold(&Slice, &[&mask, &list(&[0]), &bound(&new), &list(&[-1])])), "[1, new]");
    let last = fold(&Slice, &[&mask, &list(&[-1]), &list(&[i64::MAX]), &list(&[1])]);
    assert_eq!(shape(&last), "[1, min(1, new + past)]");
}

fn tensor<T: Element>(elements: &[T], extents: &[i64]) -> Tensor {
    Tensor::from_slice(elements, extents).unwrap()
}

/// The same elements with gaps between them, and axes in another order in memory.
fn strided(tensor: &Tensor) -> Tensor {
    let axes: Vec<i64> = (0..tensor.rank() as i64).rev().collect();
    let reversed = tensor.permute(&axes).unwrap();
    let mut extents: Vec<i64> = reversed.shape().extents().iter().map(|extent| i64::from(*extent)).collect();
    extents.push(2);
    let apart = Tensor::zeros(&extents, tensor.dtype()).unwrap().select(-1, 1).unwrap();
    apart.copy_from(&reversed).unwrap();
    apart.permute(&axes).unwrap()
}

#[test]
fn operands_and_results_may_have_any_strides() {
    let x = Tensor::arange(0, 2 * 4 * 2 * 6, 1, DType::F32).unwrap().reshape(&[2, 4, 2, 6]).unwrap();
    let vector = |integers: &[i64]| tensor(integers, &[integers.len() as i64]);
    let rows = tensor(&[1_i64, 0, 1], &[3]);
    let permutation = Some(vec![1, 3, 0, 2]);
    let indices = Tensor::zeros(&[2, 4, 2, 6], DType::I64).unwrap();
    let linear = Resize { interpolation: Interpolation::Linear, ..Resize::default() };
    let crop = CenterCropPad { axes: Some(vec![1, 3]) };
    let add = ScatterReduction::Add;
    let condition = tensor(&[true, false, true].map(stratal_tensor_base::Bool::from), &[3]);
    let pads = vector(&[0, 1, 0, 2, 0, 0, 1, -1]);
    let shape = vector(&[8, -1]);
    let (one, two, three) = (vector(&[1]), vector(&[2]), vector(&[3]));
    let repeats = vector(&[1, 2, 1, 2]);
    let (five, sizes) = (vector(&[5, 7]), vector(&[2, 4, 3, 5]));
    let minus = vector(&[-1]);
    let least = vector(&[i64::MIN]);
    let expanded = vector(&[3, 1, 1, 1, 1]);
    let (none, lengths, step) = (vector(&[]), vector(&[2, 3]), vector(&[-2]));
    let cases: Vec<(Box<dyn Operator>, Vec<&Tensor>)> = vec![
        (Box::new(crop), vec![&x, &five]),
        (Box::new(Concat { axis: 2 }), vec![&x, &x]),
        (Box::new(DepthToSpace { block: 2, order: DepthOrder::PlaceChannel }), vec![&x]),
        (Box::new(SpaceToDepth { block: 2, order: DepthOrder::ChannelPlace }), vec![&x]),
        (Box::new(Expand), vec![&x, &expanded]),
        (Box::new(Flatten { axis: 2 }), vec![&x]),
        (Box::new(Gather { axis: 1 }), vec![&x, &rows]),
        (Box::new(GatherElements { axis: -1 }), vec![&x, &indices]),
        (Box::new(GatherND { batch_axes: 0 }), vec![&x, &one]),
        (Box::new(Pad::default()), vec![&x, &pads]),
        (Box::new(Reshape::default()), vec![&x, &shape]),
        (Box::new(Resize::default()), vec![&x, &none, &none, &sizes]),
        (Box::new(linear), vec![&x, &none, &none, &sizes]),
        (Box::new(ReverseSequence { batch_axis: 0, time_axis: 1 }), vec![&x, &lengths]),
        (Box::new(ScatterElements { axis: 1, reduction: add }), vec![&x, &indices, &x]),
        (Box::new(crate::Shape::default()), vec![&x]),
        (Box::new(Slice), vec![&x, &minus, &least, &three, &step]),
        (Box::new(Split { axis: 1, parts: 3 }), vec![&x]),
        (Box::new(Tile), vec![&x, &repeats]),
        (Box::new(Transpose { permutation }), vec![&x]),
        (Box::new(Trilu { triangle: Triangle::Lower }), vec![&x]),
        (Box::new(Unsqueeze), vec![&x, &two]),
        (Box::new(TensorScatter { axis: -1, is_circular: true }), vec![&x, &x]),
        (Box::new(ArgMax { axis: 1, keeps_axis: false, tie: Tie::Last }), vec![&x]),
        (Box::new(Compress { axis: None }), vec![&x, &condition]),
        (Box::new(Compress { axis: Some(1) }), vec![&x, &condition]),
        (Box::new(TopK { axis: 1, is_largest: true, is_sorted: true }), vec![&x, &two]),
        (Box::new(Unique { axis: None, is_sorted: false }), vec![&indices]),
        (Box::new(Unique { axis: Some(1), is_sorted: true }), vec![&x]),
    ];
    let context = Context::new().unwrap();
    for (operator, inputs) in cases {
        let expected = context.run(&*operator, &inputs.iter().map(|tensor| Some(*tensor)).collect::<Vec<_>>()).unwrap();
        let inputs: Vec<_> = inputs.into_iter().map(strided).collect();
        let held: Vec<_> = inputs.iter().map(|tensor| read(tensor).unwrap()).collect();
        let views: Vec<_> = held.iter().map(|held| Some(held.view().unwrap())).collect();
        let outputs: Vec<_> = expected.iter().map(strided).collect();
        outputs.iter().for_each(|output| output.fill(1.0).unwrap());
        let mut guards: Vec<_> = outputs.iter().map(|output| output.storage_mut().unwrap()).collect();
        let slot = |(guard, output): (_, &Tensor)| {
            let geometry = *output.geometry().unwrap();
            Slot::Given(stratal_kernels::AnyViewMut::new(guard, output.dtype(), geometry).unwrap())
        };
        let slots = guards.iter_mut().map(|guard| &mut **guard).zip(&outputs).map(slot).collect();
        compute(&*operator, &context, &views, &mut Outputs::new(Allocator::Shared, slots)).unwrap();
        drop(guards);
        for (output, expected) in outputs.iter().zip(&expected) {
            let texts = [output, expected].map(|tensor| format!("{:?}", elements_of(tensor)));
            assert_eq!(texts[0], texts[1], "{operator:?}");
        }
    }
}

fn elements_of(tensor: &Tensor) -> Vec<f64> {
    stratal_tensor_base::match_dtype!(tensor.dtype(), T => {
        tensor.to_vec::<T>().unwrap().into_iter().map(|x| stratal_tensor_base::Scalar::from(x).cast()).collect()
    })
}
