"""What the tests of models share: running a model in ONNX's reference and in ONNX Runtime."""

import contextlib

import numpy as np


def run_reference(model, feeds):
    """The outputs that ONNX's reference computes."""
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(model).run(None, feeds)


def run_runtime(model, feeds):
    """The outputs that ONNX Runtime computes; None where it has no kernel, or is not installed."""
    runtime = runtime_or_none()
    if runtime is None:
        return None
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    with contextlib.suppress(runtime.capi.onnxruntime_pybind11_state.NotImplemented):
        session = runtime.InferenceSession(model.SerializeToString(), options)
        return session.run(None, feeds)
    return None


def runtime_or_none():
    """ONNX Runtime, if it is installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    return onnxruntime


def require_close(found, expected, what):
    """Raise unless arrays have one type and shape, and entries that are close."""
    assert len(found) == len(expected), what
    for a, b in zip(map(np.asarray, found), map(np.asarray, expected), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), what
        tolerance = {2: 1e-2, 4: 1e-4}.get(b.dtype.itemsize, 1e-6 if b.dtype.kind == "f" else 0)
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=what)


def sizes_of(value):
    """The sizes of an input or output of a model: numbers and names."""
    return [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]
