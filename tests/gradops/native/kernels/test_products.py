"""Products of stacks in machine code: NumPy's but for rounding, in any layout."""

import numpy as np
import pytest

from gradops.kernels.native_kernels import native_kernels
from gradops.kernels.threads import get_num_threads, set_num_threads
from gradops.library.nn.layer_product import layer_product_kernel as multiply
from gradops.native.kernels.library import callable_kernel
from gradops.native.kernels.products import TALLEST

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

own = callable_kernel("products", "stack_product")
STACKS = [(3,), (1,), (2, 3), (0,), (2, 0)]
SIZES = [(4, 5, 3), (1, 7, 1), (TALLEST + 3, 9, 17), (3, 0, 2), (0, 3, 2), (70, 33, 65)]


def numbers(*shape, dtype):
    """Small whole numbers, whose products are exact in any order."""
    return np.random.default_rng(0).integers(-4, 5, shape).astype(dtype)


def layouts(x):
    """The same entries at other steps."""
    turned = x.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    inside = np.moveaxis(np.moveaxis(x, 0, -2).copy(), -2, 0)
    return x, turned, inside, x[..., ::-1].copy()[..., ::-1], np.repeat(x, 2, axis=-1)[..., ::2]


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_stacks_are_numpys_in_any_layout(stack, sizes, dtype):
    m, k, n = sizes
    a, b = numbers(*stack, m, k, dtype=dtype), numbers(*stack, k, n, dtype=dtype)
    wanted = a @ b
    for x in layouts(a):
        for y in layouts(b):
            for out in (None, np.full_like(wanted, np.nan), np.full_like(wanted.T, np.nan).T):
                found = multiply(x, y, out)
                assert out is None or found is out
                assert found.dtype == dtype
                np.testing.assert_array_equal(found, wanted)


def test_bits_depend_neither_on_threads_nor_on_layouts():
    rng, usual = np.random.default_rng(0), get_num_threads()
    a, b = rng.normal(size=(12, 70, 200)), rng.normal(size=(12, 200, 60))
    wanted = multiply(a, b).tobytes()
    try:
        set_num_threads(1)
        assert multiply(a, b).tobytes() == wanted
    finally:
        set_num_threads(usual)
    assert all(multiply(x, y).tobytes() == wanted for x in layouts(a) for y in layouts(b))
    assert np.stack([multiply(x, y) for x, y in zip(a, b, strict=True)]).tobytes() == wanted


def test_other_operands_are_left_to_numpy():
    a = np.ones((2, 3, 4))
    for b in (np.ones((1, 4, 2)), np.ones((4, 2)), np.ones((2, 4, 2), np.float32),
              np.ones((5, 2, 4, 2)), np.ones((2, 4, 2), complex)):  # fmt: skip
        np.testing.assert_array_equal(multiply(a, b), a @ b)
    wide = np.ones((1, 1, 2, 3, 4))
    turned = wide.swapaxes(-1, -2)
    np.testing.assert_array_equal(multiply(wide, turned), wide @ turned)
    assert own(a[None], np.ones((1, 2, 5, 2)), None) is NotImplemented
    with native_kernels(False):
        np.testing.assert_array_equal(multiply(a, np.ones((2, 4, 2))), a @ np.ones((2, 4, 2)))
