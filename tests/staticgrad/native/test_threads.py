"""Loops that threads share compute the same bits on any number of them."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import staticgrad as sg

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

LONG = 200_000
GRAPHS = {
    "entries": lambda x: sg.exp(x) * sg.tanh(x) + x / 3,
    "sum": lambda x: sg.reduce_sum(sg.sin(x) * x),
    "sum of rows": lambda x: sg.reduce_sum(sg.reshape(x, (400, 500)) ** 2, axis=1),
    "sum of columns": lambda x: sg.reduce_sum(sg.reshape(x, (2000, 100)) * 3, axis=0),
    "mean": lambda x: sg.reduce_mean(sg.reshape(x, (2000, 100)) + 1, axis=0),
    "largest": lambda x: sg.reduce_max(sg.reshape(x, (2000, 100)) * 2, axis=0),
    "of several axes": lambda x: sg.reduce_sum(sg.reshape(x, (50, 40, 100)) * x[0], axis=[0, 2]),
    "sum over two axes": lambda x: sg.reduce_sum(sg.exp(sg.reshape(x, (5, 40, 1000))), axis=[0, 1]),
    "sum to columns": lambda x: sg.reduce_sum(sg.exp(sg.reshape(x, (2, 800, 125))), [0, 1]),
    "product": lambda x: sg.reshape(x, (400, 500)) @ sg.reshape(x, (500, 400)),
    "product by a vector": lambda x: sg.reshape(x, (2000, 100)) @ x[:100],
    "turned": lambda x: sg.transpose(sg.reshape(x, (2000, 100))) @ x[:2000],
    "stack of products": lambda x: sg.reshape(x, (50, 40, 100)) @ sg.reshape(x, (50, 100, 40)),
    "in a loop": lambda x: sg.scan(lambda h, _: sg.tanh(h * 1.1), sg.zeros((3, 1)), x)[-1],
}


@pytest.fixture
def threads():
    """Numbers of threads may be set; the usual one comes back."""
    usual = sg.get_num_threads()
    yield
    sg.set_num_threads(usual)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits_are_the_same_on_any_number_of_threads(name, dtype, threads):
    x = sg.placeholder(dtype, [LONG], name="x")
    y = GRAPHS[name](x)
    f, g = (sg.compile(y, [x], backend=backend) for backend in ("native", "numpy"))
    values = np.random.default_rng(0).normal(size=LONG).astype(dtype)
    assert "@run_parts(ptr @part" in f.ir
    found = []
    for n in (1, 2):
        sg.set_num_threads(n)
        found += [f(values), f(values)]
    assert all(np.array_equal(found[0], y) for y in found)
    scale = np.abs(g(values)).max()
    np.testing.assert_allclose(found[0] / scale, g(values) / scale, atol=64 * np.finfo(dtype).eps)


def test_a_long_sum_is_a_sum_of_sums():
    x = sg.placeholder("float32", [1 << 16, 8], name="x")
    f = sg.compile(sg.reduce_sum(x, axis=0), [x], backend="native")
    values = np.random.default_rng(0).uniform(size=(1 << 16, 8)).astype("float32")
    np.testing.assert_allclose(f(values), values.sum(0, dtype="float64"), rtol=1e-5)


def test_what_gives_up_in_a_part_is_computed_by_numpy():
    x = sg.placeholder("float64", [LONG], name="x")
    f = sg.compile(sg.sin(x), [x], backend="native")
    values = np.linspace(0, 1, LONG)
    values[-1] = 1e300
    np.testing.assert_allclose(f(values), np.sin(values), rtol=1e-15)


def test_calls_at_the_same_time_have_results_of_their_own(threads):
    sg.set_num_threads(2)
    x = sg.placeholder("float64", [LONG], name="x")
    f = sg.compile([sg.reduce_sum(sg.exp(x)), sg.tanh(x)], [x], backend="native")
    arrays = [np.full(LONG, float(k)) for k in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda a: [f(a) for _ in range(20)][-1], arrays))
    for a, (total, y) in zip(arrays, found, strict=True):
        np.testing.assert_allclose(total, np.exp(a).sum(), rtol=1e-12)
        np.testing.assert_allclose(y, np.tanh(a), rtol=1e-14)


PROGRAM = """
import os, sys, threading
import numpy as np
import staticgrad as sg

sg.set_num_threads(2)
x = sg.placeholder("float64", [200_000], name="x")
f = sg.compile(sg.reduce_sum(sg.exp(x)), [x], backend="native")
ones = np.ones(200_000)
right = lambda: abs(f(ones) / (200_000 * np.e) - 1) < 1e-12
assert right()
"""
FORKS = """
child = os.fork()
if child == 0:
    os._exit(0 if right() and right() else 1)
assert os.waitpid(child, 0)[1] == 0 and right()
"""
FORKS_WHILE_OTHERS_CALL = """
stop = threading.Event()
callers = [threading.Thread(target=lambda: [right() for _ in iter(stop.is_set, True)])
           for _ in range(4)]
for each in callers:
    each.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if right() and right() else 1)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
"""
LEAVES = """
threading.Thread(target=lambda: [f(ones) for _ in range(10**9)], daemon=True).start()
assert right()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize(
    "rest", [FORKS, FORKS_WHILE_OTHERS_CALL, LEAVES], ids=["fork", "fork of several", "exit"]
)
def test_processes_fork_and_end(rest):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM + rest]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_numbers_of_threads_are_whole_and_positive(threads):
    sg.set_num_threads(10**6)
    assert 1 <= sg.get_num_threads() <= (os.cpu_count() or 1)
    with pytest.raises(ValueError, match="at least one"):
        sg.set_num_threads(0)
    with pytest.raises(TypeError):
        sg.set_num_threads(1.5)
