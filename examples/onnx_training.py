"""A model of scikit-learn, trained further as a graph, and shipped as an ONNX training step.

A network learns the progression of diabetes from one half of the patients in scikit-learn and is
exported to ONNX. It comes in as a graph whose weights are variables, and Adam trains it on the
other half. The whole step, gradients and updates included, leaves as an ONNX model; fed with what
it returned, it trains in ONNX Runtime or, where that is not installed, in ONNX's own reference.

    python examples/onnx_training.py
"""

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

import staticgrad as sg

Run = Callable[[dict[str, Any]], list[Any]]
STEPS = 60


def data() -> tuple[Any, Any]:
    """Ten measurements of 442 patients, and the progression, with mean 0 and deviation 1."""
    x, y = load_diabetes(return_X_y=True)
    return (x / x.std(0)).astype(np.float32), ((y - y.mean()) / y.std()).astype(np.float32)


def pretrained() -> Any:
    """A model of scikit-learn, of the first half of the patients, as ONNX."""
    from skl2onnx import to_onnx

    x, y = data()
    network = MLPRegressor(hidden_layer_sizes=(16,), activation="tanh", max_iter=20, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(x[::2], y[::2])
    return to_onnx(network, x[:1], target_opset=17)


def training_step(model: Any) -> tuple[Any, dict[str, Any]]:
    """The step as an ONNX model, and the values of its variables."""
    fn = sg.onnx.load(model, trainable=True)
    with fn.graph.as_default():
        target = sg.placeholder("float32", ["patients"], name="target")
        loss = sg.reduce_mean(sg.square(fn.outputs[0][:, 0] - target), name="loss")
        train = sg.train.AdamOptimizer(0.01).minimize(loss)
        step = sg.freeze([loss, train], [fn.inputs[0], target])
        values = sg.Session(fn.graph).run({v.name: v for v in sg.global_variables()})
    file = io.BytesIO()
    sg.onnx.save(step, file)
    return onnx.load_from_string(file.getvalue()), values


def runner(model: Any) -> tuple[str, Run]:
    """What runs a model: ONNX Runtime, or ONNX's reference."""
    try:
        from onnxruntime import InferenceSession
    except ImportError:
        from onnx.reference import ReferenceEvaluator

        evaluator = ReferenceEvaluator(model)
        return "ONNX's reference", lambda feeds: evaluator.run(None, feeds)
    session = InferenceSession(model.SerializeToString())
    return "ONNX Runtime", lambda feeds: session.run(None, feeds)


def train(step: Any, values: dict[str, Any], steps: int = STEPS) -> tuple[str, list[float]]:
    """Run the step on the other half of the patients; the losses."""
    x, y = data()
    name, run = runner(step)
    fed = [v.name for v in step.graph.input]
    outputs = [v.name for v in step.graph.output]
    feeds = {fed[0]: x[1::2], "target": y[1::2], **{k: np.asarray(values[k]) for k in fed[2:]}}
    losses = []
    for _ in range(steps):
        results = dict(zip(outputs, run(feeds), strict=True))
        losses.append(float(results[outputs[0]]))
        feeds |= {k.removesuffix("/updated"): v for k, v in results.items() if "/updated" in k}
    return name, losses


def main() -> None:
    """Train, and print the losses."""
    step, values = training_step(pretrained())
    print(f"a training step of {len(step.graph.node)} nodes, {len(values)} variables")
    name, losses = train(step, values)
    print(f"{name}: loss {losses[0]:.3f} -> {losses[-1]:.3f} in {len(losses)} steps")


if __name__ == "__main__":
    main()
