//! The suite as an exported folder: `node/CASE/{model.onnx, meta.json, test_data_set_0/*.pb}`, as `export.py` writes it.

mod array;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use stratal_ops::{definition, definitions};
use stratal_tensor_base::DType;

use crate::case::{Array, Case, Setting};
use crate::message::{self, Attribute, AttributeKind, Model, Node};

/// One case of the suite.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// With the domain in front, unless it is ONNX's own.
    pub(crate) operator: String,
    pub(crate) content: Content,
}

/// What a case asks for.
#[derive(Debug)]
pub(crate) enum Content {
    /// Something that can be tried.
    Case(Case),
    /// Something that is not there, by its name.
    Absent(String),
}

/// What stands in `meta.json`.
#[derive(Debug, Deserialize)]
struct Meta {
    rtol: f64,
    atol: f64,
    /// Names and types.
    inputs: Vec<(String, String)>,
    outputs: Vec<(String, String)>,
}

/// The plain cases of a folder by name, of one operator if it is given.
///
/// # Errors
/// When a file is missing or malformed, with its path; when there is no case.
pub(crate) fn read(folder: &Path, only: Option<&str>) -> Result<Vec<Entry>> {
    let nodes = folder.join("node");
    let listing = fs::read_dir(&nodes).with_context(|| format!("{} is no exported suite", folder.display()))?;
    let mut names = Vec::new();
    for entry in listing {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // Others are the same operators as functions of simpler ones.
        if !name.contains("_expanded") {
            names.push(name);
        }
    }
    names.sort();
    let mut entries = Vec::new();
    for name in names {
        entries.extend(read_entry(&nodes.join(&name), name, only)?);
    }
    match only {
        _ if !entries.is_empty() => Ok(entries),
        Some(operator) => bail!("the suite in {} has no case of {operator}", folder.display()),
        None => bail!("the suite in {} has no cases", folder.display()),
    }
}

/// The operator's name, with its domain in front unless that is ONNX's own.
pub(crate) fn full_name(domain: &str, operator: &str) -> String {
    if domain.is_empty() { operator.to_owned() } else { format!("{domain}.{operator}") }
}

fn read_entry(folder: &Path, name: String, only: Option<&str>) -> Result<Option<Entry>> {
    let path = folder.join("model.onnx");
    let model: Model = message::read(&path)?;
    let nodes = model.graph.unwrap_or_default().nodes;
    let [node] = &nodes[..] else { bail!("{} has {} nodes, not one", path.display(), nodes.len()) };
    let operator = full_name(&node.domain, &node.operator);
    if only.is_some_and(|only| only != operator) {
        return Ok(None);
    }
    let path = folder.join("meta.json");
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let meta: Meta = serde_json::from_slice(&text).with_context(|| format!("{} is malformed", path.display()))?;
    let content = match absent(node, &meta) {
        Some(what) => Content::Absent(what),
        None => Content::Case(case(folder, &name, node, &meta)?),
    };
    Ok(Some(Entry { name, operator, content }))
}

/// The first thing that a case needs and that is not there.
fn absent(node: &Node, meta: &Meta) -> Option<String> {
    if !definitions().any(|definition| definition.domain == node.domain) {
        return Some(format!("no operators of {}", node.domain));
    }
    if node.attributes.iter().any(|attribute| matches!(attribute.kind(), AttributeKind::Graph | AttributeKind::Graphs))
    {
        return Some("subgraphs".into());
    }
    let mut types = meta.inputs.iter().chain(&meta.outputs).map(|(_, type_name)| type_name.as_str());
    let of_type = types.find_map(|name| match name {
        _ if name.contains("optional(") => Some("optionals".into()),
        _ if name.contains("seq(") => Some("sequences".into()),
        _ if DType::ALL.iter().any(|dtype| dtype.onnx_name().eq_ignore_ascii_case(name)) => None,
        _ => Some(format!("dtype {name}")),
    });
    let no_operator = || definition(&node.domain, &node.operator).is_none().then(|| "no such operator".into());
    of_type.or_else(no_operator)
}

fn case(folder: &Path, name: &str, node: &Node, meta: &Meta) -> Result<Case> {
    let data = folder.join("test_data_set_0");
    let input = |name: &String| -> Result<Option<Array>> {
        if name.is_empty() {
            return Ok(None);
        }
        let place = meta.inputs.iter().position(|(known, _)| known == name);
        let place = place.with_context(|| format!("{} does not list input {name:?}", folder.display()))?;
        array::read(&data.join(format!("input_{place}.pb"))).map(Some)
    };
    let output = |name: &String| -> Result<Option<Array>> {
        // What the graph does not give back, nobody wants.
        let Some(place) = meta.outputs.iter().position(|(known, _)| known == name) else { return Ok(None) };
        array::read(&data.join(format!("output_{place}.pb"))).map(Some)
    };
    let setting = |attribute: &Attribute| -> Result<(String, Setting)> {
        let what = || format!("attribute {} of {}", attribute.name, folder.join("model.onnx").display());
        Ok((attribute.name.clone(), setting(attribute).with_context(what)?))
    };
    Ok(Case {
        name: name.to_owned(),
        domain: node.domain.clone(),
        operator: node.operator.clone(),
        attributes: node.attributes.iter().map(setting).collect::<Result<BTreeMap<_, _>>>()?,
        inputs: node.inputs.iter().map(input).collect::<Result<_>>()?,
        outputs: node.outputs.iter().map(output).collect::<Result<_>>()?,
        relative: meta.rtol,
        absolute: meta.atol,
    })
}

fn setting(attribute: &Attribute) -> Result<Setting> {
    let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).context("is no UTF-8");
    let kind = attribute.kind();
    Ok(match kind {
        AttributeKind::Float => Setting::Float(array::number(attribute.float.into())),
        AttributeKind::Int => Setting::Int(attribute.int),
        AttributeKind::String => Setting::String(text(&attribute.string)?),
        AttributeKind::Tensor => {
            Setting::Tensor(array::array(attribute.tensor.as_ref().context("has no tensor in it")?)?)
        }
        AttributeKind::Floats => {
            Setting::Floats(attribute.floats.iter().map(|&float| array::number(float.into())).collect())
        }
        AttributeKind::Ints => Setting::Ints(attribute.ints.clone()),
        AttributeKind::Strings => Setting::Strings(attribute.strings.iter().map(text).collect::<Result<_>>()?),
        AttributeKind::Undefined
        | AttributeKind::Graph
        | AttributeKind::Tensors
        | AttributeKind::Graphs
        | AttributeKind::SparseTensor
        | AttributeKind::SparseTensors
        | AttributeKind::Type
        | AttributeKind::Types => bail!("has the kind {kind:?}"),
    })
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use tempfile::TempDir;

    use super::*;
    use crate::message::{Graph, Tensor};

    /// A suite with one case, of a node with inputs `x` and none, and output `y`.
    fn suite(node: Node, dtype: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let case = folder.path().join("node/test_one");
        let data = case.join("test_data_set_0");
        fs::create_dir_all(&data).unwrap();
        let node = Node { inputs: vec!["x".into(), String::new()], outputs: vec!["y".into(), "z".into()], ..node };
        let model = Model { graph: Some(Graph { nodes: vec![node] }) };
        fs::write(case.join("model.onnx"), model.encode_to_vec()).unwrap();
        let meta = format!(r#"{{"rtol": 0.5, "atol": 0, "inputs": [["x", "{dtype}"]], "outputs": [["y", "float"]]}}"#);
        fs::write(case.join("meta.json"), meta).unwrap();
        let tensor = Tensor { shape: vec![2], dtype: 1, f32s: vec![1.0, 2.0], ..Tensor::default() };
        fs::write(data.join("input_0.pb"), tensor.encode_to_vec()).unwrap();
        fs::write(data.join("output_0.pb"), tensor.encode_to_vec()).unwrap();
        // The same operator by others: left out.
        fs::create_dir(folder.path().join("node/test_one_expanded_ver18")).unwrap();
        folder
    }

    fn elu() -> Node {
        let alpha =
            Attribute { name: "alpha".into(), float: 0.1, kind: AttributeKind::Float.into(), ..Default::default() };
        Node { operator: "Elu".into(), attributes: vec![alpha], ..Node::default() }
    }

    fn error_of(folder: &TempDir) -> String {
        format!("{:#}", read(folder.path(), None).unwrap_err())
    }

    fn absent_from(folder: &TempDir) -> String {
        match &read(folder.path(), None).unwrap()[..] {
            [Entry { content: Content::Absent(what), .. }] => what.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_case_has_what_its_files_say() {
        let folder = suite(elu(), "float");
        let entries = read(folder.path(), None).unwrap();
        let [Entry { name, operator, content: Content::Case(case) }] = &entries[..] else { panic!("{entries:?}") };
        assert_eq!((name.as_str(), operator.as_str()), ("test_one", "Elu"));
        let array = r#"{"dtype":"float32","shape":[2],"elements":[1.0,2.0]}"#;
        let expected = format!(
            r#"{{"name":"test_one","operator":"Elu","attributes":{{"alpha":{{"float":0.1}}}},"inputs":[{array},null],"outputs":[{array},null],"relative":0.5,"absolute":0.0}}"#
        );
        assert_eq!(serde_json::to_string(case).unwrap(), expected);
    }

    #[test]
    fn what_is_not_there_is_named() {
        assert_eq!(absent_from(&suite(Node { operator: "Nonsense".into(), ..elu() }, "float")), "no such operator");
        assert_eq!(
            absent_from(&suite(Node { domain: "ai.onnx.ml".into(), ..elu() }, "float")),
            "no operators of ai.onnx.ml"
        );
        assert_eq!(absent_from(&suite(elu(), "float8e5m2")), "dtype float8e5m2");
        assert_eq!(absent_from(&suite(elu(), "seq(float)")), "sequences");
        assert_eq!(absent_from(&suite(elu(), "optional(seq(float))")), "optionals");
        let branch = Attribute { kind: AttributeKind::Graph.into(), ..Attribute::default() };
        assert_eq!(absent_from(&suite(Node { attributes: vec![branch], ..elu() }, "float")), "subgraphs");
    }

    #[test]
    fn missing_and_malformed_files_are_named() {
        let folder = suite(elu(), "float");
        let case = folder.path().join("node/test_one");
        fs::write(case.join("test_data_set_0/output_0.pb"), Tensor { dtype: 1, ..Tensor::default() }.encode_to_vec())
            .unwrap();
        let error = error_of(&folder);
        assert!(error.contains("output_0.pb holds no proper tensor: 0 elements do not fill the shape []"), "{error}");
        fs::remove_file(case.join("test_data_set_0/input_0.pb")).unwrap();
        assert!(error_of(&folder).contains("input_0.pb"), "{}", error_of(&folder));
        fs::write(case.join("meta.json"), r#"{"rtol": 0.5, "atol": 0, "inputs": [], "outputs": []}"#).unwrap();
        assert!(error_of(&folder).ends_with(r#"test_one does not list input "x""#), "{}", error_of(&folder));
        fs::write(case.join("meta.json"), "{").unwrap();
        assert!(error_of(&folder).contains("meta.json is malformed"), "{}", error_of(&folder));
        fs::write(case.join("model.onnx"), "").unwrap();
        assert!(error_of(&folder).ends_with("model.onnx has 0 nodes, not one"), "{}", error_of(&folder));
    }

    #[test]
    fn a_bad_attribute_is_named_with_its_file() {
        let alpha = Attribute { name: "alpha".into(), kind: AttributeKind::Tensor.into(), ..Attribute::default() };
        let error = error_of(&suite(Node { attributes: vec![alpha], ..elu() }, "float"));
        assert!(
            error.starts_with("attribute alpha of ") && error.ends_with("model.onnx: has no tensor in it"),
            "{error}"
        );
    }

    #[test]
    fn one_operator_is_picked_by_its_full_name() {
        let folder = suite(Node { domain: "ai.onnx.ml".into(), ..elu() }, "float");
        assert_eq!(read(folder.path(), Some("ai.onnx.ml.Elu")).unwrap().len(), 1);
        let error = read(folder.path(), Some("Elu")).unwrap_err().to_string();
        assert!(error.ends_with("has no case of Elu"), "{error}");
        let error = read(&folder.path().join("nowhere"), None).unwrap_err().to_string();
        assert!(error.ends_with("nowhere is no exported suite"), "{error}");
    }
}
