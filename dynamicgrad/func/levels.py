"""Values that are lifted to the level of a transform.

Note [Lifting]. An operand of a higher level takes what is lower for a constant. So the vertices
of a gradient inside `vmap` or `jvp` must not be lower than what the function may meet there: one
that is, a parameter that all examples share say, is held by a `Lifted` of a new level. Everything
below, batches, tangents and tapes of outer transforms, then goes on inside of it.
"""

from collections.abc import Sequence
from typing import Any

from gradops import Batched, Dual, Op, Operators, type_of
from gradops.levels import LEVEL, levels

from ..arrays import Array
from ..handle import Face, Handle, hold, on_face


class Lifted(Operators):
    """A value at a level above its own."""

    __slots__ = ("gradop_level", "inner")

    def __init__(self, inner: Any, level: float) -> None:
        self.inner, self.gradop_level = inner, level

    @property
    def type(self) -> Any:
        """The type of the value."""
        return type_of(self.inner)

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        level = max(a.gradop_level for a in args if isinstance(a, Lifted))
        values = [a.inner if isinstance(a, Lifted) and a.gradop_level == level else a for a in args]
        return Lifted(op(*values, **attrs), level)

    def item(self) -> Any:
        """The one entry, as a Python number."""
        return self.inner.item()

    def tolist(self) -> Any:
        """The entries as nested lists."""
        return self.inner.tolist()

    def __bool__(self) -> bool:
        return bool(self.inner)

    def __float__(self) -> float:
        return float(self.inner)

    def __int__(self) -> int:
        return int(self.inner)

    def __repr__(self) -> str:
        return f"Lifted({self.inner!r})"


def lifted(tensors: Sequence[Handle], surely: bool = False) -> tuple[list[Handle], float]:
    """Tensors that are all as high as any the caller may meet, and the level he is at then.

    `surely` lifts them whenever there is a level at all. See Note [Lifting].
    """
    level = LEVEL.get()
    if not level or not (surely or any(t.gradop_level < level for t in tensors)):
        return list(tensors), level
    level = next(levels)
    return [lift(t, level) for t in tensors], level


def lift(t: Face, level: float) -> Face:
    """A tensor of a level that holds what `t` stands for."""
    return hold(type(t), Lifted(held(t), level))


def held(x: Handle) -> Any:
    """What stands for `x` inside another operand: its value, or itself if it has a history."""
    return x.value if x.node is None else on_face(Array, x)


def released(t: Face) -> Face:
    """`t` without liftings to levels that have ended."""
    while isinstance(t.value, Lifted) and t.value.gradop_level > LEVEL.get():
        t = on_face(type(t), t.value.inner)
    return t


def has_history(x: Any) -> bool:
    """Whether a tensor requires gradients, or one that it holds."""
    stack = [x]
    while stack:
        match stack.pop():
            case Handle(node=None, value=value):
                stack.append(value)
            case Handle():
                return True
            case Dual(primal=primal, tangent=tangent):
                stack += [primal, tangent]
            case Batched(stack=value) | Lifted(inner=value):
                stack.append(value)
    return False
