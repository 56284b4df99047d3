"""Functions that do little of a graph's work are compiled quickly, and compute the same."""

import numpy as np
import pytest

import staticgrad as sg

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from staticgrad.native.output import module_text

N = 400  # entries along an axis: threads share loops over all of them


def step(x, w):
    """Products of matrices, and parts that do a small share of the work."""
    y = sg.relu(x @ w)
    z = y @ w
    return sg.reduce_sum(z, 0), sg.reduce_sum(sg.exp(sg.tanh(z)) * y), sg.reduce_mean(y, 1)


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


def test_what_does_most_of_the_work_is_compiled_with_care():
    _, passes = compiled(lambda x: sg.reduce_sum(x, 1), (N, N))
    assert "least" not in passes.values()


def test_short_runs_have_no_cold_functions():
    _, passes = compiled(step, (4, 4), (4, 4))
    assert "least" not in passes.values()
