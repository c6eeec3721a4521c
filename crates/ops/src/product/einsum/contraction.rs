//! How a sum of products is computed: pair by pair, each by a product of matrices if it can.

use std::collections::VecDeque;

use stratal_kernels::{AnyView, AnyViewMut, Epilogue, map, reduce};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Geometry, Shape};

use super::equation::{Indices, Label};
use crate::{Cause, Context, read, write};

/// Computes the sum into a result of the operands' dtype, in a dtype of its own.
pub(super) fn compute(
    context: &Context<'_>,
    operands: &[AnyView<'_>],
    indices: &Indices,
    dtype: DType,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let terms = operands.iter().zip(&indices.operands);
    let terms = terms.map(|(view, labels)| Term::new(context, view, labels, dtype)).collect::<Result<Vec<_>, _>>()?;
    let mut terms = VecDeque::from(terms);
    let Some(mut product) = terms.pop_front() else { return Err(Cause::MissingInput { input: 0 }) };
    // The next one that shares a label with the product, if there is one: two terms without make an outer product, which may be
    // far larger than operands and result.
    let shares = |product: &Term<'_>, term: &Term<'_>| term.labels.iter().any(|label| product.labels.contains(label));
    while let Some(next) = terms.remove(terms.iter().position(|term| shares(&product, term)).unwrap_or(0)) {
        let is_needed =
            |label: &Label| indices.output.contains(label) || terms.iter().any(|term| term.labels.contains(label));
        let pair = Pair::new(context, product, next, &is_needed)?;
        if terms.is_empty() && dtype == result.dtype() {
            let mut result = result.seen(|geometry| arranged(geometry, &indices.output, &pair.labels()))?;
            return pair.multiply(context, &mut result);
        }
        product = pair.into_term(context)?;
    }
    if dtype == result.dtype() {
        return product.sum_into(context, &indices.output, result);
    }
    let product = product.summed(context, &|label| indices.output.contains(label))?;
    let geometry = arranged(&product.geometry, &product.labels, &indices.output)?;
    product.with(geometry, |view| Ok(context.kernels().cast(view, result)?))
}

/// An operand, or a product of some, with a label for each axis, and none twice.
struct Term<'a> {
    source: Source<'a>,
    geometry: Geometry,
    labels: Vec<Label>,
}

enum Source<'a> {
    View(AnyView<'a>),
    Scratch(Tensor),
}

impl<'a> Term<'a> {
    /// An operand: its diagonal along axes of one label.
    fn new(context: &Context<'_>, view: &AnyView<'a>, labels: &[Label], dtype: DType) -> Result<Self, Cause> {
        let (source, mut geometry) = if view.dtype() == dtype {
            (Source::View(*view), *view.geometry())
        } else {
            let converted = context.converted(view, dtype)?;
            let geometry = *converted.geometry()?;
            (Source::Scratch(converted), geometry)
        };
        let mut labels = labels.to_vec();
        let repeated = |labels: &[Label]| {
            (0..labels.len())
                .find_map(|second| Some((labels[..second].iter().position(|one| *one == labels[second])?, second)))
        };
        while let Some((first, second)) = repeated(&labels) {
            geometry = geometry.diagonal(0, first as i64, second as i64)?;
            let label = labels.remove(second);
            labels.remove(first);
            labels.push(label);
        }
        Ok(Self { source, geometry, labels })
    }

    fn extent(&self, label: &Label) -> Option<usize> {
        let axis = self.labels.iter().position(|own| own == label)?;
        Some(self.geometry.shape().extent(axis))
    }

    /// Uses the elements, seen through a geometry.
    fn with<R>(&self, geometry: Geometry, usage: impl FnOnce(&AnyView<'_>) -> Result<R, Cause>) -> Result<R, Cause> {
        match &self.source {
            Source::View(view) => usage(&view.seen(|_| Ok::<_, Cause>(geometry))?),
            Source::Scratch(tensor) => usage(&read(tensor)?.view()?.seen(|_| Ok::<_, Cause>(geometry))?),
        }
    }

    fn dtype(&self) -> DType {
        match &self.source {
            Source::View(view) => view.dtype(),
            Source::Scratch(tensor) => tensor.dtype(),
        }
    }

    /// Without an axis of extent 1.
    fn without(mut self, label: &Label) -> Result<Self, Cause> {
        if let Some(axis) = self.labels.iter().position(|own| own == label) {
            self.geometry = self.geometry.squeeze(&[axis as i64])?;
            self.labels.remove(axis);
        }
        Ok(self)
    }

    /// Summed over all labels that are not kept.
    fn summed(self, context: &Context<'_>, is_kept: &dyn Fn(&Label) -> bool) -> Result<Self, Cause> {
        let kept: Vec<Label> = self.labels.iter().copied().filter(is_kept).collect();
        if kept.len() == self.labels.len() {
            return Ok(self);
        }
        let shape = shape(kept.iter().filter_map(|label| self.extent(label)))?;
        let sums = context.scratch(self.dtype(), &shape)?;
        write(&sums, |sums| self.sum_into(context, &kept, sums))?;
        Ok(Self { geometry: *sums.geometry()?, source: Source::Scratch(sums), labels: kept })
    }

    /// Sums over all labels that the result does not have.
    fn sum_into(&self, context: &Context<'_>, kept: &[Label], result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        let dropped: Vec<Label> = self.labels.iter().copied().filter(|label| !kept.contains(label)).collect();
        let geometry = arranged(&self.geometry, &self.labels, &[kept, &dropped].concat())?;
        self.with(geometry, |view| {
            if dropped.is_empty() {
                return Ok(context.kernels().copy(view, result)?);
            }
            let mut sums = result.seen(|geometry| with_ones(*geometry, kept.len(), dropped.len()))?;
            Ok(context.kernels().reduce(&reduce::Sum, view, &mut sums)?)
        })
    }
}

/// Two terms to be multiplied: `a` has the labels of the batch, those on the left and those summed over, and `b` those of the
/// batch, those summed over and those on the right.
struct Pair<'a> {
    a: Term<'a>,
    b: Term<'a>,
    batch: Vec<Label>,
    left: Vec<Label>,
    right: Vec<Label>,
    summed: Vec<Label>,
}

impl<'a> Pair<'a> {
    fn new(
        context: &Context<'_>,
        mut a: Term<'a>,
        mut b: Term<'a>,
        is_needed: &dyn Fn(&Label) -> bool,
    ) -> Result<Self, Cause> {
        // One of extent 1 broadcasts: the other term alone has the label then.
        for label in a.labels.clone() {
            match (a.extent(&label), b.extent(&label)) {
                (Some(1), Some(_)) => a = a.without(&label)?,
                (_, Some(1)) => b = b.without(&label)?,
                _ => {}
            }
        }
        let (of_a, of_b) = (a.labels.clone(), b.labels.clone());
        let a = a.summed(context, &|label| is_needed(label) || of_b.contains(label))?;
        let b = b.summed(context, &|label| is_needed(label) || of_a.contains(label))?;
        let (shared, left): (Vec<_>, Vec<_>) = a.labels.iter().copied().partition(|label| b.labels.contains(label));
        let right = b.labels.iter().copied().filter(|label| !shared.contains(label)).collect();
        let (batch, summed) = shared.into_iter().partition(|label| is_needed(label));
        Ok(Self { a, b, batch, left, right, summed })
    }

    /// The labels of the product.
    fn labels(&self) -> Vec<Label> {
        [&self.batch[..], &self.left, &self.right].concat()
    }

    fn into_term(self, context: &Context<'_>) -> Result<Term<'a>, Cause> {
        let product = context.scratch(self.a.dtype(), &self.shape()?)?;
        write(&product, |product| self.multiply(context, product))?;
        Ok(Term { geometry: *product.geometry()?, source: Source::Scratch(product), labels: self.labels() })
    }

    fn shape(&self) -> Result<Shape, Cause> {
        let extents = |term: &Term<'_>, labels: &[Label]| {
            labels.iter().filter_map(|label| term.extent(label)).collect::<Vec<_>>()
        };
        let parts = [extents(&self.a, &self.batch), extents(&self.a, &self.left), extents(&self.b, &self.right)];
        shape(parts.concat())
    }

    /// Multiplies into a result whose axes are those of the product's labels, in their order.
    fn multiply(&self, context: &Context<'_>, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        if self.summed.is_empty() {
            self.multiply_elements(context, result)
        } else {
            self.multiply_matrices(context, result)
        }
    }

    fn multiply_elements(&self, context: &Context<'_>, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        let shape = *result.shape();
        let (batch, left, right) = (self.batch.len(), self.left.len(), self.right.len());
        let a = arranged(&self.a.geometry, &self.a.labels, &[&self.batch[..], &self.left].concat())?;
        let a = with_ones(a, batch + left, right)?.broadcast_to(&shape)?;
        let b = arranged(&self.b.geometry, &self.b.labels, &[&self.batch[..], &self.right].concat())?;
        let b = with_ones(b, batch, left)?.broadcast_to(&shape)?;
        self.a.with(a, |a| self.b.with(b, |b| Ok(context.kernels().binary(&map::Mul, a, b, result)?)))
    }

    fn multiply_matrices(&self, context: &Context<'_>, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        let a = matrices(context, &self.a, &self.batch, &self.left, &self.summed)?;
        let b = matrices(context, &self.b, &self.batch, &self.summed, &self.right)?;
        let product = shape_of_matrices([&self.a, &self.b], &self.batch, &self.left, &self.right)?;
        let epilogue = Epilogue::default();
        a.with(a.geometry, |a| {
            b.with(b.geometry, |b| {
                if let Some(geometry) = result.geometry().try_reshape(&product) {
                    let mut result = result.seen(|_| Ok::<_, Cause>(geometry))?;
                    return Ok(context.kernels().matmul(a, b, &epilogue, &mut result)?);
                }
                let scratch = context.scratch(result.dtype(), &product)?;
                write(&scratch, |product| context.kernels().matmul(a, b, &epilogue, product))?;
                let shape = *result.shape();
                let product = read(&scratch)?;
                let product = product.view()?.seen(|geometry| reshaped(geometry, &shape))?;
                Ok(context.kernels().copy(&product, result)?)
            })
        })
    }
}

/// A term as matrices, behind the axes of the batch: those of some labels are its rows, and those of others its columns.
fn matrices<'a>(
    context: &Context<'_>,
    term: &Term<'a>,
    batch: &[Label],
    rows: &[Label],
    columns: &[Label],
) -> Result<Term<'a>, Cause> {
    let arranged = arranged(&term.geometry, &term.labels, &[batch, rows, columns].concat())?;
    let shape = shape_of_matrices([term, term], batch, rows, columns)?;
    let labels = Vec::new();
    let source = match &term.source {
        Source::View(view) => Source::View(*view),
        Source::Scratch(tensor) => Source::Scratch(tensor.clone()),
    };
    match arranged.try_reshape(&shape) {
        Some(geometry) => Ok(Term { source, geometry, labels }),
        None => {
            let copy = term.with(arranged, |view| context.converted(view, view.dtype()))?;
            let geometry = reshaped(copy.geometry()?, &shape)?;
            Ok(Term { source: Source::Scratch(copy), geometry, labels })
        }
    }
}

fn shape_of_matrices(
    [a, b]: [&Term<'_>; 2],
    batch: &[Label],
    rows: &[Label],
    columns: &[Label],
) -> Result<Shape, Cause> {
    let extents =
        |term: &Term<'_>, labels: &[Label]| labels.iter().filter_map(|label| term.extent(label)).collect::<Vec<_>>();
    let product = |extents: Vec<usize>| extents.into_iter().product::<usize>();
    let mut shape_of = extents(a, batch);
    shape_of.extend([product(extents(a, rows)), product(extents(b, columns))]);
    shape(shape_of)
}

/// The axes of some labels in the order of others.
fn arranged(geometry: &Geometry, from: &[Label], to: &[Label]) -> Result<Geometry, Cause> {
    let axes = to.iter().filter_map(|label| from.iter().position(|own| own == label));
    Ok(geometry.permute(&axes.map(|axis| axis as i64).collect::<Vec<_>>())?)
}

/// With axes of extent 1 more, from a place on.
fn with_ones(geometry: Geometry, at: usize, count: usize) -> Result<Geometry, Cause> {
    (0..count).try_fold(geometry, |geometry, _| Ok(geometry.unsqueeze(at as i64)?))
}

fn reshaped(geometry: &Geometry, shape: &Shape) -> Result<Geometry, Cause> {
    let unfit = || Cause::Unfit(format!("cannot see {} as {shape}", geometry.shape()));
    geometry.try_reshape(shape).ok_or_else(unfit)
}

fn shape(extents: impl IntoIterator<Item = usize>) -> Result<Shape, Cause> {
    let extents = extents.into_iter().map(|extent| i64::try_from(extent).unwrap_or(i64::MAX));
    Ok(Shape::new(&extents.collect::<Vec<_>>())?)
}
