"""Orthogonal polynomials. The derivative of one is another of one degree less (DLMF 18.9).

There is no derivative in the degree, or in the parameters.
"""

from collections.abc import Callable
from typing import Any

from ....core.op import Op
from ....core.samples import beside, between
from ....kernels.elementwise.scipy_kernels import of_whole_orders
from ....typing import AnyArray
from ..comparison import equal, where
from .bessel import orders
from .family import scipy_op

__all__: list[str] = []

Slope = Callable[..., Any]
Kernel = Callable[..., Any]


def polynomial(
    name: str, what: str, slope: Slope, parameters: int = 0, kernel: Kernel | None = None
) -> Op:
    """A polynomial; `slope(n - 1, *parameters, x)` is its derivative unless the degree is 0."""

    def partial(y: AnyArray, n: Any, *rest: Any) -> AnyArray:
        constant = equal(n, 0)
        return where(constant, 0.0, slope(where(constant, 1, n) - 1, *rest))

    shapes = [(3, 1), (4,), ()][: parameters + 1]
    return scipy_op(
        name, kernel, orders=parameters + 1, d=[partial], doc=f"{what}, of degree x, by SciPy.",
        samples=beside(orders(*shapes), between(-0.9, 0.9, (3, 4))),
    )  # fmt: skip


eval_gegenbauer = polynomial(
    "eval_gegenbauer", "Gegenbauer polynomials",
    lambda n, a, x: 2 * a * eval_gegenbauer(n, a + 1, x), 1,
)
eval_chebyu = polynomial(
    "eval_chebyu", "Chebyshev polynomials of the second kind",
    lambda n, x: 2 * eval_gegenbauer(n, 2.0, x),
)
eval_chebyt = polynomial(
    "eval_chebyt", "Chebyshev polynomials of the first kind",
    lambda n, x: (n + 1) * eval_chebyu(n, x),
)
eval_chebyc = polynomial(
    "eval_chebyc", "Chebyshev polynomials C", lambda n, x: (n + 1) * eval_chebys(n, x)
)
eval_chebys = polynomial(
    "eval_chebys", "Chebyshev polynomials S", lambda n, x: eval_gegenbauer(n, 2.0, x * 0.5)
)
eval_legendre = polynomial(
    "eval_legendre", "Legendre polynomials", lambda n, x: eval_gegenbauer(n, 1.5, x)
)
eval_jacobi = polynomial(
    "eval_jacobi", "Jacobi polynomials",
    lambda n, a, b, x: (n + a + b + 2) * 0.5 * eval_jacobi(n, a + 1, b + 1, x), 2,
)
eval_genlaguerre = polynomial(
    "eval_genlaguerre", "Generalised Laguerre polynomials",
    lambda n, a, x: -eval_genlaguerre(n, a + 1, x), 1,
)
eval_laguerre = polynomial(
    "eval_laguerre", "Laguerre polynomials", lambda n, x: -eval_genlaguerre(n, 1.0, x)
)
eval_hermite = polynomial(
    "eval_hermite", "Hermite polynomials of physics",
    lambda n, x: 2 * (n + 1) * eval_hermite(n, x), kernel=of_whole_orders("eval_hermite"),
)
eval_hermitenorm = polynomial(
    "eval_hermitenorm", "Hermite polynomials of probability",
    lambda n, x: (n + 1) * eval_hermitenorm(n, x), kernel=of_whole_orders("eval_hermitenorm"),
)
eval_sh_legendre = polynomial(
    "eval_sh_legendre", "Shifted Legendre polynomials",
    lambda n, x: 2 * eval_gegenbauer(n, 1.5, 2 * x - 1),
)
eval_sh_chebyt = polynomial(
    "eval_sh_chebyt", "Shifted Chebyshev polynomials of the first kind",
    lambda n, x: 2 * (n + 1) * eval_chebyu(n, 2 * x - 1),
)
eval_sh_chebyu = polynomial(
    "eval_sh_chebyu", "Shifted Chebyshev polynomials of the second kind",
    lambda n, x: 4 * eval_gegenbauer(n, 2.0, 2 * x - 1),
)
