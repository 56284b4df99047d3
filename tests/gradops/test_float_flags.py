"""What an op does with infinities and NaN: the facts that checked runs of graphs rely on."""

import numpy as np
import pytest

from gradops import OPS
from gradops.core import flops
from gradops.core.traits import Trait

DRAWS = 12
HEED = {"divide": "raise", "over": "raise", "invalid": "raise", "under": "ignore"}
UFUNCS = [op for op in OPS.values() if isinstance(op.kernel, np.ufunc)]
MOVING = [
    op for op in OPS.values()
    if Trait.MOVING in op.traits
    or (Trait.VIEW in op.traits and op.flops is flops.nothing and Trait.CONTROL not in op.traits)
]  # fmt: skip
PROPAGATING = [op for op in OPS.values() if Trait.PROPAGATING in op.traits]
name = lambda op: op.name


def hostile(rng, x, dtype=None):
    """Some entries replaced with the largest, the smallest and others at which functions end."""
    x = np.asarray(x) if dtype is None or np.asarray(x).dtype.kind != "f" else x.astype(dtype)
    if x.dtype.kind != "f":
        return x
    info = np.finfo(x.dtype)
    pool = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 700.0, -700.0, info.max, -info.max, info.tiny]
    ends = rng.choice(np.array(pool, x.dtype), x.shape)
    return np.where(rng.random(x.shape) < 0.5, x, ends).astype(x.dtype)


def draws(op, seed=0):
    """Operands of an op with hostile entries, in three dtypes, and its attributes."""
    rng = np.random.default_rng(seed)
    for _ in range(DRAWS):
        for drawn, attrs in op.samples(rng):
            for dtype in (None, np.float32, np.float16):
                operands, full = op.bind([hostile(rng, np.asarray(x), dtype) for x in drawn], attrs)
                yield operands, full


def is_finite(x):
    x = np.asarray(x)
    return x.dtype.kind not in "fc" or bool(np.isfinite(x).all())


@pytest.mark.parametrize("op", UFUNCS, ids=name)
def test_a_ufunc_that_makes_an_infinity_or_nan_of_finite_numbers_sets_a_flag(op):
    for operands, attrs in draws(op):
        if any(np.asarray(x).dtype.kind == "c" for x in operands):
            continue
        with np.errstate(all="ignore"):
            finite = is_finite(op.kernel(*operands, **attrs))
        if not finite:
            with pytest.raises(FloatingPointError), np.errstate(**HEED):
                op.kernel(*operands, **attrs)


@pytest.mark.parametrize("op", MOVING, ids=name)
def test_what_moves_entries_keeps_them_finite_or_sets_a_flag(op):
    for operands, attrs in draws(op):
        try:
            with np.errstate(**HEED):
                assert is_finite(op.kernel(*operands, **attrs))
        except FloatingPointError:
            assert op.name == "astype"  # to a narrower type


@pytest.mark.parametrize("op", PROPAGATING, ids=name)
def test_what_propagates_an_infinity_or_nan_is_not_finite(op):
    rng = np.random.default_rng(1)
    for operands, attrs in draws(op):
        for i, x in enumerate(operands):
            if np.asarray(x).dtype.kind not in "fc" or not np.size(x):
                continue
            bad = np.array(x)
            bad.flat[rng.integers(bad.size)] = rng.choice([np.inf, -np.inf, np.nan])
            with np.errstate(all="ignore"):
                y = np.asarray(op.kernel(*operands[:i], bad, *operands[i + 1 :], **attrs))
            if y.size and y.dtype.kind in "fc":
                assert not is_finite(y)
