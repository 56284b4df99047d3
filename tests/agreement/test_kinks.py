"""The table of kinks in docs/reference, row by row, in both modes and in torch."""

import re
from functools import partial
from math import inf
from pathlib import Path

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "kinks.md"
ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \| `(.+?)` \| (?:`(.+?)`)? *\|$", re.MULTILINE)
VALUES = {"dict": dict, "inf": inf}
ROWS = [
    pytest.param(
        f,
        eval(f"dict({at})", VALUES),
        numbers,
        torchs or numbers,
        id=f"{f} at {at}",
    )
    for f, at, numbers, torchs in ROW.findall(PAGE.read_text())
]
every_row = pytest.mark.parametrize(("f", "at", "derivative", "torchs"), ROWS)


def numbers(text):
    return list(map(float, text.split(",")))


class Words(dict):
    """What names in an expression mean: values, functions of the same name, or others."""

    def __init__(self, libs, others, values):
        super().__init__({"inf": inf} | values)
        self.libs, self.others = libs, others

    def __missing__(self, name):
        found = (getattr(lib, name, None) for lib in self.libs)
        return self.others.get(name) or next(f for f in found if f)


OURS = {"amax": gradops.max, "amin": gradops.min}


def on_tape(f, at):
    xs = {k: dg.tensor(float(v), requires_grad=True, dtype="float64") for k, v in at.items()}
    gradops.sum(eval(f, {}, Words([gradops], OURS, xs))).backward()
    return [0.0 if x.grad is None else x.grad.item() for x in xs.values()]


def in_a_graph(f, at):
    with sg.Graph().as_default():
        xs = {k: sg.placeholder("float64", []) for k in at}
        y = gradops.sum(eval(f, {}, Words([gradops], OURS, xs)))
        return sg.compile(sg.gradients(y, list(xs.values())), list(xs.values()))(*at.values())


@every_row
@pytest.mark.parametrize("mode", [on_tape, in_a_graph])
def test_derivative(mode, f, at, derivative, torchs):
    with np.errstate(all="ignore"):
        found = mode(f, {k: float(v) for k, v in at.items()})
    np.testing.assert_array_equal(found, numbers(derivative))


@every_row
@pytest.mark.peers
def test_torch_gives_what_the_table_says(f, at, derivative, torchs):
    torch = pytest.importorskip("torch")
    xs = {k: torch.tensor(float(v), requires_grad=True, dtype=torch.float64) for k, v in at.items()}
    others = {name: partial(getattr(torch, name), dim=0) for name in ("amax", "amin")}
    others["cummax"] = lambda x, axis: torch.cummax(x, axis).values
    others["std"], others["var"] = (partial(f, correction=0) for f in (torch.std, torch.var))
    libs = [torch, torch.nn.functional, torch.special, torch.linalg]
    eval(f, {}, Words(libs, others, xs)).sum().backward()
    found = [0.0 if x.grad is None else x.grad.item() for x in xs.values()]
    np.testing.assert_array_equal(found, numbers(torchs))


def test_the_table_is_found():
    assert len(ROWS) > 30
