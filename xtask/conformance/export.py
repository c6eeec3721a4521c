"""Writes the plain single-operator cases of ONNX's operator suite into a folder.

The suite exists as Python code within the `onnx` package; this turns it into files:

    FOLDER/node/CASE/model.onnx                           a model with one node
    FOLDER/node/CASE/meta.json                            tolerances; names and types of inputs and outputs
    FOLDER/node/CASE/test_data_set_0/{input,output}_N.pb  tensors (or sequences, or optionals)

Usage: python export.py FOLDER       (needs onnx and numpy)
"""

import json
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_node_model_tests


def type_name(type_proto):
    """The type as text: `float`, `seq(int64)`, `optional(float)`."""
    kind = type_proto.WhichOneof("value")
    if kind == "tensor_type":
        return onnx.TensorProto.DataType.Name(type_proto.tensor_type.elem_type).lower()
    if kind == "sequence_type":
        return f"seq({type_name(type_proto.sequence_type.elem_type)})"
    if kind == "optional_type":
        return f"optional({type_name(type_proto.optional_type.elem_type)})"
    return kind or "none"


def message(value, info):
    """The protobuf message of a value."""
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    if isinstance(value, onnx.TensorProto):
        return value
    return numpy_helper.from_array(numpy.asarray(value), info.name)


def export(case, folder):
    graph = case.model.graph
    constants = {constant.name for constant in graph.initializer}
    values = {
        "input": [info for info in graph.input if info.name not in constants],
        "output": list(graph.output),
    }
    meta = {"rtol": case.rtol, "atol": case.atol}
    files = {"model.onnx": case.model.SerializeToString(deterministic=True)}
    for kind, infos in values.items():
        meta[kind + "s"] = [[info.name, type_name(info.type)] for info in infos]
    for number, data in enumerate(case.data_sets):
        for kind, arrays in zip(("input", "output"), data):
            for index, (array, info) in enumerate(zip(arrays, values[kind])):
                name = f"test_data_set_{number}/{kind}_{index}.pb"
                files[name] = message(array, info).SerializeToString(deterministic=True)
    files["meta.json"] = json.dumps(meta, sort_keys=True).encode()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # Other cases are the same operators as functions of simpler ones.
    cases = [case for case in load_node_model_tests() if "_expanded" not in case.name]
    for case in cases:
        export(case, pathlib.Path(sys.argv[1]) / "node" / case.name)
    print(f"{len(cases)} cases of onnx {onnx.__version__}")


main()
