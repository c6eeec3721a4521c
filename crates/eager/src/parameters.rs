//! `Parameters`: the variables of a model by name, in order.

use std::fmt;

use stratal_tensor::Tensor;

use crate::{EagerError, Var};

/// The variables of a model by name, in the order in which they were added: what optimisers step through and files hold.
///
/// It is a list of handles. Whoever has another handle of a parameter sees what an optimiser does to it.
///
/// ```
/// use stratal_eager::{Parameters, Var};
///
/// let mut parameters = Parameters::new();
/// let weight = parameters.add("layer.weight", Var::leaf(&[1.0_f32, 2.0], &[2, 1])?)?;
/// parameters.add("layer.bias", Var::leaf(&[0.0_f32], &[1])?)?;
/// assert_eq!(parameters.count(), 3);
/// assert_eq!(parameters.get("layer.weight").unwrap().shape(), weight.shape());
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
#[derive(Clone, Default)]
pub struct Parameters {
    entries: Vec<(String, Var)>,
}

impl Parameters {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter, and returns a handle of it.
    ///
    /// # Errors
    /// [`EagerError::Unfit`] for a name that is there already, or a variable that is no leaf.
    pub fn add(&mut self, name: impl Into<String>, parameter: Var) -> Result<Var, EagerError> {
        let name = name.into();
        if self.get(&name).is_some() {
            return Err(EagerError::Unfit(format!("there is a parameter {name:?} already")));
        }
        if parameter.edge().slot().is_none() {
            return Err(EagerError::Unfit(format!("parameter {name:?} is no leaf, so it would collect no gradient")));
        }
        self.entries.push((name, parameter.clone()));
        Ok(parameter)
    }

    /// Adds all parameters of a part of the model, their names behind that of the part and a dot.
    ///
    /// # Errors
    /// [`EagerError::Unfit`] for a name that is there already. Those before it were added.
    pub fn add_part(&mut self, part: &str, parameters: &Self) -> Result<(), EagerError> {
        for (name, parameter) in parameters.iter() {
            self.add(format!("{part}.{name}"), parameter.clone())?;
        }
        Ok(())
    }

    /// The parameter of a name.
    pub fn get(&self, name: &str) -> Option<&Var> {
        self.iter().find(|(own, _)| *own == name).map(|(_, parameter)| parameter)
    }

    /// All names and parameters, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Var)> {
        self.entries.iter().map(|(name, parameter)| (name.as_str(), parameter))
    }

    /// How many parameters there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many elements they have together.
    pub fn count(&self) -> usize {
        self.iter().map(|(_, parameter)| parameter.shape().count()).sum()
    }

    /// Forgets all gradients.
    pub fn clear_gradients(&self) {
        for (_, parameter) in self.iter() {
            parameter.clear_gradient();
        }
    }

    /// Replaces the elements of the parameters by those of tensors with the same names, all or none.
    ///
    /// # Errors
    /// [`EagerError::Unfit`] for a name that is missing on either side or given twice, or another shape or dtype;
    /// [`EagerError::Tensor`] for elements in use, or that cannot be written. Nothing is written then.
    pub fn load(&self, tensors: &[(String, Tensor)]) -> Result<(), EagerError> {
        if let Some((name, _)) = tensors.iter().find(|(name, _)| self.get(name).is_none()) {
            return Err(EagerError::Unfit(format!("there is no parameter {name:?}")));
        }
        let is_repeated = |place: usize| tensors[..place].iter().any(|(name, _)| *name == tensors[place].0);
        if let Some(place) = (0..tensors.len()).find(|&place| is_repeated(place)) {
            return Err(EagerError::Unfit(format!("there are two tensors for parameter {:?}", tensors[place].0)));
        }
        let mut pairs = Vec::with_capacity(self.len());
        for (name, parameter) in self.iter() {
            let found = tensors.iter().find(|(given, _)| given == name).map(|(_, tensor)| tensor);
            let tensor = found.ok_or_else(|| EagerError::Unfit(format!("no tensor for parameter {name:?}")))?;
            if tensor.shape() != parameter.shape() || tensor.dtype() != parameter.dtype() {
                let (is, given) = (parameter.shape(), tensor.shape());
                let (dtype, other) = (parameter.dtype(), tensor.dtype());
                return Err(EagerError::Unfit(format!("parameter {name:?} is {dtype} {is}, not {other} {given}")));
            }
            // Elements of another parameter are those that it has before.
            let is_shared = self.iter().any(|(_, own)| own.tensor().shares_buffer(tensor));
            pairs.push((parameter, if is_shared { tensor.copied()? } else { tensor.clone() }));
        }
        // Whatever can fail does so before anything changes: elements are opened, and written as they are.
        for (parameter, tensor) in &pairs {
            tensor.geometry()?;
            tensor.storage()?;
            parameter.set_data(parameter.tensor())?;
        }
        for (parameter, tensor) in pairs {
            parameter.set_data(&tensor)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}
