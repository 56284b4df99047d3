"""Random graphs through random passes give what the interpreter gives. See `random_graphs`."""

import runpy
import warnings

import numpy as np
import pytest

import staticgrad as sg
from gradops.kernels.native_kernels import native_kernels
from staticgrad.passes import LEVELS
from staticgrad.runtime.checking.verification import same_entries
from staticgrad.runtime.feeds import as_feed

from ..native.random_programs import random_program
from .random_graphs import random_graph

GRAPHS, LARGE, MODULES, EACH = 500, 200, 100, 25  # tests/soak runs the seeds that follow
EXACT = [p for p in LEVELS[2] if not p.bound]


def large_program(seed):
    """A graph with more loops and larger arrays, some of which lie in an arena."""
    made = random_program(seed)
    pairs = zip(made.graph.inputs, made.feeds, strict=True)
    made.feeds = outcome(lambda: [np.array(as_feed(e, x), order="C") for e, x in pairs])
    return made


def failure_of(seed, make=random_graph):
    """The first difference between the interpreter and compiled code, as text; None if none."""
    made = make(seed)
    if isinstance(made.feeds, Exception):
        return None  # no layout of memory that a graph can be fed
    rng = np.random.default_rng(seed)
    exact = [p for p in EXACT if rng.random() < 0.6]
    some = [p for p in LEVELS[2] if rng.random() < 0.6]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        wanted = outcome(lambda: sg.interpret(made.graph, made.feeds))
        ways = {
            "no pass": lambda: sg.compile(made.graph, optimize=0)(*made.feeds),
            f"passes {exact}": lambda: sg.compile(made.graph, passes=exact)(*made.feeds),
            "optimize=1": lambda: sg.compile(made.graph, optimize=1)(*made.feeds),
        }
        for name, run in ways.items():
            found = outcome(run)
            if isinstance(wanted, Exception) and name != "no pass":
                continue  # a pass may have removed what fails, if nothing needs it
            if not equal(wanted, found):
                return f"{name} gives {found!r}, the interpreter {wanted!r}\n{made}"
        if isinstance(wanted, tuple):
            return failure_of_bounded(made, some)
    return None


def failure_of_bounded(made, passes):
    """The failure of passes that state a bound, which `verify` checks."""
    for chosen in (passes, LEVELS[2]):
        try:
            sg.compile(made.graph, passes=chosen, verify=made.feeds)
        except Exception as error:
            return f"passes {chosen} fail: {error!r}\n{made}"
    return None


def outcome(run):
    """The results of a run, or the error that it raises."""
    try:
        return tuple(run())
    except Exception as error:
        return error


def equal(wanted, found):
    """True if results have the same types and bits, or both are errors."""
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        return isinstance(wanted, Exception) and isinstance(found, Exception)
    return all(
        np.asarray(x).dtype == np.asarray(y).dtype and np.shape(x) == np.shape(y)
        and np.all(same_entries(np.asarray(x), np.asarray(y)))
        for x, y in zip(wanted, found, strict=True)
    )  # fmt: skip


@pytest.mark.parametrize("first", range(0, GRAPHS, EACH))
def test_random_graphs_give_what_the_interpreter_gives(first):
    failures = [failure_of(seed) for seed in range(first, first + EACH)]
    assert not any(failures), "\n\n".join(filter(None, failures))


@pytest.mark.parametrize("first", range(0, LARGE, EACH))
def test_large_programs_give_what_the_interpreter_gives(first):
    failures = [failure_of(seed, large_program) for seed in range(first, first + EACH)]
    assert not any(failures), "\n\n".join(filter(None, failures))


@pytest.fixture
def numpy_alone():
    """No kernel runs in machine code: modules need NumPy alone, and have its bits."""
    with native_kernels(False):
        yield


@pytest.mark.usefixtures("numpy_alone")
@pytest.mark.parametrize("seed", range(MODULES))
def test_modules_of_random_graphs_give_what_the_interpreter_gives(seed, tmp_path):
    made, path = random_graph(seed), tmp_path / "model.py"
    feeds = [np.asarray(x, order="C") for x in made.feeds]  # as modules take them
    sg.to_python(made.graph, path)
    module = runpy.run_path(str(path))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        wanted = outcome(lambda: sg.interpret(made.graph, feeds))
        found = outcome(lambda: module["run"](*feeds))
    if not isinstance(wanted, Exception):
        assert equal(wanted, found), f"{found!r}, not {wanted!r}\n{made}"


def test_a_graph_in_a_failure_can_be_read_back():
    for seed in range(20):
        made = random_graph(seed)
        assert sg.parse(sg.to_text(made.graph, lines=False)) == made.graph
