"""Tensors that functions read by name, as arguments.

Note [Captured names]. A tape pulls back only, so that a rule that needs the tangents of what a
function captures cannot have them. But a function of Python reads most of it by the names of
variables around it, itself or through functions around it, and those can be arguments: the same
code runs with other cells and globals. Nothing is changed in the function, nor in what it reads.
"""

from collections.abc import Callable, Mapping, Sequence
from dis import get_instructions
from types import CellType, CodeType, FunctionType
from typing import Any

from ..core.levels import Carrier
from ..core.tracer_protocol import held, is_holder
from ..core.tree import leaves_of, tree_map

Function = Callable[..., Any]


def with_captures(
    functions: Sequence[Function], args: Sequence[Any]
) -> tuple[list[Function], list[Any]]:
    """The functions with the tensors that they read by name as arguments after others; all these.

    >>> k = dg.tensor(3.0, requires_grad=True)
    >>> (f,), args = with_captures([lambda x: x * k], [])
    >>> args[0] is k, f(2.0, 5.0)
    (True, 10.0)
    """
    readers = [Reader(f, frozenset()) for f in functions]
    found = {i: x for reader in readers for i, x in reader.tensors.items()}
    if not found:
        return list(functions), list(args)
    return [given(reader, list(found)) for reader in readers], [*args, *found.values()]


class Reader:
    """A function, and what it reads by name: tensors with a history, and functions that do."""

    def __init__(self, f: Any, around: frozenset[Any]) -> None:
        self.f = f
        self.names: dict[str, Any] = {}  # of what has tensors in it: lists and dicts, too
        self.inner: dict[str, Reader] = {}
        self.tensors: dict[int, Any] = {}  # by address, those of inner functions included
        for name, x in variables_of(f).items():
            if tensors := tensors_in(x):
                self.names[name] = x
                self.tensors |= tensors
            elif isinstance(x, FunctionType) and x not in around:
                reader = Reader(x, around | {f})
                if reader.tensors:
                    self.inner[name] = reader
                    self.tensors |= reader.tensors

    def reading(self, values: Mapping[int, Any]) -> Function:
        """The function as it runs with values in the place of tensors."""
        f: Any = self.f
        if not self.tensors:
            return f
        other = lambda x: values.get(id(x), x)
        new = {name: tree_map(other, x) for name, x in self.names.items()}
        new |= {name: reader.reading(values) for name, reader in self.inner.items()}
        cells = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
        closure = tuple([CellType(new[n]) if n in new else cell for n, cell in cells])
        far = not new.keys() <= set(f.__code__.co_freevars)
        around = f.__globals__ | new if far else f.__globals__
        own = FunctionType(f.__code__, around, f.__name__, f.__defaults__, closure)
        own.__kwdefaults__ = f.__kwdefaults__
        return own


def tensors_in(x: Any) -> dict[int, Any]:
    """The tensors with a history in a variable, which may be a tuple, a list or a dict of some."""
    leaves = leaves_of(x) if type(x) in (tuple, list, dict) else [x]
    return {id(y): y for y in leaves if has_history(y)}


def variables_of(f: Any) -> dict[str, Any]:
    """The variables around a function by name; of globals those that it reads."""
    if not isinstance(f, FunctionType):
        return {}
    cells = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
    near = {name: contents(cell) for name, cell in cells}
    far = {name: f.__globals__.get(name) for name in globals_in(f.__code__)}
    own = {name: x for name, x in far.items() if is_near(x, f)}
    return own | near


def is_near(x: Any, f: FunctionType) -> bool:
    """True for a global that is a tensor, or a function of the same module."""
    return getattr(x, "__globals__", f.__globals__) is f.__globals__


def globals_in(code: CodeType) -> set[str]:
    """The names of globals that code reads, that of inner functions included."""
    found = {str(i.argval) for i in get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= globals_in(inner)
    return found


def contents(cell: CellType) -> Any:
    """What a cell has in it; None for an empty one."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def has_history(x: Any) -> bool:
    """True for a tensor that requires a gradient, and for a value of a transform."""
    return isinstance(x, Carrier) or (is_holder(x) and is_followed(x))


def is_followed(x: Any) -> bool:
    """True for a tensor that requires a gradient, or is one of a transform's value."""
    return x.__gradop_tape__.vertex(x) is not None or has_history(held(x))


def given(reader: Reader, order: Sequence[int]) -> Function:
    """A function with values for tensors as its last arguments, in an order."""
    count = len(order)

    def call(*args: Any) -> Any:
        values = dict(zip(order, args[len(args) - count :], strict=True))
        return reader.reading(values)(*args[: len(args) - count])

    return call
