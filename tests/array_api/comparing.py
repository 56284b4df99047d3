"""What comes of a call in each namespace, and in which way it differs from the oracle's."""

import warnings

import numpy as np

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import array_api as eager
from gradops import GradError
from gradops.array_api.elementwise import ELEMENTWISE
from staticgrad import array_api as symbolic

from . import arrays, cases, linear
from .standard import ORACLE as FUNCTIONS
from .standard import as_array, found_in, strict
from .values import Dtype

SIGNED = {*ELEMENTWISE, *arrays.CALLS} - {"sign"}
"""Functions of which the signs of zeros are compared; NumPy's and the oracle's `sign` differ."""

TOLERANCE = {"f": 2e-6, "d": 1e-13, "F": 4e-6, "D": 1e-13}  # a formula may add up in another order


ORACLE = FUNCTIONS | linear.LATER | cases.MENDED | arrays.ORACLE


def converted(x, array, namespace):
    """An argument as a namespace takes it."""
    if isinstance(x, np.ndarray):
        return array(x)
    if isinstance(x, Dtype):
        return getattr(namespace, x.name)
    if isinstance(x, list | tuple):
        return type(x)(converted(a, array, namespace) for a in x)
    return x


def applied(f, call, array, namespace):
    """What a function of a namespace gives for a call, as a list."""
    args = converted(call.args, array, namespace)
    options = {k: converted(v, array, namespace) for k, v in call.options.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        found = f(*args, **options)
    return list(found) if isinstance(found, tuple | list) else [found]


def expected(name, calls):
    """The calls that the standard defines, with what the oracle gives."""
    found = []
    for call in calls:
        try:
            results = applied(ORACLE[name], call, lambda x: strict.asarray(x.copy()), strict)
        except TypeError:  # a dtype for which the standard says nothing
            continue
        except IndexError:  # a key of which it says nothing
            assert name in ("array.__getitem__", "array.__setitem__")
            continue
        found.append((call, results_of(name, call, results)))
    assert found, f"no call of {name} is one that the standard defines"
    return found


def results_of(name, call, results):
    """Results as arrays; of a factorisation, what has one value only."""
    found = [as_array(y) for y in results]
    return linear.REBUILT[name](*call.args, *found) if name in linear.REBUILT else found


def function(namespace, name):
    """The function of a namespace that has a name of the standard; of arrays, the oracle's own."""
    return arrays.ORACLE[name] if name in arrays.ORACLE else found_in(namespace, name)


def eager_results(name, call):
    """The results of the namespace of tensors; the operators are those of `Array`."""
    kind, make = ("Array", dg.array) if name in arrays.ORACLE else ("Tensor", eager.asarray)
    found = applied(function(eager, name), call, lambda x: make(x.copy()), eager)
    wrong = [y for y in found if hasattr(y, "dtype") and type(y).__name__ != kind]
    assert not wrong, f"{wrong[0]!r} is no {kind}"
    return results_of(name, call, found)


def symbolic_results(name, calls):
    """What the namespace of expressions gives for many calls, run as one graph."""
    with sg.Graph().as_default():
        feeds, values, results = [], [], []

        def placeholder(x):
            feeds.append(sg.placeholder(x.dtype, x.shape))
            values.append(x)
            return feeds[-1]

        for call in calls:
            results.append(applied(function(symbolic, name), call, placeholder, symbolic))
        wanted = [y for ys in results for y in ys if isinstance(y, sg.Expr)]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            run = iter(sg.compile(wanted, feeds)(*values) if wanted else [])
        known = [[next(run) if isinstance(y, sg.Expr) else y for y in ys] for ys in results]
        return [results_of(name, call, ys) for call, ys in zip(calls, known, strict=True)]


def difference(got, want, signs):
    """In which way results differ from the oracle's, in words; None if they do not."""
    if len(got) != len(want):
        return f"{len(got)} results, not {len(want)}"
    for y, z in zip(got, want, strict=True):
        if y.dtype != z.dtype:
            return f"the dtype is {y.dtype}, not {z.dtype}"
        if y.shape != z.shape:
            return f"the shape is {y.shape}, not {z.shape}"
        if not same_values(y, z, signs):
            return f"the values are\n{y}\nnot\n{z}"
    return None


def same_values(y, z, signs):
    """Whether two arrays have the same entries, NaN where NaN is, and signs of zeros if asked."""
    if y.dtype.kind == "c":
        return same_values(y.real, z.real, signs) and same_values(y.imag, z.imag, signs)
    if y.dtype.kind != "f":
        return np.array_equal(y, z)
    with np.errstate(all="ignore"):
        tolerance = TOLERANCE[y.dtype.char]
        finite = np.isfinite(z)
        scale = np.abs(z[finite]).max(initial=0.0, where=np.abs(z[finite]) < 1e4)
        same = np.isclose(y, z, rtol=tolerance, atol=0 if signs else tolerance * scale)
    same |= np.isnan(y) & np.isnan(z)
    if signs:
        same &= ~((y == 0) & (z == 0)) | (np.signbit(y) == np.signbit(z))
    return bool(same.all())


def problem(name, calls):
    """What is wrong with a function of the namespace of tensors, in words; None if nothing is."""
    if function(eager, name) is None:
        return "it is not there"
    for call, want in expected(name, calls):
        try:
            got = eager_results(name, call)
        except (GradError, AttributeError, TypeError, ValueError, AssertionError) as error:
            return f"({call}): {type(error).__name__}: {error}"
        if wrong := difference(got, want, name in SIGNED):
            return f"({call}): {wrong}"
    return None


def symbolic_problem(name, calls):
    """The same for the namespace of expressions."""
    wanted = expected(name, calls)
    try:
        found = symbolic_results(name, [call for call, _ in wanted])
    except (GradError, AttributeError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    for (call, want), got in zip(wanted, found, strict=True):
        if wrong := difference(got, want, name in SIGNED):
            return f"({call}): {wrong}"
    return None
