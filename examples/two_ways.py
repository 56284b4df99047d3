"""One network, trained on handwritten digits in both packages, side by side.

The model, its loss and the update rule are written once, as functions of ops. `dynamicgrad` runs
them on tensors and records a tape in every step; `staticgrad` runs them once on placeholders and
variables, and then runs the resulting graph with feeds.

    python examples/two_ways.py [--epochs 20] [--out build/two_ways]
"""

import argparse
import contextlib
import itertools
import time
import traceback
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import dynamicgrad as dg
import gradops as ops
import staticgrad as sg
from gradops.inspection.progress import Progress
from gradops.nn.optimizer_updates import momentum_sgd

SIZES = (64, 128, 64, 10)
BATCH, RATE, MOMENTUM = 32, 0.05, 0.9

COLUMNS, TITLE_OF_NATIVE = 5, "then-run, machine code"

Arrays = list[np.ndarray[Any, Any]]


def logits(x: Any, params: Any) -> Any:
    """A network of three layers; `params` alternates weights and biases."""
    w1, b1, w2, b2, w3, b3 = params
    x = ops.relu(x @ w1 + b1)
    x = ops.relu(x @ w2 + b2)
    return x @ w3 + b3


def loss_of(x: Any, labels: Any, params: Any) -> Any:
    """The loss of the network on a batch."""
    return ops.cross_entropy(logits(x, params), labels)


def initial_params() -> Arrays:
    """The initial parameters, equal for both modes."""
    rng = np.random.default_rng(0)
    pairs = itertools.pairwise(SIZES)
    return [
        p.astype(np.float32)
        for m, n in pairs
        for p in (rng.normal(0, np.sqrt(2 / m), (m, n)), np.zeros(n))
    ]


@dataclass
class Digits:
    """Images of 8 x 8 pixels from 0 to 1, and their labels."""

    images: np.ndarray[Any, Any]
    labels: np.ndarray[Any, Any]

    def batches(self, seed: int) -> Iterator[tuple[Any, Any]]:
        """The data in a random order, split into batches of equal size."""
        order = np.random.default_rng(seed).permutation(len(self.labels))
        for i in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[i : i + BATCH]
            yield self.images[batch], self.labels[batch]


def digits() -> tuple[Digits, Digits]:
    """Scikit-learn's handwritten digits: four fifths for training, one fifth for testing."""
    data = load_digits()
    order = np.random.default_rng(7).permutation(len(data.target))
    images = (data.data[order] / 16).astype(np.float32)
    labels = data.target[order].astype(np.int64)
    cut = len(labels) * 4 // 5
    return Digits(images[:cut], labels[:cut]), Digits(images[cut:], labels[cut:])


class ByRun:
    """Every step runs the model and records a tape; `backward` traverses it."""

    title = "define-by-run"

    def __init__(self) -> None:
        self.params = [dg.tensor(p, requires_grad=True) for p in initial_params()]
        self.velocities = [dg.zeros_like(p) for p in self.params]
        self.nodes = "0"

    def step(self, images: Any, labels: Any) -> Any:
        """One update on a batch; returns the loss before it."""
        for p in self.params:
            p.grad = None
        loss = loss_of(dg.from_numpy(images), dg.from_numpy(labels), self.params)
        loss.backward()
        with dg.no_grad():
            grads = [p.grad for p in self.params]
            new = momentum_sgd(self.params, grads, self.velocities, RATE, MOMENTUM)
            for p, value in zip(self.params, new[0], strict=True):
                p.copy_(value)
            self.velocities = new[1]
        return loss.item()

    def predict(self, images: Any) -> Any:
        """The most likely digit of each image."""
        with dg.no_grad():
            return logits(dg.from_numpy(images), self.params).argmax(1).numpy()

    def weights(self) -> Arrays:
        """The parameters as arrays."""
        return [p.detach().numpy() for p in self.params]

    def count(self, images: Any, labels: Any) -> str:
        """The number of nodes, and when they are created."""
        loss = loss_of(dg.from_numpy(images), dg.from_numpy(labels), self.params)
        seen, stack = set(), [loss.grad_fn]
        while stack:
            node = stack.pop()
            if node is not None and node not in seen:
                seen.add(node)
                stack.extend(x for x, _ in node.next_functions)
        return f"{len(seen)} recorded in every step"


class ThenRun:
    """The model runs once, on placeholders; each step feeds the resulting graph."""

    def __init__(self, optimize: int, backend: str = "numpy") -> None:
        self.title = f"then-run, optimize={optimize}" if backend == "numpy" else TITLE_OF_NATIVE
        self.graph = sg.Graph("digits")
        with self.graph.as_default():
            self.images = sg.placeholder("float32", ["batch", SIZES[0]], name="images")
            self.labels = sg.placeholder("int64", ["batch"], name="labels")
            names = [f"{kind}{i}" for i in (1, 2, 3) for kind in "wb"]
            start = zip(initial_params(), names, strict=True)
            self.params = [sg.Variable(p, name=name) for p, name in start]
            velocities = [sg.Variable(np.zeros_like(p.value)) for p in self.params]
            self.scores = logits(self.images, self.params)
            self.digit = sg.argmax(self.scores, axis=1)
            self.loss = loss_of(self.images, self.labels, self.params)
            self.forward_size = len(self.graph)
            self.grads = sg.gradients(self.loss, self.params)
            new = momentum_sgd(self.params, self.grads, velocities, RATE, MOMENTUM)
            changed = zip([*self.params, *velocities], [*new[0], *new[1]], strict=True)
            self.train = [variable.assign(value) for variable, value in changed]
        self.session = sg.Session(self.graph, optimize, backend)
        self.run_step = self.session.make_callable(
            [self.loss, self.train], [self.images, self.labels]
        )

    def step(self, images: Any, labels: Any) -> Any:
        """One update on a batch; returns the loss before it."""
        return float(self.run_step(images, labels)[0])

    def predict(self, images: Any) -> Any:
        """The most likely digit of each image."""
        return self.session.run(self.digit, {self.images: images})

    def weights(self) -> Arrays:
        """The parameters as arrays."""
        return list(self.session.run(self.params))

    def count(self, images: Any, labels: Any) -> str:
        """The number of nodes, and when they are created."""
        frozen = sg.freeze([self.loss, *self.grads], [self.images, self.labels])
        return f"{len(frozen)} built once"


def in_machine_code() -> Iterator[ThenRun]:
    """The graph in machine code, if the extra `native` is installed."""
    with contextlib.suppress(ops.OptionError):
        x = sg.placeholder("float32", [1])
        sg.compile(x, [x], backend="native")
        yield ThenRun(optimize=2, backend="native")


@dataclass
class Record:
    """The measurements of one mode."""

    losses: list[float] = field(default_factory=list)
    step_losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    peak: float = 0.0
    accuracy: float = 0.0


def train(ways: list[Any], data: Digits, epochs: int) -> list[Record]:
    """Train all modes on the same batches, interleaved, so that their times are comparable."""
    records = [Record() for _ in ways]
    steps = epochs * (len(data.labels) // BATCH)
    with Progress(steps, "training") as shown:
        for epoch in range(epochs):
            for images, labels in data.batches(seed=epoch):
                for way, record in zip(ways, records, strict=True):
                    start = time.perf_counter()
                    record.step_losses.append(way.step(images, labels))
                    record.seconds.append(time.perf_counter() - start)
                shown.update(loss=records[0].step_losses[-1])
            for record in records:
                record.losses.append(float(np.mean(record.step_losses[-steps // epochs :])))
    return records


def peak_of(step: Callable[[], Any]) -> float:
    """The peak memory of one call, in MB, above the memory allocated before it."""
    step()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    step()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak / 1e6


def row(title: str, cells: list[Any]) -> None:
    """Print one line of the table."""
    print(f"  {title:<22}" + "".join(f"{cell:>25}" for cell in cells))


def report(ways: list[Any], records: list[Record], data: Digits, test: Digits) -> None:
    """Print the measurements side by side."""
    sample = data.images[:BATCH], data.labels[:BATCH]
    missing = len(ways) < COLUMNS
    row("", [*[way.title for way in ways], *[TITLE_OF_NATIVE] * missing])
    for epoch in range(0, len(records[0].losses), max(1, len(records[0].losses) // 8)):
        row(f"loss, epoch {epoch + 1}", [f"{r.losses[epoch]:.9f}" for r in records])
    row("loss, last epoch", [f"{r.losses[-1]:.9f}" for r in records])
    accuracy = [np.mean(way.predict(test.images) == test.labels) for way in ways]
    row("test accuracy", [f"{a:.2%}" for a in accuracy])
    seconds = [f"{np.median(r.seconds) * 1e6:.0f} us" for r in records]
    row("time per step", [*seconds, *["not installed"] * missing])
    row("peak memory of a step", [f"{peak_of(lambda w=w: w.step(*sample)):.2f} MB" for w in ways])
    row("nodes", [way.count(*sample) for way in ways])


def same_bits(a: Arrays, b: Arrays) -> bool:
    """True if the arrays are equal to the bit."""
    return all(x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def compare(ways: list[Any], records: list[Record]) -> None:
    """Report whether the modes agree to the bit: at the levels 0 and 1 they must."""
    eager, *graphs = ways
    steps = len(records[0].step_losses)
    print(f"\nlosses of all {steps} steps, and the weights after them, equal to the bit:")
    for way, record in zip(graphs, records[1:], strict=True):
        same = np.array_equal(records[0].step_losses, record.step_losses)
        same = same and same_bits(eager.weights(), way.weights())
        print(f"  {way.title}: {yes(same)}")


def yes(truth: bool) -> str:
    """`yes` or `no`."""
    return "yes" if truth else "no"


def show_mistake() -> None:
    """The same mistake in both modes: when it is raised, and the lines that the error names."""
    print("\nThe same mistake, a weight with its axes exchanged:\n")
    wrong = initial_params()
    wrong[2] = wrong[2].T
    images = np.zeros((BATCH, SIZES[0]), np.float32)
    print("define-by-run: surfaces when the line runs, with the data already there")
    try:
        logits(dg.from_numpy(images), [dg.tensor(p, requires_grad=True) for p in wrong])
    except ops.ShapeError as error:
        show_error(error)
    print("define-then-run: surfaces while building, before any data, for every batch size")
    with sg.Graph("mistake").as_default():
        x = sg.placeholder("float32", ["batch", SIZES[0]], name="images")
        try:
            logits(x, [sg.Variable(p, name="w") for p in wrong])
        except ops.ShapeError as error:
            show_error(error)


def show_error(error: Exception) -> None:
    """Print an error and its notes as Python does below a traceback."""
    lines = "".join(traceback.format_exception_only(error)).splitlines()
    print("\n".join(f"    {line}" for line in lines) + "\n")


def export(way: ThenRun, out: Path) -> None:
    """Write the forward graph, and the graph with its gradient, in three formats."""
    out.mkdir(parents=True, exist_ok=True)
    feeds = [way.images, way.labels]
    graphs = {
        "forward": sg.freeze([way.loss], feeds),
        "backward": sg.freeze([way.loss, *way.grads], feeds),
    }
    writers = {"dot": sg.to_dot, "mmd": sg.to_mermaid, "json": sg.to_json}
    for name, graph in graphs.items():
        for suffix, text in writers.items():
            (out / f"{name}.{suffix}").write_text(text(graph))
    print(f"The forward and backward graph as DOT, Mermaid and JSON: {out}/")


def write_comparison(data: Digits, out: Path) -> None:
    """Compare the gradient of one batch in every mode, on a page of its own."""
    path = out / "compare.html"
    batch = data.images[:BATCH], data.labels[:BATCH]
    found = sg.compare(loss_of, *batch, initial_params(), wrt="params", html=path)
    print(f"\nThe gradient of one batch, in every mode: {found}")
    print(f"\nWhat each mode knew, and when, and where mistakes surface: {path}")


def main() -> None:
    """Train in both modes and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("build/two_ways"))
    options = parser.parse_args()
    data, test = digits()
    ways = [ByRun(), *(ThenRun(optimize=level) for level in (0, 1, 2)), *in_machine_code()]
    print(f"{len(data.labels)} digits, an MLP {'-'.join(map(str, SIZES))}, momentum SGD\n")
    records = train(ways, data, options.epochs)
    report(ways, records, data, test)
    compare(ways, records)
    show_mistake()
    export(ways[1], options.out)
    write_comparison(data, options.out)


if __name__ == "__main__":
    main()
