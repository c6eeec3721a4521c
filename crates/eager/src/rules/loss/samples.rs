//! Samples and their classes, as the gradients of losses see them.

use stratal_ops::OneHot;
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType, Shape};

use crate::views::extents;
use crate::{EagerError, Var, apply};

/// Samples and their classes, each of which there is or does not count.
#[derive(Debug)]
pub(crate) struct Samples {
    /// `[N, C, ..]`: where the class of a sample is its own. It is so nowhere for one that does not count.
    pub(crate) is_class: Var,
    /// `[N, 1, ..]`: which samples count, if some do not.
    pub(crate) is_counted: Option<Var>,
}

impl Samples {
    /// Those with classes `[N, ..]` out of so many.
    pub(crate) fn of(classes: &Var, count: usize, ignore_index: Option<i64>) -> Result<Self, EagerError> {
        let shape: Shape = *classes.shape();
        let mut classes = classes.cast(DType::I64)?.to_vec::<i64>()?;
        let mut counted = vec![Bool::TRUE; classes.len()];
        let mut all_count = true;
        for (class, counted) in classes.iter_mut().zip(&mut counted) {
            if Some(*class) == ignore_index {
                // No index of a class.
                *class = count as i64;
                *counted = Bool::FALSE;
                all_count = false;
            }
        }
        let extents = extents(&shape);
        let classes = Var::from(Tensor::from_vec(classes, &extents)?);
        let depth = Tensor::scalar(count as i64)?.into();
        let values = Tensor::from_slice(&[Bool::FALSE, Bool::TRUE], &[2])?.into();
        let is_class = apply(&OneHot { axis: 1 }, &[Some(&classes), Some(&depth), Some(&values)])?;
        let is_counted =
            if all_count { None } else { Some(Var::from(Tensor::from_vec(counted, &extents)?).unsqueeze(1)?) };
        Ok(Self { is_class, is_counted })
    }

    /// What the class of each sample has among elements `[N, C, ..]`, or what broadcasts to that; 0 where none counts.
    pub(crate) fn pick(&self, elements: &Var) -> Result<Var, EagerError> {
        self.is_class.select_by(elements, &elements.number(0.0)?)?.sum(&[1], false)
    }

    /// The weight of each sample, from those of classes; 1 without them, and 0 for what does not count.
    pub(crate) fn weights(&self, of_classes: Option<&Var>, dtype: DType) -> Result<Var, EagerError> {
        match of_classes {
            Some(weights) => self.pick(&weights.along_channels(self.is_class.rank())?),
            None => self.pick(&crate::var::number(dtype, 1.0)?),
        }
    }

    /// Elements of samples that count, `[N, C, ..]`, and zeros for the others.
    pub(crate) fn counted(&self, elements: Var) -> Result<Var, EagerError> {
        match &self.is_counted {
            Some(is_counted) => is_counted.select_by(&elements, &elements.number(0.0)?),
            None => Ok(elements),
        }
    }
}
