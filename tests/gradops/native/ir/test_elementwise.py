"""Elementwise ops in machine code: for every dtype they compute what NumPy does."""

import ctypes
from itertools import product

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import gradops
from gradops import ArrayType
from gradops.core.traits import Trait
from gradops.kernels.numpy_versions import ROOTS_AS_POWERS
from gradops.native.ir.elementwise import apply, lowers
from gradops.native.ir.functions import declarations
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import Scalar, constant
from gradops.native.ir.text import METADATA, FunctionText, Lane, times
from gradops.native.runtime.machine import Code

DTYPES = [np.dtype(k) for k in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1")]
WIDE = [
    0.0, -0.0, 0.25, -0.25, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 3.0, -7.0, 31.0, 1e-8, -1e8, 1e30,
    np.inf, -np.inf, np.nan,
]  # fmt: skip
NEAR = [0.0, -0.0, 0.25, -0.25, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 3.0, -7.0, 31.0, np.inf, np.nan]
TAME = {"power", "float_power", "power_slope", "remainder", "fmod", "floor_divide", "ndtr"}
"""Ops that leave large numbers to NumPy, or lose some of their digits."""
ABSOLUTE = {"logaddexp", "logaddexp2", "gelu", "gelu_slope", "sinc", "power_slope"}
"""Ops whose formulas are exact up to the size of their terms."""
OPS = [
    op for op in gradops.OPS.values()
    if Trait.ELEMENTWISE in op.traits and op.name not in ("class_labels", "prod_others")
]  # fmt: skip


def cases():
    """Ops, and the dtypes of operands on which there is machine code for them."""
    for op in OPS:
        arity = op.arity or 1
        for dtype in DTYPES:
            given = (np.dtype(bool), *(dtype,) * (arity - 1)) if arity == 3 else (dtype,) * arity
            if op.name in ("masked", "clamp"):
                given = (np.dtype(bool) if op.name == "masked" else dtype, *(dtype,) * (arity - 1))
            if (result := result_of(op, given)) is not None:
                yield op, given, result


def result_of(op, given):
    """The dtype of the result if there is machine code, else nothing."""
    try:
        result = op.infer(*[ArrayType((), t) for t in given], **op.defaults).dtype
    except Exception:
        return None
    return result if lowers(op, given, result, tuple(op.defaults.items())) else None


CASES = list(cases())
LANES = 8
"""The entries of vectors; loops are written for vectors and, with 0, for entries."""


def name_of(op, given, lanes=0):
    return f"{op.name}.{'.'.join(map(str, given))}.{lanes}"


@pytest.fixture(scope="module")
def code():
    """Loops over arrays for all ops and dtypes."""
    loops = [loop(*case, lanes) for case in CASES for lanes in (0, LANES)]
    lines, functions = declarations(dict.fromkeys((x for f in loops for x in f.used), 0))
    return Code("\n".join([*lines, *[f.text() for f in (*functions, *loops)], METADATA]))


def loop(op, given, result, lanes):
    """The text of a function that computes an op, and says if it gave up."""
    pointers = "".join(f"ptr noalias %x{k}, " for k in range(len(given)))
    head = f'define i1 @"{name_of(op, given, lanes)}"({pointers}ptr noalias %y, i64 %n)'
    f = FunctionText(head)
    f.frame += ["  %noted = alloca i1", "  store i1 false, ptr %noted"]
    places = [Place(f"%x{k}", t, (1,), (1,)) for k, t in enumerate(given)]
    for i in f.loop(f.emit(f"udiv i64 %n, {max(1, lanes)}", "n")):
        at = Lane(times(f, i, lanes)) if lanes else i
        f.lanes = lanes
        y = apply(op, [p.load(f, (at,)) for p in places], op.defaults, result)
        assert isinstance(y, Scalar)
        Place("%y", result, (1,), (1,)).store(f, (at,), y)
        f.lanes = 0
    f.do(f"ret i1 {f.emit('load i1, ptr %noted')}")
    return f


def values_of(op, dtype, number):
    """Operands of a dtype, many of them at ends of its range."""
    if dtype.kind == "f":
        return np.array(NEAR if op.name in TAME else WIDE, dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    limits = np.iinfo(dtype)
    small = [0, 1, 2, 3, 5, 7, 31]
    if op.name == "power" and number:
        return np.array(small, dtype)
    signed = [-1, -2, -7] if dtype.kind == "i" else []
    ends = [limits.min, limits.min + 1, limits.max, limits.max - 1]
    return np.array([*small, *signed, *ends], dtype)


def run(code, op, given, result, lanes, xs):
    """What a loop computes of arrays."""
    y = np.empty(len(xs[0]), result)
    arrays = [*xs, y]
    pointers = [ctypes.c_void_p] * len(arrays)
    address = code.address(name_of(op, given, lanes))
    f = ctypes.CFUNCTYPE(ctypes.c_bool, *pointers, ctypes.c_int64)(address)
    assert not f(*[a.ctypes.data for a in arrays], len(y))
    return y


@pytest.mark.parametrize(
    ("op", "given", "result"), CASES, ids=[name_of(op, given) for op, given, _ in CASES]
)
def test_machine_code_computes_what_numpy_does(code, op, given, result):
    columns = zip(*product(*[values_of(op, t, k) for k, t in enumerate(given)]), strict=True)
    xs = [np.array(c, t) for c, t in zip(columns, given, strict=True)]
    if op.name in ("sin", "cos", "tan", "sinc"):
        xs = [x[np.abs(x.astype(float)) < 1e6] for x in xs]
    more = -len(xs[0]) % LANES
    xs = [np.concatenate([x, np.full(more, x[0])]) for x in xs]
    y, vectors = (run(code, op, given, result, lanes, xs) for lanes in (0, LANES))
    assert y.tobytes() == vectors.tobytes() or np.isnan(y.astype(float)).any()
    np.testing.assert_array_equal(y, vectors)
    with np.errstate(all="ignore"):
        want = op.kernel(*xs)
    assert want.dtype == result
    if result.kind != "f":
        np.testing.assert_array_equal(y, want)
        return
    near = np.finfo(result).eps * (64 if op.formula else 16)
    np.testing.assert_allclose(y, want, near, near if op.name in ABSOLUTE else 0)
    if Trait.CORRECTLY_ROUNDED in op.traits:
        np.testing.assert_array_equal(np.signbit(y[y == 0]), np.signbit(want[y == 0]))


@pytest.mark.parametrize("exponent", [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 2.5])
def test_powers_with_known_exponents_need_no_logarithm_where_products_do(exponent):
    op, double = gradops.OPS["power"], np.dtype("f8")
    f = FunctionText("define void @power(ptr %x, ptr %y, i64 %n)")
    for i in f.loop("%n"):
        x = Place("%x", double, (1,), (1,)).load(f, (i,))
        y = apply(op, [x, constant(f, exponent, double)], {}, double)
        Place("%y", double, (1,), (1,)).store(f, (i,), y)
    f.do("ret void")
    lines, functions = declarations(dict.fromkeys(f.used, 0))
    code = Code("\n".join([*lines, *[g.text() for g in (*functions, f)], METADATA]))
    x = np.array([*NEAR, 1e10, 2.0**-30])
    y = np.empty_like(x)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    call(code.address("power"))(x.ctypes.data, y.ctypes.data, len(x))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(y, np.power(x, exponent), 4 * np.finfo(double).eps, 0)
    needs = exponent == 2.5 or (exponent == 0.5 and not ROOTS_AS_POWERS)
    assert needs == any("own.pow" in name for name in f.used)
