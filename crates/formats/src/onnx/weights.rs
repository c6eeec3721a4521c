//! The tensors of a model as [`Weights`].

use std::{collections::HashMap, sync::Arc};

use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, DTypeError, ShapeError};

use super::{
    Model, OnnxError, TensorProblem, TensorProto, elements,
    external::{ExternalFiles, Location},
    messages::{
        AttributeProto, DimensionValue, FunctionProto, GraphProto, ModelProto, NodeProto, SparseTensorProto, TypeProto,
        TypeValue, ValueInfoProto,
    },
};
use crate::{
    ElementType, Error, Format, Limits, MetadataValue, ModelFile, Name, Place, Weight, Weights,
    weights::{Form, Load},
};

/// The weights of a model: its initializers, and the values of its `Constant` nodes, which are named by what these put out.
///
/// Those of a subgraph have its place in front, as in `y/then_branch/w`: the first output of the node, the attribute, the name.
/// Those of functions have the function's domain and name in front, as in `com.example.Twice/c`.
pub(crate) fn weights(file: ModelFile, limits: &Limits) -> Result<Weights, Error> {
    let Model { mut proto, files: external } = Model::of_file(&file, limits)?;
    let metadata = metadata(&proto);
    let external = external.unwrap_or_else(|| Arc::new(ExternalFiles::new(file.clone())));
    let mut listing = Listing {
        names: Names { file_bytes: file.len(), bytes: 0, limit: super::scan::memory_max(file.len(), limits) },
        weights: Vec::new(),
        files: vec![file],
        by_path: HashMap::new(),
        external,
        shards: limits.shards,
    };
    if let Some(graph) = &mut proto.graph {
        listing.graph("", graph)?;
    }
    for function in &mut proto.functions {
        let prefix = listing.names.joined(&[&full_name(function), "/"])?;
        listing.nodes(&prefix, &mut function.node)?;
    }
    Ok(Weights::new(Format::Onnx, listing.files, listing.weights, metadata)?)
}

/// A weight whose elements are not just bytes of a file that is open.
#[derive(Debug)]
struct Within {
    tensor: TensorProto,
    external: Arc<ExternalFiles>,
}

impl Load for Within {
    fn load(&self, _weight: &Weight, _file: &ModelFile) -> Result<Tensor, Error> {
        elements::read(&self.tensor, Some(&self.external)).map_err(|problem| match problem {
            TensorProblem::Elements(error) => *error,
            problem => OnnxError::Problem(Box::new(problem)).into(),
        })
    }
}

/// The weights found so far.
struct Listing {
    names: Names,
    weights: Vec<Weight>,
    /// The model, and the other files that could be opened.
    files: Vec<ModelFile>,
    /// Positions in `files` of other files; none of those that could not be opened.
    by_path: HashMap<String, Option<usize>>,
    external: Arc<ExternalFiles>,
    /// How many other files there may be.
    shards: u64,
}

/// What names take that are made of others. A name in a message stands in front of all those beneath it, so that few bytes of a
/// file could become many.
struct Names {
    file_bytes: u64,
    bytes: u64,
    limit: u64,
}

impl Names {
    fn joined(&mut self, parts: &[&str]) -> Result<String, OnnxError> {
        self.bytes += parts.iter().map(|part| part.len() as u64).sum::<u64>();
        if self.bytes > self.limit {
            return Err(OnnxError::TooMuchMemory { file_bytes: self.file_bytes, limit: self.limit });
        }
        Ok(parts.concat())
    }
}

impl Listing {
    fn graph(&mut self, prefix: &str, graph: &mut GraphProto) -> Result<(), Error> {
        for tensor in &mut graph.initializer {
            let name = self.names.joined(&[prefix, tensor.name()])?;
            self.tensor(&name, tensor)?;
        }
        for sparse in &graph.sparse_initializer {
            let name = sparse.values.as_ref().map_or("", TensorProto::name);
            let name = self.names.joined(&[prefix, name])?;
            self.sparse(&name, sparse)?;
        }
        self.nodes(prefix, &mut graph.node)
    }

    fn nodes(&mut self, prefix: &str, nodes: &mut [NodeProto]) -> Result<(), Error> {
        for node in nodes {
            let is_constant = node.op_type() == "Constant" && super::canonical(node.domain()).is_empty();
            if !is_constant && node.attribute.iter().all(|attribute| attribute.subgraphs().next().is_none()) {
                continue;
            }
            let output = node.output.iter().find(|name| !name.is_empty()).map_or("", |name| name);
            let place = self.names.joined(&[prefix, output])?;
            for attribute in &mut node.attribute {
                self.attribute(&place, is_constant, attribute)?;
            }
        }
        Ok(())
    }

    fn attribute(&mut self, place: &str, is_constant: bool, attribute: &mut AttributeProto) -> Result<(), Error> {
        if is_constant {
            if let Some(tensor) = &mut attribute.t {
                self.tensor(place, tensor)?;
            }
            if let Some(sparse) = &attribute.sparse_tensor {
                self.sparse(place, sparse)?;
            }
        }
        let name = attribute.name.as_deref().unwrap_or_default();
        if let Some(graph) = &mut attribute.g {
            let prefix = self.names.joined(&[place, "/", name, "/"])?;
            self.graph(&prefix, graph)?;
        }
        for (index, graph) in attribute.graphs.iter_mut().enumerate() {
            let prefix = self.names.joined(&[place, "/", name, &format!(".{index}/")])?;
            self.graph(&prefix, graph)?;
        }
        Ok(())
    }

    fn tensor(&mut self, name: &str, tensor: &mut TensorProto) -> Result<(), Error> {
        let extents = extents(name, &tensor.fields.dims)?;
        let element_type = match DType::from_onnx(tensor.fields.data_type().into()) {
            Ok(dtype) => ElementType::Plain(dtype),
            Err(DTypeError::UnsupportedOnnxType { name, .. }) => ElementType::Unsupported(Name::new(name)),
            Err(error) => ElementType::Unsupported(Name::new(&error.to_string())),
        };
        let (file, place, is_plain) = self.place(tensor)?;
        let form = if is_plain {
            Form::Plain
        } else {
            // The messages are dropped after this, so nothing is copied.
            Form::Special(Arc::new(Within { tensor: std::mem::take(tensor), external: Arc::clone(&self.external) }))
        };
        self.weights.push(Weight::new(name, element_type, extents, (file, place), form));
        Ok(())
    }

    fn sparse(&mut self, name: &str, sparse: &SparseTensorProto) -> Result<(), Error> {
        let element_type = ElementType::Unsupported(Name::new("sparse"));
        let place = (0, Place::new(None, 0..0));
        self.weights.push(Weight::new(name, element_type, extents(name, &sparse.dims)?, place, Form::Plain));
        Ok(())
    }

    /// The file that has the elements, where, and whether they are just there, as many as the shape takes.
    fn place(&mut self, tensor: &TensorProto) -> Result<(usize, Place, bool), Error> {
        let needed = elements::dtype_and_shape(tensor).map(|(dtype, shape)| (shape.count() * dtype.size()) as u64).ok();
        if tensor.is_external() {
            let Ok(location) = Location::of(tensor) else { return Ok((0, Place::new(None, 0..0), false)) };
            let length = location.length.or(needed).unwrap_or(0);
            let range = location.offset..location.offset.saturating_add(length);
            let file = self.file(location.path)?;
            // What is wrong with any other is told when it is asked for.
            let is_plain = file.is_some_and(|file| range.end <= self.files[file].len()) && needed == Some(length);
            let is_plain = is_plain && elements::is_in_one_place(tensor);
            return Ok((file.unwrap_or(0), Place::new(Some(location.path.into()), range), is_plain));
        }
        match tensor.raw_data.as_ref().and_then(|raw_data| raw_data.in_file()) {
            Some((_, range)) => {
                let is_plain = needed == Some(range.end - range.start) && elements::is_in_one_place(tensor);
                Ok((0, Place::new(None, range), is_plain))
            }
            None => Ok((0, Place::new(None, 0..0), false)),
        }
    }

    /// The position of another file, if it can be opened.
    fn file(&mut self, path: &str) -> Result<Option<usize>, OnnxError> {
        if let Some(position) = self.by_path.get(path) {
            return Ok(*position);
        }
        if self.by_path.len() as u64 >= self.shards {
            return Err(OnnxError::Limit { what: "other files", limit: self.shards });
        }
        let position = self.external.open(path).ok().map(|file| {
            self.files.push(file);
            self.files.len() - 1
        });
        self.by_path.insert(path.to_owned(), position);
        Ok(position)
    }
}

fn extents(name: &str, dims: &[i64]) -> Result<Vec<u64>, OnnxError> {
    let extent = |(axis, &extent): (usize, &i64)| {
        let negative = |_| TensorProblem::Shape(ShapeError::NegativeExtent { axis, extent });
        u64::try_from(extent).map_err(negative)
    };
    let extents: Result<_, _> = dims.iter().enumerate().map(extent).collect();
    extents.map_err(|problem| OnnxError::of_tensor(name, problem))
}

/// What a model says beside its tensors.
fn metadata(proto: &ModelProto) -> Vec<(Box<str>, MetadataValue)> {
    let mut metadata: Vec<(Box<str>, MetadataValue)> = Vec::new();
    let texts = [
        ("producer_name", &proto.producer_name),
        ("producer_version", &proto.producer_version),
        ("domain", &proto.domain),
        ("doc_string", &proto.doc_string),
    ];
    let numbers = [("ir_version", proto.ir_version), ("model_version", proto.model_version)];
    metadata.extend(numbers.into_iter().filter_map(|(key, value)| Some((key.into(), MetadataValue::Signed(value?)))));
    let texts = texts.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    metadata.extend(texts.filter(|(_, text)| !text.is_empty()).map(|(key, value)| (key.into(), text(value))));
    for import in &proto.opset_import {
        let domain = if import.domain().is_empty() { "ai.onnx" } else { import.domain() };
        metadata.push((format!("opset_import.{domain}").into(), MetadataValue::Signed(import.version())));
    }
    if let Some(graph) = &proto.graph {
        metadata.push(("graph.name".into(), text(graph.name())));
        metadata.push(("graph.nodes".into(), MetadataValue::Unsigned(graph.nodes().count() as u64)));
        let mut values = |kind: &str, values: &[ValueInfoProto]| {
            let one = |value: &ValueInfoProto| {
                let r#type = value.r#type.as_ref().map_or_else(|| "?".to_owned(), type_text);
                (format!("graph.{kind}.{}", value.name()).into(), text(&r#type))
            };
            metadata.extend(values.iter().map(one));
        };
        values("input", &graph.input);
        values("output", &graph.output);
    }
    metadata.extend(proto.functions.iter().map(|function| {
        let nodes: usize = function.node.iter().map(|node| 1 + within(node)).sum();
        (format!("function.{}.nodes", full_name(function)).into(), MetadataValue::Unsigned(nodes as u64))
    }));
    let entries = proto.metadata_props.iter();
    metadata.extend(entries.map(|entry| (format!("metadata_props.{}", entry.key()).into(), text(entry.value()))));
    metadata
}

/// The nodes of the graphs in a node's attributes.
fn within(node: &NodeProto) -> usize {
    node.attribute.iter().flat_map(AttributeProto::subgraphs).map(|graph| graph.nodes().count()).sum()
}

/// What tells a function from others: its domain, its name and its overload.
fn full_name(function: &FunctionProto) -> String {
    let parts = [function.domain(), function.name(), function.overload()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

fn text(text: &str) -> MetadataValue {
    MetadataValue::Text(text.into())
}

/// A type as people write it: `float32 [batch, 3, ?]`.
fn type_text(r#type: &TypeProto) -> String {
    let code_text = |code: i32| match DType::from_onnx(code.into()) {
        Ok(dtype) => dtype.name().to_owned(),
        Err(DTypeError::UnsupportedOnnxType { name, .. }) => name.to_owned(),
        Err(_) => format!("type {code}"),
    };
    let inner = |r#type: &Option<Box<TypeProto>>| r#type.as_deref().map_or_else(|| "?".to_owned(), type_text);
    match &r#type.value {
        Some(TypeValue::TensorType(tensor) | TypeValue::SparseTensorType(tensor)) => {
            let dtype = code_text(tensor.elem_type());
            let Some(shape) = &tensor.shape else { return dtype };
            let extent = |value: &Option<DimensionValue>| match value {
                Some(DimensionValue::DimValue(extent)) => extent.to_string(),
                Some(DimensionValue::DimParam(name)) => name.clone(),
                None => "?".to_owned(),
            };
            let extents: Vec<_> = shape.dim.iter().map(|dimension| extent(&dimension.value)).collect();
            format!("{dtype} [{}]", extents.join(", "))
        }
        Some(TypeValue::SequenceType(sequence)) => format!("sequence of {}", inner(&sequence.elem_type)),
        Some(TypeValue::OptionalType(optional)) => format!("optional {}", inner(&optional.elem_type)),
        Some(TypeValue::MapType(map)) => {
            format!("map from {} to {}", code_text(map.key_type()), inner(&map.value_type))
        }
        None => "?".to_owned(),
    }
}
