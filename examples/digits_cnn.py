"""A convolutional network for handwritten digits, on a tape and as a graph, equal to the bit.

Both modes start with the same weights and train on the same randomly shifted images. They reach
98 % accuracy on held-out digits of scikit-learn.

    python examples/digits_cnn.py
"""

from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import nn
from gradops.inspection.progress import Progress

BATCH, RATE = 64, 1e-3


def digits() -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Images (N, 1, 8, 8) and labels: four fifths for training, one fifth for testing."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    images = (data.images[order] / 16).astype(np.float32)[:, None]
    labels = data.target[order].astype(np.int64)
    cut = len(labels) * 4 // 5
    return (images[:cut], labels[:cut]), (images[cut:], labels[cut:])


def batches(images: Any, labels: Any, steps: int) -> list[tuple[Any, Any]]:
    """The images of every step, each shifted by at most one pixel, equal in both modes."""
    rng, sampled = np.random.default_rng(0), []
    framed = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    for _ in range(steps):
        indices = rng.integers(0, len(labels), BATCH)
        down, right = rng.integers(0, 3, (2, BATCH, 1, 1))
        rows, columns = down + np.arange(8)[:, None], right + np.arange(8)
        sampled.append((framed[indices[:, None, None], 0, rows, columns][:, None], labels[indices]))
    return sampled


def network() -> nn.Sequential:
    """Two convolutions with batch normalization and pooling, and a linear layer."""
    return nn.Sequential({
        "conv1": nn.Conv2d(1, 16, 3, padding="same"), "norm1": nn.BatchNorm2d(16),
        "relu1": nn.ReLU(), "pool1": nn.MaxPool2d(2),
        "conv2": nn.Conv2d(16, 32, 3, padding="same"), "norm2": nn.BatchNorm2d(32),
        "relu2": nn.ReLU(), "pool2": nn.MaxPool2d(2),
        "flatten": nn.Flatten(), "head": nn.Linear(128, 10),
    })  # fmt: skip


def graph(images: Any, training: Any) -> Any:
    """The same network as a graph: scores for each digit."""
    x, first = images, "channels_first"
    for k, filters in ((1, 16), (2, 32)):
        x = sg.layers.conv2d(x, filters, 3, padding="same", data_format=first, name=f"conv{k}")
        x = sg.layers.batch_normalization(
            x, axis=1, momentum=0.9, epsilon=1e-5, training=training, name=f"norm{k}"
        )
        x = sg.layers.max_pooling2d(sg.nn.relu(x), 2, data_format=first)
    return sg.layers.linear(sg.layers.flatten(x), 10, name="head")


NAMES = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean",
         "running_var": "moving_variance"}  # fmt: skip


def in_graphs_names(state: dict[str, Any]) -> dict[str, Any]:
    """PyTorch's state under TensorFlow's names; filter axes are transposed."""
    graph_state = {}
    for key, value in state.items():
        layer, name = key.split(".")
        if layer.startswith("conv"):
            name = "kernel" if name == "weight" else name
            value = value.transpose(2, 3, 1, 0) if name == "kernel" else value
        elif layer.startswith("norm"):
            name = NAMES.get(name, "")
        if name:
            graph_state[f"{layer}/{name}"] = value
    return graph_state


def on_tape(net: nn.Module, learnt: Any, tested: Any, steps: int) -> tuple[list[float], float]:
    """The losses of all steps, and the final test accuracy."""
    optimizer, losses = dg.optim.Adam(net.parameters(), lr=RATE), []
    with Progress(steps, "tape") as shown:
        for images, labels in batches(*learnt, steps):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(dg.from_numpy(images)), dg.from_numpy(labels))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            shown.update(loss=losses[-1])
    net.eval()
    images, labels = tested
    with dg.no_grad():
        return losses, float((net(dg.from_numpy(images)).argmax(1).numpy() == labels).mean())


def in_graph(
    start: dict[str, Any], learnt: Any, tested: Any, steps: int
) -> tuple[list[float], float]:
    """The losses and the test accuracy of a graph with the initial state `start`."""
    with sg.Graph().as_default():
        images = sg.placeholder("float32", ["batch", 1, 8, 8], name="images")
        labels = sg.placeholder("int64", ["batch"], name="labels")
        training = sg.placeholder("bool", [], name="training")
        scores = graph(images, training)
        predicted, loss = sg.argmax(scores, axis=1), sg.cross_entropy(scores, labels)
        train = sg.train.AdamOptimizer(RATE, epsilon_hat=False).minimize(loss)
        step = [loss, train, *sg.get_collection("update_ops")]
        session = sg.Session(optimize=1)  # of which the bits are those of the tape
        session.restore(in_graphs_names(start))
        run = session.make_callable(step, [images, labels, training])
        losses = []
        with Progress(steps, "graph") as shown:
            for batch in batches(*learnt, steps):
                losses.append(float(run(*batch, True)[0]))
                shown.update(loss=losses[-1])
        predictions = session.run(predicted, {images: tested[0], training: False})
        return losses, float((predictions == tested[1]).mean())


def run(steps: int = 1500) -> dict[str, tuple[list[float], float]]:
    """The losses and the test accuracy of both modes."""
    dg.manual_seed(0)
    learnt, tested = digits()
    net = network()
    start = {key: value.numpy().copy() for key, value in net.state_dict().items()}
    return {
        "tape": on_tape(net, learnt, tested, steps),
        "graph": in_graph(start, learnt, tested, steps),
    }


def main() -> None:
    """Train in both modes, and check the accuracy."""
    results = run()
    for mode, (losses, accuracy) in results.items():
        print(f"{mode:<5}  loss {losses[0]:.4f} at first, {losses[-1]:.4f} at last;"
              f" {accuracy:.2%} of the digits kept back are classified correctly")  # fmt: skip
    assert results["tape"] == results["graph"], "the two modes differ"
    assert results["tape"][1] >= 0.98, "the network has not learnt enough"
    print(f"the {len(results['tape'][0])} losses are equal to the bit: yes")


if __name__ == "__main__":
    main()
