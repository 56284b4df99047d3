"""Small stacks, little memory, and compilers that fail: right results or clear errors."""

import os
import subprocess
import sys
import threading
from functools import cache

import numpy as np
import pytest

import staticgrad as sg
from gradops import GradError, OptionError
from gradops.native.ir import modules
from gradops.native.runtime.interrupts import OFTEN

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from staticgrad.native.output import native_code

SMALLEST = 32_768  # bytes of a stack; Python makes no smaller ones
NO_CACHE = os.environ | {"STATICGRAD_CACHE": "off"}


def of_many_arrays(x, count):
    """A sum that needs `count` small arrays at once, none of which can be a register."""
    rows = [sg.gather(sg.sin(x * float(k)), np.arange(200) * 7 % 200) for k in range(count)]
    return sg.reduce_sum(sg.stack(rows) ** 2), rows[0] * rows[-1]


@cache
def suffices_for_blas(size):
    """Whether NumPy's own product of matrices runs on a stack, not quite at its beginning.

    Some kernels of OpenBLAS do not.
    """
    code = f"""if True:
        import threading, numpy as np
        a = np.ones((120, 120))
        below = lambda depth: list(map(below, [depth - 1])) if depth else a @ a
        threading.stack_size({size})
        thread = threading.Thread(target=below, args=[16])
        thread.start()
        thread.join()
    """
    return subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("count", [1, 3, 10, 70])
@pytest.mark.parametrize("size", [SMALLEST, 65_536, 1 << 20])
def test_stacks_of_any_size_suffice(size, count):
    x, a = sg.placeholder("float64", [200]), sg.placeholder("float64", [120, 120])
    fetches = [*of_many_arrays(x, count), a + a, sg.sort(x)]
    if suffices_for_blas(size):
        fetches.append(a @ a)
    native, numpy = (sg.compile(fetches, [x, a], backend=b) for b in ("native", "numpy"))
    feeds = np.linspace(0.0, 1.0, 200), np.ones((120, 120))
    found = []
    usual = threading.stack_size(size)
    try:
        thread = threading.Thread(target=lambda: found.append(native(*feeds)))
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    for got, want in zip(found[0], numpy(*feeds), strict=True):
        np.testing.assert_allclose(got, want, 1e-12)


LIMITED = """
import resource, sys
import numpy as np
import staticgrad as sg

def more(megabytes):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (megabytes << 20), resource.RLIM_INFINITY))

x = sg.placeholder("float64", [1000, 1000], name="x")
n = sg.placeholder("float64", ["n"], name="n")
f = sg.compile({fetches}, [x], backend="native")
g = sg.compile(sg.reduce_sum(n * 2.0), [n], backend="native")
ones, few = np.ones((1000, 1000)), np.ones(5)
assert g(few) == 10.0
want = [np.array(y) for y in f(ones)]
del f
import gc; gc.collect()
f = sg.compile({fetches}, [x], backend="native")
outcomes = set()
for megabytes in (0, 1, 4, 12, 20, 30, 60, 100, 300):
    more(megabytes)
    try:
        assert all(np.array_equal(a, b) for a, b in zip(f(ones), want))
        outcomes.add("right")
    except MemoryError:
        outcomes.add("MemoryError")
    try:
        assert g(np.ones(6 + megabytes)) == 12.0 + 2 * megabytes
        sg.compile(sg.exp(x) * float(megabytes), [x], backend="native")
    except MemoryError:
        outcomes.add("MemoryError")
    assert len(sg.compile(sg.exp(n) + megabytes, [n], backend="auto")(few)) == 5
print(*sorted(outcomes))
"""
FETCHES = {
    "results": "[sg.exp(x), x + 1.0]",
    "an arena": "[sg.reduce_sum((sg.sort(x, 0) @ sg.sort(x, 1)) ** 2), x[0, 0]]",
    "kernels": "[sg.cumsum(sg.sort(x), 0), x[0, 0]]",
    "a loop": "[sg.fori(0, 3, lambda i, s: sg.sin(s) @ s * 1e-3, x)]",
}


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="Linux says what it has")
@pytest.mark.parametrize("fetches", FETCHES.values(), ids=FETCHES)
def test_memory_that_runs_out_is_an_error(fetches):
    command = [sys.executable, "-c", LIMITED.replace("{fetches}", fetches)]
    environment = NO_CACHE | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "MemoryError right\n"), done.stderr


@pytest.mark.parametrize("shape", [(1 << 40,), (1 << 32, 1 << 32), (1 << 21,) * 3, (1 << 62, 4)])
def test_values_that_no_memory_holds_are_refused_as_by_numpy(shape):
    x = sg.placeholder("float64", [], name="x")
    y = sg.broadcast_to(x, shape)
    fetches = sg.exp(y), sg.sort(sg.exp(y), axis=0)
    for fetch in fetches:
        errors = []
        for backend in ("numpy", "auto"):
            with pytest.raises((MemoryError, ValueError)) as caught:
                sg.compile(fetch, [x], backend=backend)(1.0)
            errors.append(caught.type)
        assert errors[0] is errors[1] or issubclass(errors[1], MemoryError)


def test_what_llvm_refuses_names_the_graph(monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE", "off")
    monkeypatch.setattr(modules, "METADATA", "nonsense")
    x = y = sg.placeholder("float64", [3], name="name_of_x")
    for _ in range(9):
        y = sg.tanh(y) * x
    with pytest.raises(OptionError, match=r"(?s)LLVM refuses.*please report.*name_of_x"):
        sg.compile(y, [x], backend="native")
    with pytest.warns(UserWarning, match="NumPy runs a graph"):
        auto = sg.compile(y, [x], backend="auto")
    np.testing.assert_array_equal(auto(np.zeros(3)), np.zeros(3))


@pytest.mark.parametrize("error", [ImportError("it is broken"), OSError("it is broken")])
def test_a_compiler_that_does_not_load_is_not_used(monkeypatch, error):
    def broken(*_):
        raise error

    monkeypatch.setattr(native_code, "compiled", broken)
    monkeypatch.setenv("STATICGRAD_CACHE", "off")
    x = sg.placeholder("float64", [3], name="x")
    with pytest.raises(OptionError, match="llvmlite does not load: it is broken"):
        sg.compile(sg.exp(x), [x], backend="native")
    auto = sg.compile(sg.exp(x), [x], backend="auto")
    np.testing.assert_array_equal(auto(np.zeros(3)), np.ones(3))


def test_work_is_much_where_a_loop_has_many_steps():
    x = sg.placeholder("float64", [3], name="x")
    few, many = (sg.fori(0, n, lambda i, s: sg.sin(s), x) for n in (10, OFTEN))
    assert "@check(" not in sg.compile(few, [x], backend="native").ir
    assert "@check(" in sg.compile(many, [x], backend="native").ir


@pytest.mark.parametrize("read", [
    lambda p: sg.ones_like(p), lambda p: p[:2], lambda p: p + 1, lambda p: sg.reduce_sum(p),
])  # fmt: skip
def test_a_power_that_raises_does_so_wherever_it_is_read_for(read):
    """Also where its type alone is, or a part of it without the entry that raises."""
    x, y = (sg.placeholder("int64", [3], name=name) for name in "xy")
    run = sg.compile(read(x**y), [x, y], backend="native")
    run([2, 3, 4], [1, 2, 0])
    with pytest.raises(GradError, match="negative integer powers"):
        run([2, 3, 4], [1, 2, -1])
