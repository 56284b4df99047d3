"""Our product of matrices: any sizes, any steps, and bits that depend on neither place nor size."""

import ctypes
import mmap

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from gradops.native.matmul import tiles, vectors
from gradops.native.matmul.gemm import DEPTH, product, symbol_of, text_of
from gradops.native.runtime.machine import Code
from gradops.native.runtime.pool import find

SIZES = [0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 70]
LONG = ctypes.c_int64
WAYS = {
    "in the order of C": lambda x: x,
    "in the order of Fortran": np.asfortranarray,
    "with gaps": lambda x: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "repeated rows": lambda x: np.broadcast_to(x[:1], x.shape),
}
KIND = pytest.mark.parametrize("dtype", ["float32", "float64"])


def multiply(a, b, c, add=False, code=None):
    """c = a @ b, or c + a @ b, by the code of this machine or by another one."""
    (m, k), n = a.shape, b.shape[1]
    given, types = [m, n, k], [LONG] * 3
    for x in (a, b):
        given += [x.ctypes.data, *[s // x.itemsize for s in x.strides]]
        types += [ctypes.c_void_p, LONG, LONG]
    name = symbol_of(c.dtype)
    call = ctypes.CFUNCTYPE(None, *types, ctypes.c_void_p, LONG, ctypes.c_bool)(
        (code or product(name)).address(name)
    )
    call(*given, c.ctypes.data, c.strides[0] // c.itemsize, add)
    return c


def matrix(rng, m, n, dtype, way="in the order of C"):
    return WAYS[way](rng.normal(size=(m, n)).astype(dtype)) if m * n else np.empty((m, n), dtype)


def bound(a, b):
    """The rounding errors of sums in any order."""
    k = max(1, a.shape[1])
    return 2 * k * np.finfo(a.dtype).eps * (np.abs(a) @ np.abs(b)) + np.finfo(a.dtype).tiny


@KIND
@pytest.mark.parametrize("left", WAYS)
@pytest.mark.parametrize("right", WAYS)
def test_products_of_all_sizes_and_steps(dtype, left, right):
    rng = np.random.default_rng([len(left), len(right)])
    for _ in range(20):
        m, n, k = rng.choice(SIZES, 3)
        a, b = matrix(rng, m, k, dtype, left), matrix(rng, k, n, dtype, right)
        whole = np.full((m + 1, n + 3), 7, dtype)
        add = bool(rng.integers(2))
        multiply(a, b, whole[:m, :n], add)
        want = a.astype("float64") @ b.astype("float64") + 7 * add
        assert np.all(np.abs(whole[:m, :n] - want) <= bound(a, b) + 16 * np.finfo(dtype).eps)
        assert np.all(whole[m:] == 7)
        assert np.all(whole[:, n:] == 7)


@KIND
@pytest.mark.parametrize("k", [DEPTH - 1, DEPTH, DEPTH + 1, 3 * DEPTH + 5])
def test_long_sums(dtype, k):
    rng = np.random.default_rng(k)
    a, b = matrix(rng, 300, k, dtype), matrix(rng, k, 70, dtype, "in the order of Fortran")
    got = multiply(a, b, np.empty((300, 70), dtype))
    assert np.all(np.abs(got - a.astype("float64") @ b.astype("float64")) <= bound(a, b))


@KIND
def test_an_entry_has_the_same_bits_wherever_it_is(dtype):
    rng = np.random.default_rng(0)
    a, b = matrix(rng, 75, 333, dtype), matrix(rng, 333, 90, dtype)
    whole = multiply(a, b, np.empty((75, 90), dtype))
    for top, left, rows, columns in ((0, 0, 75, 1), (13, 7, 1, 1), (1, 40, 50, 50), (70, 3, 5, 80)):
        some, others = a[top : top + rows], b[:, left : left + columns]
        for right in (others, np.asfortranarray(others)):
            part = multiply(some, right, np.empty((rows, columns), dtype))
            assert np.array_equal(part, whole[top : top + rows, left : left + columns])


@KIND
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_in_its_row_and_column(dtype, value):
    rng = np.random.default_rng(0)
    a, b = matrix(rng, 11, 20, dtype), matrix(rng, 20, 37, dtype)
    a[3, 4] = b[5, 36] = value
    got = multiply(a, b, np.empty((11, 37), dtype))
    with np.errstate(invalid="ignore"):
        want = a @ b
    assert np.array_equal(np.isfinite(got), np.isfinite(want))
    assert np.array_equal(np.isnan(got), np.isnan(want))


@KIND
@pytest.mark.parametrize("m", [1, 7, 64, 130, 300])
def test_columns_in_order_are_copied_for_many_panels(dtype, m):
    rng = np.random.default_rng(m)
    a, b = matrix(rng, m, DEPTH + 40, dtype), matrix(rng, DEPTH + 40, 75, dtype)
    want = multiply(a, b, np.empty((m, 75), dtype))
    assert np.array_equal(multiply(np.asfortranarray(a), b, np.empty((m, 75), dtype)), want)


@KIND
@pytest.mark.parametrize("bytes", [16, 32, 64])
def test_tiles_of_other_machines_compute_the_same(dtype, bytes, monkeypatch):
    if bytes > vectors.width():
        pytest.skip("the vectors of this machine are shorter")
    for module in (vectors, tiles):
        monkeypatch.setattr(module, "width", lambda: bytes)
    code = Code(text_of(np.dtype(dtype)), find=find)
    rng = np.random.default_rng(0)
    for m, n, k in [*rng.choice(SIZES, (20, 3)), (130, 70, 300), (128, 75, DEPTH + 40)]:
        a, b = matrix(rng, m, k, dtype), matrix(rng, k, n, dtype)
        for left in (a, np.asfortranarray(a)):
            got = multiply(left, np.asfortranarray(b), np.empty((m, n), dtype), code=code)
            assert np.all(np.abs(got - a.astype("float64") @ b) <= bound(a, b))


def guarded(x, at_end):
    """A copy that ends, or begins, beside a page that may not be read, and its memory."""
    room = -(-max(x.nbytes, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, room + 2 * mmap.PAGESIZE)
    whole = np.frombuffer(memory, np.uint8)
    first = mmap.PAGESIZE + (room - x.nbytes if at_end else 0)
    copy = whole[first : first + x.nbytes].view(x.dtype).reshape(x.shape)
    copy[...] = x
    protect = ctypes.CDLL(None).mprotect
    for page in (0, mmap.PAGESIZE + room):
        assert not protect(ctypes.c_void_p(whole.ctypes.data + page), mmap.PAGESIZE, 0)
    return copy


@KIND
@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mprotect"), reason="pages have no guards here")
def test_nothing_is_read_or_written_outside_of_the_operands(dtype, at_end):
    rng = np.random.default_rng(0)
    for m, n, k in [*rng.choice(SIZES[1:], (40, 3)), (130, 70, 300)]:
        a, b = matrix(rng, m, k, dtype), matrix(rng, k, n, dtype)
        for left in (guarded(a, at_end), guarded(a.T, at_end).T):
            for right in (guarded(b, at_end), guarded(b.T, at_end).T):
                c = multiply(left, right, guarded(np.zeros((m, n), dtype), at_end))
                assert np.all(np.abs(c - a.astype("float64") @ b) <= bound(a, b))
