"""Plots of what examples compute, for the gallery: each runs its example, on axes of matplotlib."""

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from make_science import ROOT, module

SIZE = (6.4, 3.2)  # inches
LOOK = {"svg.hashsalt": "gallery", "svg.fonttype": "path", "font.size": 9.0, "axes.grid": True,
        "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False}  # fmt: skip
BLUE, ORANGE, GREEN = "tab:blue", "tab:orange", "tab:green"


def example(name: str) -> Any:
    """An example as a module."""
    return module(ROOT / "examples" / f"{name}.py")


def two_ways(plot: Any) -> None:
    """The losses of the same steps on the tape and in the graph, on the same batches."""
    found = example("two_ways")
    ways = [found.ByRun(), found.ThenRun(optimize=2)]
    records = found.train(ways, found.digits()[0], epochs=5)
    for way, record, look in zip(ways, records, ("-", ":"), strict=True):
        plot.plot(record.step_losses, look, label=way.title, lw=1 if look == "-" else 2.5)
    plot.set(xlabel="step", ylabel="cross entropy", ylim=(0, None))
    plot.legend()


def digits_cnn(plot: Any) -> None:
    """The losses of the first steps, on the tape and in the graph."""
    for (name, (losses, _)), look in zip(example("digits_cnn").run(200).items(), ("-", ":")):
        plot.plot(losses, look, label=name, lw=1 if look == "-" else 2.5)
    plot.set(xlabel="step", ylabel="cross entropy", ylim=(0, None))
    plot.legend()


def plain_numpy(plot: Any) -> None:
    """What is left to the minimum after each step of SciPy."""
    from scipy.optimize import minimize

    found = example("plain_numpy")
    ways = found.ways(*found.data(20))
    marks = {"NumPy": "o-", "tape": "s-", "graph": "x:"}
    curves = {}
    for name, way in ways.items():
        points = [way["problem"]["x0"]]
        minimize(**way["problem"], callback=lambda p, points=points: points.append(np.copy(p)))
        curves[name] = [float(ways["NumPy"]["value"](p)) for p in points]
    lowest = min(map(min, curves.values()))
    names = {"NumPy": "NumPy, finite differences", "tape": "tape, exact Hessian",
             "graph": "graph, exact Hessian"}  # fmt: skip
    for name, values in curves.items():
        plot.semilogy(
            np.array(values) - lowest + 1e-12, marks[name], label=names[name], ms=5, mfc="none"
        )
    plot.set(xlabel="step", ylabel="negative log likelihood, above its minimum")
    plot.legend()


def scipy_fit(misra: Any, thurber: Any) -> None:
    """Data, the model where the fit starts, and where it ends."""
    import dynamicgrad as dg

    found = example("scipy_fit")
    for plot, (name, dataset) in zip((misra, thurber), found.DATASETS.items(), strict=True):
        y, x = dataset.data
        t = np.linspace(x.min(), x.max(), 200)
        plot.plot(t, dataset.model(dataset.start, t), "--", color="gray", label="start")
        plot.plot(t, dataset.model(found.fit(dg, dataset).parameters, t), color=BLUE, label="fit")
        plot.plot(x, y, ".", color="black", label="data")
        margin = 0.1 * np.ptp(y)
        plot.set(title=name, ylim=(y.min() - margin, y.max() + margin))
        plot.legend(loc="lower right")


def loop_twice(plot: Any) -> None:
    """Value and derivatives for every number of steps, by one graph, and their closed forms."""
    found = example("loop_twice")
    counts = np.unique(np.geomspace(1, 1000, 16).astype(int))
    every = np.geomspace(1, 1000, 200)
    graph = found.by_graph()
    by_graph = np.array([list(map(float, graph(np.float64(found.AT), n)))[:3] for n in counts])
    exact = np.array([found.closed_form(found.AT, n) for n in every])
    names, colors = ("value", "slope", "minus the curvature"), (BLUE, ORANGE, GREEN)
    for i, (name, color) in enumerate(zip(names, colors, strict=True)):
        plot.loglog(counts, np.abs(by_graph[:, i]), "o", color=color, ms=4, label=name)
        plot.loglog(every, np.abs(exact[:, i]), color=color, lw=1)
    plot.set(xlabel="steps, fed to one graph (lines: closed forms)")
    plot.legend()


def elsewhere(plot: Any) -> None:
    """The class that another process gives to each point of the plane, and the points."""
    found = example("elsewhere")
    axis = np.linspace(-2, 2, 161, dtype=np.float32)
    plane = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rings.sg"
        found.saved(found.train(), file)
        scores, _ = found.run_elsewhere(file, plane, Path(folder))
    inside = (scores[:, 0] - scores[:, 1]).reshape(axis.size, axis.size)
    plot.contourf(axis, axis, inside, levels=[-1e9, 0, 1e9], colors=[ORANGE, BLUE], alpha=0.2)
    points, label = found.rings(500, 1)
    for k, (color, name) in enumerate(((BLUE, "disc"), (ORANGE, "ring"))):
        plot.plot(*points[label == k].T, ".", color=color, ms=3, label=name)
    plot.set(aspect="equal", xticks=range(-2, 3), yticks=range(-2, 3))
    plot.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))


def onnx_training(plot: Any) -> None:
    """The loss of each step."""
    found = example("onnx_training")
    name, losses = found.train(*found.training_step(found.pretrained()))
    plot.plot(losses, color=BLUE)
    plot.set(xlabel=f"step, run by {name}", ylabel="mean squared error", ylim=(0, None))


def characters(plot: Any) -> None:
    """Bits per character while the network on the tape learns."""
    learning(plot, example("characters"))


def characters_graph(plot: Any) -> None:
    """Bits per character while the graph learns."""
    learning(plot, example("characters_graph"))


def learning(plot: Any, found: Any) -> None:
    """Bits per character in each step, and those of a guess."""
    _, letters = found.read()
    plot.axhline(np.log2(len(letters)), color="gray", ls="--", label="all letters alike")
    plot.plot(found.train()[1], color=BLUE, label="network")
    plot.set(xlabel="step", ylabel="bits per character", ylim=(0, None))
    plot.legend()


PLOTS: dict[str, Callable[..., None]] = {
    f.__name__: f
    for f in (two_ways, digits_cnn, plain_numpy, scipy_fit, loop_twice, elsewhere, onnx_training,
              characters, characters_graph)
}  # fmt: skip
"""Plots by example, in the order of the gallery."""


def draw(names: Sequence[str], folder: Path) -> None:
    """Draw plots as SVG files, whose bytes depend on the values alone."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    with mpl.rc_context(LOOK):
        for name in names:
            columns = PLOTS[name].__code__.co_argcount
            figure, plots = pyplot.subplots(1, columns, figsize=SIZE, layout="constrained")
            PLOTS[name](*np.atleast_1d(plots))
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            pyplot.close(figure)
