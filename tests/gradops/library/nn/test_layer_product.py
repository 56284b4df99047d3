"""The product of layers, whose bits depend on sizes and dtypes alone."""

import threading

import numpy as np
import pytest

from gradops.kernels.native_kernels import is_installed
from gradops.kernels.threads import get_num_threads, set_num_threads
from gradops.library.nn.layer_product import LARGE, layer_product
from gradops.library.nn.linear import linear, linear_kernel

SIZES = [(33, 20, 17), (1, 14, 56), (70, 300, 40), (4, 1, 3), (0, 3, 2), (3, 0, 2), (3, 2, 0)]
needs_native = pytest.mark.skipif(not is_installed(), reason="llvmlite is not installed")


def matrices(m, k, n, dtype=np.float32):
    rng = np.random.default_rng(0)
    return rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_is_the_product(size, dtype):
    a, b = matrices(*size, dtype)
    bound = 4 * size[1] * np.finfo(dtype).eps
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    limit = np.abs(a) @ np.abs(b) * bound
    assert (np.abs(layer_product(a, b) - exact) <= limit).all()


@needs_native
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_layouts_and_out_change_no_bits(size):
    a, b = matrices(*size)
    wanted = layer_product(a, b)
    ways = [
        lambda x: x, np.asfortranarray, lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: x[::-1].copy()[::-1], lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    ]  # fmt: skip
    for first in ways:
        for second in ways:
            assert layer_product(first(a), second(b)).tobytes() == wanted.tobytes()
    for out in (np.empty_like(wanted), np.empty_like(wanted.T).T):
        assert layer_product.kernel(a, b, out) is out
        assert out.tobytes() == wanted.tobytes()


@needs_native
def test_rows_have_the_bits_they_have_alone():
    a, b = matrices(64, 300, 40)
    whole = layer_product(a, b)
    for rows in (slice(0, 5), slice(7, 33), slice(63, 64)):
        assert layer_product(a[rows], b).tobytes() == whole[rows].tobytes()


@needs_native
@pytest.mark.parametrize("op", [lambda a, b: layer_product(a, b),
                                lambda a, b: linear(a, b.T, b[0])])  # fmt: skip
def test_the_number_of_threads_changes_no_bits(op):
    a, b = matrices(500, 200, 130)
    usual, found = get_num_threads(), []
    try:
        for n in (1, 2):
            set_num_threads(n)
            found.append(op(a, b).tobytes())
    finally:
        set_num_threads(usual)
    assert found[0] == found[1]


@needs_native
@pytest.mark.parametrize("shape", [(20,), (33, 20), (2, 5, 20), (0, 20)])
def test_a_linear_layer_adds_its_bias_to_the_product(shape):
    x, w = (
        np.random.default_rng(1).normal(size=shape),
        np.random.default_rng(2).normal(size=(7, 20)),
    )
    b = np.arange(7.0)
    rows = layer_product(x.reshape(-1, 20), w.T).reshape(*shape[:-1], 7)
    assert linear(x, w, b).tobytes() == (rows + b).tobytes()
    for out in (np.empty((*shape[:-1], 7)), np.empty((*shape[:-1], 7))[..., ::-1]):
        assert linear_kernel(x, w, b, out) is out
        assert np.ascontiguousarray(out).tobytes() == (rows + b).tobytes()


def test_other_operands_are_numpys():
    a, b = matrices(3, 4, 5)
    assert layer_product(a, b.astype(np.float64)).dtype == np.float64
    found = layer_product(a.astype(np.int64), b.astype(np.int64))
    assert (found == a.astype(np.int64) @ b.astype(np.int64)).all()
    a, b = matrices(1, LARGE // 128 + 1, 128)  # a row by a large matrix
    assert layer_product(a, b).tobytes() == (a @ b).tobytes()
    raw = np.zeros(4 * a.size + 1, np.uint8)[1:].view(np.float32).reshape(a.shape)  # misaligned
    raw[...] = a
    assert np.allclose(layer_product(raw, b), a @ b, rtol=1e-3, atol=1e-3)


@needs_native
def test_a_thread_with_a_small_stack_gets_the_product():
    a, b = matrices(33, 20, 17)
    found = []
    usual = threading.stack_size(64 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(layer_product(a, b)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(usual)
    assert np.allclose(found[0], a @ b, rtol=1e-4, atol=1e-5)
