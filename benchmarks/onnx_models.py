"""ONNX models that come in, beside ONNX Runtime: times of loading and of running forward.

python -m benchmarks.onnx_models
"""

import io
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
import staticgrad as sg

TURNS, SECONDS = 15, 0.05
RNG = np.random.default_rng(0)


def weight(*shape: int) -> Any:
    """Random weights of a layer."""
    scale = max(math.prod(shape[1:]), 1) ** -0.5
    return sg.constant((RNG.normal(size=shape) * scale).astype(np.float32))


def mlp(x: Any) -> Any:
    """Three layers of 256."""
    for m, n in ((64, 256), (256, 256), (256, 256)):
        x = sg.nn.relu(x @ weight(m, n) + weight(n))
    return x @ weight(256, 10)


def block(x: Any) -> Any:
    """A transformer block of width 128 with four heads."""
    n, steps, width = x.shape
    heads = lambda v: sg.transpose(sg.reshape(v, [n, steps, 4, width // 4]), [0, 2, 1, 3])
    normed = ops.layer_norm(x, (width,), weight(width), weight(width))
    q, k, v = (heads(normed @ weight(width, width)) for _ in range(3))
    scores = q @ sg.transpose(k, [0, 1, 3, 2]) * (width / 4) ** -0.5
    mixed = sg.transpose(sg.nn.softmax(scores) @ v, [0, 2, 1, 3])
    x = x + sg.reshape(mixed, [n, steps, width]) @ weight(width, width)
    normed = ops.layer_norm(x, (width,), weight(width), weight(width))
    return x + sg.nn.gelu(normed @ weight(width, 512)) @ weight(512, width)


def conv(x: Any, filters: int, size: int, stride: int = 1) -> Any:
    """A convolution that keeps the size but for its stride."""
    given = {"stride": stride, "padding": size // 2}
    return ops.convolution(x, weight(filters, int(x.shape[1]), size, size), **given)


def cnn(x: Any) -> Any:
    """Two convolutions, each with a pool, and a layer."""
    for filters in (16, 32):
        x = ops.max_pooling(sg.nn.relu(conv(x, filters, 3)), 2)
    return sg.reshape(x, [x.shape[0], 32 * 49]) @ weight(32 * 49, 10)


def residual(x: Any, filters: int, stride: int) -> Any:
    """Two convolutions beside a shortcut."""
    y = conv(sg.nn.relu(conv(x, filters, 3, stride)), filters, 3)
    return sg.nn.relu(y + (conv(x, filters, 1, stride) if stride != 1 else x))


def resnet(x: Any) -> Any:
    """Eighteen layers, with normalizations folded into the weights."""
    x = ops.max_pooling(sg.nn.relu(conv(x, 64, 7, 2)), 3, 2, 1)
    for filters, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        x = residual(residual(x, filters, stride), filters, 1)
    return sg.reduce_mean(x, axis=[2, 3]) @ weight(512, 1000)


MODELS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "MLP, batch 32": (mlp, (32, 64)),
    "transformer block, 8 x 64 x 128": (block, (8, 64, 128)),
    "CNN 28 x 28, batch 64": (cnn, (64, 1, 28, 28)),
    "ResNet-18, 224 x 224": (resnet, (1, 3, 224, 224)),
}


def exported(program: Callable[[Any], Any], shape: tuple[int, ...]) -> bytes:
    """A program as an ONNX model."""
    file = io.BytesIO()
    with sg.Graph().as_default():
        x = sg.placeholder("float32", shape, name="x")
        sg.onnx.save(sg.freeze([program(x)], [x]), file)
    return file.getvalue()


def least(call: Callable[[], Any]) -> float:
    """Seconds of a call: the median of some calls in one turn."""
    times, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def runtime(model: bytes, x: Any) -> Callable[[], Any] | None:
    """A call of ONNX Runtime on two threads, if it is installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(model, options)
    return lambda: session.run(None, {"x": x})


def main() -> None:
    """Print loading in microseconds a node, and running in milliseconds and ratios."""
    import onnx

    for name, (program, shape) in MODELS.items():
        model, x = exported(program, shape), RNG.normal(size=shape).astype(np.float32)
        count = len(onnx.load_from_string(model).graph.node)
        parsing = least(lambda model=model: onnx.load_from_string(model))
        loading = least(lambda model=model: sg.onnx.load(model)) - parsing
        calls: dict[str, Any] = {"ONNX Runtime": runtime(model, x)}
        for backend in ("native", "numpy"):
            fn = sg.onnx.load(model, backend=backend)
            calls[backend] = lambda fn=fn, x=x: fn(x)
        turns = {k: [least(f)] for k, f in calls.items() if f is not None}
        for _ in range(TURNS):
            for k in turns:
                turns[k].append(least(calls[k]))
        medians = {k: 1e3 * statistics.median(v[1:]) for k, v in turns.items()}
        base = medians.get("ONNX Runtime", np.nan)
        shown = ", ".join(f"{k} {v:.3f} ms ({v / base:.2f})" for k, v in medians.items())
        print(f"{name}: {count} nodes, loading {1e6 * loading / count:.0f} us a node; {shown}")


if __name__ == "__main__":
    main()
