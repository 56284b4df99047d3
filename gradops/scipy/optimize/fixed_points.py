"""Fixed points: what a function returns unchanged."""

from collections.abc import Callable
from typing import Any

from ...core.errors import OptionError
from ...core.op import PLAIN
from ...core.types import shape_of
from ...library.shape.movement import reshape
from .solving import require_convergence, solve
from .unknowns import Unknowns, as_vector, tuple_of

METHODS = "del2", "iteration", "anderson"


def change_of(body: Any, x: Any, *others: Any) -> tuple[Any]:
    """The change of x by a step, which is zero at a fixed point."""
    return (body(x, *others)[0] - x,)


def fixed_point(
    func: Callable[..., Any], x0: Any, args: Any = (), xtol: float = 1e-8, maxiter: int = 500,
    method: str = "del2",
) -> Any:  # fmt: skip
    """The x with func(x, *args) = x: `scipy.optimize.fixed_point`, differentiable.

    Beside SciPy's methods, which treat each entry by itself, there is "anderson": Anderson
    acceleration, for vectors of coupled equations; `x0` may be a structure of arrays. Raises
    RuntimeError if it does not converge.

    >>> a = dg.tensor(2.0, requires_grad=True)
    >>> x = fixed_point(lambda x: (x + a / x) / 2, 1.0, method="anderson")
    >>> dg.autograd.grad(x, a)
    (tensor(0.3536),)
    """
    if method not in METHODS:
        raise OptionError("fixed_point", [], f"method is one of {METHODS}, not {method!r}")
    unknowns = Unknowns(x0)
    shape = shape_of(x0) if unknowns.is_vector else None
    ours: Any = (lambda x: reshape(x, shape=shape)) if shape is not None else (lambda x: x)
    options: dict[str, Any] = {"xtol": xtol, "maxiter": maxiter}
    found = solve(
        "anderson" if method == "anderson" else "fixed_point",
        [lambda x, *others: as_vector(func(ours(x), *others))], unknowns, tuple_of(args),
        lambda bodies: bodies[:1], lambda bodies: bodies[0].composed(change_of),
        options if method == "anderson" else options | {"method": method},
    )  # fmt: skip
    require_convergence(found, "fixed_point", getattr(found.report, "message", ""))
    x = ours(found.structure)
    return x[()] if type(x) in PLAIN else x
