"""Algebraic Riccati equations of optimal control, and Lyapunov's discrete equation.

The derivative of a solution solves a Lyapunov equation with the matrix of the closed loop. Of the
weights the Hermitian parts are read.
"""

from typing import Any

import numpy as np

from ...core.dims import product
from ...core.errors import LinAlgError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import cases, exactly
from ...core.types import ArrayType, broadcast_shapes, conflict
from ...kernels.linalg import riccati
from ...typing import AnyArray, Operand, Wanted
from .matrices import (
    adjoint,
    common_dtype,
    conjugate,
    hermitian,
    identity_like,
    require_matrix,
    require_square,
    times,
    zero_if_unused,
)
from .solve import inv
from .sylvester import sylvester_batch, unchecked

__all__: list[str] = []


def riccati_infer(
    a: ArrayType, b: ArrayType, q: ArrayType, r: ArrayType, discrete: bool
) -> ArrayType:
    xs = [a, b, q, r]
    require_matrix("solve_riccati", *xs)
    for x in (a, q, r):
        require_square("solve_riccati", x)
    (n, m), (k,) = b.shape[-2:], a.shape[-1:]
    if conflict((n, n, m), (k, q.shape[-1], r.shape[-1])):
        raise ShapeError(
            "solve_riccati", xs, f"for {k} states and {m} controls, b has {k} rows and {m} columns,"
            f" q {k} rows and r {m}",
        )  # fmt: skip
    stacks = [ArrayType(x.shape[:-2], x.dtype) for x in xs]
    shape = (*broadcast_shapes("solve_riccati", stacks), *q.shape[-2:])
    return ArrayType(shape, common_dtype("solve_riccati", *xs))


def feedback(x: AnyArray, a: AnyArray, b: AnyArray, r: AnyArray, discrete: bool) -> tuple[Any, Any]:
    """The gain of the optimal control and the matrix of the closed loop."""
    weighted, r = times(adjoint(b), x), hermitian(r)
    if discrete:
        r, weighted = r + times(weighted, b), times(weighted, a)
    gain = times(inv(r, checked=False), weighted)
    return gain, a - times(b, gain)


def riccati_cotangents(
    wanted: Wanted, g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray, q: AnyArray, r: AnyArray,
    discrete: bool,
) -> list[Operand]:  # fmt: skip
    """The adjoint, as a rule between conjugations: see Note [Adjoints] in `matrices.py`."""
    h: Any = conjugate(g)
    gain, loop = feedback(y, a, b, r, discrete)
    s = discrete_lyapunov(loop, h) if discrete else -unchecked(loop, adjoint(loop), h)
    both = times(y, loop, s + adjoint(s)) if discrete else times(y, s + adjoint(s))
    found = [
        lambda: both,
        lambda: -times(both, adjoint(gain)),
        lambda: hermitian(s),
        lambda: hermitian(times(gain, s, adjoint(gain))),
    ]
    return [conjugate(zero_if_unused(g, found[i]())) for i in wanted]


def tangent_of(i: int) -> Any:
    """The rule for a tangent of operand i: a, b, q or r."""

    def rule(
        t: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray, q: AnyArray, r: AnyArray, discrete: bool
    ) -> Any:
        gain, loop = feedback(y, a, b, r, discrete)
        if i == 2:
            right = hermitian(t)
        elif i == 3:
            right = times(adjoint(gain), hermitian(t), gain)
        else:
            change = t if i == 0 else -times(t, gain)
            half = times(adjoint(loop), y, change) if discrete else times(y, change)
            right = half + adjoint(half)
        if discrete:
            return discrete_lyapunov(adjoint(loop), right)
        return -unchecked(adjoint(loop), loop, right)

    return rule


def discrete_lyapunov(a: AnyArray, q: AnyArray) -> Any:
    """The x with a @ x @ a.H - x + q = 0, by the continuous equation that has it too."""
    one = identity_like(a)
    right = inv(adjoint(a) + one, checked=False)
    b = times(adjoint(a) - one, right)
    c = times(2 * inv(a + one, checked=False), q, right)
    return unchecked(adjoint(b), b, -c)


SYSTEM = [
    np.array([[0.5, 1.0], [-0.3, 0.8]]), np.array([[0.2], [1.0]]),
    np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([[0.7]]),
]  # fmt: skip

solve_riccati = Op(
    "solve_riccati", riccati.solve_riccati, arity=4, infer=riccati_infer,
    flops=lambda y, *types, **attrs: 200 * product(y.shape) * y.shape[-1],
    vjp=JointVJP(riccati_cotangents), jvp=[tangent_of(i) for i in range(4)],
    batch=sylvester_batch,
    samples=cases(
        exactly(*SYSTEM), exactly(*SYSTEM, discrete=True), exactly(SYSTEM[0] + 0.3j, *SYSTEM[1:]),
    ),
    error_samples=[
        ErrorSample([np.eye(2), np.ones((3, 1)), np.eye(2), np.eye(1)], {}, ShapeError, "2 states"),
        ErrorSample([np.eye(2), np.zeros((2, 1)), np.eye(2), np.eye(1)], {}, LinAlgError, "finite"),
    ],
    doc="The stabilizing solution of an algebraic Riccati equation of optimal control.",
)  # fmt: skip
