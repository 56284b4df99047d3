"""Values lifted to the level of a transform.

Note [Lifting]. To an operand of a higher level, lower ones are constants. So the vertices
of a gradient inside `vmap` or `jvp` must not be lower than what the function may meet there: one
that is, a parameter that all examples share say, is held by a `Lifted` of a new level. Everything
below, batches, tangents and tapes of outer transforms, then goes on inside of it.
"""

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from gradops import ArrayType, Op, Operators, type_of
from gradops.core.levels import LEVEL, Carrier, levels
from gradops.typing import DTypeLike

from ..engine.array import Array
from ..engine.handle import Face, Handle, hold, on_face, unwrap
from ..engine.node import Run

Handles = Sequence[Handle]


class Wrapper(Operators):
    """An operand that wraps a value, and converts to Python's numbers as the value does."""

    __slots__ = ()
    inner: Any

    @property
    def type(self) -> ArrayType:
        """The type of the value."""
        return type_of(self.inner)

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
        return f"{type(self).__name__}({self.inner!r})"


class Lifted(Carrier, Wrapper):
    """A value lifted to the level of a run, above its own."""

    __slots__ = ("gradop_level", "inner", "run")

    def __init__(self, inner: Any, level: float, run: Run) -> None:
        self.inner, self.gradop_level, self.run = inner, level, run

    @property
    def parts(self) -> Sequence[Any]:
        """The value alone."""
        return (self.inner,)

    def with_parts(self, parts: Sequence[Any]) -> "Lifted":
        """Another value at this level."""
        (inner,) = parts
        return Lifted(inner, self.gradop_level, self.run)

    @staticmethod
    def __gradop__(op: Op, args: Sequence[object], attrs: dict[str, Any]) -> Any:
        top = max((a for a in args if isinstance(a, Lifted)), key=lambda a: a.gradop_level)
        values = [a.inner if isinstance(a, Lifted) and a.run is top.run else a for a in args]
        return Lifted(op(*values, **attrs), top.gradop_level, top.run)

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> Any:
        return np.array(self.inner, dtype=dtype, copy=copy)


def lift_all(tensors: Handles, run: Run, surely: bool) -> tuple[list[Handle], float]:
    """Tensors lifted to the highest level that the caller may meet, and that level.

    `surely` lifts them whenever there is a level at all. See Note [Lifting].
    """
    level = LEVEL.get()
    if not level or not (surely or any(t.gradop_level < level for t in tensors)):
        return list(tensors), level
    level = next(levels)
    return [lift(t, level, run) for t in tensors], level


def lift(t: Face, level: float, run: Run) -> Face:
    """A tensor at the level of a run, with `t` as a constant in it."""
    return hold(type(t), Lifted(as_part(t), level, run))


def as_part(x: Handle) -> Any:
    """The form of `x` inside another operand: its value, or itself if it has a history."""
    return x.value if x.node is None else on_face(Array, x)


def release(t: Face) -> Face:
    """`t` without liftings to levels of ended runs, also inside its value."""
    face, inner = type(t), unwrap(t)
    value = lower(inner.value)
    if value is inner.value:
        return on_face(face, inner)
    return on_face(face, value) if has_ended(inner.value) else hold(face, value, inner.node)


def lower(x: Any) -> Any:
    """The value of a tensor without liftings to levels of ended runs."""
    while has_ended(x):
        x = x.inner
    if isinstance(x, Handle):
        return release(x)
    return x.mapped(lower) if isinstance(x, Carrier) else x


def has_ended(x: object) -> TypeGuard[Lifted]:
    """True if `x` is lifted to the level of an ended run."""
    return isinstance(x, Lifted) and not x.run.goes_on()


def has_history(x: object) -> bool:
    """True if a tensor, or one nested in its value, requires gradients."""
    stack = [x]
    while stack:
        match stack.pop():
            case Handle(node=None, value=value):
                stack.append(value)
            case Handle():
                return True
            case Carrier(parts=parts):
                stack += parts
    return False


def without_history(x: Any, began: int) -> Any:
    """`x` without history since `began`, also in the tensors nested in it."""
    match x:
        case Handle() if x.node is None or x.node.number >= began:
            value = without_history(x.value, began)
            return x if x.node is None and value is x.value else hold(type(x), value)
        case Carrier():
            return x.mapped(lambda part: without_history(part, began))
    return x
