"""Tensors that functions read by name, as arguments.

Note [Captured names]. A tape pulls back only, so that a rule that needs the tangents of what a
function captures cannot have them. But a function of Python reads most of it by the names of
variables around it, and those can be arguments: the same code runs with other cells and globals.
Nothing is changed in the function, nor in what it reads.
"""

from collections.abc import Callable, Sequence
from dis import get_instructions
from types import CellType, CodeType, FunctionType
from typing import Any

from ..core.tracer_protocol import is_holder

Function = Callable[..., Any]
Names = dict[str, Any]


def with_captures(
    functions: Sequence[Function], args: Sequence[Any]
) -> tuple[list[Function], list[Any]]:
    """The functions with the tensors that they read by name as arguments after others; all these.

    >>> k = dg.tensor(3.0, requires_grad=True)
    >>> (f,), args = with_captures([lambda x: x * k], [])
    >>> args[0] is k, f(2.0, 5.0)
    (True, 10.0)
    """
    names = [tensors_read(f) for f in functions]
    found = {id(x): x for each in names for x in each.values()}
    order = list(found)
    places = [{name: order.index(id(x)) for name, x in each.items()} for each in names]
    pairs = zip(functions, places, strict=True)
    new = [given(f, at, len(order)) if at else dropping(f, len(order)) for f, at in pairs]
    return new, [*args, *found.values()]


def tensors_read(f: Any) -> Names:
    """The tensors with a history that a function reads by the name of a variable."""
    if not isinstance(f, FunctionType):
        return {}
    cells = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
    near = {name: contents(cell) for name, cell in cells}
    far = {name: f.__globals__.get(name) for name in globals_in(f.__code__)}
    return {name: x for name, x in (far | near).items() if has_history(x)}


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
    """True for a tensor that requires a gradient."""
    return is_holder(x) and x.__gradop_tape__.vertex(x) is not None


def given(f: Any, places: dict[str, int], count: int) -> Function:
    """A function whose last `count` arguments are read in the place of variables."""
    far = not places.keys() <= set(f.__code__.co_freevars)

    def call(*args: Any) -> Any:
        values = args[len(args) - count :]
        new = {name: values[i] for name, i in places.items()}
        cells = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
        closure = tuple([CellType(new[n]) if n in new else cell for n, cell in cells])
        around = f.__globals__ | new if far else f.__globals__
        own = FunctionType(f.__code__, around, f.__name__, f.__defaults__, closure)
        own.__kwdefaults__ = f.__kwdefaults__
        return own(*args[: len(args) - count])

    return call


def dropping(f: Function, count: int) -> Function:
    """A function that is given `count` arguments more than it takes."""
    return (lambda *args: f(*args[: len(args) - count])) if count else f
