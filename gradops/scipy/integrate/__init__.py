"""`scipy.integrate` for every operand, with derivatives of integrals and of solutions.

A program changes its import and nothing else.
"""

from ...core.lazy_import import lazily
from ...library.reduce.cumulative import trapezoid
from ..missing_names import missing_from
from .initial_values import odeint, solve_ivp
from .quadrature import dblquad, fixed_quad, quad, tplquad
from .sampled import cumulative_simpson, cumulative_trapezoid, romb, simpson

__all__ = [
    "cumulative_simpson", "cumulative_trapezoid", "dblquad", "fixed_quad", "odeint", "quad", "romb",
    "simpson", "solve_ivp", "tplquad", "trapezoid",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
