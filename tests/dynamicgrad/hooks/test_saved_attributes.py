"""Nodes save no value that the derivatives of their op do not depend on.

A value that is saved for nothing takes memory, and makes errors of writes that do no harm.
"""

import itertools

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from dynamicgrad.engine.record import PLANS
from gradops.transforms.saved_operands import OUTPUT

from ..behaviour import Table

table = Table()


@table.gives([0.0, 0.0])
def the_sign_saves_nothing(t):
    x = t.ones(2, requires_grad=True)
    y = x * 1
    z = y.sign()
    y.mul_(2)
    z.sum().backward()
    return x.grad.tolist()


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()

VARIED = [  # what a value is exchanged for, to see whether something depends on it
    np.zeros_like, np.ones_like, lambda x: x[..., ::-1] if x.ndim else x + 1,
    lambda x: np.where(np.arange(x.size).reshape(x.shape) % 2, np.inf, x), lambda x: -1.5 * x,
]  # fmt: skip
PLACES = [lambda x: x, np.zeros_like, lambda x: -1.5 * x if x.dtype.kind in "fc" else x]


def varied(x):
    """Other values for an operand."""
    if x.dtype.kind == "b":
        return [x, ~x]
    kinds = VARIED if x.dtype.kind in "fc" else VARIED[:2]
    return [x, *(vary(x).astype(x.dtype) for vary in kinds)]


def real_samples(op):
    """The samples for which an op has a result of real floats, and their attributes."""
    for xs, attrs in op.samples(np.random.default_rng(0)):
        xs, attrs = [np.asarray(x) for x in xs], op.bind(xs, attrs)[1]
        if np.asarray(op(*xs, **attrs)).dtype.kind == "f":
            yield xs, attrs


def attempt(function, *args, **attrs):
    """The result of a function as an array; None if it has none or fails for such values."""
    try:
        with np.errstate(all="ignore"):
            found = function(*args, **attrs)
    except Exception:
        return None
    return None if found is None else np.asarray(found)


def matters(op, i, j, xs, attrs):
    """Whether the cotangent of operand i depends on operand j, or on the output."""
    for places in itertools.product(PLACES, repeat=min(len(xs), 3)):
        point = [place(x) for x, place in zip(xs, [*places, *[np.array] * 9], strict=False)]
        y = attempt(op, *point, **attrs)
        if y is not None and differs(op.rule("vjp", i), j, y, point, attrs):
            return True
    return False


def differs(rule, j, y, xs, attrs):
    """Whether a rule gives something else when operand j, or the output, is exchanged."""
    g = np.linspace(0.5, 1.5, y.size).reshape(y.shape).astype(y.dtype)
    found = []
    for value in varied(y if j == OUTPUT else xs[j]):
        operands = [value if k == j else x for k, x in enumerate(xs)]
        found.append(attempt(rule, g, value if j == OUTPUT else y, *operands, **attrs))
    first, *others = found
    return first is not None and any(
        f is not None and not np.array_equal(f, first, equal_nan=True) for f in others
    )


FLOATS = [op for op in gradops.OPS.values() if any(xs for xs, _ in real_samples(op))]


@pytest.mark.parametrize("op", FLOATS, ids=str)
def test_what_an_op_saves_matters_to_its_derivatives(op):
    samples = list(real_samples(op))
    for count in {len(xs) for xs, _ in samples}:
        for i in range(count):
            fit = [s for s in samples if len(s[0]) == count and s[0][i].dtype.kind in "fc"]
            saves_output, saves, _ = PLANS[op, 1 << i, count] if fit else (False, (), ())
            for j in [OUTPUT] * saves_output + [k for k, saved in enumerate(saves) if saved]:
                assert any(matters(op, i, j, xs, attrs) for xs, attrs in fit), (i, j)


def test_of_complex_numbers_the_sign_saves_what_turns_it():
    z = dg.tensor([3 + 4j], requires_grad=True)
    y = z * 1
    s = y.sgn()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        s.abs().sum().backward()
