"""Networks of layers: value and all gradients per call, against torch; and as a graph.

python benchmarks/networks.py                            # one thread
OPENBLAS_NUM_THREADS=2 python benchmarks/networks.py     # two, in torch as well
"""

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from larger import floats
from workloads import Runs, eager_libraries

import dynamicgrad as dg
import staticgrad as sg


def in_each(make: Callable[[Any], Any], *data: Any) -> Runs:
    """A module of each library: the loss of its output, and the gradients of all inputs."""
    runs: Runs = {}
    for name, lib in eager_libraries().items():
        net, inputs = make(lib), [lib.tensor(x, requires_grad=True) for x in data]
        runs[name] = lambda net=net, inputs=inputs: eager_step(net, inputs)
    return runs


def eager_step(net: Any, inputs: Any) -> Any:
    """Forward and backward."""
    net.zero_grad()
    for x in inputs:
        x.grad = None
    y = net(*inputs)
    y = y[0] if isinstance(y, tuple) else y
    loss = (y * y).mean()
    loss.backward()
    return loss


def graph(make: Callable[[Any], Any], data: Any) -> Callable[[], Any]:
    """Forward and backward of a compiled layer of staticgrad."""
    with sg.Graph().as_default():
        x = sg.placeholder(data.dtype, data.shape, name="x")
        y = make(x)
        loss = sg.reduce_mean(y * y)
        grads = sg.gradients(loss, [x, *sg.trainable_variables()])
        run = sg.Session().make_callable([loss, *grads], [x])
    return lambda: run(data)


def transformer_block() -> Runs:
    """A transformer layer, d = 128, 64 places, batch 8."""
    x = floats(8, 64, 128)
    options = {"dropout": 0.0, "activation": "gelu", "batch_first": True}
    runs = in_each(lambda lib: lib.nn.TransformerEncoderLayer(128, 4, 512, **options), x)
    layer = lambda x: sg.layers.transformer_encoder_layer(x, 4, 512, 0.0, sg.nn.gelu)
    return {**runs, "staticgrad": graph(layer, x)}


def lstm() -> Runs:
    """An LSTM over 64 steps, batch 32, hidden 128."""
    x = floats(64, 32, 128)
    runs = in_each(lambda lib: lib.nn.LSTM(128, 128), x)
    layer = lambda x: sg.layers.lstm(x, 128, time_major=True)[0]
    return {**runs, "staticgrad": graph(layer, x)}


def gru() -> Runs:
    """A GRU over 64 steps, batch 32, hidden 128."""
    x = floats(64, 32, 128)
    runs = in_each(lambda lib: lib.nn.GRU(128, 128), x)
    layer = lambda x: sg.layers.gru(x, 128, time_major=True)[0]
    return {**runs, "staticgrad": graph(layer, x)}


def cnn() -> Runs:
    """Two convolutions with pooling and a linear layer, 28x28, batch 64."""
    x = floats(64, 1, 28, 28)

    def make(lib: Any) -> Any:
        nn = lib.nn
        return nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * 7 * 7, 10),
        )  # fmt: skip

    def layer(x: Any) -> Any:
        given = {"padding": "same", "activation": sg.nn.relu}
        x = sg.layers.max_pooling2d(sg.layers.conv2d(x, 16, 3, **given), 2)
        x = sg.layers.max_pooling2d(sg.layers.conv2d(x, 32, 3, **given), 2)
        return sg.layers.dense(sg.layers.flatten(x), 10)

    return {**in_each(make, x), "staticgrad": graph(layer, x.transpose(0, 2, 3, 1).copy())}


def convolution() -> Runs:
    """A convolution 16 -> 32, 3x3, of 64 images 28x28."""
    runs = in_each(lambda lib: lib.nn.Conv2d(16, 32, 3, padding=1), floats(64, 16, 28, 28))
    layer = lambda x: sg.layers.conv2d(x, 32, 3, padding="same")
    return {**runs, "staticgrad": graph(layer, floats(64, 28, 28, 16))}


NETWORKS: dict[str, Callable[[], Runs]] = {
    "transformer block, d=128, 64 places, batch 8": transformer_block,
    "LSTM, 64 steps, batch 32, hidden 128": lstm,
    "GRU, 64 steps, batch 32, hidden 128": gru,
    "conv2d 16 -> 32, 3x3, 64 images 28x28": convolution,
    "CNN 28x28, 16 and 32 channels, batch 64": cnn,
}


def main() -> None:
    """Print the medians in milliseconds, and the ratios."""
    from table import medians

    dg.manual_seed(0)
    for title, workload in NETWORKS.items():
        found = medians(workload(), rounds=11)
        shown = ", ".join(f"{name} {t / 1e3:.2f} ms" for name, t in found.items())
        ratio = found["torch"] / found["dynamicgrad"] if "torch" in found else np.nan
        print(f"{title}: {shown}; torch / dynamicgrad {ratio:.2f}")


if __name__ == "__main__":
    main()
