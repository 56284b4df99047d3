"""Forward mode: a primal and its tangent travel together."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..core.dims import Shape
from ..core.foreign import NO_ARRAY, is_sparse_product
from ..core.levels import Carrier, at_level, levels
from ..core.op import OPS, Op
from ..core.source_location import with_one_line
from ..core.tracer_protocol import held, is_holder
from ..core.tree import flatten
from ..core.types import dtype_of, is_inexact, shape_of, type_of
from ..library.families import zeros_like
from ..numpy_api.detach_checks import (
    COLLECTED,
    JOIN,
    array_conversion_error,
    leaving,
    warn_detached,
)
from ..numpy_api.methods import ArrayMethods
from ..typing import Function


class WithDerivatives(Carrier, ArrayMethods):
    """A value with derivatives; its first part, the primal, gives Python's numbers and lists."""

    __slots__ = ()
    _carried: ClassVar[str]
    _loss: ClassVar[str]  # the end of the error where it would become an array

    def item(self) -> Any:
        """The one entry of the primal, as a Python number; the derivatives stay behind."""
        return self.parts[0].item()

    def tolist(self) -> Any:
        """The entries of the primal as nested lists."""
        return self.parts[0].tolist()

    def __bool__(self) -> bool:
        return bool(self.parts[0])

    def __float__(self) -> float:
        return float(self.left_behind())

    def __int__(self) -> int:
        return int(self.left_behind())

    def __complex__(self) -> complex:
        return complex(self.left_behind())

    def left_behind(self) -> Any:
        """The primal, with a warning: Python converts it to a number, without derivatives."""
        warn_detached(
            f"a value with {self._carried} becomes a number of Python's, and is cut off\n  hint:"
            " use functions of NumPy or ours; x.item() says that it is meant",
            COLLECTED,
        )
        return leaving(self.parts[0])

    def __format__(self, spec: str) -> str:
        return format(self.parts[0] if spec else str(self), spec)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Any:
        if is_sparse_product():
            return NO_ARRAY
        reason = f"a value with {self._carried} cannot become an array: {self._loss} would be lost"
        raise array_conversion_error(reason, COLLECTED, JOIN)


class Dual(WithDerivatives):
    """A primal and its tangent. The innermost of nested duals has the highest level."""

    __slots__ = ("gradop_level", "primal", "tangent")
    _carried, _loss = "a tangent", "the tangent"

    def __init__(self, primal: Any, tangent: Any, level: float) -> None:
        self.primal, self.tangent, self.gradop_level = primal, tangent, level

    @property
    def parts(self) -> Sequence[object]:
        """The primal and the tangent."""
        return self.primal, self.tangent

    def with_parts(self, parts: Sequence[object]) -> "Dual":
        """Another primal and tangent at this level."""
        primal, tangent = parts
        return Dual(primal, tangent, self.gradop_level)

    @property
    def type(self) -> Any:
        """The type of the primal."""
        return type_of(self.primal)

    @property
    def shape(self) -> Shape:
        """The size of each axis."""
        return shape_of(self.primal)

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype of the entries."""
        return dtype_of(self.primal)

    @staticmethod
    @with_one_line
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        level = max([a.gradop_level for a in args if isinstance(a, Dual)])
        primals, tangents = list(args), {}
        for i, a in enumerate(args):
            if isinstance(a, Dual) and a.gradop_level == level:
                primals[i], tangents[i] = a.primal, a.tangent
        y = op(*primals, **attrs)
        if not carries_tangent(y):
            return y
        t = op.push(tangents, (y, *primals), attrs)
        return y if t is None else Dual(y, tangent_like(t, y), level)

    def __repr__(self) -> str:
        return f"Dual({self.primal!r}, {self.tangent!r})"


def tangent_like(t: object, y: object) -> Any:
    """The tangent `t` broadcast and cast to the shape and dtype of the output `y`."""
    shape, dtype = shape_of(y), dtype_of(y)
    if shape_of(t) != shape:
        t = OPS["broadcast_to"](t, shape=shape)
    return t if dtype_of(t) == dtype else OPS["astype"](t, dtype=dtype)


def jvp(f: Function, primals: Sequence[object], tangents: Sequence[object]) -> tuple[Any, Any]:
    """The value of `f` at `primals`, and its derivative there in the direction `tangents`.

    Primals and tangents pair up, each a number, array, tensor or expression of the same shape;
    the result has the structure of what `f` returns. Raises ValueError if the numbers differ.

    >>> import numpy as np
    >>> y, t = jvp(lambda x: x * x, [np.array(3.0)], [np.array(1.0)])
    >>> float(y), float(t)
    (9.0, 6.0)
    """
    level = next(levels)
    duals = [Dual(x, t, level) for x, t in zip(primals, tangents, strict=True)]
    with at_level(level):
        leaves, rebuild = flatten(f(*duals))
    leaves = [without_face(y, level) for y in leaves]
    mine = [isinstance(y, Dual) and y.gradop_level == level for y in leaves]
    values = [y.primal if m else y for y, m in zip(leaves, mine, strict=True)]
    found = [y.tangent if m else zeros_like(y) for y, m in zip(leaves, mine, strict=True)]
    return rebuild(values), rebuild(found)


def without_face(y: Any, level: float) -> Any:
    """A result with a tangent of a level that a tensor without a history is the face of."""
    inner = held(y) if is_holder(y) else y
    if not (isinstance(inner, Dual) and inner.gradop_level == level) or inner is y:
        return y
    alike = y.__gradop_tape__.alike
    return Dual(alike(y, inner.primal), alike(y, inner.tangent), level)


def carries_tangent(x: object) -> bool:
    """True if `x` has a dtype that carries derivatives."""
    return is_inexact(dtype_of(x))
