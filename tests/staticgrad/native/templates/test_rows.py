"""Loops by rows: recurrent networks whose batch is cut, with the bits of the whole."""

import numpy as np
import pytest

import staticgrad as sg
from gradops.nn import CELLS, Weights, recurrent
from staticgrad.layers.recurrent import loop as layer
from staticgrad.native.planning.formulas import written_out
from staticgrad.native.templates import loops, rows
from staticgrad.native.templates.rows import FEWEST

from .blas_rows import rows_are_alone

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

STEPS, BATCH, WIDTH = 30, 32, 24
GATES = {"GRU": 3, "LSTM": 4, "RNN_TANH": 1}


BODIES = {
    "product": lambda h, x, w: sg.tanh(h @ w + x),
    "turned product": lambda h, x, w: sg.tanh(h @ sg.transpose(w) + x),
    "product from the left": lambda h, x, w: sg.transpose(w @ sg.transpose(h)) + x,
    "sum of rows": lambda h, x, w: h * 0.5 + sg.reduce_mean(x, axis=1, keepdims=True),
    "largest of rows": lambda h, x, w: x - sg.expand_dims(sg.reduce_max(h @ w, axis=1), 1),
    "softmax": lambda h, x, w: sg.softmax(h @ w) + x,
    "parts": lambda h, x, w: sg.concat([sg.tanh(h[:, 8:]), x[:, :8] * w[0, :8]], 1),
    "vector": lambda h, x, w: h * sg.sigmoid(w[0]) + x,
    "stack": lambda h, x, w: sg.reduce_sum(sg.stack([h, x @ w], axis=1), axis=1) * 0.3,
    "new axes": lambda h, x, w: sg.reshape(sg.reshape(x * h, [BATCH, 4, 6]), [BATCH, WIDTH]) + h,
}
MEET = {
    "sum of columns": lambda h, x, w: h * 0.5 + sg.reduce_mean(x, axis=0),
    "other rows": lambda h, x, w: h[::-1] * 0.5 + x,
    "rows by rows": lambda h, x, w: h @ (sg.transpose(x) @ h) * 0.01,
    "fewer rows": lambda h, x, w: sg.concat([h[1:], x[:1]], 0),
    "in another shape": lambda h, x, w: sg.reshape(sg.reshape(h, [-1]), [BATCH, WIDTH]) + x,
}
CALLING = {
    "a sort": lambda h, x, w: h + sg.sort(x, axis=1),
    "an inverse of what steps share": lambda h, x, w: h @ sg.matrix_inverse(w) + x,
}
OUTSIDE = {
    "a mask of rows": lambda h, x, m: sg.where(m > 0, h, x),
    "a number for each row": lambda h, x, m: h * m[:, :1] + x,
}


@pytest.fixture(params=[2, 4])
def cores(request, monkeypatch):
    """A machine with some cores, where short loops are cut, too."""
    monkeypatch.setattr(rows, "machine_cores", lambda: request.param)
    monkeypatch.setattr(loops, "is_long", lambda w, e: not w.f.outer)
    return request.param


def program(body, other, dtype, is_gradient=True):
    """All states of a loop and gradients; placeholders."""
    x = sg.placeholder(dtype, [STEPS, BATCH, WIDTH])
    h, w = sg.placeholder(dtype, [BATCH, WIDTH]), sg.placeholder(dtype, other)
    y = sg.scan(lambda h, x: body(h, x, w), x, h)
    given = [x, h, w]
    gradients = sg.gradients(sg.reduce_sum(y * y), given) if is_gradient else []
    return [y, *[g for g in gradients if g is not None]], given


def is_cut(fetches, given):
    """True if all loops of a compiled graph are cut."""
    graph = written_out(sg.compile(fetches, given, backend="numpy").graph)
    found = [rows.body_by_rows(e) for e in graph.order if e.op and e.op.name == "loop"]
    return bool(found) and None not in found


def check(fetches, given, dtype, monkeypatch):
    """Compare with NumPy, and with code that does not cut: by bits where BLAS leaves rows alone."""
    rng = np.random.default_rng(0)
    feeds = [rng.uniform(-0.3, 0.3, e.shape).astype(dtype) for e in given]  # no chaos
    f, g = (sg.compile(fetches, given, backend=b) for b in ("native", "numpy"))
    monkeypatch.setattr(loops, "is_long", lambda w, e: False)
    whole = sg.compile(fetches, given, backend="native")
    eps = np.finfo(dtype).eps
    for got, want, same in zip(f(*feeds), g(*feeds), whole(*feeds), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e3 * eps, atol=1e3 * eps * np.abs(want).max())
        assert np.array_equal(got, same) or not rows_are_alone(dtype, BATCH, FEWEST, WIDTH, WIDTH)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BODIES)
def test_rows_that_do_not_meet_are_cut(name, dtype, cores, monkeypatch):
    fetches, given = program(BODIES[name], [WIDTH, WIDTH], dtype)
    assert is_cut(fetches[:1], given)
    check(fetches, given, dtype, monkeypatch)


@pytest.mark.parametrize("name", MEET)
def test_rows_that_meet_are_not_cut(name, cores, monkeypatch):
    fetches, given = program(MEET[name], [WIDTH, WIDTH], "float64")
    assert not is_cut(fetches[:1], given)
    check(fetches, given, "float64", monkeypatch)


@pytest.mark.parametrize("name", CALLING)
def test_loops_that_call_python_are_not_cut(name, monkeypatch):
    monkeypatch.setattr(rows, "machine_cores", lambda: 2)
    x, h = (sg.placeholder("float64", s) for s in ([STEPS, BATCH, WIDTH], [BATCH, WIDTH]))
    w = sg.placeholder("float64", [WIDTH, WIDTH])
    y = sg.scan(lambda h, x: CALLING[name](h, x, w), x, h)
    graph = sg.compile(y, [x, h, w], optimize=0).graph
    assert not any(rows.body_by_rows(e) for e in graph.order if e.op and e.op.name == "loop")


@pytest.mark.parametrize("name", OUTSIDE)
def test_operands_of_all_steps_may_have_rows(name, cores, monkeypatch):
    fetches, given = program(OUTSIDE[name], [BATCH, WIDTH], "float64", is_gradient=False)
    assert is_cut(fetches, given)
    check(fetches, given, "float64", monkeypatch)


@pytest.mark.parametrize("kind", GATES)
def test_layers_are_cut_forward_and_backward(kind, cores, monkeypatch):
    n = GATES[kind] * WIDTH
    x = sg.placeholder("float32", [STEPS, BATCH, WIDTH])
    ws = [sg.placeholder("float32", s) for s in ([n, WIDTH], [n, WIDTH], [n], [n])]
    y = recurrent(CELLS[kind], x, [[Weights(*ws)]], layer)[0]
    fetches = [y, *sg.gradients(sg.reduce_mean(y * y), [x, *ws])]
    assert is_cut(fetches, [x, *ws])
    check(fetches, [x, *ws], "float32", monkeypatch)


def test_a_batch_of_a_prime_number_is_not_cut():
    assert rows.rows_of_block(31) == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits_are_the_same_on_any_number_of_threads(dtype, monkeypatch):
    monkeypatch.setattr(rows, "machine_cores", lambda: 2)
    x, w = sg.placeholder(dtype, [100, 64, 40]), sg.placeholder(dtype, [40, 40])
    y = sg.scan(lambda h, x: sg.tanh(h @ w + x), x, sg.zeros_like(x[0]))
    f = sg.compile([y, *sg.gradients(sg.reduce_sum(y * y), [x, w])], [x, w], backend="native")
    assert f.ir.count("@run_parts(ptr @part") >= 2
    rng = np.random.default_rng(0)
    feeds = [rng.uniform(-0.3, 0.3, e.shape).astype(dtype) for e in (x, w)]
    usual, found = sg.get_num_threads(), []
    for n in (1, 2, 2, 1):
        sg.set_num_threads(n)
        found.append(f(*feeds))
    sg.set_num_threads(usual)
    for others in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], others, strict=True))


def test_bits_are_the_same_for_any_number_of_threads_of_the_compiler():
    x, w = sg.placeholder("float64", [60, 24, 300]), sg.placeholder("float64", [300, 300])
    y = sg.scan(lambda h, x: sg.tanh(h @ w + x), x, sg.zeros_like(x[0]))
    rng = np.random.default_rng(0)
    feeds = [rng.uniform(-0.1, 0.1, e.shape) for e in (x, w)]
    usual, found = sg.get_num_threads(), set()
    for n in (1, 2):
        sg.set_num_threads(n)
        run = sg.compile(y, [x, w], backend="native")
        sg.set_num_threads(usual)
        found.add(run(*feeds).tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("reads", [False, True], ids=["once", "again"])
def test_threads_keep_apart_what_is_of_several_sizes(cores, reads):
    """Values of a step that end before others begin, which are larger or smaller."""
    wide = 40 * WIDTH
    x, w, u = (
        sg.placeholder("float32", s) for s in ([STEPS, 64, WIDTH], [WIDTH, wide], [wide, WIDTH])
    )

    def step(h, x):
        a = sg.tanh(sg.tanh(h @ w) @ u)
        b = sg.tanh(sg.tanh(a @ w) @ u) + x
        return sg.tanh(b + a if reads else b)

    rng = np.random.default_rng(0)
    feeds = [rng.uniform(-0.2, 0.2, e.shape).astype("f4") for e in (x, w, u)]
    usual, want = sg.get_num_threads(), set()
    sg.set_num_threads(2)
    run = sg.compile(sg.scan(step, x, sg.zeros_like(x[0])), [x, w, u], backend="native")
    for n, calls in ((1, 1), (2, 20)):
        sg.set_num_threads(n)
        want |= {run(*feeds).tobytes() for _ in range(calls)}
    sg.set_num_threads(usual)
    assert len(want) == 1
