"""Machine code that is kept on disk: found again for equal graphs, and for no others."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops import OptionError
from gradops.native.objects import stored
from gradops.native.objects.elf import Unloadable
from gradops.native.runtime import machine
from staticgrad.native.output import keys, native_code

from .random_programs import random_program

pytest.importorskip("llvmlite")

PROGRAM = """
import sys
import numpy as np
import staticgrad as sg

rng = np.random.default_rng(0)
table = rng.normal(size=(100, 30))

def program(name):
    x = sg.placeholder("float64", [4, 30], name="x")
    if name == "net":
        w = sg.placeholder("float64", [30, 3], name="w")
        loss = sg.reduce_sum(sg.log(1.0 + sg.exp(x @ w)))
        return [loss, *sg.gradients(loss, [w])], [x, w]
    if name == "scan":
        states = sg.scan(lambda s, z: sg.tanh(s * z + 0.5), x, sg.zeros([30], "float64"))
        loss = sg.reduce_sum(states)
        return [states, *sg.gradients(loss, [x])], [x]
    if name == "kernel":
        return [sg.sort(x, axis=-1) * 2.0, sg.reduce_sum(sg.cumsum(x))], [x]
    if name == "kernels in loops":
        step = lambda s, z: sg.sort(s) + sg.cumsum(z)
        return [sg.scan(step, x, sg.zeros([30], "float64")), sg.scan(step, x + 1.0, x[0])], [x]
    if name == "constant":
        i = sg.placeholder("int64", [4], name="i")
        return [sg.gather(sg.constant(table), i) * x], [x, i]
    if name == "sizes":
        y = sg.placeholder("float64", ["n", 30], name="y")
        return [sg.reduce_sum(sg.exp(y), axis=0)], [y]

def results(name):
    outputs, inputs = program(name)
    executable = sg.compile(outputs, inputs, backend="native")
    rng = np.random.default_rng(1)
    shapes = [[n if isinstance(n, int) else 4 for n in e.shape] for e in inputs]
    pairs = zip(inputs, shapes)
    feeds = [rng.integers(0, 9, s) if e.dtype.kind == "i" else rng.normal(size=s) for e, s in pairs]
    return executable, executable(*feeds), sg.compile(outputs, inputs)(*feeds)

if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        _, found, wanted = results(name)
        for y, z in zip(found, wanted):
            np.testing.assert_allclose(y, z, 1e-12)
    print("llvmlite" in sys.modules)
"""
NAMES = ["net", "scan", "kernel", "kernels in loops", "constant", "sizes"]
scope: dict = {"__name__": "program"}
exec(PROGRAM, scope)


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def texts(monkeypatch):
    """The texts that are compiled."""
    result = []
    compiled = native_code.compiled
    monkeypatch.setattr(
        native_code, "compiled", lambda *given: result.append(given[0]) or compiled(*given)
    )
    return result


def results(name):
    """The executable of a program in a graph of its own, and what it and NumPy compute."""
    with sg.Graph().as_default():
        return scope["results"](name)


def started(name):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, name], stdout=subprocess.PIPE, text=True, env=os.environ
    )


def finished(process):
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return output.strip()


def test_the_compiler_is_not_imported_for_code_that_is_kept():
    everything = ",".join(NAMES)
    assert [finished(started(everything)) for _ in range(2)] == ["True", "False"]


@pytest.mark.parametrize("name", NAMES)
def test_code_has_no_addresses(name, texts):
    first, second = results(name)[0], results(name)[0]
    assert first.ir == second.ir
    assert "inttoptr" not in first.ir
    assert len(texts) == 1


@pytest.mark.parametrize("name", NAMES)
def test_equal_graphs_give_the_same_object(name, monkeypatch, directory):
    monkeypatch.setenv("STATICGRAD_CACHE", "off")
    executables = [results(name)[0] for _ in range(2)]
    first, second = (machine.compiled(e.ir) for e in executables)
    assert first == second


def compile_all(build):
    """Compile what a function gives, in graphs of their own."""
    found = []
    for k in range(2):
        with sg.Graph().as_default():
            x = sg.placeholder("float64", [3], name="x")
            found.append(sg.compile(build(x, k), [x], backend="native")([1.0, 2.0, 3.0]))
    return found


@pytest.mark.parametrize("build", [
    lambda x, k: x + float(k), lambda x, k: x * sg.constant([1.0, 2.0, 3.0 + k]),
    lambda x, k: (sg.exp, sg.sin)[k](x), lambda x, k: sg.reduce_sum(x, keepdims=bool(k)),
    lambda x, k: x[k], lambda x, k: (x, [x])[k], lambda x, k: [sg.sort(x + k)],
    lambda x, k: sg.scan(lambda s, z: s + z + k, x, sg.constant(np.zeros(()))),
    lambda x, k: sg.cast(x, ("float32", "int32")[k]),
    lambda x, k: sg.gather(sg.constant(np.arange(5000.0) + k), sg.cast(x, "int64")),
    lambda x, k: sg.constant(np.arange(3.0) * (1 - 2 * k)) * 0.0 * x,
])  # fmt: skip
def test_other_graphs_have_other_code(texts, build):
    first, second = compile_all(build)
    assert len(texts) == 2
    assert repr(first) != repr(second)


def test_names_of_values_and_lines_change_nothing(texts):
    first, second = compile_all(lambda x, k: sg.exp(x, name=("a", "b")[k]))
    np.testing.assert_array_equal(first, second)
    assert len(texts) == 1


@pytest.mark.parametrize("options", [
    {"optimize": 1}, {"without": "simplify"}, {"passes": ["fold"]}, {"optimize": 0},
])  # fmt: skip
def test_passes_are_part_of_the_key(texts, options):
    x = sg.placeholder("float64", [3], name="x")
    y = sg.exp(x) * 2.0 + sg.exp(x) * 3.0
    for _ in range(2):
        for given in ({}, options):
            found = sg.compile(y, [x], backend="native", **given)([1.0, 2.0, 3.0])
            np.testing.assert_allclose(found, 5 * np.exp([1.0, 2.0, 3.0]))
    assert len(texts) == 2


def scaled(factor):
    """A side of a rule."""
    return lambda x: gradops.log1p(gradops.sinh(x) * factor)


def test_passes_that_are_not_ours_run_and_the_code_is_of_what_they_give(texts):
    x = sg.placeholder("float64", [3], name="x")
    for factor in (2.0, 3.0, 3.0):
        rule = sg.Rule(lambda x: gradops.exp(x), scaled(factor))
        f = sg.compile(sg.exp(x), [x], rules=[rule], backend="native")
        found = f([1.0, 2.0, 3.0])
        np.testing.assert_allclose(found, np.log1p(factor * np.sinh([1.0, 2.0, 3.0])))
    assert len(texts) == 2


@pytest.mark.parametrize("change", ["sources", "cores"])
def test_what_code_depends_on_is_part_of_the_key(texts, monkeypatch, change):
    compile_all(lambda x, k: sg.exp(x))
    monkeypatch.setattr(keys, change, lambda *_: ("another",))
    compile_all(lambda x, k: sg.exp(x))
    assert len(texts) == 2


def test_ops_of_users_are_compiled_anew(texts):
    declared = dict(vjp=[None], jvp=[None], doc="", samples=lambda rng: ())
    infer = lambda t: t
    for name in ("own_op_of_the_cache_test", "another_op_of_the_cache_test"):
        op = gradops.Op(name, lambda x: x * 2.0, infer, **declared)
        x = sg.placeholder("float64", [3], name="x")
        for _ in range(2):
            f = sg.compile(op(x), [x], backend="native")
            np.testing.assert_array_equal(f([1.0, 2.0, 3.0]), [2.0, 4.0, 6.0])
        gradops.OPS.pop(name)
    assert len(texts) == 4


def test_kernels_of_another_graph_are_not_called(texts, monkeypatch):
    build = scope["program"]("kernels in loops")
    first = sg.compile(*build, backend="native")
    assert first.native.notes
    wrong = stored.ObjectCode(b"no object", (), ("another graph", *first.native.notes[1:]))
    monkeypatch.setattr(native_code, "stored", lambda key: wrong)
    second = sg.compile(*build, backend="native")
    x = np.random.default_rng(0).normal(size=(4, 30))
    for y, z in zip(first(x), second(x), strict=True):
        np.testing.assert_array_equal(y, z)
    assert len(texts) == 2


def test_functions_that_are_known_when_the_text_is_written_are_found(texts, monkeypatch):
    compile_all(lambda x, k: sg.exp(x))
    unknown = "define void @f() { call void @nowhere()  ret void }\ndeclare void @nowhere()"
    monkeypatch.setattr(native_code, "stored", lambda key: machine.compiled(unknown))
    first, second = compile_all(lambda x, k: sg.exp(x))
    np.testing.assert_array_equal(first, second)
    assert len(texts) == 3


@pytest.mark.parametrize("first", range(2000, 2030, 10))
def test_kept_code_of_random_graphs_gives_the_same_bits(first):
    kept = 0
    for seed in range(first, first + 10):
        made = random_program(seed)
        try:
            new, old = (sg.compile(made.graph, backend="native") for _ in range(2))
        except OptionError:  # it has no machine code
            continue
        with np.errstate(all="ignore"):
            results = [outcome(f, made.feeds) for f in (new, old)]
        assert results[0] == results[1], made.graph
        kept += hasattr(old, "native") and "written" not in vars(old.native)
    assert kept >= 4


def outcome(f, feeds):
    """The bits of results, or the error."""
    try:
        return [np.asarray(y).tobytes() for y in f(*feeds)]
    except Exception as error:
        return str(error)


@pytest.mark.parametrize("name", NAMES)
def test_llvm_loads_what_our_loader_does_not_know(name, texts, monkeypatch):
    def unloadable(*_):
        raise Unloadable("another format")

    monkeypatch.setattr(machine, "Loaded", unloadable)
    for _ in range(2):
        _, found, expected = results(name)
        for y, z in zip(found, expected, strict=True):
            np.testing.assert_allclose(y, z, 1e-12)
    assert len(texts) == 1


def test_damaged_files_are_compiled_anew(texts, directory):
    first, _ = compile_all(lambda x, k: sg.exp(x) + 1.0)
    for file in directory.iterdir():
        file.write_bytes(file.read_bytes()[:-50])
    second, _ = compile_all(lambda x, k: sg.exp(x) + 1.0)
    np.testing.assert_array_equal(first, second)
    assert len(texts) == 2


@pytest.mark.parametrize("place", ["off", "/proc/nothing", "/dev/full", "/dev/null/x"])
def test_it_works_without_a_directory(texts, monkeypatch, place):
    monkeypatch.setenv("STATICGRAD_CACHE", place)
    first, second = compile_all(lambda x, k: sg.exp(x))
    np.testing.assert_array_equal(first, second)
    assert len(texts) == 2


def test_the_cache_is_cleared(texts, directory):
    compile_all(lambda x, k: sg.exp(x))
    assert any(directory.iterdir())
    sg.clear_cache()
    assert not any(directory.iterdir())
    compile_all(lambda x, k: sg.exp(x))
    assert len(texts) == 2


def test_the_graph_of_kept_code_is_there_when_asked_for():
    executables = []
    for _ in range(2):
        with sg.Graph().as_default():
            x = sg.placeholder("float64", [3], name="x")
            executables.append(sg.compile(sg.exp(x) * 1.0, [x], backend="native"))
    first, second = executables
    assert "results" not in vars(second.optimized)
    assert second.graph == first.graph
    assert (second.ir, second.source) == (first.ir, first.source)
    assert [r.name for r in second.pass_reports] == [r.name for r in first.pass_reports]


def test_processes_that_compile_the_same_graph_agree_and_may_be_killed(directory):
    processes = [started("net,scan") for _ in range(3)]
    time.sleep(0.8)
    processes[0].send_signal(signal.SIGKILL)
    processes[0].communicate()
    assert {finished(p) for p in processes[1:]} <= {"True", "False"}  # a late one need not compile
    assert finished(started("net,scan")) == "False"
