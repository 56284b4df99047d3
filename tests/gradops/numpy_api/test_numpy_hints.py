"""Calls that would make plain arrays or numbers: the errors say what to write, which works."""

import cmath
import math
from pathlib import Path

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import DetachWarning, GradError, special
from gradops.numpy_api import numpy_hints
from gradops.numpy_api.signatures import OF_TORCH, function_for

X = np.array([0.5, 1.5, 2.5])
RNG = np.random.default_rng(0)


def first_row(x):
    rows = [[x[0], 1.0], [x[1], 2.0]]
    return np.array(rows)


CALLS = [
    (lambda x: np.array([x[0], x[1]]), numpy_hints.LIST, lambda x: np.stack([x[0], x[1]])),
    (
        lambda x: np.array([v * 2 for v in x]),
        numpy_hints.LIST,
        lambda x: np.stack([v * 2 for v in x]),
    ),
    (
        lambda x: np.array([[np.cos(x[0]), -1.0], [x[1], 2.0]]),
        numpy_hints.NESTED,
        lambda x: np.block([[np.cos(x[0]), -1.0], [x[1], 2.0]]),
    ),
    (first_row, numpy_hints.NESTED, lambda x: np.stack([np.stack([v, 1.0]) for v in x[:2]])),
    (lambda x: np.array(x), numpy_hints.WHOLE, lambda x: np.copy(x)),
    (lambda x: np.asarray(x), numpy_hints.WHOLE, lambda x: x),
    (lambda x: np.asanyarray(x), numpy_hints.WHOLE, lambda x: x),
    (lambda x: np.ascontiguousarray(x), numpy_hints.WHOLE, lambda x: x),
    (lambda x: np.asarray_chkfinite(x), numpy_hints.WHOLE, lambda x: x),
    (lambda x: np.float64(x), numpy_hints.WHOLE, lambda x: x.astype(np.float64)),
    (lambda x: np.ones(3).dot(x), "write a @ x", lambda x: np.ones(3) @ x),
    (lambda x: X.dot(x), "write a @ x", lambda x: np.dot(X, x)),
    (lambda x: np.full(3, x[0]), "np.ones(n) * x", lambda x: np.ones(3) * x[0]),
    (lambda x: RNG.normal(x), "x + rng.normal", lambda x: x + np.ones(3)),
    (lambda x: np.random.normal(x), "x + rng.normal", lambda x: x + np.ones(3)),
    (lambda x: np.vectorize(abs)(x), "np.stack([f(v)", lambda x: np.stack([abs(v) for v in x])),
    (lambda x: np.concatenate([x[0], x[1]]), "np.stack", lambda x: np.stack([x[0], x[1]])),
]


def tape(f):
    return dg.grad(lambda x: np.sum(f(x)))(X)


def graph(f):
    return sg.function(lambda x: np.sum(f(x)))(X)


def forward(f):
    return dg.func.jvp(f, (X,), (X,))


@pytest.mark.parametrize("run", [tape, graph, forward])
@pytest.mark.parametrize(("call", "says", "right"), CALLS, ids=[says for _, says, _ in CALLS])
def test_the_error_says_what_to_write_which_then_works(call, says, right, run):
    with pytest.raises(GradError) as caught:
        run(call)
    assert says in str(caught.value)
    run(right)


def test_every_row_is_tried():
    tried = {says for _, says, _ in CALLS}
    rows = [row for row in numpy_hints.ROWS if "array_equal" not in row.names]
    assert all(any(says in row.hint for says in tried) for row in rows)


def test_values_found_unequal_for_want_of_numbers_are_warned_of():
    with pytest.warns(DetachWarning, match=r"np\.stack\(values\).*np\.all\(a == b\)"):
        dg.grad(lambda x: np.array_equal([x[0]], [x[0]]) + np.sum(x))(X)


def counterpart(name):
    """The function of ours that a hint names for one of `math`."""
    space, _, ours = name.rpartition(".")
    return getattr({"np": np, "np.linalg": np.linalg, "gradops.special": special}[space], ours)


def test_functions_of_math_have_counterparts_that_exist():
    for module in (math, cmath):
        for name, function in vars(module).items():
            if callable(function) and (hint := numpy_hints.in_numpy(name)):
                assert callable(counterpart(hint.split()[1].rstrip(",")))


def test_a_function_of_math_is_answered_with_that_of_numpy():
    with pytest.warns(DetachWarning, match=r"use np\.sin, which"):
        tape(lambda x: math.sin(x[0]) * x)
    with pytest.raises(GradError, match=r"use np\.sin, which"):
        graph(lambda x: math.sin(x[0]))


@pytest.mark.parametrize("make", [sg.function, lambda f: lambda x: sg.trace(f, [x])])
@pytest.mark.parametrize("take", [float, lambda v: v.item()])
@pytest.mark.parametrize("x", [X, dg.tensor(X)])
def test_a_traced_program_that_asks_for_a_number_is_told_to_return_it(make, take, x):
    with pytest.raises(GradError, match=r"return it, and call \.item\(\) on what the call returns"):
        make(lambda x: take(x.sum()))(x)
    assert sg.function(lambda x: x.sum())(x).item() == X.sum()


def test_a_tensor_that_is_made_an_array_has_its_own_ways_out():
    w = dg.ones(2, requires_grad=True)
    losses = [w.sum(), w.sum()]
    for call in (lambda: np.asarray(w * 2), lambda: np.array(losses), lambda: np.mean(losses)):
        with pytest.raises(GradError) as caught:
            call()
        assert "x.detach().numpy(), or [t.item() for t in losses]" in str(caught.value)
        assert "hint: dg.stack" in str(caught.value)


KEYWORDS = [
    (lambda x: x.sum(dim=0), "write axis="),
    (lambda x: x.mean(dim=(0,)), "write axis="),
    (lambda x: x.sum(axis=0, keepdim=True), "write keepdims="),
    (lambda x: x.cumsum(dim=0), "write axis="),
    (lambda x: x.std(unbiased=False), "write ddof="),
    (lambda x: x.diagonal(dim1=0), "write axis2="),
]


@pytest.mark.parametrize("run", [tape, graph])
@pytest.mark.parametrize(("call", "says"), KEYWORDS, ids=[says for _, says in KEYWORDS])
def test_a_keyword_of_pytorch_is_answered_with_that_of_numpy(call, says, run):
    with pytest.raises(GradError) as caught:
        run(call)
    assert str(caught.value).endswith(f"hint: {says}")


@pytest.mark.parametrize("name", ["sum", "mean", "std", "max", "argmin", "cumsum", "sort", "take"])
def test_no_function_along_an_axis_says_to_leave_the_axis_away(name):
    bound = function_for(getattr(np, name))
    assert "axis" in bound.places
    for torch, numpy in OF_TORCH.items():
        if "axis" in numpy:
            assert bound.way_out(torch).startswith("write ax")


def test_without_the_source_an_error_has_the_general_hint(tmp_path: Path):
    space = {"np": np}
    exec(compile("f = lambda x: np.asarray(x)", str(tmp_path / "gone.py"), "exec"), space)
    with pytest.raises(GradError, match=r"np\.stack"):
        tape(space["f"])
