"""Forward mode by hand: tensors that carry a tangent inside of a level.

>>> import dynamicgrad as dg
>>> from dynamicgrad.autograd import forward_ad
>>> with forward_ad.dual_level():
...     x = forward_ad.make_dual(dg.tensor(3.0), dg.tensor(1.0))
...     y = forward_ad.unpack_dual(x * x)
>>> y.tangent
tensor(6.)
"""

from contextvars import ContextVar
from typing import Any, NamedTuple

from gradops import Dual, TapeError, TransformError, reshape
from gradops.core.levels import LEVEL, levels

from ..engine.tensor import Tensor, tensor_of
from ..func.forward import dual, parts, require_pair

__all__ = [
    "UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
    "unpack_dual",
]  # fmt: skip

LEVELS: ContextVar[tuple[float, ...]] = ContextVar("dual_levels", default=())


class UnpackedDualTensor(NamedTuple):
    """The values of a tensor, and its tangent or None."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> float:
    """Begin a level, and return it: from here on tensors can carry tangents.

    `dual_level` is the usual way. Levels nest; `make_dual` and `unpack_dual` mean the innermost.
    """
    level = float(next(levels))
    LEVELS.set((*LEVELS.get(), level))
    LEVEL.set(level)
    return level


def exit_dual_level(*, level: float | None = None) -> None:
    """End the innermost level. Raises TransformError if there is none, or it is not `level`."""
    active = LEVELS.get()
    if not active:
        raise TransformError("Dual level must be a positive number: there is no level to exit")
    if level is not None and level != active[-1]:
        raise TransformError(
            "Trying to exit a forward AD level that was not the last one that was created. This is"
            " not supported."
        )
    LEVELS.set(active[:-1])
    LEVEL.set(active[-2] if len(active) > 1 else 0.0)


class dual_level:
    """A `with` block in which tensors can carry tangents; take the results out by `unpack_dual`.

    >>> with dg.autograd.forward_ad.dual_level():
    ...     x = dg.autograd.forward_ad.make_dual(dg.ones(2), dg.ones(2))
    ...     dg.autograd.forward_ad.unpack_dual(dg.exp(x)).tangent
    tensor([2.7183, 2.7183])
    """

    def __enter__(self) -> float:
        self.before = LEVELS.get(), LEVEL.get()
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        LEVELS.set(self.before[0])
        LEVEL.set(self.before[1])


def make_dual(tensor: Tensor, tangent: Tensor, *, level: float | None = None) -> Tensor:
    """A tensor with the values of `tensor` that carries `tangent`, which has its shape.

    What is computed from it carries tangents too. Either may require gradients. Raises TapeError
    outside of a level, TransformError if the shapes differ or `tensor` has a tangent already,
    NotDifferentiableError for integers.
    """
    level = active_level(level)
    if level is None:
        raise TapeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to"
            " enter_dual_level() first.\n  hint: write `with forward_ad.dual_level():` around it"
        )
    for name, x in (("tensor", tensor), ("tangent", tangent)):
        if not isinstance(x, Tensor):
            raise TypeError(f"make_dual() takes tensors, but {name} is a {type(x).__name__}")
    require_pair(tensor, tangent)
    if parts(tensor, level)[1] is not None:
        raise TransformError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same"
            " level is not supported.\n  hint: use unpack_dual(tensor).primal"
        )
    found = dual(tensor, tangent, level)
    if tensor.node is not None:  # so it can also be differentiated by, forward over reverse
        found.node = reshape(tensor, shape=tensor.shape).node
    return found


def unpack_dual(tensor: Tensor, *, level: float | None = None) -> UnpackedDualTensor:
    """The values of a tensor and the tangent it carries, or None if it carries none.

    Call it inside of the level. Both can be differentiated if what they come from requires it.
    """
    level = active_level(level)
    if level is None or level not in LEVELS.get():
        return UnpackedDualTensor(without_ended(tensor), None)
    return UnpackedDualTensor(*parts(tensor, level))


def without_ended(t: Tensor) -> Tensor:
    """`t` without the tangents of ended levels."""
    while isinstance(t.value, Dual) and t.value.gradop_level > LEVEL.get():
        t = tensor_of(t.value.primal)
    return t


def active_level(level: float | None) -> float | None:
    """The given level, or the innermost one, or None."""
    active: Any = LEVELS.get()
    return level if level is not None else (active[-1] if active else None)
