"""Files as this version writes them, which later versions have to read.

`python -m tests.stored.write` writes those of the version of the project, before its release. The
files of released versions stay as they are.
"""

from pathlib import Path

import numpy as np

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.testing.cases import cases
from tests.meta.test_release import PROJECT

FOLDER = Path(__file__).parent


def network():
    """A frozen graph with a variable, a large constant, a loop, a branch, gradients, an update."""
    x = sg.placeholder("float64", ["n", 3], name="x")
    w = sg.Variable([0.5, -1.0, 2.0], name="w")
    table = sg.constant(np.linspace(-1, 1, 90).reshape(3, 30))
    y = sg.fori(0, 3, lambda i, s: sg.tanh(s * w), x)
    y = sg.cond(sg.reduce_sum(x) > 0, lambda: y @ table, lambda: -y @ table)
    loss = sg.reduce_mean(y[:, 3:7] ** 2, name="loss")
    gradients = sg.gradients(loss, [x, w])
    return sg.freeze([loss, *gradients, w.assign_sub(0.1 * gradients[1])], [x])


def texts():
    """A graph of every op, as text."""
    for op in gradops.OPS.values():
        if op.arity != 0 and (case := next(iter(cases(op)), None)):
            with sg.Graph().as_default():
                feeds = [sg.placeholder(x.dtype, x.shape, name=f"x{i}") for i, x in
                         enumerate(case.operands)]  # fmt: skip
                graph = sg.freeze([op(*feeds, **case.attrs)], feeds)
            yield sg.to_text(graph, lines=False)


def write(folder: Path) -> None:
    """Write a graph, a state with what that graph gives, and graphs of all ops as text."""
    folder.mkdir(exist_ok=True)
    graph, x = network(), np.arange(6.0).reshape(2, 3)
    results = [np.asarray(found) for found in sg.interpret(graph, [x, graph.inputs[1].value])]
    sg.save(graph, folder / "graph.zip")
    state = {"x": x, "results": results, "tensor": dg.ones(2, requires_grad=True), "steps": 3}
    dg.save(state, folder / "state.zip")
    (folder / "ops.txt").write_text("\n\n".join(texts()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER / PROJECT["version"])
