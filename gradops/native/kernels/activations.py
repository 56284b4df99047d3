"""Activation functions entry by entry, their derivatives, and products by such."""

import math
from collections.abc import Callable

import numpy as np

from gradops.kernels.nn.gelu import P

from ..ir.primitives import sigmoid
from ..ir.scalars import Scalar, call_math, choose, equal_to
from ..transcendental.floats import SINGLE, polynomial
from .kernel import DTYPES, Kernel, KernelText

CUBIC, SCALE = 0.044715, math.sqrt(2 / math.pi)
BLOCK = 1024  # entries of a pass
Function = Callable[[Scalar], Scalar]


def entrywise(*functions: Function) -> Callable[[KernelText], None]:
    """A writer of a kernel that applies functions to each entry."""

    def write(k: KernelText) -> None:
        for j in k.entries():
            x = k.arrays["x"][j]
            for y, function in zip("yz", functions, strict=False):
                k.arrays[y][j] = function(x)

    return write


def silu(x: Scalar) -> Scalar:
    """x times its logistic function."""
    return x / (call_math("exp", [-x]) + 1.0)


def doubled_distribution(x: Scalar) -> Scalar:
    """2 Phi(x) in single precision, as in `gradops.kernels.nn.gelu`."""
    return call_math("tanh", [polynomial(x * x, P.tolist()) * x]) + 1.0


def gelu(x: Scalar) -> Scalar:
    """x Phi(x)."""
    return doubled_distribution(x) * 0.5 * x


def gelu_slope(x: Scalar) -> Scalar:
    """Phi(x) + x phi(x)."""
    density = call_math("exp", [x * x * -0.5]) * (1 / math.sqrt(2 * math.pi))
    return doubled_distribution(x) * 0.5 + density * x


def gelu_by_tanh(x: Scalar) -> Scalar:
    """x (1 + tanh(w)) / 2."""
    return tanh_of_cubic(x) * 0.5 * x


def tanh_of_cubic(x: Scalar) -> Scalar:
    """1 + tanh(w) with w = scale x (1 + cubic x x)."""
    return call_math("tanh", [(x * x * CUBIC + 1.0) * x * SCALE]) + 1.0


def gelu_slope_by_tanh(x: Scalar) -> Scalar:
    """(1 + u)/2 + x/2 (1 - u u) w' with u = tanh(w); zero where 1 - u u is."""
    v = tanh_of_cubic(x)
    u, inner = v - 1.0, (x * x * (3 * CUBIC) + 1.0) * SCALE
    rest = 1.0 - u * u
    return v * 0.5 + x * 0.5 * choose(rest > 0.0, rest * inner, rest)


def write_strong_product(k: KernelText) -> None:
    """v p, but zero wherever v is zero and the product is NaN."""
    v, p, y = (k.arrays[name] for name in "vpy")
    for j in k.entries():
        a = v[j]
        product = a * p[j]
        meant = choose(equal_to(product, product), product, 0.0)
        y[j] = choose(equal_to(a, 0.0), meant, product)


def write_bce_losses(k: KernelText) -> None:
    """log(1 + exp(z)) - z y, exact in both tails for labels 0 and 1."""
    z, y, losses = (k.arrays[name] for name in ("z", "y", "losses"))
    for j in k.entries():
        a = z[j]
        positive = choose(a > 0.0, a, 0.0)
        losses[j] = positive - a * y[j] + call_math("softplus", [-abs(a)])


def kernel(name: str, *functions: Function, dtypes: tuple[np.dtype, ...] = DTYPES) -> Kernel:
    """A kernel of functions of each entry."""
    gives = " ".join(f"{y}[...]" for y, _ in zip("yz", functions, strict=False))
    return Kernel(name, "x[...]", gives, entrywise(*functions), block=BLOCK, cost=12, dtypes=dtypes)


KERNELS = [
    kernel("sigmoid", sigmoid), kernel("silu", silu),
    kernel("gelu", gelu, dtypes=(SINGLE,)), kernel("gelu_slope", gelu_slope, dtypes=(SINGLE,)),
    kernel("gelu_and_slope", gelu, gelu_slope, dtypes=(SINGLE,)),
    kernel("gelu_tanh", gelu_by_tanh), kernel("gelu_tanh_slope", gelu_slope_by_tanh),
    kernel("gelu_tanh_and_slope", gelu_by_tanh, gelu_slope_by_tanh),
    Kernel("strong_product", "v[...] p[...]", "y[...]", write_strong_product, block=BLOCK, cost=1),
    Kernel("bce_losses", "z[...] y[...]", "losses[...]", write_bce_losses, block=BLOCK, cost=16),
]  # fmt: skip
