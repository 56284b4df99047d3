"""Traits hold: what passes ask of ops is true of their kernels."""

import numpy as np
import pytest

from gradops import OPS
from gradops.core.traits import Trait
from gradops.kernels.native_kernels import native_kernels


def with_trait(trait):
    """The ops of a trait that arrays can be given to."""
    ops = [op for op in OPS.values() if trait in op.traits and Trait.CONTROL not in op.traits]
    return pytest.mark.parametrize("op", ops, ids=lambda op: op.name)


def real_samples(op):
    """Operands of an op, none of them complex, and its attributes."""
    for drawn, attrs in op.samples(np.random.default_rng(0)):
        operands, full = op.bind(list(map(np.asarray, drawn)), attrs)
        if all(x.dtype.kind != "c" for x in operands):
            yield operands, full


def spread_out(x):
    """An array whose entries lie apart and backwards in memory."""
    wide = np.zeros([3 * n for n in x.shape], x.dtype)
    y = wide[(..., *[slice(None, None, -3)] * x.ndim)]
    y[...] = x
    return y


@with_trait(Trait.LINEAR)
def test_twice_an_operand_gives_twice_the_result(op):
    for operands, attrs in real_samples(op):
        y = op.kernel(*operands, **attrs)
        for i, x in enumerate(operands):
            if x.dtype.kind == "f" and np.asarray(y).dtype.kind in "fc":
                twice = op.kernel(*operands[:i], 2 * x, *operands[i + 1 :], **attrs)
                np.testing.assert_array_equal(twice, np.multiply(y, 2))


@with_trait(Trait.CORRECTLY_ROUNDED)
def test_bits_are_the_same_in_any_layout(op):
    for operands, attrs in real_samples(op):
        with np.errstate(all="ignore"):
            wanted = op.kernel(*operands, **attrs)
            y = op.kernel(*map(spread_out, operands), **attrs)
        np.testing.assert_array_equal(y, wanted)
        np.testing.assert_array_equal(np.signbit(y * 1.0), np.signbit(wanted * 1.0))


@with_trait(Trait.UNROUNDED)
def test_entries_are_those_of_operands_but_for_signs(op):
    for operands, attrs in real_samples(op):
        known = np.unique(np.abs(np.concatenate([[0.0], *map(np.ravel, operands)])))
        assert np.isin(np.abs(op.kernel(*operands, **attrs)), known).all()


@with_trait(Trait.OF_MATRICES)
def test_a_call_for_a_stack_of_matrices_gives_what_each_gives(op):
    for operands, attrs in real_samples(op):
        if all(x.ndim == 2 for x in operands) and attrs.get("axis1", 0) == 0:
            places = {"axis1": 1, "axis2": 2} if "axis1" in attrs else {}
            stacked = op.kernel(*[np.stack([x, x]) for x in operands], **{**attrs, **places})
            y = op.kernel(*operands, **attrs)
            np.testing.assert_allclose(stacked, [y, y], rtol=1e-14)  # of more right sides at once


@with_trait(Trait.OF_LOWER)
def test_entries_above_the_diagonal_are_not_read(op):
    for operands, attrs in real_samples(op):
        above = [np.where(np.tri(*x.shape[-2:], dtype=bool), x, np.nan) for x in operands]
        y, z = op.kernel(*operands, **attrs), op.kernel(*above, **attrs)
        np.testing.assert_array_equal(y, z)


def is_whole_or(x, y):
    """Whether results are whole numbers that are not large, or the operands, but for signs."""
    return bool(np.all((y == np.rint(y)) & (np.abs(y) < 1000) | (np.abs(y) == np.abs(x))))


UNARY = [
    op for op in OPS.values()
    if op.arity == 1 and set(op.params) == set(op.defaults)
    and Trait.ELEMENTWISE in op.traits and Trait.CORRECTLY_ROUNDED not in op.traits
]  # fmt: skip


@pytest.mark.parametrize("op", UNARY, ids=lambda op: op.name)
def test_functions_that_round_to_what_they_near_are_saturating(op):
    """Those of numbers far out are whole, or the operands, where that of 0.5 or 0.7 is not."""
    near, far = np.array([0.5, 0.7]), np.array([45.2, 61.2, 80.2])
    with np.errstate(all="ignore"):
        ys = [np.asarray(op.kernel(x, **op.defaults)) for x in (near, far, -far)]
    if all(y.dtype.kind == "f" for y in ys) and not is_whole_or(near, ys[0]):
        wanted = any(is_whole_or(far, y) and y.any() for y in ys[1:])
        assert (Trait.SATURATING in op.traits) == wanted


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("is_native", [False, True])
@pytest.mark.parametrize(
    "op",
    [op for op in UNARY if Trait.SATURATING in op.traits and op is not OPS["expm1"]],
    ids=lambda op: op.name,
)
def test_what_nears_its_operand_is_finite_up_to_the_largest_number(op, is_native, dtype):
    far = np.finfo(dtype).max * np.array([1, -1, 0.7], dtype)
    with np.errstate(all="ignore"), native_kernels(is_native):
        y = op.kernel(far, **op.defaults)
    assert np.isfinite(y).all()
