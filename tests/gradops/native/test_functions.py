"""Functions in machine code: errors in ULP beside extended precision, and special values."""

import ctypes

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from gradops.native.functions import FUNCTIONS, declarations
from gradops.native.machine import Code
from gradops.native.scalars import NOTING, Scalar, call_math
from gradops.native.text import METADATA, FunctionText, register_type

RANGES = {
    "exp": (-87.0, 88.0), "expm1": (-30.0, 80.0), "log": (1e-30, 10.0), "log1p": (-0.999, 10.0),
    "tanh": (-12.0, 12.0), "sin": (-1e4, 1e4), "cos": (-1e4, 1e4),
}  # fmt: skip
SPECIAL = [
    0.0, -0.0, 1.0, -1.0, -2.0, np.inf, -np.inf, np.nan, 1e-300, -1e-300, 1e-40, 5e-324, 1e300,
    -1e300, 1e-8, -1e-8, 700.0, 709.9, 710.5, -745.2, -746.5, 88.8, 89.5, -103.9, -104.5, 3e38,
]  # fmt: skip


@pytest.fixture(scope="module")
def code():
    """Loops over arrays for all functions and dtypes."""
    loops = [loop(name, np.dtype(kind)) for name in FUNCTIONS for kind in ("f4", "f8")]
    used = list(dict.fromkeys(entry for f in loops for entry in f.used))
    lines, functions = declarations(used)
    return Code("\n".join([*lines, *[f.text() for f in (*functions, *loops)], METADATA]))


def loop(name, dtype):
    """The text of a function that computes entries of an array, and says if it gave up."""
    kind = register_type(dtype)
    given = "ptr noalias %x, ptr noalias %y, i64 %n"
    f = FunctionText(f"define i1 @{name}{dtype.itemsize}({given})")
    f.frame += ["  %noted = alloca i1", "  store i1 false, ptr %noted"]
    for i in f.loop("%n"):
        at = f.emit(f"getelementptr {kind}, ptr %x, i64 {i}")
        y = call_math(name, [Scalar(f, f.emit(f"load {kind}, ptr {at}"), dtype)])
        f.do(f"store {y.typed}, ptr {f.emit(f'getelementptr {kind}, ptr %y, i64 {i}')}")
    f.do(f"ret i1 {f.emit('load i1, ptr %noted')}")
    return f


def values(code, name, x):
    """The function of an array, and True if it gave up."""
    y = np.empty_like(x)
    pointer = ctypes.c_void_p
    address = code.address(f"{name}{x.itemsize}")
    f = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, pointer, ctypes.c_int64)(address)
    return y, f(x.ctypes.data, y.ctypes.data, x.size)


def arguments(name, dtype):
    """Arguments within the range of a function, many of them near zero."""
    rng, (low, high) = np.random.default_rng(0), RANGES[name]
    small = rng.uniform(-1, 1, 4000) * 10.0 ** rng.uniform(-30, 0, 4000)
    x = np.concatenate([rng.uniform(low, high, 20_000), np.linspace(low, high, 5_000), small])
    return x[(x >= low) & (x <= high)].astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="no extended precision here")
def test_errors_are_at_most_two_ulp(code, name, dtype):
    x = arguments(name, dtype)
    y, gave_up = values(code, name, x)
    want = getattr(np, name)(x.astype(np.longdouble))
    ulp = np.spacing(np.maximum(np.abs(want).astype(dtype), np.finfo(dtype).tiny))
    assert not gave_up
    assert np.max(np.abs((y - want) / ulp)) <= 2


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_special_values_are_numpys(code, name, dtype):
    with np.errstate(all="ignore"):
        x = np.array(SPECIAL).astype(dtype)
        if name in NOTING:
            x = x[~(np.abs(x) > 1000)]
        want = getattr(np, name)(x)
    y, gave_up = values(code, name, x)
    assert not gave_up
    np.testing.assert_array_equal(np.signbit(y[want == 0]), np.signbit(want[want == 0]))
    np.testing.assert_allclose(y, want, 4 * np.finfo(dtype).eps, 0)


@pytest.mark.parametrize("name", sorted(NOTING))
def test_large_arguments_are_left_to_numpy(code, name):
    assert values(code, name, np.array([1.0, 1e300]))[1]
    assert values(code, name, np.array([np.inf, 1.0]))[1]
