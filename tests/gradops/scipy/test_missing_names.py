"""Names of SciPy's that the tree does not have, and SciPy's functions whose names it has."""

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.scipy import linalg, signal, stats
from gradops.scipy.stats.families import Continuous

pytest.importorskip("scipy")

OF_SIZES = {"convolution_matrix", "correlation_lags", "gausspulse"}  # or numbers, not arrays
SPACES = ["interpolate", "linalg", "optimize", "signal", "spatial", "spatial.distance", "stats"]


@pytest.mark.parametrize("space", ["", *SPACES])
def test_what_scipy_alone_has_is_said_to_be_there(space):
    ours, theirs = (import_module(f"{root}{space and '.'}{space}")
                    for root in ("gradops.scipy", "scipy"))  # fmt: skip
    lacking = sorted(
        {n for n in theirs.__all__ if n[0] != "_" and n != "odr"} - {*vars(ours), *ours.__all__}
    )
    for name in lacking:
        with pytest.raises(AttributeError, match=rf"scipy\S*\.{name} has no derivatives here"):
            getattr(ours, name)


def test_a_misspelt_name_is_none_of_scipys():
    with pytest.raises(AttributeError, match=r"module 'gradops\.scipy\.linalg' has no attribute"):
        linalg.cho_sole  # noqa: B018


def test_scipy_is_imported_for_errors_alone():
    code = (
        "import sys; from gradops.scipy import interpolate, linalg, optimize, signal, stats\n"
        "from gradops.scipy.spatial import distance\n"
        "assert not hasattr(linalg, '__wrapped__') and 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def shared():
    """The functions of SciPy, by name, that the tree has and NumPy has not."""
    for space in ("linalg", "signal", "spatial.distance"):
        ours, theirs = (import_module(f"{root}.{space}") for root in ("gradops.scipy", "scipy"))
        for name in ours.__all__:
            f = getattr(theirs, name, None)
            in_numpy = space == "linalg" and hasattr(np.linalg, name)
            of_numbers = getattr(getattr(ours, name), "takes_numbers", name in OF_SIZES)
            if callable(f) and not isinstance(f, type) and not in_numpy and not of_numbers:
                yield f"{space}.{f.__name__}", f
    for name in [n for n in stats.__all__ if isinstance(getattr(stats, n), Continuous)]:
        for method in ("logpdf", "cdf"):
            yield (
                f"stats.{name}.{method}",
                getattr(getattr(import_module("scipy.stats"), name), method),
            )


def said_of(f, x):
    """What comes of a traced operand, given once or more often: errors, and silent results."""
    found = []
    for args in ((x,), (x, x), (x[0], x[0]), (x, x, x)):
        try:
            y = f(*args)
            if not all(hasattr(leaf, "gradop_level") for leaf in gradops.leaves_of(y)):
                found.append(f"gives {y!r}")
        except gradops.GradError as error:
            found.append("\n".join([str(error), *getattr(error, "__notes__", [])]))
        except Exception:
            continue  # SciPy's own, of arguments that it does not take
    return found


SHARED = dict(shared())


@pytest.mark.parametrize("name", SHARED)
def test_scipys_function_on_a_traced_value_names_ours(name):
    tensor = dg.tensor(np.eye(2), requires_grad=True)
    with sg.Graph().as_default():
        said = said_of(SHARED[name], tensor) + said_of(
            SHARED[name], sg.placeholder("float64", [2, 2])
        )
    assert not [text for text in said if f"gradops.scipy.{name}" not in text]


def test_classes_of_scipys_name_ours_where_they_are_made_and_called():
    interpolate = import_module("scipy.interpolate")
    x, y = np.arange(5.0), np.arange(5.0) ** 2
    for name in ("CubicSpline", "PchipInterpolator", "interp1d", "RBFInterpolator"):
        kind = getattr(interpolate, name)
        at = x[:, None] if name == "RBFInterpolator" else x
        made = kind(at, y)
        for f, value in ((lambda y, k=kind, at=at: k(at, y)(at), y), (made, at[1:3])):
            with pytest.raises(gradops.TransformError, match=rf"use gradops\.\S*\.{name}, which"):
                dg.grad(lambda v, f=f: f(v).sum())(value)


def test_functions_of_numbers_are_scipys_and_refuse_what_is_traced():
    assert (linalg.hilbert(3) == import_module("scipy.linalg").hilbert(3)).all()
    assert signal.windows.hann(3).tolist() == import_module("scipy.signal").windows.hann(3).tolist()
    with pytest.raises(gradops.MissingRuleError, match="butter has no derivative rule"):
        dg.grad(lambda cut: signal.butter(2, cut)[0].sum())(0.3)
