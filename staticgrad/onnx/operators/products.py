"""Products of matrices."""

from typing import Any

import numpy as np

from gradops import OPS

from ..reading.registry import operator
from ..reading.values import Value
from .elementwise import cast, like


@operator("Gemm")
def gemm_of_old(
    a: Value, b: Value, c: Value, *, alpha: float = 1.0, beta: float = 1.0, broadcast: int = 0,
    transA: int = 0, transB: int = 0,
) -> Any:  # fmt: skip
    """Gemm, whose attribute `broadcast` is not needed."""
    return gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)


@operator("Gemm", 7)
def gemm(
    a: Value, b: Value, c: Value | None = None, *, alpha: float = 1.0, beta: float = 1.0,
    transA: int = 0, transB: int = 0,
) -> Any:  # fmt: skip
    """alpha * a @ b + beta * c, of transposes where asked."""
    a = OPS["transpose"](a) if transA else a
    b = OPS["transpose"](b) if transB else b
    y = OPS["matmul"](a, b)
    y = y if alpha == 1 else y * like(alpha, y)
    if c is None or beta == 0:
        return y
    return y + (c if beta == 1 else c * like(beta, c))


@operator("Einsum", 12)
def einsum(*xs: Value, equation: str) -> Any:
    """Products summed over the indices that the output lacks."""
    import gradops

    return gradops.einsum(equation, *xs)


@operator("MatMulInteger", 10)
def matmul_integer(
    a: Value, b: Value, a_zero: Value | None = None, b_zero: Value | None = None
) -> Any:
    """The product of small integers, less their zero points, as int32."""
    if a_zero is not None and len(a_zero.shape) == 1 and a_zero.shape[0] > 1:
        a_zero = OPS["expand_dims"](a_zero, axis=1)
    return OPS["matmul"](less_zero(a, a_zero), less_zero(b, b_zero))


def less_zero(x: Value, zero: Value | None) -> Any:
    """Integers less a zero point, as int32."""
    wide = cast(x, np.int32)
    return wide if zero is None else wide - cast(zero, np.int32)
