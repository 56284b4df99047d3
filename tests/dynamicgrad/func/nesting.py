"""Every transform as a function of one number, and every way for a number to go through it.

All functions are powers of one number, so that what transforms in each other compute is a
polynomial, whose derivatives are known.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import dynamicgrad as dg
import gradops

F, functional, forward_ad = dg.func, dg.autograd.functional, dg.autograd.forward_ad
KINDS = {"value": 0, "rate": 1, "curvature": 2}
"""What a transform of f at x along v gives: f(x), f'(x) v or f''(x) v; the order of each."""


def along(v, value, derivative):
    return {"value": value, "rate": derivative * v}


def rated(value, rate):
    return {"value": value, "rate": rate}


def bent(value, curvature):
    return {"value": value, "curvature": curvature}


def by_vjp(f, x, v):
    y, back = F.vjp(f, x)
    return rated(y, back(v)[0])


def by_linearize(f, x, v):
    y, push = F.linearize(f, x)
    return rated(y, push(v))


def by_vmap_of_grad(f, x, v):
    gradients, values = F.vmap(F.grad_and_value(f))(np.stack([x, x]))
    return along(v, values[1], gradients[0])


def by_jet(jet, f, x, v):
    y, derivatives = jet(f, [x], [[v, v * 0]])
    return rated(y, derivatives[0])


def by_forward_ad(f, x, v):
    with forward_ad.dual_level():
        y = forward_ad.unpack_dual(f(forward_ad.make_dual(x, v)))
    return rated(y.primal, dg.zeros_like(x) if y.tangent is None else y.tangent)


class Weight(dg.nn.Module):
    """A module that applies a function to its one parameter."""

    def __init__(self, f):
        super().__init__()
        self.f, self.weight = f, dg.nn.Parameter(dg.zeros(()))

    def forward(self):
        return self.f(self.weight)


FOR_ALL = {
    "grad": lambda f, x, v: {"rate": F.grad(f)(x) * v},
    "value_and_grad": lambda f, x, v: along(v, *F.value_and_grad(f)(x)),
    "grad_and_value": lambda f, x, v: along(v, *reversed(F.grad_and_value(f)(x))),
    "vjp": by_vjp,
    "jvp": lambda f, x, v: rated(*F.jvp(f, (x,), (v,))),
    "linearize": by_linearize,
    "vmap": lambda f, x, v: {"value": F.vmap(f)(np.stack([x, x]))[1]},
    "vmap of grad": by_vmap_of_grad,
    "jacrev": lambda f, x, v: {"rate": F.jacrev(f)(x) * v},
    "jacfwd": lambda f, x, v: {"rate": F.jacfwd(f)(x) * v},
    "hessian": lambda f, x, v: {"curvature": F.hessian(f)(x) * v},
    "hvp": lambda f, x, v: {"curvature": F.hvp(f)(x, v)},
    "jet": lambda f, x, v: by_jet(F.jet, f, x, v),
}
FOR_ARRAYS = FOR_ALL | {
    "gradops.jvp": lambda f, x, v: rated(*gradops.jvp(f, [x], [v])),
    "gradops.vmap": lambda f, x, v: {"value": gradops.vmap(f)(np.stack([x, x]))[1]},
    "gradops.jet": lambda f, x, v: by_jet(gradops.jet, f, x, v),
}
RECORDED = {
    "functional.jacobian": lambda f, x, v: {
        "rate": functional.jacobian(f, x, create_graph=True) * v
    },
    "functional.vjp": lambda f, x, v: rated(*functional.vjp(f, x, v, create_graph=True)),
    "functional.jvp": lambda f, x, v: rated(*functional.jvp(f, x, v, create_graph=True)),
    "functional.hessian": lambda f, x, v: {
        "curvature": functional.hessian(f, x, create_graph=True) * v
    },
    "functional.hvp": lambda f, x, v: bent(*functional.hvp(f, x, v, create_graph=True)),
    "functional.vhp": lambda f, x, v: bent(*functional.vhp(f, x, v, create_graph=True)),
}
"""Those whose results keep a history, as they were asked to."""
FOR_TENSORS = FOR_ALL | RECORDED | {
    "functional_call": lambda f, x, v: {"value": F.functional_call(Weight(f), {"weight": x})},
    "checkpoint": lambda f, x, v: {"value": dg.checkpoint(f, x)},
    "forward_ad": by_forward_ad,
}  # fmt: skip
TRANSFORMS = FOR_ARRAYS | FOR_TENSORS


class Way(NamedTuple):
    """How a number w goes through a transform of f(x, w), and polynomials in w that come out.

    The transform is taken `at(w)` along `along(w)`.
    """

    f: Callable[[Any, Any], Any]
    at: Callable[[Any], Any]
    along: Callable[[Any], Any]
    value: tuple[int, ...]
    rate: tuple[int, ...]
    curvature: tuple[int, ...]


def ways(one: Any) -> dict[str, Way]:
    """The ways through a transform of the tensor or array `one` and multiples of it."""
    here, there = lambda w: one * 3, lambda w: w
    unit = lambda w: one
    return {
        "returned as it is": Way(lambda x, w: w, here, unit, (1, 0), (0,), (0,)),
        "closed over": Way(lambda x, w: x * x * w, here, unit, (9, 0), (6, 0), (2, 0)),
        "the argument": Way(lambda x, w: x**3, there, unit, (1, 0, 0, 0), (3, 0, 0), (6, 0)),
        "the direction": Way(lambda x, w: x**3, here, there, (27,), (27, 0), (18, 0)),
        "all ways": Way(
            lambda x, w: x * x * w, there, there, (1, 0, 0, 0), (2, 0, 0, 0), (2, 0, 0)
        ),
        "the argument as it is": Way(lambda x, w: x, there, there, (1, 0), (1, 0), (0,)),
    }


class Case(NamedTuple):
    """One number that transforms in each other give: names outside in, and kinds of results."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    way: str

    def computed(self, w: Any, one: Any, factor: Any = 1) -> Any:
        """The results of the transforms at `w`, of functions that are multiplied by `factor`."""
        way, names, kinds = ways(one)[self.way], list(self.names), list(self.kinds)

        def function(names, kinds, w):
            if len(names) == 1:
                f, x, v = (lambda x: way.f(x, w) * factor), way.at(w), way.along(w)
            else:
                f, x, v = (lambda w: function(names[1:], kinds[1:], w)), w, one
            return TRANSFORMS[names[0]](f, x, v)[kinds[0]]

        return function(names, kinds, w)

    def expected(self, w: float) -> float:
        """The derivative by polynomial arithmetic, which the transforms should give."""
        polynomial = np.poly1d(getattr(ways(1)[self.way], self.kinds[-1]))
        return float(np.polyder(polynomial, sum(KINDS[k] for k in self.kinds[:-1]))(w))


def kinds_of(name: str, one: Any) -> list[str]:
    """The kinds of results that a transform gives."""
    return list(TRANSFORMS[name](lambda x: x * x, one, one))
