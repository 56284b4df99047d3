"""Zeros, nodes of quadratures and sequences of numbers, which SciPy computes from plain numbers."""

from functools import partial

from ..plain_functions import of_scipy

__all__ = [
    "ai_zeros", "bernoulli", "bi_zeros", "euler", "factorial2", "factorialk", "jn_zeros",
    "jnp_zeros", "roots_chebyc", "roots_chebys", "roots_chebyt", "roots_chebyu",
    "roots_gegenbauer", "roots_genlaguerre", "roots_hermite", "roots_hermitenorm",
    "roots_jacobi", "roots_laguerre", "roots_legendre", "roots_sh_chebyt", "roots_sh_chebyu",
    "roots_sh_jacobi", "roots_sh_legendre", "stirling2", "yn_zeros", "ynp_zeros",
]  # fmt: skip

numbers = partial(of_scipy, "scipy.special")

ai_zeros = numbers("ai_zeros")
bernoulli = numbers("bernoulli")
bi_zeros = numbers("bi_zeros")
euler = numbers("euler")
factorial2 = numbers("factorial2")
factorialk = numbers("factorialk")
jn_zeros = numbers("jn_zeros")
jnp_zeros = numbers("jnp_zeros")
roots_chebyc = numbers("roots_chebyc")
roots_chebys = numbers("roots_chebys")
roots_chebyt = numbers("roots_chebyt")
roots_chebyu = numbers("roots_chebyu")
roots_gegenbauer = numbers("roots_gegenbauer")
roots_genlaguerre = numbers("roots_genlaguerre")
roots_hermite = numbers("roots_hermite")
roots_hermitenorm = numbers("roots_hermitenorm")
roots_jacobi = numbers("roots_jacobi")
roots_laguerre = numbers("roots_laguerre")
roots_legendre = numbers("roots_legendre")
roots_sh_chebyt = numbers("roots_sh_chebyt")
roots_sh_chebyu = numbers("roots_sh_chebyu")
roots_sh_jacobi = numbers("roots_sh_jacobi")
roots_sh_legendre = numbers("roots_sh_legendre")
stirling2 = numbers("stirling2")
yn_zeros = numbers("yn_zeros")
ynp_zeros = numbers("ynp_zeros")
