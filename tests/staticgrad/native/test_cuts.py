"""Long functions are cut; their pieces compute the same, in loops, branches and threads too."""

import warnings
from itertools import pairwise

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError
from gradops.native.ir import cuts, sharing
from staticgrad.native.planning import plan

from .fuzz import attempt
from .random_programs import random_program

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")


@pytest.fixture
def short(monkeypatch):
    """Functions are cut after every unit, of which each has few operations."""
    monkeypatch.setattr(cuts, "LONGEST", 1)
    monkeypatch.setattr(cuts, "LONGEST_ONCE", 1)
    monkeypatch.setattr(plan, "LARGEST", 6)
    monkeypatch.setattr(sharing, "MANY", 1)
    monkeypatch.setattr(sharing, "LEAST", 4)


def both(monkeypatch, outputs, inputs):
    """The executables of a whole function, and of one that is cut."""
    with monkeypatch.context() as patch:
        patch.setattr(cuts, "LONGEST_ONCE", 1 << 30)
        whole = sg.compile(outputs, inputs, backend="native")
    with monkeypatch.context() as patch:
        short.__wrapped__(patch)
        cut = sg.compile(outputs, inputs, backend="native")
    assert "@cut" in cut.ir
    assert "@cut" not in whole.ir
    return whole, cut


def require_close(got, want):
    """Assert that results differ at most by sums in another order."""
    for x, y in zip(got, want, strict=True):
        assert (np.asarray(x).dtype, np.shape(x)) == (np.asarray(y).dtype, np.shape(y))
        scale = np.abs(np.where(np.isfinite(y), y, 0)).max(initial=1).astype(float)
        bound = 1024 * np.finfo(y.dtype).eps if y.dtype.kind in "fc" else 0
        np.testing.assert_allclose(x, y, bound, bound * scale)


def require_alike(monkeypatch, outputs, inputs, *feeds):
    """Assert that a function that is cut computes what the whole one does."""
    whole, cut = both(monkeypatch, outputs, inputs)
    require_close(cut(*feeds), whole(*feeds))
    return cut


def step(state, matrices):
    """A step of a loop that has products and sums."""
    (a, b), (w,) = state, matrices
    a = sg.tanh(a @ w) + sg.reduce_sum(a, axis=1, keepdims=True)
    return a * 0.1, sg.sin(b) + sg.stack([a[0], b[1], a[2]])


def branching(state, matrices):
    """A step that has branches, too."""
    a, b = step(state, matrices)
    return a, sg.cond(sg.reduce_sum(a) > 0, lambda: sg.sin(b) + a, lambda: sg.cos(a) * b)


def loss_of(step, x):
    """The sum of what a loop leaves."""
    return sg.reduce_sum(sg.foldl(step, (x,), (x[0], x[0] * 2))[1])


@pytest.mark.parametrize("seed", range(40))
def test_pieces_of_random_graphs_compute_the_same(seed, short, monkeypatch):
    made = random_program(seed)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cut = sg.compile(made.graph, backend="native")
        except OptionError as error:
            pytest.skip(str(error))
        monkeypatch.undo()
        whole = sg.compile(made.graph, backend="native")
        got, want = attempt(cut, *made.feeds), attempt(whole, *made.feeds)
    if isinstance(want, Exception):
        assert (type(got), str(got)) == (type(want), str(want))
    else:
        require_close(got, want)


def test_bodies_of_loops_are_cut_with_branches_inside(monkeypatch):
    x = sg.placeholder("float64", [5, 3, 3])
    y, z = loss_of(step, x), loss_of(branching, x)
    values = np.random.default_rng(0).normal(size=(5, 3, 3))
    require_alike(monkeypatch, [y, z, *sg.gradients(y, [x])], [x], values)


@pytest.mark.parametrize("threads", [1, 2])
def test_loops_that_threads_share_may_be_in_pieces(threads, monkeypatch):
    x = sg.placeholder("float32", [200_000])
    y = sg.exp(-x) * sg.reduce_sum(x * x)
    z = sg.reshape(y, (400, 500)) @ sg.reshape(x, (500, 400))
    usual = sg.get_num_threads()
    sg.set_num_threads(threads)
    try:
        values = np.random.default_rng(0).uniform(size=200_000).astype("float32")
        cut = require_alike(monkeypatch, [y, sg.reduce_sum(z), z], [x], values)
    finally:
        sg.set_num_threads(usual)
    assert "@part" in cut.ir


def test_a_piece_that_gives_up_leaves_the_graph_to_numpy(short):
    x, i = sg.placeholder("float64", [4, 4]), sg.placeholder("int64", [2])
    f = sg.compile([sg.tanh(x) + 1, sg.cholesky(x), sg.gather(x, i)], [x, i], backend="native")
    good = np.eye(4)
    np.testing.assert_array_equal(f(good, np.array([0, 3]))[1], good)
    with pytest.raises(np.linalg.LinAlgError):
        f(-good, np.array([0, 3]))
    with pytest.raises(IndexError):
        f(good, np.array([0, 4]))


def chain(count):
    """A chain of operations that is no repetition, and its operand."""
    x = sg.placeholder("float64", [3])
    y = x
    for k in range(count):
        y = [lambda y: y * 0.9, lambda y: y + x, sg.sin, sg.tanh, lambda y: sg.maximum(y, 0.1)][
            k * k * 7 % 11 % 5
        ](y)
    return y, x


def test_a_graph_of_ten_thousand_operations_has_machine_code():
    y, x = chain(5_000)
    f, g = (sg.compile([y, *sg.gradients(y, [x])], [x], backend=b, without="roll_repeats")
            for b in ("native", "numpy"))  # fmt: skip
    values = np.array([0.1, 0.5, 2.0])
    np.testing.assert_allclose(np.array(f(values)), np.array(g(values)), 1e-12)
    assert f.ir.count("@cut") > 4


def test_functions_have_a_bounded_length():
    y, x = chain(3_000)
    f = sg.compile(y, [x], backend="native", without="roll_repeats")
    assert max(map(len, lines_of_functions(f.ir))) < 2 * cuts.LONGEST


def matrices(count):
    """So many placeholders for matrices."""
    return [sg.placeholder("float64", [4, 4], name=f"x{i}") for i in range(count)]


APART = {"backend": "native", "without": ["batch_ops", "roll_repeats"]}


def test_equal_pieces_are_one_function(monkeypatch):
    xs = matrices(13)
    y = sg.stack([sg.reduce_sum(sg.tanh(a @ b) @ a) for a, b in pairwise(xs)])
    f = sg.compile([y], xs, **APART)
    monkeypatch.setattr(sharing, "MANY", 1 << 30)
    whole = sg.compile([y], xs, **APART)
    assert f.ir.count("call i32 @piece") > 6 * f.ir.count("define internal i32 @piece") > 0
    assert len(f.ir) < len(whole.ir) / 2
    values = np.random.default_rng(0).normal(size=(13, 4, 4))
    require_close(f(*values), whole(*values))


def test_pieces_that_give_up_end_the_run(monkeypatch):
    monkeypatch.setattr(sharing, "MANY", 1)
    xs = matrices(6)
    f = sg.compile([sg.cholesky(x) for x in xs], xs, **APART)
    assert "@piece" in f.ir
    good = [np.eye(4) * (i + 1) for i in range(6)]
    np.testing.assert_allclose(f(*good), np.sqrt(good))
    good[3] *= -1
    with pytest.raises(np.linalg.LinAlgError):
        f(*good)


def lines_of_functions(ir):
    """The lines of each function."""
    return [text.split("\n}\n")[0].splitlines() for text in ir.split("\ndefine ")[1:]]
