//! ONNX: models as graphs of operators.
