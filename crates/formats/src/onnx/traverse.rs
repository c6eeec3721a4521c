//! Going through all nodes and tensors of a model, those of subgraphs included.

use super::{
    messages::{AttributeProto, GraphProto, ModelProto, NodeProto, SparseTensorProto},
    tensor_proto::TensorProto,
};

/// Nodes of a graph and of the graphs in their attributes, each node before those within it.
#[derive(Debug, Clone)]
pub struct Nodes<'a> {
    /// What is still to come, the next part last.
    rest: Vec<std::slice::Iter<'a, NodeProto>>,
}

impl GraphProto {
    /// All nodes of the graph and of its subgraphs, each node before those within it.
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes { rest: vec![self.node.iter()] }
    }
}

impl AttributeProto {
    /// The graphs in the attribute.
    pub fn subgraphs(&self) -> impl DoubleEndedIterator<Item = &GraphProto> {
        self.g.as_deref().into_iter().chain(&self.graphs)
    }
}

impl<'a> Iterator for Nodes<'a> {
    type Item = &'a NodeProto;

    fn next(&mut self) -> Option<&'a NodeProto> {
        while let Some(nodes) = self.rest.last_mut() {
            let Some(node) = nodes.next() else {
                self.rest.pop();
                continue;
            };
            let subgraphs = node.attribute.iter().flat_map(AttributeProto::subgraphs);
            self.rest.extend(subgraphs.rev().map(|graph| graph.node.iter()));
            return Some(node);
        }
        None
    }
}

/// Calls a function with each tensor of a model. How deep graphs are nested was limited when they were decoded.
pub(super) fn tensors_mut(model: &mut ModelProto, visit: &mut impl FnMut(&mut TensorProto)) {
    model.graph.iter_mut().for_each(|graph| of_graph(graph, visit));
    for function in &mut model.functions {
        of_nodes(&mut function.node, visit);
        function.attribute_proto.iter_mut().for_each(|attribute| of_attribute(attribute, visit));
    }
}

fn of_graph(graph: &mut GraphProto, visit: &mut impl FnMut(&mut TensorProto)) {
    graph.initializer.iter_mut().for_each(&mut *visit);
    graph.sparse_initializer.iter_mut().for_each(|sparse| of_sparse(sparse, visit));
    of_nodes(&mut graph.node, visit);
}

fn of_nodes(nodes: &mut [NodeProto], visit: &mut impl FnMut(&mut TensorProto)) {
    for attribute in nodes.iter_mut().flat_map(|node| &mut node.attribute) {
        of_attribute(attribute, visit);
    }
}

fn of_attribute(attribute: &mut AttributeProto, visit: &mut impl FnMut(&mut TensorProto)) {
    attribute.t.iter_mut().for_each(|tensor| visit(tensor));
    attribute.tensors.iter_mut().for_each(&mut *visit);
    attribute.sparse_tensor.iter_mut().for_each(|sparse| of_sparse(sparse, visit));
    attribute.sparse_tensors.iter_mut().for_each(|sparse| of_sparse(sparse, visit));
    attribute.g.iter_mut().for_each(|graph| of_graph(graph, visit));
    attribute.graphs.iter_mut().for_each(|graph| of_graph(graph, visit));
}

fn of_sparse(sparse: &mut SparseTensorProto, visit: &mut impl FnMut(&mut TensorProto)) {
    sparse.values.iter_mut().for_each(&mut *visit);
    sparse.indices.iter_mut().for_each(&mut *visit);
}
