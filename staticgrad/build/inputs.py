"""The leaves of graphs: placeholders, constants and variables."""

import math
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from gradops import (
    ArrayType,
    Dim,
    DTypeError,
    FeedError,
    GraphError,
    ShapeError,
    broadcast_to,
    copy,
    type_of,
)
from gradops.core.dims import UNKNOWN
from gradops.core.levels import observe
from gradops.core.source_location import here
from gradops.core.tracer_protocol import is_holder
from gradops.core.types import as_size, broadcast_shapes, conflict, native
from gradops.library.shape.ensure_shape import forget_sizes
from gradops.typing import ArrayLike, DTypeLike, OperandLike

from ..freezing.freezer import freeze
from ..ir.expr import NOT_TRAINED, Expr, Kind, as_exprs, common_names, new_constant
from ..ir.lossless import fits, lost_meaning
from ..ir.names import Names, current_session, valid_name
from ..ir.shapes.refinement import PartialShape
from .graph import get_default_graph, rename

if TYPE_CHECKING:
    from ..ir.names import Session

__all__ = ["Variable", "constant", "placeholder", "placeholder_with_default", "set_default_dtype"]

DEFAULT_DTYPE: "ContextVar[DTypeLike]" = ContextVar("default_dtype", default="float32")
EFFECTS: ContextVar[list[Expr] | None] = ContextVar("effects", default=None)
"""Collects the changes of state in a function under construction; None outside of functions."""

LONG = 60  # characters of a value that a message shows


def default_dtype() -> np.dtype:
    """The dtype of constants made from Python floats."""
    return np.dtype(observe(DEFAULT_DTYPE.get))


def set_default_dtype(dtype: DTypeLike) -> None:
    """Set the dtype of constants made from Python floats, which is float32 at first.

    Raises DTypeError for a dtype that is not a float dtype.

    >>> sg.set_default_dtype("float64")
    >>> sg.constant(1.0).dtype
    dtype('float64')
    >>> sg.set_default_dtype("float32")
    """
    if native(dtype).kind != "f":
        raise DTypeError("set_default_dtype", [dtype], "the default dtype is one of floats")
    DEFAULT_DTYPE.set(np.dtype(dtype))


def placeholder(dtype: DTypeLike, shape: PartialShape = None, name: str = "placeholder") -> Expr:
    """A value that is fed when the graph runs.

    A size in `shape` is a number, a name (`"batch"`: equal names are equal sizes, checked when
    fed), a `Dim`, or None for any size. Without a shape it is a single number.

    >>> sg.placeholder("float32", ["batch", 3], name="x")
    <placeholder x: float32[batch, 3]>
    """
    names = get_default_graph().names
    type = placeholder_type(dtype, () if shape is None else shape)
    name = names.unique_valid(name)
    sizes = tuple(Dim(f"{name}.{i}") if n == UNKNOWN else n for i, n in enumerate(type.shape))
    type = ArrayType(sizes, type.dtype)
    return names.add(Expr(Kind.PLACEHOLDER, type, name, names, place=here()))


def placeholder_with_default(
    input: OperandLike, shape: PartialShape = None, name: str = "input"
) -> Expr:
    """A value that may be fed when the graph runs, and is `input` otherwise.

    A fed value may have another size where `shape` has None or a name. Raises ShapeError if
    `input` does not have the shape.

    >>> x = sg.placeholder_with_default([1.0, 2.0], [None], name="x")
    >>> y = sg.reduce_sum(x)
    >>> session = sg.Session()
    >>> session.run(y), session.run(y, {x: [1.0, 2.0, 3.0]})
    (np.float32(3.0), np.float32(6.0))
    """
    default = as_expression(input)
    wanted = default.type if shape is None else placeholder_type(default.dtype, shape)
    if len(wanted.shape) != len(default.shape) or conflict(wanted.shape, default.shape):
        raise ShapeError("placeholder_with_default", [default.label], f"it is not {wanted}")
    sizes = zip(wanted.shape, default.shape, strict=True)
    axes = tuple([k for k, (n, m) in enumerate(sizes) if n != m])
    return rename(forget_sizes(default, axes=axes), name)


def placeholder_type(dtype: DTypeLike, shape: PartialShape) -> ArrayType:
    """The type that users describe, with `UNKNOWN` for a size without a name."""
    sizes_given = shape if isinstance(shape, Iterable) and not isinstance(shape, str) else [shape]
    sizes = tuple(UNKNOWN if n is None else as_size(n) for n in sizes_given)
    if dtype is None:
        raise DTypeError("placeholder", ["None"], "it needs a dtype, 'float32' say")
    type = ArrayType(sizes, native(dtype))
    if any(isinstance(n, int) and n < 0 for n in type.shape):
        raise ShapeError("placeholder", [type], "a size is negative", hint="None is any size")
    if type.dtype.kind not in "biufc":
        raise DTypeError("placeholder", [type], f"{type.dtype} is not a numeric dtype")
    return type


def parameter(names: Names, type: ArrayType, name: str) -> Expr:
    """A parameter of a loop's or branch's body, in the graph of `names`."""
    return names.add(Expr(Kind.PARAMETER, type, names.unique(name), names, place=here()))


def as_value(value: object, dtype: DTypeLike = None) -> np.ndarray:
    """A new array from a number, sequence or array; Python floats get the default dtype."""
    if lost := lost_meaning(value):
        raise GraphError(f"the value is {lost[0]}\n  hint: {lost[1]}")
    try:
        result = np.array(value)
    except ValueError as error:
        raise GraphError(f"the value is not an array: {error}") from error
    if result.dtype.kind not in "biufc":
        raise DTypeError("constant", [type_of(result)], f"{result.dtype} is not a numeric dtype")
    is_python = not hasattr(value, "dtype")
    if dtype is None and is_python and result.dtype == np.float64:
        dtype = default_dtype()
    wanted = result.dtype if dtype is None else numeric_dtype(dtype)
    if is_python and not fits(result, wanted):
        raise DTypeError(
            "constant", [type_of(result)],
            f"{short_repr(value)} cannot be converted to {wanted} without loss",
            hint=f"to convert it anyway: np.asarray(value).astype({wanted.name!r})",
        )  # fmt: skip
    return result.astype(native(wanted), copy=False)


def numeric_dtype(dtype: DTypeLike) -> np.dtype:
    """The dtype, which must be of numbers; raises DTypeError for any other."""
    result = native(dtype)
    if result.kind not in "biufc":
        raise DTypeError("dtype", [short_repr(dtype)], f"{result} is not a numeric dtype")
    return result


def short_repr(value: object) -> str:
    """The representation of a value in one line of limited length."""
    text = " ".join(repr(value).split())
    return text if len(text) < LONG else f"{text[: LONG - 3]}..."


def constant(
    value: OperandLike,
    dtype: DTypeLike = None,
    shape: Sequence[int] | None = None,
    name: str = "constant",
) -> Expr:
    """A value that is part of the graph, reshaped if a shape is given.

    A number fills the shape, other values must have as many entries.

    >>> sg.constant([1.0, 2.0])
    <constant constant: float32[2]>
    >>> sg.constant(0.1, shape=[3])
    <constant constant_1: float32[3]>
    """
    array = as_value(value, dtype)
    if shape is not None:
        array = fill_shape(array, tuple(shape))
    return new_constant(get_default_graph().names, array, valid_name(name))


def fill_shape(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The entries in another shape, which one entry fills."""
    if array.size == 1:
        return np.full(shape, array.item(), array.dtype)
    if array.size != math.prod(shape):
        raise ShapeError(
            "constant", [type_of(array)], f"{array.size} entries do not fill the shape {shape}"
        )
    return array.reshape(shape)


def as_expression(x: object, names: Names | None = None, like: Expr | None = None) -> Expr:
    """`x`, or a constant of it: a number has the dtype of `like`, or else the default one."""
    if isinstance(x, Expr):
        return x
    if is_holder(x):
        raise GraphError(
            f"a {type(x).__name__} is not part of a graph: it would become a constant"
            "\n  hint: loops and branches take expressions; in a traced program of tensors, choose"
            " with where() and loop in Python"
        )
    dtype = like.dtype if like is not None and not hasattr(x, "dtype") else None
    return new_constant(names or get_default_graph().names, as_value(x, dtype), "constant")


class Variable(Expr):
    """A value that lasts from run to run; each session has its own.

    It begins with `initial_value`: a number, sequence or array, an expression, which is evaluated
    now, or a function that returns one of these. It needs no initialization; running its
    `initializer` resets it. `assign`, `assign_add` and `assign_sub` return expressions that change
    it when fetched: expressions built before an assignment read the old value, those built after it
    the new one. A run that fails changes nothing.

    >>> w = sg.Variable([1.0, 2.0], name="w")
    >>> double = w.assign(w * 2)
    >>> session = sg.Session()
    >>> session.run(double), session.run(w)
    (array([2., 4.], dtype=float32), array([2., 4.], dtype=float32))
    """

    __slots__ = ("trainable",)

    def __init__(
        self, initial_value: OperandLike | Callable[[], OperandLike], name: str = "Variable",
        dtype: DTypeLike = None, trainable: bool = True,
    ) -> None:  # fmt: skip
        if not isinstance(name, str):
            raise TypeError(f"a variable's name is a string, not {name!r}; write trainable=...")
        names = get_default_graph().names
        value = as_value(evaluate_initial(initial_value), dtype)
        super().__init__(
            Kind.VARIABLE,
            type_of(value),
            names.unique_valid(name),
            names,
            value=value,
            place=here(),
        )
        self.trainable = trainable
        if not trainable:
            self.attrs = dict(NOT_TRAINED)
        names.add(self)
        get_default_graph().variables.append(self)

    @staticmethod
    def hidden(names: Names, value: ArrayLike, name: str, kind: Kind = Kind.VARIABLE) -> "Variable":
        """A variable for internal use, which no collection has."""
        made, array = object.__new__(Variable), np.asarray(value)
        Expr.__init__(made, kind, type_of(array), names.unique(name), names, value=array)
        made.trainable = False
        names.add(made)
        return made

    def read_value(self) -> Expr:
        """The value of the variable after the assignments built so far."""
        return copy(self)

    @property
    def initial_value(self) -> Expr:
        """The initial value, as a constant."""
        return initial_constant(self, f"{self.name}/initial_value")

    def load(self, value: ArrayLike, session: "Session | None" = None) -> None:
        """Set the variable in `session`, or in the one whose `with` block this is.

        >>> w = sg.Variable(1.0)
        >>> with sg.Session() as session:
        ...     w.load(5.0)
        ...     session.run(w)
        np.float32(5.0)
        """
        current_session(session).restore({self: value})

    @property
    def initializer(self) -> Expr:
        """The assignment of the initial value."""
        return self.assign(initial_constant(self, "constant"), name="initializer")

    def assign(self, value: OperandLike, name: str = "assign") -> Expr:
        """Set the variable to `value`, broadcast to its shape; raises ShapeError, DTypeError."""
        return assign(self, value, name)

    def assign_add(self, value: OperandLike) -> Expr:
        """Add `value` to the variable."""
        return assign(self, self + self.own(value), "assign_add")

    def assign_sub(self, value: OperandLike) -> Expr:
        """Subtract `value` from the variable."""
        return assign(self, self - self.own(value), "assign_sub")

    def own(self, value: OperandLike) -> OperandLike:
        """Numbers and sequences of them in the variable's dtype; arrays unchanged."""
        return in_dtype_of(self, value)


def initial_constant(v: Variable, name: str) -> Expr:
    """A constant that shares the memory of a variable's initial value, which nothing writes to."""
    return new_constant(common_names("initial_value", [v]), v.value, name)


def in_dtype_of(variable: Expr, value: OperandLike) -> OperandLike:
    """Numbers and sequences of them in the variable's dtype, if lossless; arrays unchanged."""
    if hasattr(value, "dtype"):
        return value
    result = np.asarray(value)
    if not fits(result, variable.dtype):
        lost = f"{short_repr(value)} does not fit in {variable.dtype}"
        raise DTypeError(
            "assign", [variable.type, type_of(result)],
            f"{variable.name} keeps its dtype, and {lost}",
        )  # fmt: skip
    return result.astype(variable.dtype)


def evaluate_initial(value: OperandLike | Callable[[], OperandLike]) -> object:
    """The initial value of a variable; expressions are evaluated with initial values."""
    if callable(value) and not isinstance(value, Expr):
        value = value()
    if not isinstance(value, Expr):
        return value
    if value.kind is Kind.GROUP:
        raise GraphError(f"{value.name} is run and has no value for a variable to begin with")
    try:
        graph = freeze([value])
    except FeedError as error:
        raise value.unknown("the value", "begin with what needs no feeds") from error
    return graph(*(v.value for v in graph.inputs))[0]


def assign(variable: Expr, value: OperandLike, name: str) -> Expr:
    """The expression that changes `variable`; its value is the new one."""
    names = common_names("assign", [variable, value])
    _, new = as_exprs(names, [variable, in_dtype_of(variable, value)])
    check_assignable(variable, new)
    if new.shape != variable.shape:
        new = broadcast_to(new, shape=variable.shape)
    made = names.add(
        Expr(Kind.ASSIGN, variable.type, names.unique_valid(name), names, inputs=(variable, new),
             place=here(), control_inputs=names.after)
    )  # fmt: skip
    if (effects := EFFECTS.get()) is not None:
        effects.append(made)
    return made


def check_assignable(variable: Expr, new: Expr) -> None:
    """Refuse a value that is not of the variable's shape or dtype."""
    if broadcast_shapes("assign", [variable.type, new.type]) != variable.shape:
        raise ShapeError("assign", [variable.type, new.type], f"{variable.name} keeps its shape")
    if new.dtype != variable.dtype:
        raise DTypeError(
            "assign", [variable.type, new.type], f"{variable.name} keeps its dtype",
            hint=f"convert the value: astype(value, {str(variable.dtype)!r})",
        )  # fmt: skip
