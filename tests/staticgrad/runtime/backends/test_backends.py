"""The choice of a backend, and the default one."""

import contextvars

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError


@pytest.fixture
def sum_of_squares():
    x = sg.placeholder("float32", [3], name="x")
    return sg.reduce_sum(x * x), x


def in_own_context(run):
    """What a function gives; the default backend that it sets ends with it."""
    return contextvars.copy_context().run(run)


def test_the_default_is_numpy_until_it_is_set(sum_of_squares):
    y, x = sum_of_squares

    def kinds():
        found = []
        for name in ("numpy", "interpreter"):
            sg.set_default_backend(name)
            session, f = sg.Session(), sg.function(lambda a: sg.reduce_sum(a * a))
            assert session.run(y, {x: [1.0, 2.0, 3.0]}) == 14.0
            (plan,) = session.plans.values()
            runs = sg.compile(y, [x]), plan.executable, f.executable(np.ones(3))
            found.append([type(each).__name__ for each in runs])
        return found

    assert in_own_context(kinds) == [["Executable"] * 3, ["InterpretedExecutable"] * 3]
    assert type(sg.compile(y, [x])).__name__ == "Executable"


def test_what_is_asked_for_counts_more_than_the_default(sum_of_squares):
    y, x = sum_of_squares

    def kind():
        sg.set_default_backend("interpreter")
        return type(sg.compile(y, [x], backend="numpy")).__name__

    assert in_own_context(kind) == "Executable"


def test_a_backend_that_there_is_not_is_refused(sum_of_squares):
    y, x = sum_of_squares
    for run in (
        lambda: sg.set_default_backend("fast"), lambda: sg.compile(y, [x], backend="fast"),
        lambda: sg.Session(backend="fast"), lambda: sg.function(lambda a: a, backend="fast"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match="backend is one of 'auto', 'numpy', 'native'"):
            run()
