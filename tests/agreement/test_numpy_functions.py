"""Every public function of NumPy runs on tensors and expressions as on arrays, or is listed."""

import warnings

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.numpy_api.missing import REASONS
from gradops.numpy_api.signatures import function_for, modules
from gradops.numpy_api.ufuncs import op_for
from gradops.testing.finite_differences import extrapolate

from .numpy_calls import CALLS

NAMESPACES = {"": np, "linalg": np.linalg, "fft": np.fft}


def on_arrays(f, a):
    return np.asarray(f(dg.array(np.asarray(a))))


def on_expressions(f, a):
    with sg.Graph().as_default():
        x = sg.placeholder(np.asarray(a).dtype, np.shape(a))
        y = f(x)
        return np.asarray(sg.compile(y, [x], optimize=0)(a) if isinstance(y, sg.Expr) else y)


CASES = [
    pytest.param(a, f, id=f"{name}-{i}")
    for name, calls in CALLS.items()
    for i, (a, f) in enumerate(calls)
]
either = pytest.mark.parametrize("run", [on_arrays, on_expressions], ids=["tape", "graph"])


@either
@pytest.mark.parametrize(("a", "f"), CASES)
def test_a_function_of_numpy_gives_what_it_gives_on_arrays(run, a, f):
    found, expected = run(f, a), np.asarray(f(a))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)  # sums in another order


CONSTANT = ("full_like", "ones_like", "zeros_like")  # of the operand, which they do not depend on


# NumPy is about to give these up, and newer versions warn.
pytestmark = pytest.mark.filterwarnings("ignore:numpy.* is deprecated:DeprecationWarning")


def is_smooth(a, f):
    with warnings.catch_warnings(action="ignore"):
        return np.asarray(a).dtype == np.float64 and np.asarray(f(a)).dtype == np.float64


@pytest.mark.parametrize(("a", "f"), [
    c for c in CASES if is_smooth(*c.values) and not c.id.startswith(CONSTANT)
])  # fmt: skip
def test_its_gradient_is_the_same_in_both_modes_and_what_differences_say(a, f):
    rng = np.random.default_rng(0)
    weight, direction = rng.normal(size=np.shape(f(a))), rng.normal(size=np.shape(a))

    def weighed(x):
        return (f(x) * weight).sum()

    gradient = dg.grad(weighed)(a)
    with sg.Graph().as_default():
        x = sg.placeholder("float64", np.shape(a))
        (g,) = sg.gradients(weighed(x), x, unconnected="zero")
        assert sg.compile(g, [x], optimize=0)(a).tobytes() == np.asarray(gradient).tobytes()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slope = extrapolate(lambda h: np.sum(f(a + h * direction) * weight))
    where = ~np.isnan(a)
    assert np.sum((gradient * direction)[where]) == pytest.approx(slope, rel=1e-6, abs=1e-6)
    _, tangent = gradops.jvp(weighed, [a], [direction])
    assert tangent == pytest.approx(slope, rel=1e-6, abs=1e-6)


VALUES_DECIDE = ("argwhere", "flatnonzero", "nonzero", "intersect", "union", "set", "unique")


@pytest.mark.parametrize(("a", "f"), [c for c in CASES if not c.id.startswith(VALUES_DECIDE)])
def test_it_works_on_batches(a, f):
    stack = np.stack([a, np.flip(a)])
    expected = np.stack([f(one) for one in stack])
    np.testing.assert_allclose(dg.vmap(f)(stack), expected, rtol=1e-12, atol=1e-13)


def functions():
    """The names of NumPy's functions that hand their arguments' calls to us."""
    for space, module in NAMESPACES.items():
        for name in dir(module):
            if not name.startswith("_") and hasattr(getattr(module, name), "_implementation"):
                yield f"{space}.{name}".lstrip(".")


GIVEN_UP = {"in1d"}  # by NumPy 2.4, and deprecated before


def test_every_function_of_numpy_is_called_here_or_listed_as_absent():
    assert not sorted(set(functions()) - CALLS.keys() - REASONS.keys() - GIVEN_UP)


def test_what_is_listed_as_absent_is_a_function_of_numpy_and_not_here():
    ufuncs = {name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)}
    assert not REASONS.keys() - set(functions()) - ufuncs
    for name in REASONS.keys() - ufuncs:
        space, _, last = name.rpartition(".")
        with pytest.raises(gradops.NumPyCallError, match=r"(?s)hint: "):
            function_for(getattr(NAMESPACES[space], last))


@pytest.mark.parametrize("name", [n for n in dir(np) if isinstance(getattr(np, n), np.ufunc)])
def test_every_ufunc_is_an_op_or_listed_as_absent(name):
    ufunc = getattr(np, name)
    if ufunc.__name__ in REASONS:
        with pytest.raises(gradops.NumPyCallError, match=r"hint: "):
            op_for(ufunc)
    else:
        assert callable(op_for(ufunc))


def test_a_function_of_numpy_is_written_in_one_module():
    for space in modules().values():
        names = sorted(name for module in space for name in module.__all__)
        assert names == sorted(set(names))
