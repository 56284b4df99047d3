"""Expressions: ops applied to placeholders and to other expressions, without values."""

import itertools
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from gradops import OPS, ArrayType, Dim, DTypeError, GraphError, Op, ValueUnknownError, type_of
from gradops.core.errors import OperandError
from gradops.core.foreign import NO_ARRAY, is_sparse_product
from gradops.core.levels import TRACING
from gradops.core.op import as_operand
from gradops.core.source_location import Place, describe, here
from gradops.core.traits import Trait
from gradops.core.types import native, operand_types, result_dtype
from gradops.numpy_api.detach_checks import where_and_way_out
from gradops.numpy_api.methods import ArrayMethods
from gradops.typing import Attrs, OperandLike

from ..missing_names import missing_attribute
from . import errors
from .kinds import NOT_TRAINED as NOT_TRAINED
from .kinds import Kind as Kind
from .lossless import lost_meaning
from .names import AFTER, CAUSE, Feeds, Names, Session, current_session
from .shapes.refinement import PartialShape, refine
from .tuple_types import TupleType, Widening, named_sizes, widened_type

clock = itertools.count(1)
KIND_OP, CONTROL = Kind.OP, Trait.CONTROL  # looking up a member of an Enum takes long
NO_ATTRS: Attrs = {}  # those of all leaves; attributes are never written to


class Expr(ArrayMethods):
    """An expression: an op applied to expressions, or a leaf. See Note [Refining].

    It has a `name` that is unique in its graph, a `type` whose shape may have unknown dimensions,
    and the user's line. Operators and ops on it build further expressions. It is immutable but
    that `set_shape` refines its type before it is used.
    """

    # An odd number of 16 bytes, or hashes, which are addresses, would collide in sets. From Python
    # 3.12 on, weak references take 16 bytes more before an object, and its slot none.
    __slots__ = (
        "__weakref__", "attrs", "control_inputs", "in_c_order", "inputs", "kind", "name", "names",
        "number", "op", "origin", "place", "type", "value",
        *(("_unused", "_unused_too") if sys.version_info >= (3, 12) else ()),
    )  # fmt: skip
    op: Op | None
    inputs: tuple["Expr", ...]
    attrs: Attrs
    type: ArrayType  # type: ignore[misc]
    value: Any  # of a constant, a variable or a size; of a wider form its `Widening`
    gradop_level = 0.0
    watch = None
    specialised: ClassVar[Mapping[Op, Any]]  # functions that build expressions, by op
    trace_functions: ClassVar[Any]  # functions among attributes; set by `control.function_methods`
    scan_of: ClassVar[Any]  # a loop over rows; likewise

    def __init__(
        self, kind: Kind, type: ArrayType, name: str, names: Names | None, op: Op | None = None,
        inputs: tuple["Expr", ...] = (), attrs: Attrs | None = None, value: Any = None,
        place: Place | None = None, origin: "Expr | None" = None,
        control_inputs: tuple["Expr", ...] = (), widens: "Widening | None" = None,
    ) -> None:  # fmt: skip
        self.kind, self.type, self.name, self.names = kind, type, name, names
        self.op, self.inputs, self.attrs = op, inputs, NO_ATTRS if attrs is None else attrs
        self.value = value if widens is None else widens
        self.place, self.origin, self.control_inputs = place, origin, control_inputs
        self.number = next(clock)
        self.in_c_order = False  # True in a frozen graph if it certainly is: see Note [Layout]

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: Attrs) -> Any:
        names = common_names(op, args)
        if CONTROL in op.traits:
            args, attrs = Expr.trace_functions(names, args, attrs)
        for a in args:
            if not isinstance(a, Expr):
                args = as_exprs(names, args, op)
                break
        inputs = tuple(args)
        try:
            result = op.type_for([x.type for x in inputs], attrs)
        except OperandError as error:
            error.add_note(errors.made_lines(inputs))
            raise
        except TypeError as error:  # NumPy's, of an op that has no kernel for a dtype
            raise errors.unsupported_operands(op, inputs) from error
        if result.dtype.kind == "O" and any(x.kind is Kind.GROUP for x in inputs):
            raise errors.unsupported_operands(op, inputs)
        made = apply(names, op, inputs, attrs, result)
        return made if type(result) is ArrayType else parts_of(made)

    def __gradop_lift__(self, x: Any) -> "Expr":
        """An array or a number as an expression of the same graph."""
        return leaf(self.names, x, type_of(x))  # type: ignore[arg-type]

    @property
    def widens(self) -> "Widening | None":
        """The narrower form that this is a wider form of."""
        return self.value if type(self.value) is Widening else None

    @property
    def outputs(self) -> tuple["Expr", ...]:
        """Itself, as the only output."""
        return (self,)

    @property
    def wanted(self) -> range:
        """The positions of the inputs that may get cotangents: all."""
        return range(len(self.inputs))

    @property
    def line(self) -> str:
        """The user's line that built it, in words."""
        return describe(self.place)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The size of each axis, an int or an unknown dimension."""
        return self.type.shape

    @property
    def label(self) -> str:
        """The name and the type: `x: float32[batch, 3]`."""
        return f"{self.name}: {self.type}"

    @property
    def graph(self) -> Any:
        """The graph it belongs to; None if that is frozen, or no longer exists."""
        return None if self.names is None else self.names.graph()

    def get_shape(self) -> tuple[Any, ...]:
        """The size of each axis, an int or an unknown dimension."""
        return self.shape

    def set_shape(self, shape: PartialShape) -> None:
        """Refine the shape before the expression is used; None leaves a size as it is.

        The shape is checked when the graph runs. Raises ShapeError for a shape that contradicts the
        inferred one, GraphError if the expression is used already: use `ensure_shape` then.

        >>> x = sg.placeholder("float32", [None, None], name="x")
        >>> x.set_shape([None, 3])
        >>> x
        <placeholder x: float32[x.0, 3]>
        """
        refine(self, shape)

    def known_sizes(self) -> Any:
        """The value of a shape expression, as ints and `Dim`s in nested lists.

        Raises ValueUnknownError unless it is built from shapes and constants.

        >>> x = sg.placeholder("float32", ["n", 3], name="x")
        >>> (2 * sg.shape(x)).known_sizes()
        [2*n, 6]
        """
        from .shapes.expressions import shape_value

        return shape_value(self).tolist()

    def eval(self, feed_dict: Feeds = None, session: Session | None = None) -> Any:
        """The value, of a run of `session`, or of the one whose `with` block this is.

        >>> with sg.Session():
        ...     (sg.constant(2.0) * 3).eval()
        np.float32(6.0)
        """
        return current_session(session).run(self, feed_dict)

    @property
    def what(self) -> str:
        """The name of the op, or the kind of leaf."""
        return self.op.name if self.op else self.kind.value

    def __repr__(self) -> str:
        return f"<{self.what} {self.label}>"

    def __getattr__(self, name: str) -> NoReturn:
        raise missing_attribute(type(self).__name__, name)

    def unknown(self, asked: str, hint: str, write: str = "") -> ValueUnknownError:
        """The error for Python code that needs a value while the graph is built."""
        where, hint = where_and_way_out(write or hint, hint)
        return ValueUnknownError(
            f"{asked} of {self.label} is known only when the graph runs"
            f"\n  made at {describe(self.place)}\n  asked for at {where}\n  hint: {hint}"
        )

    def __bool__(self) -> bool:
        raise self.unknown("the truth", "use cond(...) or where(...), or run the graph first")

    def __float__(self) -> float:
        raise self.unknown("the value", f"{errors.fetch_hint()}; {errors.BUILD}", errors.WRITE)

    __int__ = __index__ = __complex__ = __float__

    def item(self, *args: object) -> NoReturn:
        """Raise ValueUnknownError: there is no value yet."""
        raise self.unknown("the value", errors.fetch_hint())

    tolist = tobytes = item

    def __format__(self, spec: str) -> str:
        if spec:
            hint = f"{errors.fetch_hint()}; Print(...) shows it when the graph runs"
            raise self.unknown("the value", hint)
        return str(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"{self.label} has no axes and so no len()")
        if isinstance(self.shape[0], Dim):
            raise self.unknown("the length", "give the placeholder's first axis a size")
        return int(self.shape[0])

    def _replace(self, **changes: object) -> "Expr":
        """A copy with other values of some attributes, in no graph unless `names` is one."""
        made = Expr(
            self.kind, self.type, self.name, None, op=self.op, inputs=self.inputs,
            attrs=self.attrs, place=self.place, origin=self.origin,
        )  # fmt: skip
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def __copy__(self) -> "Expr":
        return self  # a copy would not be part of the graph

    def __deepcopy__(self, memo: object) -> "Expr":
        return self

    def __reduce__(self) -> NoReturn:
        raise GraphError(
            f"{self.label} cannot be pickled by itself\n  hint: pickle freeze(fetches, feeds), or"
            " keep to_text(...) of it"
        )

    def __array__(self, *args: object, **kwargs: object) -> Any:
        if is_sparse_product():
            return NO_ARRAY
        raise self.unknown("the value", errors.BUILD, errors.WRITE)


Inputs = tuple[Expr, ...]
Widens = Widening | None


def apply(
    names: Names, op: Op, inputs: Inputs, attrs: Attrs, type: ArrayType, widens: Widens = None
) -> Expr:
    """A new application of `op` in the graph of `names`."""
    origin, after = CAUSE.get(), AFTER.get()
    if origin is None or origin.names is not names:
        origin, name, place = None, names.unique(op.name), here()
    else:
        name, place = names.unique(f"gradients/{origin.name}/{op.name}"), origin.place
    if widens is not None:
        type = widened_type(type, name, widens)
    elif type.shape or type.__class__ is not ArrayType:
        type = named_sizes(type, name)
    if after and after[0].names is not names:
        after = ()
    return names.add(
        Expr(KIND_OP, type, name, names, op, inputs, attrs, None, place, origin, after, widens)
    )


def parts_of(e: Expr) -> Any:
    """The expression, or for several values, each as an expression of its own."""
    if not isinstance(e.type, TupleType):
        return e
    part = OPS["part"]
    return tuple([part(e, index=i) for i in range(len(e.type.parts))])


def whole_of(e: Expr) -> Expr | None:
    """The expression with several values of which `e` is one, else None."""
    return e.inputs[0] if e.op is not None and e.op.name == "part" else None


def common_names(op: object, args: Sequence[object]) -> Names:
    """The names of the one graph that all expressions among the operands belong to."""
    result: Expr | None = None
    for a in args:
        if isinstance(a, Expr):
            if result is not None and a.names is not result.names:
                raise errors.foreign(op, result, a)
            result = a if result is None else result
    if result is None:
        raise GraphError(
            f"{op}: an expression is needed, not {', '.join(map(repr, args))}"
            f"\n  at {describe(here())}{errors.NUMBERS_ARE_PARTS if TRACING.get() else ''}"
        )
    if result.names is None:
        raise GraphError(f"{op}: expressions of a frozen graph cannot be built on")
    return result.names


def require_expression(call: str, *values: object) -> None:
    """Refuse values that are not expressions, such as names."""
    for e in values:
        if not isinstance(e, Expr):
            raise GraphError(f"{call} takes expressions, not {e!r}")


def sequence(x: object) -> list[Any]:
    """One or several things as a list; an expression or an array is one."""
    if x is None:
        return []
    if isinstance(x, Iterable) and not isinstance(x, str) and not hasattr(x, "dtype"):
        return list(x)
    return [x]


def as_exprs(names: Names, args: Sequence[Any], op: object = "an op") -> list[Expr]:
    """The operands as expressions; the dtypes of numbers depend on the other operands."""
    return [
        a if isinstance(a, Expr) else leaf(names, a, t, op)
        for a, t in zip(args, operand_types(args), strict=True)
    ]


def leaf(names: Names, a: OperandLike | Dim, type: ArrayType, op: object = "an op") -> Expr:
    """A number, an array or a dimension as an expression."""
    if isinstance(a, Dim):
        return names.add(Expr(Kind.SIZE, type, names.unique("size"), names, value=a, place=here()))
    if isinstance(a, np.ndarray) and (tracing := TRACING.get()):
        made: Expr = tracing.constant(a, lambda: constant_of(names, a, type, op))
        return made
    return constant_of(names, a, type, op)


def constant_of(names: Names, a: OperandLike, type: ArrayType, op: object) -> Expr:
    """A number or an array as a constant."""
    if lost := lost_meaning(a):
        raise GraphError(f"an operand is {lost[0]}\n  hint: {lost[1]}")
    try:
        value = np.array(as_operand(a), native(type.dtype))
    except OverflowError as error:
        if not (isinstance(op, Op) and is_comparison(op, type.dtype)):
            raise DTypeError(op, [type], f"{a!r} does not fit in {type.dtype}") from error
        value = np.array(a)  # comparisons such as `x < 300` work for bytes, too
        type = type_of(value)
    if value.dtype.kind not in "biufc":
        raise GraphError(f"{a!r} is neither a number nor an array, and so no operand of a graph")
    return new_constant(names, value, "constant", type)


def is_comparison(op: Op, dtype: np.dtype) -> bool:
    """True if an op on two operands of the dtype gives truth values."""
    return op.family == "discrete" and result_dtype(op.kernel, (dtype, dtype)).kind == "b"


def new_constant(names: Names, value: np.ndarray, name: str, type: ArrayType | None = None) -> Expr:
    """A constant in the graph of `names`."""
    value.flags.writeable = False
    if type is None or type.dtype is not value.dtype:
        type = type_of(value)
    return names.add(
        Expr(
            Kind.CONSTANT, type, names.unique(name), names, value=value, place=here(),
            origin=names.origin,
        )
    )  # fmt: skip
