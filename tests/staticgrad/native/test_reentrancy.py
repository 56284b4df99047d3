"""Calls at the same time, forks, ends of processes and copies: each call has memory of its own."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

import staticgrad as sg

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

SIZE = 400
GRAPHS = {
    "entries": lambda x: sg.exp(x) * sg.tanh(x),
    "an arena": lambda x: sg.reduce_sum(sg.sin(x @ x) ** 2, axis=0),
    "kernels": lambda x: sg.cumsum(sg.sort(x * 2.0, axis=1), 0) + 1.0,
    "a loop": lambda x: sg.fori(0, 50, lambda i, s: sg.tanh(s @ x[:20, :20]), x[:20, :20]),
    "a while loop": lambda x: sg.while_loop(
        lambda i, s: i < 200, lambda i, s: (i + 1, sg.sin(s) + x), [0, x],
    ),
}  # fmt: skip


def compiled(name):
    """A graph in machine code."""
    x = sg.placeholder("float64", [SIZE, SIZE], name="x")
    return sg.compile(GRAPHS[name](x), [x], backend="native")


def bits_of(result):
    """The bytes of a result."""
    return [np.asarray(y).tobytes() for y in (result if isinstance(result, list) else [result])]


def array(seed):
    """An array for a call."""
    return np.random.default_rng(seed).normal(size=(SIZE, SIZE)) / 20


@pytest.mark.parametrize("name", GRAPHS)
def test_calls_at_the_same_time_give_what_calls_in_turn_give(name):
    f, feeds = compiled(name), [array(seed) for seed in range(6)]
    want = [bits_of(f(x)) for x in feeds]

    def work(k):
        return all(bits_of(f(feeds[i % 6])) == want[i % 6] for i in range(k, k + 6))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(6)))


@pytest.mark.parametrize("name", GRAPHS)
def test_feeds_that_change_during_a_call_spoil_its_results_alone(name):
    f, feed, other = compiled(name), array(0), array(1)
    want, ends = bits_of(f(other)), threading.Event()

    def change():
        while not ends.is_set():
            feed[...] = np.random.default_rng().normal(size=(SIZE, SIZE))
            feed[::3] = np.nan

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(5):
            f(feed)
            assert bits_of(f(other)) == want
    finally:
        ends.set()
        changer.join()


def test_indices_that_change_during_a_call_stay_within_their_array():
    x, i = sg.placeholder("float64", [50]), sg.placeholder("int64", [200_000])
    f = sg.compile(sg.reduce_sum(sg.gather(x, i) * 2.0), [x, i], backend="native")
    numbers, ends = np.zeros(200_000, np.int64), threading.Event()

    def change():
        while not ends.is_set():
            numbers[...] = 1 << 60
            numbers[...] = 7

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(100):
            with suppress(IndexError):
                f(np.ones(50), numbers)
    finally:
        ends.set()
        changer.join()


@pytest.mark.parametrize("name", GRAPHS)
def test_an_executable_may_be_dropped_during_a_call(name):
    runs = []
    for seed in range(4):
        f, x = compiled(name), array(seed)
        want, run = bits_of(f(x)), f.run
        thread = threading.Thread(
            target=lambda run=run, x=x, want=want: runs.append(bits_of(run(x)) == want)
        )
        thread.start()
        del f, run
        gc.collect()
        thread.join()
    assert runs == [True] * 4


@pytest.mark.parametrize("duplicate", [
    copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f)),
], ids=["copy", "deepcopy", "pickle"])  # fmt: skip
@pytest.mark.parametrize("shape", [(3,), ("n",)])
@pytest.mark.parametrize("backend", ["native", "numpy", "interpreter", "auto"])
def test_executables_are_copied(duplicate, shape, backend):
    x, feed = sg.placeholder("float64", shape, name="x"), np.ones(3)
    f = sg.compile(sg.exp(x), [x], backend=backend)
    g, want = duplicate(f), f(feed)
    del f
    gc.collect()
    np.testing.assert_array_equal(g(feed), want)
    np.testing.assert_array_equal(duplicate(g)(feed), want)


PROGRAM = """
import os, sys, threading, time
import numpy as np
import staticgrad as sg
from tests.staticgrad.native.test_reentrancy import GRAPHS, compiled, array, bits_of

sg.set_num_threads(2)
name = sys.argv[1]
f, x = compiled(name), array(0)
want = bits_of(f(x))

def call():
    while True:
        f(x)
"""
FORKS = """
for _ in range(2):
    threading.Thread(target=call, daemon=True).start()
for _ in range(5):
    time.sleep(0.01)
    child = os.fork()
    if child == 0:
        g = compiled(name)
        os._exit(0 if bits_of(f(x)) == want and bits_of(g(x)) == want else 1)
    assert os.waitpid(child, 0)[1] == 0
assert bits_of(f(x)) == want
os._exit(0)
"""
LEAVES = """
for _ in range(3):
    threading.Thread(target=call, daemon=True).start()
time.sleep(0.1)
"""
KILLED = """
threading.Thread(target=call, daemon=True).start()
time.sleep(0.1)
sys.exit(3)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(
    ("rest", "status"), [(FORKS, 0), (LEAVES, 0), (KILLED, 3)], ids=["fork", "exit", "status"]
)
def test_processes_fork_and_end_during_calls(name, rest, status):
    ignored = "ignore::DeprecationWarning"
    command = [sys.executable, "-W", ignored, "-c", PROGRAM + rest, name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (status, "")


INTERPRETERS = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
inner = interpreters.create()
try:
    said = interpreters.run_string(inner, '''
import staticgrad as sg, numpy as np
x = sg.placeholder("float64", [3], name="x")
print(sg.compile(sg.exp(x) * 2.0, [x], backend="auto")(np.zeros(3)))
sg.compile(sg.exp(x) * 2.0, [x], backend="native")
''')
    print(said)  # from Python 3.13 on it raises nothing
except BaseException as error:  # NumPy or CPython refuse
    print(type(error).__name__, error)
"""


def test_interpreters_inside_another_have_no_machine_code():
    command = [sys.executable, "-W", "ignore", "-c", INTERPRETERS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert "main interpreter" in done.stdout or "import" in done.stdout, done.stdout
