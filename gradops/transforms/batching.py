"""Batching: a function of one example, applied to a stack of them at once."""

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..core.dims import Shape
from ..core.errors import MissingRuleError, ShapeError, TransformError
from ..core.foreign import NO_ARRAY, is_sparse_product
from ..core.levels import Carrier, at_level, levels
from ..core.op import OPS, Op
from ..core.source_location import describe, here
from ..core.tree import flatten
from ..core.types import ArrayType, shape_of, type_of
from ..library.families import batch_elementwise
from ..numpy_api.detach_checks import COLLECTED, array_conversion_error
from ..numpy_api.methods import ArrayMethods

CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow: the"
    " examples of a batch can differ in it"
)
ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor, or making an array or number of it"
    " otherwise; inside vmap it has another value for each example"
)
KEEP = (
    "keep to operations on what is given, np.stack, np.concatenate and np.where among them, or loop"
    " over the examples"
)


class Batched(Carrier, ArrayMethods):
    """A stack of examples along axis 0, which the function being batched does not see."""

    __slots__ = ("gradop_level", "stack")
    specialised: ClassVar["Specialised"]  # functions of stacks, by op

    def __init__(self, stack: Any, level: float) -> None:
        self.stack, self.gradop_level = stack, level

    @property
    def parts(self) -> Sequence[object]:
        """The stack alone."""
        return (self.stack,)

    def with_parts(self, parts: Sequence[object]) -> "Batched":
        """Another stack at this level."""
        (stack,) = parts
        return Batched(stack, self.gradop_level)

    @property
    def type(self) -> ArrayType:
        """The type of one example."""
        return type_of(self.stack).example

    @property
    def shape(self) -> Shape:
        """The size of each axis of one example."""
        return shape_of(self.stack)[1:]

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the entries."""
        return self.stack.dtype

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        level = max(a.gradop_level for a in args if isinstance(a, Batched))
        batched = [isinstance(a, Batched) and a.gradop_level == level for a in args]
        stacks = [a.stack if b else a for a, b in zip(args, batched, strict=True)]
        if op.batch is None:
            raise MissingRuleError(op.name, "batch", hint="write a loop over the examples")
        found = op.batch(op, stacks, batched, attrs)
        if type(found) is not tuple:
            return Batched(found, level)
        return tuple([y.value if type(y) is Shared else Batched(y, level) for y in found])

    def __bool__(self) -> bool:
        raise TransformError(
            f"{CONTROL_FLOW}\n  at {describe(here())}\n  hint: compute both ways and choose with"
            " where()"
        )

    def item(self) -> Any:
        """Raise TransformError: each example has its own entry."""
        raise array_conversion_error(ITEM, COLLECTED, KEEP)

    tolist = __float__ = __int__ = __complex__ = item

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Any:
        if is_sparse_product():
            return NO_ARRAY
        raise array_conversion_error(ITEM, COLLECTED, KEEP)

    def __repr__(self) -> str:
        return f"Batched({self.stack!r})"


class Specialised(dict[Op, Callable[[Any, Any], Any] | None]):
    """Functions that apply an op to two operands of which one or both are stacks, on demand.

    They do what `__gradop__` does where broadcasting needs no axes in front; None for other ops.
    """

    def __missing__(self, op: Op) -> Callable[[Any, Any], Any] | None:
        is_simple = op.arity == 2 and op.batch is batch_elementwise and not op.params
        found = self[op] = on_stacks(op) if is_simple else None
        return found


Batched.specialised = Specialised()


def on_stacks(op: Op) -> Callable[[Any, Any], Any]:
    """An elementwise op on stacks; NotImplemented where the general way is needed."""

    def apply(x: Any, y: Any) -> Any:
        if type(x) is Batched:
            level, a = x.gradop_level, x.stack
            if type(y) is Batched:
                b = y.stack
                if y.gradop_level != level or len(a.shape) != len(b.shape):
                    return NotImplemented
                return Batched(op(a, b), level)
            if axes_of_shared(y, level) < len(a.shape):
                return Batched(op(a, y), level)
        elif axes_of_shared(x, y.gradop_level) < len(y.stack.shape):
            return Batched(op(x, y.stack), y.gradop_level)
        return NotImplemented

    return apply


def axes_of_shared(x: Any, level: float) -> float:
    """The number of axes of an operand that all examples share; infinite for any other."""
    is_shared = type(x) is np.ndarray or getattr(x, "gradop_level", level) < level
    return len(x.shape) if is_shared and hasattr(x, "shape") else math.inf


class Shared:
    """An unbatched value of a batched op, shared by all examples."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def vmap(f: Callable[..., Any], in_axes: object = 0, out_axes: int = 0) -> Callable[..., Any]:
    """`f` over an additional axis of its arguments, without a loop.

    `in_axes` says which axis of each argument counts the examples, None for one they share: one
    for all arguments, or a sequence with one each. Results have the examples along `out_axes`.
    Raises ShapeError if the arguments do not agree on how many examples there are.

    >>> import numpy as np
    >>> from gradops import matmul
    >>> vmap(matmul)(np.ones((5, 2, 3)), np.ones((5, 3))).shape
    (5, 2)
    """

    def over_examples(*args: object) -> Any:
        level = next(levels)
        leaves, rebuild = flatten(args)
        axes = leaf_axes(args, in_axes)
        size = batch_size(leaves, axes)
        inside = [batch(x, axis, level) for x, axis in zip(leaves, axes, strict=True)]
        with at_level(level):
            outputs, rebuild_output = flatten(f(*rebuild(inside)))
        return rebuild_output([unbatch(y, out_axes, size, level) for y in outputs])

    return over_examples


def leaf_axes(args: Sequence[object], in_axes: object) -> list[int | None]:
    """The axis of each leaf of the arguments."""
    if not isinstance(in_axes, list | tuple):
        in_axes = [in_axes] * len(args)
    counts = [len(flatten(a)[0]) for a in args]
    return [axis for n, axis in zip(counts, in_axes, strict=True) for _ in range(n)]


def batch_size(leaves: Sequence[object], axes: Sequence[int | None]) -> Any:
    """How many examples the leaves hold, on which they must agree."""
    sizes = [shape_of(x)[axis] for x, axis in zip(leaves, axes, strict=True) if axis is not None]
    if not sizes:
        raise ValueError("vmap needs an argument with an axis of examples; all in_axes are None")
    if any(n != sizes[0] for n in sizes):
        types = [type_of(x) for x in leaves]
        raise ShapeError("vmap", types, f"the numbers of examples differ: {sizes}")
    return sizes[0]


def batch(x: object, axis: int | None, level: float) -> Any:
    """`x` with `axis` hidden as its axis of examples."""
    if axis is None:
        return x
    return Batched(OPS["transpose"](x, axes=to_front(len(shape_of(x)), axis)) if axis else x, level)


def to_front(ndim: int, axis: int) -> tuple[int, ...]:
    """The order of axes with `axis` first."""
    axis %= ndim
    return (axis, *(i for i in range(ndim) if i != axis))


def unbatch(y: object, axis: int, size: object, level: float) -> Any:
    """A result with its examples along `axis`; an unbatched one is repeated."""
    if not (isinstance(y, Batched) and y.gradop_level == level):
        y = OPS["broadcast_to"](y, shape=(size, *shape_of(y)))
        return y if not axis else unbatch(Batched(y, level), axis, size, level)
    if not axis:
        return y.stack
    ndim = len(shape_of(y.stack))
    order = list(range(1, ndim))
    order.insert(axis % ndim, 0)
    return OPS["transpose"](y.stack, axes=tuple(order))
