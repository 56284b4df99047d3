"""Machine code with `check_numerics`: it notices what is not finite, and NumPy's code names it."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import NotFiniteError

from ..runtime.checking.test_numerics import PROGRAMS

pytest.importorskip("llvmlite")

OF_NUMPY = {"of_complex_numbers", "of_half_precision", "of_a_constant"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_error_is_that_of_numpys_code(program):
    y, inputs, values = program()
    native = sg.compile(y, inputs, backend="native", check_numerics=True)
    with np.errstate(all="ignore"), pytest.raises(NotFiniteError) as wanted:
        sg.compile(y, inputs, check_numerics=True)(*values)
    for _ in range(2):
        with pytest.raises(NotFiniteError) as caught:
            native(*values)
        assert str(caught.value) == str(wanted.value)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_finite_runs_are_those_of_machine_code(program):
    if program.__name__ in OF_NUMPY:
        pytest.skip("NumPy runs it")
    y, inputs, values = program()
    fine = [np.full_like(v, 1e-30) for v in values]
    checked = sg.compile(y, inputs, backend="native", check_numerics=True)
    plain = sg.compile(y, inputs, backend="native")
    assert checked.run(*fine) is not NotImplemented
    np.testing.assert_array_equal(checked(*fine), plain(*fine))


@pytest.mark.parametrize("shape", [(), (1,), (7,), (8,), (33,), (5, 3), (4, 300)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_entry_is_found_wherever_it_is(shape, dtype):
    x = sg.placeholder(dtype, shape, name="x")
    checked = sg.compile(1 / (1 / x), [x], passes=(), backend="native", check_numerics=True)
    fine = np.ones(shape, dtype)
    assert checked.run(fine) is not NotImplemented
    for k in {0, fine.size // 2, fine.size - 1}:
        bad = fine.copy()
        bad.reshape(-1)[k] = 0.0
        assert checked.run(bad) is NotImplemented
        with pytest.raises(NotFiniteError, match="test_finite_checks"):
            checked(bad)


def test_sizes_that_are_not_known():
    x = sg.placeholder("float64", ["n"], name="x")
    checked = sg.compile(sg.exp(-sg.log(x)), [x], backend="native", check_numerics=True)
    np.testing.assert_allclose(checked(np.full(3, 2.0)), 0.5)
    with pytest.raises(NotFiniteError, match="log"):
        checked(np.zeros(5))


def test_an_alarm_of_the_code_alone_gives_numpys_results():
    x = sg.placeholder("float64", [3], name="x")
    y = sg.nn.softplus(x) + sg.sigmoid(x)
    checked = sg.compile(y, [x], backend="native", check_numerics=True)
    huge = np.array([-800.0, 0.0, 800.0])
    np.testing.assert_allclose(checked(huge), sg.compile(y, [x])(huge))


def test_checked_code_is_not_that_without_checks(tmp_path, monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE", str(tmp_path))
    x = sg.placeholder("float64", [3], name="x")
    y = 1 / (x * 1e200)
    for _ in range(2):
        plain = sg.compile(y, [x], backend="native")
        checked = sg.compile(y, [x], backend="native", check_numerics=True)
        assert plain(np.zeros(3)).tolist() == [np.inf] * 3
        with pytest.raises(NotFiniteError):
            checked(np.zeros(3))
