"""A model that is trained here, saved to a file, and run by another process without its code.

A small network of `dynamicgrad` learns which of two rings a point lies in. It is traced to a graph
for batches of any size, which is saved with its weights. Another Python process, which imports
`staticgrad` but neither the model's code nor `dynamicgrad`, loads the file and runs it.

    python examples/elsewhere.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import nn, optim

ELSEWHERE = """
import sys
import numpy as np
import staticgrad as sg

graph = sg.load(sys.argv[1])
(scores,) = sg.compile(graph)(np.load(sys.argv[2]))
np.save(sys.argv[3], scores)
assert "dynamicgrad" not in sys.modules
print(f"{len(graph)} expressions, {graph.inputs[0].label} -> {graph.outputs[0].type}")
"""


def rings(count: int, seed: int) -> tuple[Any, Any]:
    """Points in a disc and in the ring around it, and their class."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, count)
    radius = rng.uniform(0.0, 0.8, count) + label
    angle = rng.uniform(0, 2 * np.pi, count)
    points = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return points.astype(np.float32), label


def train(steps: int = 200, seed: int = 0) -> nn.Sequential:
    """A network that classifies the points."""
    dg.manual_seed(seed)
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    points, label = map(dg.from_numpy, rings(200, seed))
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(points), label).backward()
        optimizer.step()
    return model


def saved(model: nn.Sequential, path: Path) -> None:
    """Save the model as a graph for any number of points."""
    graph = sg.trace(model, [sg.ArrayType(("batch", 2), "float32")])
    sg.save(graph, path)


def run_elsewhere(graph: Path, points: Any, folder: Path) -> tuple[Any, str]:
    """The scores computed by another process, and its output."""
    inputs, outputs = folder / "points.npy", folder / "scores.npy"
    np.save(inputs, points)
    package = Path(sg.__file__).parents[1]  # needed where staticgrad is not installed
    blas = {k: v for k, v in os.environ.items() if k.startswith(("OPENBLAS", "OMP", "SYSTEMROOT"))}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(graph), str(inputs), str(outputs)],
        cwd=folder, env={**blas, "PYTHONPATH": str(package)},
        check=True, text=True, stdout=subprocess.PIPE,
    )  # fmt: skip
    return np.load(outputs), done.stdout.strip()


def run(steps: int = 200, seed: int = 0) -> dict[str, Any]:
    """Train, save, run in another process, and compare."""
    model = train(steps, seed)
    points, label = rings(500, seed + 1)
    with dg.no_grad():
        here = model(dg.from_numpy(points)).numpy()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graph = folder / "rings.sg"
        saved(model, graph)
        there, said = run_elsewhere(graph, points, folder)
        size = graph.stat().st_size
    return {
        "the file": f"{size} bytes",
        "the other process": said,
        "accuracy here": float(np.mean(here.argmax(1) == label)),
        "accuracy there": float(np.mean(there.argmax(1) == label)),
        "equal to the bit": here.dtype == there.dtype and here.tobytes() == there.tobytes(),
    }


def main() -> None:
    """Print the results."""
    for name, result in run().items():
        text = {True: "yes", False: "no"}[result] if isinstance(result, bool) else result
        print(f"{name:<20}{text:.2%}" if isinstance(text, float) else f"{name:<20}{text}")


if __name__ == "__main__":
    main()
