"""Triangular systems in machine code: the numbers of Python's floats, and of NumPy's kernel."""

import numpy as np
import pytest

from gradops import OPS
from gradops.core.errors import LinAlgError
from gradops.kernels.linalg.triangular import LARGEST, solve_triangular, substitute_floats
from gradops.kernels.native_kernels import native_kernels
from gradops.kernels.threads import get_num_threads, set_num_threads
from gradops.native.kernels.library import callable_kernel
from gradops.native.kernels.triangular import ROWS, SIDES, SMALL

from .layouts import layouts, regular

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

every_size = pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, SMALL])
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_form = [
    pytest.mark.parametrize("lower", [True, False]), pytest.mark.parametrize("unit", [True, False])
]  # fmt: skip
solve = callable_kernel("triangular", "solve_triangular")
solve_stack = callable_kernel("triangular", "solve_triangular_stack")


def in_every_form(test):
    """The test for triangles on both sides, and with a diagonal of ones or of numbers."""
    for mark in every_form:
        test = mark(test)
    return test


@every_size
@every_dtype
@pytest.mark.parametrize("sides", [1, 3, 70])
@in_every_form
def test_substitution_has_the_bits_of_pythons_floats(n, dtype, sides, lower, unit):
    a, b = regular(n, dtype), np.random.default_rng(1).normal(size=(n, sides)).astype(dtype)
    wanted = np.array(substitute_floats(a, b, lower, unit), dtype).reshape(b.shape)
    for x in layouts(a):
        for y in layouts(b):
            assert solve(x, y, lower, unit, None).tobytes() == wanted.tobytes()


def test_larger_and_unfit_systems_are_refused():
    x = regular(SMALL + 1, np.float64)
    assert solve(x, x, 1, 0, None) is NotImplemented
    a = np.eye(3)
    for b in (np.ones((2, 1)), np.ones(3), np.ones((1, 3, 1)), np.ones((3, 1), np.float32)):
        assert solve(a, b, 1, 0, None) is NotImplemented


def test_a_singular_triangle_is_left_to_numpy_and_raises():
    a = np.diag([1.0, 0.0])
    for b in (np.ones((2, 1)), np.ones((2, 0))):
        assert solve(a, b, 1, 0, None) is NotImplemented
        with pytest.raises(LinAlgError, match="singular"):
            OPS["solve_triangular"](a, b, lower=True)
    assert solve(a, np.ones((2, 1)), 1, 1, None).tolist() == [[1.0], [1.0]]


@every_size
@pytest.mark.parametrize("lower", [True, False])
def test_special_values_stay_in_their_columns(n, lower):
    a, b = regular(n, np.float64), np.ones((n, 4))
    b[:, 1:] *= [np.nan, np.inf, -np.inf]
    y = solve(a, b, lower, False, None)
    with native_kernels(False):
        z = OPS["solve_triangular"].kernel(a, b[:, :1], lower)
    np.testing.assert_allclose(y[:, :1], z, rtol=1e-13)
    assert not np.isfinite(y[:, 1:]).all(0).any()


def systems(stack, n, sides, dtype=np.float64):
    """Matrices of a stack, and right sides."""
    rng = np.random.default_rng(n)
    a = rng.normal(size=(*stack, n, n)) + 2 * n * np.eye(n)
    return a.astype(dtype), rng.normal(size=(*stack, n, sides)).astype(dtype)


@pytest.mark.parametrize("stack", [(), (3,), (2, 3), (0,)])
@pytest.mark.parametrize("n", [0, 1, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS, LARGEST])
@pytest.mark.parametrize("sides", [0, 1, 5, SIDES, SIDES + 1])
@every_dtype
@in_every_form
def test_stacks_have_the_numbers_of_numpy_but_for_rounding(stack, n, sides, dtype, lower, unit):
    a, b = systems(stack, n, sides, dtype)
    a = a / np.float32(2 * n + 1) if unit else a
    for turned in (False, True):
        x = a.swapaxes(-1, -2).copy() if turned else a
        found = solve_stack(b, x, lower, unit, turned, None)
        with native_kernels(False):
            wanted = solve_triangular(a, b, lower, unit)
        assert found.dtype == wanted.dtype
        tolerance = 16 * np.finfo(dtype).eps * np.abs(wanted).max(initial=1.0)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


@every_dtype
@in_every_form
def test_bits_depend_neither_on_threads_nor_on_the_stack_nor_on_layouts(dtype, lower, unit):
    a, b = systems((6,), 40, 300, dtype)
    wanted, usual = solve_triangular(a, b, lower, unit), get_num_threads()
    try:
        set_num_threads(1)
        alone = solve_triangular(a, b, lower, unit)
    finally:
        set_num_threads(usual)
    parts = [solve_triangular(a[i : i + 2], b[i : i + 2], lower, unit) for i in (0, 2, 4)]
    turned = a.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    spread = np.stack([b, b], -1)[..., 0]
    for found in (alone, np.concatenate(parts), solve_triangular(turned, spread, lower, unit)):
        assert found.tobytes() == wanted.tobytes()


@in_every_form
def test_what_is_not_finite_stays_in_its_columns(lower, unit):
    a, b = systems((3,), 40, 300)
    wanted = solve_triangular(a, b, lower, unit)
    b[1, 20, 7], b[2, 3, 9], b[2, 30, 9] = np.nan, np.inf, -np.inf
    found = solve_triangular(a, b, lower, unit)
    rest = np.isfinite(b).all(-2)
    assert not np.isfinite(found).all(-2)[~rest].any()
    np.testing.assert_array_equal(found.swapaxes(1, 2)[rest], wanted.swapaxes(1, 2)[rest])


def test_singular_matrices_of_a_stack_are_left_to_numpy_and_raise():
    a, b = systems((3,), 10, 200)
    a[1, 4, 4] = 0
    assert solve_stack(b, a, True, False, False, None) is NotImplemented
    with pytest.raises(LinAlgError, match="singular"):
        OPS["solve_triangular"](a, b, lower=True)
    found = solve_triangular(a, b, True, checked=False)
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[[0, 2]]).all()


def test_stacks_of_large_or_unfit_matrices_are_refused():
    a, b = systems((2,), LARGEST + 1, 2)
    assert solve_stack(b, a, True, False, False, None) is NotImplemented
    a, b = systems((2,), 3, 2)
    for bad in (b[:1], b[:, :2], b.astype(np.float32), b[0], b[..., ::-1]):
        assert solve_stack(bad, a, True, False, False, None) is NotImplemented
