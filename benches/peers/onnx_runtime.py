"""Times single operators in ONNX Runtime, for ratios beside stratal's own benchmarks on the same machine.

    pip install onnxruntime onnx numpy
    python benches/peers/onnx_runtime.py [--threads N] [FILTER]

Prints the least time of a call, inputs and outputs bound beforehand. A call carries the session's overhead of a few
microseconds, so small problems say little. Names are those of the criterion benchmarks.
"""

import argparse
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

OPSET = 20
BUDGET_SECONDS = 0.5


def cases():
    """Pairs of a name and a node with its inputs: operator, attributes, arrays."""
    random = numpy.random.default_rng(1)
    normal = lambda *shape: random.standard_normal(shape, dtype=numpy.float32)
    for size, count in [("4KiB", 1 << 10), ("256KiB", 1 << 16), ("4MiB", 1 << 20), ("64MiB", 1 << 24)]:
        x = normal(count)
        yield f"map_add/{size}", "Add", {}, [x, normal(count)]
        for operator in ["Exp", "Sigmoid", "Tanh", "Erf", "Gelu", "Log", "Sqrt", "Relu"]:
            yield f"map_{operator.lower()}/{size}", operator, {}, [x if operator != "Log" else numpy.abs(x)]
        yield f"map_gelu_tanh/{size}", "Gelu", {"approximate": "tanh"}, [x]
        yield f"cast_f32_to_f16/{size}", "Cast", {"to": TensorProto.FLOAT16}, [x]
    for rows, columns in [(64, 64), (1024, 1024)]:
        x = normal(rows, columns)
        name = f"{rows}x{columns}"
        yield f"softmax/{name}", "Softmax", {"axis": -1}, [x]
        yield f"log_softmax/{name}", "LogSoftmax", {"axis": -1}, [x]
        yield f"layer_norm/{name}", "LayerNormalization", {}, [x, normal(columns), normal(columns)]
        yield f"reduce_sum_all/{name}", "ReduceSum", {"keepdims": 0}, [x]
        yield f"reduce_sum_rows/{name}", "ReduceSum", {}, [x, numpy.array([1])]
        yield f"reduce_sum_columns/{name}", "ReduceSum", {}, [x, numpy.array([0])]
        yield f"transpose/{name}", "Transpose", {"perm": [1, 0]}, [x]
    yield "transpose/2048x2048", "Transpose", {"perm": [1, 0]}, [normal(2048, 2048)]
    yield "nchw_to_nhwc/1x64x112x112", "Transpose", {"perm": [0, 2, 3, 1]}, [normal(1, 64, 112, 112)]
    window = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    yield "pool_max/1x64x112x112_k3s2p1", "MaxPool", window, [normal(1, 64, 112, 112)]
    yield "pool_average/1x64x112x112_k3s2p1", "AveragePool", window, [normal(1, 64, 112, 112)]
    for rows, depth, columns in [(64, 64, 64), (256, 256, 256), (1024, 1024, 1024), (8, 4096, 4096), (32, 4096, 4096)]:
        yield f"matmul_f32/{rows}x{depth}_{depth}x{columns}", "MatMul", {}, [normal(rows, depth), normal(depth, columns)]
    for image, kernel, attributes in [
        ((1, 64, 56, 56), (64, 64, 3, 3), {"pads": [1] * 4}),
        ((1, 3, 224, 224), (64, 3, 7, 7), {"pads": [3] * 4, "strides": [2, 2]}),
        ((1, 96, 56, 56), (96, 1, 3, 3), {"pads": [1] * 4, "group": 96}),
        ((1, 256, 56, 56), (64, 256, 1, 1), {}),
    ]:
        shape = lambda extents: "x".join(str(extent) for extent in extents)
        yield f"convolve_f32/{shape(image)}_{shape(kernel)}", "Conv", attributes, [normal(*image), normal(*kernel)]
    table = normal(50_000, 768)
    yield "gather_rows/50000x768_512", "Gather", {}, [table, random.integers(0, 50_000, 512)]
    yield "concat_rows/2x1024x1024", "Concat", {"axis": 0}, [normal(1024, 1024), normal(1024, 1024)]
    yield "concat_columns/2x1024x1024", "Concat", {"axis": 1}, [normal(1024, 1024), normal(1024, 1024)]
    yield "pad_constant/1x64x112x112_1", "Pad", {}, [normal(1, 64, 112, 112), numpy.array([0, 0, 1, 1, 0, 0, 1, 1])]
    image = normal(1, 64, 56, 56)
    scales = numpy.array([1, 1, 2, 2], numpy.float32)
    yield "resize_linear/1x64x56x56_x2", "Resize", {"mode": "linear"}, [image, None, scales]
    yield "resize_nearest/1x64x56x56_x2", "Resize", {"mode": "nearest"}, [image, None, scales]
    yield "topk/1000x1000_10", "TopK", {}, [normal(1000, 1000), numpy.array([10])]


def session(operator, attributes, arrays, threads):
    names = [f"x{index}" if array is not None else "" for index, array in enumerate(arrays)]
    outputs = ["y", "z"] if operator == "TopK" else ["y"]
    node = helper.make_node(operator, names, outputs, **attributes)
    given = {name: array for name, array in zip(names, arrays) if name}
    # Integer inputs are attributes in spirit: constants, so that the runtime may prepare.
    constants = {name: array for name, array in given.items() if array.dtype == numpy.int64 and operator != "Gather"}
    fed = {name: array for name, array in given.items() if name not in constants}
    typed = lambda name, array: helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
    )
    initializers = [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(
        [node],
        operator,
        [typed(name, array) for name, array in fed.items()],
        [onnx.ValueInfoProto(name=output) for output in outputs],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"]), fed, outputs


def nanoseconds(operator, attributes, arrays, threads):
    """The least time of a call."""
    run, fed, outputs = session(operator, attributes, arrays, threads)
    values = run.run(outputs, fed)
    binding = run.io_binding()
    for name, array in fed.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    for name, value in zip(outputs, values):
        binding.bind_ortvalue_output(name, onnxruntime.OrtValue.ortvalue_from_numpy(value))
    least = float("inf")
    end = time.perf_counter() + BUDGET_SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        run.run_with_iobinding(binding)
        least = min(least, time.perf_counter_ns() - start)
    return least


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("filter", nargs="?", default="", help="only names that contain this")
    arguments.add_argument("--threads", type=int, default=1)
    chosen = arguments.parse_args()
    for name, operator, attributes, arrays in cases():
        if chosen.filter in name:
            print(f"{name:<36} {nanoseconds(operator, attributes, arrays, chosen.threads) / 1000:>12.2f} us", flush=True)


if __name__ == "__main__":
    main()
