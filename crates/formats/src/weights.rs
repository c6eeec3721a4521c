//! `Weights`: the tensors of a file, whatever its format: names, dtypes, shapes and places at once, elements when asked for.

mod detect;
mod element_type;
mod metadata;
mod place;

use std::{collections::HashMap, fmt, path::Path, sync::Arc};

use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape, ShapeError};

use crate::{
    Error, Limits, ModelFile, Name,
    gguf::{self, BlockType, PackedTensor},
    npy, onnx, safetensors,
};

pub use self::detect::Format;
pub use self::element_type::ElementType;
pub use self::metadata::MetadataValue;
pub use self::place::Place;

/// The tensors of a file, or of a model in several files.
///
/// Opening reads what says where tensors are, and no element. [`tensor`](Self::tensor) then makes one: in a mapped file a
/// window without a copy where the elements are aligned, else memory of its own. Nothing is converted unless
/// [`tensor_as`](Self::tensor_as) asks for it.
///
/// ```
/// use stratal_formats::{Limits, ModelFile, Weights, safetensors};
/// use stratal_tensor::{Tensor, base::DType};
///
/// let bias = Tensor::from_slice(&[0.5_f32, -1.0], &[2])?;
/// let bytes = safetensors::to_vec([("bias", &bias)], [])?;
///
/// let weights = Weights::of_file(ModelFile::of_vec(bytes)?, &Limits::default())?;
/// let weight = weights.get("bias")?;
/// assert_eq!((weight.element_type().dtype(), weight.extents()), (Some(DType::F32), &[2][..]));
/// assert_eq!(weights.tensor("bias")?.to_vec::<f32>()?, [0.5, -1.0]);
/// assert_eq!(weights.tensor_as("bias", DType::F64)?.to_vec::<f64>()?, [0.5, -1.0]);
/// # Ok::<(), stratal_formats::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Weights {
    format: Format,
    files: Vec<ModelFile>,
    weights: Vec<Weight>,
    /// Positions in `weights`.
    by_name: HashMap<Arc<str>, usize>,
    metadata: Vec<(Box<str>, MetadataValue)>,
}

/// What is known of one tensor of a file without its elements.
#[derive(Debug, Clone)]
pub struct Weight {
    name: Arc<str>,
    element_type: ElementType,
    extents: Box<[u64]>,
    place: Place,
    /// The file within the [`Weights`].
    file: usize,
    form: Form,
}

/// How the elements of a weight become a tensor.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// Row-major and little-endian, at its place.
    Plain,
    /// By code of its format.
    Special(Arc<dyn Load>),
}

/// Elements that are not simply there: compressed, in another order, within fields of a message, packed.
pub(crate) trait Load: fmt::Debug + Send + Sync {
    /// The elements as a tensor.
    fn load(&self, weight: &Weight, file: &ModelFile) -> Result<Tensor, Error>;
}

/// A tensor that a file does not have, or that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// There is no tensor of that name.
    #[error("there is no tensor {name} among {count}")]
    NoSuchTensor {
        /// The name asked for.
        name: Name,
        /// How many tensors there are.
        count: usize,
    },
    /// The file's beginning is none of the formats.
    #[error("{}, which is none of safetensors, npy, npz, GGUF and ONNX", beginning_text(beginning))]
    UnknownFormat {
        /// Its first bytes, eight at most.
        beginning: Vec<u8>,
    },
    /// The elements are of a type that has no dtype here.
    #[error("the elements of tensor {name} are {element_type}, which no dtype here stores")]
    UnsupportedType {
        /// The tensor.
        name: Name,
        /// The type's name in the file.
        element_type: Name,
    },
    /// The elements are packed in blocks, and nothing unpacks them by itself.
    #[error("the elements of tensor {name} are packed as {block_type}; ask for them as a dtype, or as they are")]
    Packed {
        /// The tensor.
        name: Name,
        /// How they are packed.
        block_type: BlockType,
    },
    /// The elements are not packed in blocks.
    #[error("the elements of tensor {name} are {element_type}, which is not packed")]
    NotPacked {
        /// The tensor.
        name: Name,
        /// What they are.
        element_type: ElementType,
    },
    /// One name for two tensors.
    #[error("two tensors are named {name}")]
    RepeatedName {
        /// The name.
        name: Name,
    },
    /// A tensor could not be made.
    #[error("tensor {name}: {source}")]
    Tensor {
        /// The tensor.
        name: Name,
        /// Why.
        source: Box<Error>,
    },
}

fn beginning_text(beginning: &[u8]) -> String {
    if beginning.is_empty() { "the file is empty".into() } else { format!("the file begins with {beginning:02x?}") }
}

impl Weights {
    /// Opens a file of any format, reading elements when they are asked for. What the format is, its beginning says.
    ///
    /// # Errors
    /// [`FileError`](crate::FileError) when the file cannot be read, [`WeightsError::UnknownFormat`], and the errors of the
    /// formats.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::of_file(ModelFile::open(path)?, &Limits::default())
    }

    /// The tensors of an open file, mapped ones too.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn of_file(file: ModelFile, limits: &Limits) -> Result<Self, Error> {
        match Format::of(&file)? {
            Format::Safetensors => safetensors::weights(file, limits),
            Format::SafetensorsIndex => safetensors::weights_of_index(file, limits),
            Format::Npy => npy::weights(file, limits),
            Format::Npz => npy::weights_of_archive(file, limits),
            Format::Gguf => gguf::weights(file, limits),
            Format::Onnx => onnx::weights(file, limits),
        }
    }

    /// The format that the file has.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many tensors there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(Weight::name)
    }

    /// What is known of each tensor, in the order of the file.
    pub fn iter(&self) -> std::slice::Iter<'_, Weight> {
        self.weights.iter()
    }

    /// What is known of one tensor.
    ///
    /// # Errors
    /// [`WeightsError::NoSuchTensor`].
    pub fn get(&self, name: &str) -> Result<&Weight, Error> {
        let position = self.by_name.get(name);
        let weight = position.and_then(|position| self.weights.get(*position));
        weight.ok_or_else(|| WeightsError::NoSuchTensor { name: name.into(), count: self.len() }.into())
    }

    /// What the file says beside its tensors, in its order.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &MetadataValue)> {
        self.metadata.iter().map(|(key, value)| (&**key, value))
    }

    /// The files: one, or the shards of a model.
    pub fn files(&self) -> &[ModelFile] {
        &self.files
    }

    /// One tensor, of the dtype that it has in the file.
    ///
    /// Of a mapped file it is a window, which cannot be written, wherever its elements are aligned, plain and little-endian.
    ///
    /// # Errors
    /// [`WeightsError::NoSuchTensor`], [`WeightsError::UnsupportedType`] and [`WeightsError::Packed`];
    /// [`WeightsError::Tensor`] when its shape is beyond the limits of [`Shape`] or its bytes cannot be had.
    pub fn tensor(&self, name: &str) -> Result<Tensor, Error> {
        let weight = self.get(name)?;
        let file = &self.files[weight.file];
        let tensor = match (&weight.form, &weight.element_type) {
            (_, ElementType::Unsupported(element_type)) => {
                let element_type = element_type.clone();
                return Err(WeightsError::UnsupportedType { name: name.into(), element_type }.into());
            }
            (_, ElementType::Packed(block_type)) => {
                return Err(WeightsError::Packed { name: name.into(), block_type: *block_type }.into());
            }
            (Form::Plain, ElementType::Plain(dtype)) => weight
                .shape()
                .map_err(Error::from)
                .and_then(|shape| file.tensor(*dtype, shape, weight.place.range().start)),
            (Form::Special(load), ElementType::Plain(_)) => load.load(weight, file),
        };
        tensor.map_err(|source| WeightsError::Tensor { name: name.into(), source: source.into() }.into())
    }

    /// One tensor whose elements are packed in blocks, as they are in the file. Of a mapped file nothing is copied.
    ///
    /// # Errors
    /// [`WeightsError::NoSuchTensor`] and [`WeightsError::NotPacked`];
    /// [`WeightsError::Tensor`] when its shape is beyond the limits of [`Shape`] or its bytes cannot be had.
    pub fn packed(&self, name: &str) -> Result<PackedTensor, Error> {
        let weight = self.get(name)?;
        let ElementType::Packed(block_type) = weight.element_type else {
            let element_type = weight.element_type.clone();
            return Err(WeightsError::NotPacked { name: name.into(), element_type }.into());
        };
        let file = &self.files[weight.file];
        let packed = || Ok(PackedTensor::new(block_type, weight.shape()?, file.bytes(weight.place.range())?)?);
        packed().map_err(|source: Error| WeightsError::Tensor { name: name.into(), source: source.into() }.into())
    }

    /// One tensor, converted if it has another dtype. Packed elements are decoded to f32, and converted then.
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor), but for [`WeightsError::Packed`].
    pub fn tensor_as(&self, name: &str, dtype: DType) -> Result<Tensor, Error> {
        let of_tensor = |source: Error| WeightsError::Tensor { name: name.into(), source: source.into() };
        let tensor = match self.get(name)?.element_type {
            ElementType::Packed(_) => self.packed(name)?.decode().map_err(of_tensor)?,
            ElementType::Plain(_) | ElementType::Unsupported(_) => self.tensor(name)?,
        };
        if tensor.dtype() == dtype {
            Ok(tensor)
        } else {
            Ok(tensor.cast(dtype).map_err(|error| of_tensor(error.into()))?)
        }
    }

    /// Tells the system that a tensor is read soon, so that it may fetch the bytes in the background.
    ///
    /// # Errors
    /// [`WeightsError::NoSuchTensor`].
    pub fn prefetch(&self, name: &str) -> Result<(), Error> {
        let weight = self.get(name)?;
        self.files[weight.file].prefetch(weight.place.range());
        Ok(())
    }

    /// Tells the system that all tensors are read soon.
    pub fn prefetch_all(&self) {
        for file in &self.files {
            file.prefetch(0..file.len());
        }
    }

    pub(crate) fn new(
        format: Format,
        files: Vec<ModelFile>,
        weights: Vec<Weight>,
        metadata: Vec<(Box<str>, MetadataValue)>,
    ) -> Result<Self, WeightsError> {
        debug_assert!(weights.iter().all(|weight| weight.file < files.len()), "weights lie in the files");
        let mut by_name = HashMap::with_capacity(weights.len());
        for (position, weight) in weights.iter().enumerate() {
            if by_name.insert(Arc::clone(&weight.name), position).is_some() {
                return Err(WeightsError::RepeatedName { name: Name::new(&weight.name) });
            }
        }
        Ok(Self { format, files, weights, by_name, metadata })
    }
}

impl<'a> IntoIterator for &'a Weights {
    type Item = &'a Weight;
    type IntoIter = std::slice::Iter<'a, Weight>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Weight {
    /// The name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the elements are.
    pub fn element_type(&self) -> &ElementType {
        &self.element_type
    }

    /// The extents as the file has them, outermost first; they may be beyond the limits of [`Shape`].
    pub fn extents(&self) -> &[u64] {
        &self.extents
    }

    /// The shape.
    ///
    /// # Errors
    /// [`ShapeError`] when the extents are beyond its limits.
    pub fn shape(&self) -> Result<Shape, ShapeError> {
        // What does not fit is beyond every limit, and so is the largest that does.
        let extents: Vec<_> = self.extents.iter().map(|extent| i64::try_from(*extent).unwrap_or(i64::MAX)).collect();
        Shape::new(&extents)
    }

    /// Where the elements lie.
    pub fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn new(
        name: &str,
        element_type: ElementType,
        extents: impl Into<Box<[u64]>>,
        (file, place): (usize, Place),
        form: Form,
    ) -> Self {
        Self { name: name.into(), element_type, extents: extents.into(), place, file, form }
    }
}
