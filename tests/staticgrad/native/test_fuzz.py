"""Random graphs give in machine code what the interpreter gives."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.native.scalars import NotNative
from staticgrad.runtime.native_executable import NativeExecutable
from staticgrad.runtime.verification import Code, require_results

from ..passes import random_graphs

pytest.importorskip("llvmlite")

GRAPHS, EACH = 600, 30
DTYPES = ("float64", "float32", "int64", "int32", "bool")
SHAPES = tuple(shape for shape in random_graphs.SHAPES if 0 not in shape)
BOUND = 1024.0


@pytest.fixture
def of_machine_types(monkeypatch):
    """Random graphs of dtypes and sizes that machine code knows."""
    monkeypatch.setattr(random_graphs, "FLOATS", DTYPES[:2])
    monkeypatch.setattr(random_graphs, "DTYPES", DTYPES)
    monkeypatch.setattr(random_graphs, "SHAPES", SHAPES)
    monkeypatch.setattr(random_graphs, "NAMED", SHAPES)


def failure_of(seed):
    """What differs, as text; None if nothing does, and False if the graph has no machine code."""
    made = random_graphs.random_graph(seed)
    try:
        executable = NativeExecutable(made.graph)
    except NotNative:
        return False
    arrays = [np.array(x, order="C") for x in made.feeds]
    try:
        with np.errstate(all="ignore"):
            require_results(Code(BOUND), made.graph, lambda values: executable(*values), arrays)
    except Exception as error:
        return f"{error!r}\n{made}"
    return None


@pytest.mark.usefixtures("of_machine_types")
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("first", range(0, GRAPHS, EACH))
def test_random_graphs_give_what_the_interpreter_gives(first):
    found = [failure_of(seed) for seed in range(first, first + EACH)]
    assert found.count(None) > EACH / 10  # of these there is machine code
    assert not any(found), "\n\n".join(filter(None, found))


def test_the_programs_of_other_tests_have_machine_code():
    x = sg.placeholder("float32", [3, 4])
    assert isinstance(sg.compile(sg.exp(x), [x], backend="auto"), NativeExecutable)
