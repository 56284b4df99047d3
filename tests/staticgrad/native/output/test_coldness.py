"""Functions that do little of a graph's work are compiled quickly, and compute the same."""

import numpy as np
import pytest

import staticgrad as sg

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from gradops.native.ir import cuts
from staticgrad.native.output import coldness, module_text

N = 400  # entries along an axis: threads share loops over all of them


def step(x, w):
    """Products of matrices, and parts that do a small share of the work."""
    y = sg.relu(x @ w)
    z = y @ w
    return sg.reduce_sum(z, 0), sg.reduce_sum(sg.exp(sg.tanh(z)) * y), sg.reduce_mean(y, 1)


def many_small_parts(x, w):
    """A product of matrices, and sums of few of its entries, each from that before."""
    y = total = x @ w
    for k in range(3):
        total = sg.exp(-sg.reduce_sum(y[k, : 30 + k]) * total[0, :20])[None]
    return sg.reduce_sum(y, 0), total


def compiled(fn, *shapes):
    """The executable of a function, and the passes of the functions of its module."""
    graph = sg.trace(fn, [sg.ArrayType(shape, "float32") for shape in shapes])
    executable = sg.compile(graph, backend="native")
    modules = executable.native.written.modules
    return executable, {name: m.passes for m in modules for name in m.defined}


def test_what_does_little_is_cold_and_has_the_same_bits(monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE", "off")
    xs = [np.random.default_rng(0).normal(size=(N, N)).astype("f4") for _ in range(2)]
    executable, passes = compiled(step, (N, N), (N, N))
    assert "least" in passes.values()
    monkeypatch.setattr(module_text, "cold_functions", lambda *_: {})
    careful, passes = compiled(step, (N, N), (N, N))
    assert "least" not in passes.values()
    for got, want in zip(executable(*xs), careful(*xs), strict=True):
        assert got.tobytes() == want.tobytes()


def test_pieces_of_a_body_are_cold_together_or_not_at_all(monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE", "off")
    monkeypatch.setattr(cuts, "LONGEST_ONCE", 1)
    _, passes = compiled(many_small_parts, (N, N), (N, N))
    pieces = {passes[name] for name in passes if name.startswith(cuts.CUT)}
    assert pieces == {"least"}
    monkeypatch.setattr(coldness, "SHARE", 1 << 40)
    _, passes = compiled(many_small_parts, (N, N), (N, N))
    assert "least" not in passes.values()


def test_what_does_most_of_the_work_is_compiled_with_care():
    _, passes = compiled(lambda x: sg.reduce_sum(x, 1), (N, N))
    assert "least" not in passes.values()


def test_short_runs_have_no_cold_functions():
    _, passes = compiled(step, (4, 4), (4, 4))
    assert "least" not in passes.values()
