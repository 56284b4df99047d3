"""Ctrl-C stops machine code that would run for years, and changes nothing."""

import signal
import threading

import numpy as np
import pytest

import staticgrad as sg

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

MANY = 10**6


def nested(body, x, depth=3):
    """`body`, a million times a million times a million times."""
    for _ in range(depth):
        body = lambda s, body=body: sg.fori(0, MANY, lambda i, s: body(s), s)
    return body(x)


def of_all_triples(x):
    """A function of all triples of entries of a vector, added up in one nest of loops."""
    rows, columns = sg.reshape(x, (-1, 1, 1)), sg.reshape(x, (1, -1, 1))
    return sg.reduce_sum(sg.sin(rows * columns + x))


def hundredfold(x):
    """The entries of a vector, a hundred times."""
    return sg.reshape(sg.stack([x] * 100), (-1,))


LONG = {
    "steps": lambda x: nested(lambda s: sg.sin(s) + 1.0, x[:3]),
    "turns": lambda x: sg.while_loop(lambda s: s[0] < 9.0, lambda s: (sg.sin(s),), [x[:3]]),
    "entries": lambda x: of_all_triples(hundredfold(x)),
    "rows": lambda x: sg.reduce_max(sg.sin(
        sg.reshape(x[:1000], (-1, 1, 1)) * sg.reshape(x[:1000], (-1, 1)) + hundredfold(x)
    ), axis=-1),
    "products": lambda x: nested(lambda s: s @ s, sg.reshape(x[:400], (20, 20)), 2),
    "large products": lambda x: nested(lambda s: s @ s, sg.reshape(x, (50, 200))[:, :50], 3),
    "products of integers": lambda x: nested(
        lambda s: s @ s, sg.cast(sg.reshape(x, (100, 100)), "int64"), 2
    ),
    "kernels": lambda x: nested(lambda s: sg.sort(s), x[:5]),
    "rows that are read": lambda x: nested(
        lambda s: sg.gather(s, sg.cast(s * 0.0, "int64")), sg.cast(x, "int64"), 2
    ),
}  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_stops_what_would_run_for_years(name, threads, alarm):
    before = sg.get_num_threads()
    sg.set_num_threads(threads)
    x = sg.placeholder("float64", [10_000], name="x")
    native = sg.compile(LONG[name](x), [x], backend="native")
    ran = threading.Event()
    threading.Timer(0.05, ran.set).start()
    try:
        alarm(0.2)
        with pytest.raises(KeyboardInterrupt) as stopped:
            native(np.linspace(0.0, 1.0, 10_000))
    finally:
        sg.set_num_threads(before)
    assert ran.is_set()  # other threads run meanwhile
    assert len(stopped.traceback) <= 3  # no frame with arrays in memory of the code


@pytest.fixture
def alarm():
    """A function that lets Ctrl-C come after some seconds."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_what_was_stopped_runs_again_and_variables_have_their_values(alarm):
    v, n = sg.Variable(np.ones(3)), sg.placeholder("int64", [], name="n")
    new = sg.fori(0, n, lambda i, s: sg.sin(s) + 1.0, v)
    step = v.assign(new)
    with sg.Session(backend="native") as session:
        session.run(sg.global_variables_initializer())
        first = session.run(step, {n: 3})
        alarm(0.1)
        with pytest.raises(KeyboardInterrupt):
            session.run(step, {n: 10**15})
        np.testing.assert_array_equal(session.run(v), first)
        want = np.sin(np.sin(first) + 1) + 1
        np.testing.assert_allclose(session.run(step, {n: 2}), want, 1e-14)


def test_handlers_run_during_a_call_and_may_call_the_executable():
    n = sg.placeholder("int64", [], name="n")
    native = sg.compile(
        sg.fori(0, n, lambda i, s: sg.sin(s) + 1.0, sg.constant(np.ones(1000))), [n],
        backend="native",
    )  # fmt: skip
    want, seen = native(3), []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(native(3)))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        last = native(30_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen
    assert all(np.array_equal(y, want) for y in seen)
    np.testing.assert_array_equal(last, native(30_000))
