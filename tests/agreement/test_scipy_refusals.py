"""Functions of SciPy and NumPy that take no traced values: the error names the user's line."""

import functools
import inspect
import re
import warnings
from importlib import import_module

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops import DetachWarning
from gradops.numpy_api import missing

pytest.importorskip("scipy", minversion="1.17")

VALUES = np.array([0.2, 0.3, 0.5])
MODULES = [
    "special", "stats", "linalg", "integrate", "interpolate", "signal", "fft", "ndimage",
    "optimize", "spatial.distance",
]  # fmt: skip
STEPS = {"tiecorrect", "distance_transform_edt"}
"""Functions that do no more than compare, so that their derivative is zero."""


def functions():
    """All public functions of SciPy, by name."""
    for space in MODULES:
        module = import_module(f"scipy.{space}")
        for name in sorted(set(module.__all__) - STEPS):
            f = getattr(module, name)
            if callable(f) and not isinstance(f, type):
                yield f"scipy.{space}.{name}", f


def said_by(error):
    """The text of an error with its notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def fault_of(f, args):
    """The fault in how a function takes traced operands, or nothing."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            found = f(*args)
        except gradops.GradError as error:
            return fault_of_error(error)
        except Exception:
            return ""  # SciPy's own, of arguments that it does not take
    cuts = [w.filename for w in seen if issubclass(w.category, DetachWarning)]
    if any(filename != __file__ for filename in cuts):
        return f"warns of {set(cuts)}"
    is_cut = all(isinstance(x, float | complex | np.inexact) or is_plain(x) for x in leaves(found))
    return f"is silent, and gives {found!r}" if is_cut and not cuts else ""


def leaves(found):
    """The results of a function, one by one."""
    return gradops.leaves_of(found) or [None]


def is_plain(x):
    """Whether something is an array of floats that knows of no history."""
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def fault_of_error(error):
    """The fault of an error below a function of SciPy, or nothing."""
    said = said_by(error)
    frames = inspect.getinnerframes(error.__traceback__)
    is_below = any("/scipy/" in frame.filename for frame in frames)
    if re.search(r"detach\(|item\(\)|numpy\(\)", said.partition("hint: ")[2]):
        return f"advises what loses the gradient: {said}"
    if is_below and "test_scipy_refusals.py:" not in said and " at " in said:
        return f"names another line: {said}"
    return "" if not is_below or "test_scipy_refusals.py:" in said else f"names no line: {said}"


def faults(names, x):
    """The faults of functions of SciPy with one, two and three traced operands."""
    return [
        f"{name} {fault}"
        for name, f in names
        for count in (1, 2, 3)
        if (fault := fault_of(f, (x,) * count))
    ]


def faults_of_tape(names):
    """The faults of functions in one that is differentiated."""
    found = []
    dg.grad(lambda x: (found.extend(faults(names, x * 1.0)), x.sum())[1])(VALUES)
    return found


def faults_of_graph(names):
    """The faults of functions of an expression."""
    with sg.Graph().as_default():
        return faults(names, sg.placeholder("float64", [3]))


@pytest.mark.parametrize("find", [faults_of_tape, faults_of_graph])
def test_errors_below_scipy_name_the_users_line(find):
    assert not find(list(functions())[::8])


COUNTERPARTS = {
    "special.logsumexp": "gradops.scipy.special.logsumexp",
    "special.softmax": "gradops.scipy.special.softmax",
    "special.zeta": "gradops.scipy.special.zeta", "linalg.solve": "np.linalg.solve",
    "linalg.inv": "np.linalg.inv", "fft.fft": "np.fft.fft", "stats.zscore": "SCIPY_ARRAY_API=1",
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTERPARTS)
def test_what_is_to_be_called_instead_is_named(name):
    space, _, function = name.partition(".")
    f = getattr(import_module(f"scipy.{space}"), function)
    given = (np.eye(3),) if name == "linalg.solve" else ()
    instead = re.escape(COUNTERPARTS[name])
    wanted = rf"(?s)test_scipy_refusals.*in scipy\.{re.escape(name)}.*{instead}"
    with pytest.raises(gradops.GradError, match=wanted):
        dg.grad(lambda x: np.sum(f(*given, np.multiply.outer(x, x) if space == "linalg" else x)))(
            VALUES
        )


def called(name, x):
    """The error of a function of NumPy that is called from Python's library."""
    owner = np
    for part in name.split("."):
        owner = getattr(owner, part, None)
    through_library = functools.singledispatch(owner) if owner is not None else None
    for count in range(1, 5):
        try:
            through_library(*(x,) * count)
        except gradops.NumPyCallError as error:
            return said_by(error)
        except (TypeError, ValueError):
            continue
    return None


def test_functions_of_numpy_that_are_not_here_name_the_users_line():
    found = []
    names = [name for name in missing.REASONS if hasattr(np, name)]
    dg.grad(lambda x: (found.extend(called(name, x) for name in names), x.sum())[1])(VALUES)
    refused = [said for said in found if said]
    assert len(refused) > 30
    assert all(re.search(r"at test_scipy_refusals\.py:\d+", said) for said in refused)
