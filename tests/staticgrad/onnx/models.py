"""What the tests of models share: running a model in ONNX's reference and in ONNX Runtime."""

import contextlib

import numpy as np
import pytest

import staticgrad as sg


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


def require_slopes(fn, feeds, output=0, step=1e-6, rel=1e-4):
    """Raise unless the gradient of a weighted output is its difference quotient in a direction."""
    y, rng = fn.outputs[output], np.random.default_rng(1)
    wanted = [e for e in fn.inputs if e.dtype.kind == "f"]
    weights = rng.normal(size=fn(*feeds)[output].shape)
    loss = sg.reduce_sum(sg.cast(y, "float64") * weights)
    run = sg.compile([loss, *sg.gradients(loss, wanted, unconnected="zero")], fn.inputs)
    directions = [
        rng.normal(size=x.shape).astype(x.dtype) if x.dtype.kind == "f" else np.zeros_like(x)
        for x in feeds
    ]
    ahead, behind = (
        run(*[x + np.asarray(s * step * d, x.dtype) if x.dtype.kind == "f" else x
              for x, d in zip(feeds, directions, strict=True)])[0]
        for s in (1, -1)
    )  # fmt: skip
    moved = [d for x, d in zip(feeds, directions, strict=True) if x.dtype.kind == "f"]
    slope = sum(float(np.sum(g * d)) for g, d in zip(run(*feeds)[1:], moved, strict=True))
    assert (ahead - behind) / (2 * step) == pytest.approx(slope, rel=rel, abs=rel)
