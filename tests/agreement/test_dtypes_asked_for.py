"""Every function that takes dtype= honours it, for entries of every dtype, in both packages."""

import inspect
import itertools
from functools import partial

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.array_api import arrays

DTYPES = (
    "bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip
ENTRIES = np.array([[1, 2, 3], [4, 5, 60]])  # the sum fits into int8, the product does not
ULP = 4  # of the coarser dtype: what is cast when is nobody's business
pytestmark = pytest.mark.filterwarnings("ignore")


def takes_dtype(f):
    """Whether a function has a parameter called dtype."""
    try:
        return "dtype" in inspect.signature(f).parameters
    except (TypeError, ValueError):
        return False


def outcome(call):
    """The result of a call, or its error."""
    with np.errstate(all="ignore"):
        try:
            return call()
        except Exception as error:
            return error


def assert_same(got, want, given, asked, says):
    """Raise unless two results have a dtype and, to rounding, values in common."""
    got, want = (np.asarray(x.numpy() if hasattr(x, "numpy") else x) for x in (got, want))
    assert got.dtype == want.dtype, says
    kinds = [np.dtype(d) for d in (given, asked or given, got.dtype) if np.dtype(d).kind in "fc"]
    rtol = ULP * max((np.finfo(d).eps for d in kinds), default=0)
    np.testing.assert_allclose(got, want, rtol if got.dtype.kind in "fc" else 0, err_msg=says)


def asks_us(f):
    """Whether NumPy's function asks its operands what it is for them, and gives one array."""
    return f.nout == 1 if isinstance(f, np.ufunc) else hasattr(f, "_implementation")


def is_here(f):
    """Whether there is such a function at all, with or without a dtype."""
    with np.errstate(all="ignore"):
        return hasattr(outcome(lambda: f(dg.array(ENTRIES / 1.0))), "dtype")


NAMESPACE = {getattr(np, name): name for name in dir(np) if callable(getattr(np, name))}
OF_NUMPY = [f for f in NAMESPACE if asks_us(f) and takes_dtype(f) and is_here(f)]
every_function = pytest.mark.parametrize("f", OF_NUMPY, ids=NAMESPACE.get)
PAIRS = [*itertools.product(DTYPES, (None, *DTYPES))]


def of_one_array(f, dtype):
    """The call of a function in a dtype."""
    return lambda x: f(x, **({} if dtype is None else {"dtype": dtype}))


@every_function
@pytest.mark.parametrize("shape", [(2, 3), (6,)])
def test_numpys_functions_of_arrays_on_the_tape(f, shape):
    for given, asked in PAIRS:
        x, call = ENTRIES.astype(given).reshape(shape), of_one_array(f, asked)
        want, got = outcome(partial(call, x)), outcome(partial(call, dg.array(x)))
        says = f"{f.__name__} of {given}, dtype={asked}: {got!r}"
        assert isinstance(want, Exception) == isinstance(got, Exception), says
        if not isinstance(want, Exception) and not f.__name__.startswith("empty"):
            assert_same(got, want, given, asked, says)


@every_function
def test_numpys_functions_of_expressions(f):
    for given, asked in itertools.product(("int64", "float32"), ("bool", "int8", "float64")):
        x, call = ENTRIES.astype(given), of_one_array(f, asked)
        with sg.Graph().as_default():
            e = sg.placeholder(given, x.shape)
            want, built = outcome(partial(call, x)), outcome(partial(call, e))
            says = f"{f.__name__} of {given}, dtype={asked}: {built!r}"
            assert isinstance(want, Exception) == isinstance(built, Exception), says
            if not isinstance(want, Exception) and not f.__name__.startswith("empty"):
                got = outcome(partial(sg.compile(built, [e]), x))
                assert_same(got, want, given, asked, says)


NAMED = {
    "sum": np.sum, "prod": np.prod, "mean": np.mean, "cumsum": np.cumsum, "cumprod": np.cumprod,
    "nansum": np.nansum,
}  # fmt: skip
"""PyTorch's functions whose dtype= counts while they add up, beside NumPy's."""
REFUSED = {
    "mean": lambda given, asked: asked.kind in "biu",
    "nansum": lambda given, asked: given.kind == "c",
}
"""The dtypes for which PyTorch has no kernel: those given, and those asked for."""


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("as_method", [False, True])
def test_pytorchs_spelling(name, as_method):
    dims = {"dim": 0}
    for given, asked in itertools.product(DTYPES, DTYPES):
        x = dg.tensor(ENTRIES.astype(given))
        f = getattr(x, name) if as_method else lambda x=x, **kw: getattr(dg, name)(x, **kw)
        if name in REFUSED and REFUSED[name](np.dtype(given), np.dtype(asked)):
            with pytest.raises(gradops.NoKernelError, match="it is not computed for"):
                f(**dims, dtype=asked)
            continue
        with np.errstate(all="ignore"):
            got = f(**dims, dtype=asked)
            cast = ENTRIES.astype(given).astype(asked)
            want = NAMED[name](cast, axis=0, dtype=asked)
        assert_same(got, want, given, asked, f"{name} of {given}, dtype={asked}")


OURS = [
    pytest.param(f, id=f"{space.__name__}.{name}")
    for space in (gradops, gradops.linalg, dg)
    for name in space.__all__
    if not isinstance(f := getattr(space, name), type | gradops.Op) and takes_dtype(f)
]


@pytest.mark.parametrize("f", OURS)
@pytest.mark.parametrize("holder", [np.asarray, dg.tensor])
def test_what_takes_a_dtype_gives_it(f, holder):
    for given, asked in itertools.product(DTYPES, DTYPES):
        x = holder(ENTRIES.astype(given).ravel())
        got = outcome(partial(f, x, dtype=asked))
        if hasattr(got, "dtype"):
            assert got.dtype in (np.dtype(asked), np.empty(0, asked).real.dtype), (given, asked)


@pytest.mark.parametrize("name", ["sum", "prod", "cumulative_sum", "cumulative_prod"])
def test_the_array_api(name):
    for given, asked in itertools.product(DTYPES[1:], DTYPES[1:]):
        x, dtype = ENTRIES.astype(given).ravel(), getattr(arrays, asked, None)
        if dtype is not None:
            with np.errstate(all="ignore"):
                got = getattr(arrays, name)(arrays.asarray(x), dtype=dtype)
                want = getattr(np, name)(x, dtype=asked)
            assert_same(got, want, given, asked, f"{name} of {given}, dtype={asked}")
