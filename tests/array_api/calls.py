"""Calls of the functions of the standard, and what comes of them in each namespace."""

import warnings
from dataclasses import dataclass, field

import numpy as np

import staticgrad as sg
from dynamicgrad import array_api as eager
from gradops import GradError
from staticgrad import array_api as symbolic

from .standard import ORACLE, as_array, found_in, strict
from .values import Dtype

TOLERANCE = {"f": 2e-6, "d": 1e-13, "F": 4e-6, "D": 1e-13}  # a formula may add up in another order


@dataclass(frozen=True)
class Call:
    """One call: arrays are given as NumPy's, dtypes by name."""

    args: tuple = ()
    options: dict = field(default_factory=dict)

    def __str__(self):
        shown = [brief(a) for a in self.args]
        return ", ".join([*shown, *(f"{k}={brief(v)}" for k, v in self.options.items())])


def brief(x):
    """An argument in a few words."""
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}"
    return f"[{', '.join(map(brief, x))}]" if isinstance(x, list) else repr(x)


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
            results = applied(ORACLE[name], call, strict.asarray, strict)
        except TypeError:  # a dtype for which the standard says nothing
            continue
        found.append((call, [as_array(y) for y in results]))
    assert found, f"no call of {name} is one that the standard defines"
    return found


def eager_results(name, call):
    """What the namespace of tensors gives."""
    found = applied(found_in(eager, name), call, eager.asarray, eager)
    wrong = [y for y in found if hasattr(y, "dtype") and type(y).__name__ != "Tensor"]
    assert not wrong, f"{wrong[0]!r} is no tensor"
    return [as_array(y) for y in found]


def symbolic_results(name, calls):
    """What the namespace of expressions gives for many calls, run as one graph."""
    with sg.Graph().as_default():
        feeds, values, results = [], [], []

        def placeholder(x):
            feeds.append(sg.placeholder(x.dtype, x.shape))
            values.append(x)
            return feeds[-1]

        for call in calls:
            results.append(applied(found_in(symbolic, name), call, placeholder, symbolic))
        wanted = [y for ys in results for y in ys if isinstance(y, sg.Expr)]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            run = iter(sg.compile(wanted, feeds)(*values) if wanted else [])
        return [[as_array(next(run) if isinstance(y, sg.Expr) else y) for y in ys] for ys in results]


def difference(got, want, signs=False):
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


def problem(name, calls, signs=False):
    """What is wrong with a function of the namespace of tensors, in words; None if nothing is."""
    if found_in(eager, name) is None:
        return "it is not there"
    for call, want in expected(name, calls):
        try:
            got = eager_results(name, call)
        except (GradError, AttributeError, TypeError, ValueError, AssertionError) as error:
            return f"({call}): {type(error).__name__}: {error}"
        if wrong := difference(got, want, signs):
            return f"({call}): {wrong}"
    return None


def symbolic_problem(name, calls, signs=False):
    """The same for the namespace of expressions."""
    wanted = expected(name, calls)
    try:
        found = symbolic_results(name, [call for call, _ in wanted])
    except (GradError, AttributeError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    for (call, want), got in zip(wanted, found, strict=True):
        if wrong := difference(got, want, signs):
            return f"({call}): {wrong}"
    return None
