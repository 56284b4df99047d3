"""Tracing: a function of arrays, or of tensors, run once on placeholders, becomes a graph."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradops import ArrayType, GraphError, flatten, leaves_of, type_of
from gradops.core.levels import TRACING, own_errors
from gradops.core.tracer_protocol import held, holding

from ..freezing.freezer import freeze
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.names import set_context
from .graph import Graph
from .inputs import constant, placeholder
from .surroundings import Surroundings


def trace(fn: Callable[..., object], specs: Any = ()) -> FrozenGraph:
    """The graph of what `fn` computes for arguments of the types `specs`, a list of them or one.

    A spec is an array or a tensor, of which only the type matters, an `ArrayType`, whose sizes may
    be names, or a nested structure of them. `fn`, for example a plain NumPy function, is called
    once with placeholders named after its parameters, inside tensors where the spec is a tensor; so
    a program of `dynamicgrad`, its `backward` included, becomes a graph too. Python's control flow
    is followed during this call. Tensors and arrays that `fn` reads from outside are constants of
    the graph. Raises ValueUnknownError where the program needs the value of a placeholder, and
    GraphError where it writes to an argument or to a tensor from outside; objects outside are
    restored, gradients included.

    >>> graph = sg.trace(lambda x: np.tanh(x) * 2, sg.ArrayType(("batch", 3), "float32"))
    >>> graph.outputs[0].type
    float32[batch, 3]
    """
    if not callable(fn):
        raise GraphError(
            f"trace takes a function and the types of its arguments; {fn!r} is not a function"
            "\n  hint: linalg.trace(x) is the sum of a diagonal"
        )
    specs = specs if isinstance(specs, list | tuple) else [specs]
    with Graph("trace").as_default():
        feeds: list[Expr] = []
        names = parameters(fn, len(specs))
        args = [argument(spec, name, feeds) for spec, name in zip(specs, names, strict=True)]
        with set_context(TRACING, Once()), own_errors(), restore_surroundings(fn):
            result = fn(*args)
            refuse_written(leaves_of(args), feeds)
        return freeze([expression(x) for x in leaves_of(result)], feeds)


def refuse_written(args: Iterable[object], feeds: Iterable[Expr]) -> None:
    """Refuse a program that wrote to its arguments, as the graph would not do that."""
    for x, feed in zip(args, feeds, strict=True):
        if held(x) is not feed:
            raise GraphError(WRITTEN.format(name=feed.name))


@contextmanager
def restore_surroundings(fn: Callable[..., object]) -> Iterator[None]:
    """Restore the tensors that a function reads from outside; refuse one that writes to them."""
    holders = list(Surroundings([(name_of(fn), fn)]).holders.values())
    holders += [(name + GRAD, grad) for name, x in holders
                if (grad := x.__gradop_kind__.gradient(x)) is not None]  # fmt: skip
    before = [(name, x, x.__gradop_kind__.state(x), np.copy(held(x))) for name, x in holders
              if isinstance(held(x), np.ndarray | np.generic)]  # fmt: skip
    written = []
    try:
        yield
    finally:
        for name, x, state, value in before:
            if x.__gradop_kind__.restore(x, state):
                if isinstance(held(x), np.ndarray):
                    np.copyto(held(x), value)
                written.append(name)
    if written := [name for name in written if not name.endswith(GRAD)]:
        raise GraphError(WRITTEN.format(name=written[0]))


GRAD = ".grad"
WRITTEN = (
    "sg.trace: the function writes to {name}, which its graph would not do\n  hint: return what is"
    " new; or use sg.function, whose calls write to arguments and to what is captured"
)


class Once:
    """A trace without later calls: arrays that it reads from outside become constants."""

    def __str__(self) -> str:
        return "sg.trace"

    def constant(self, x: object, make: Callable[[], Expr]) -> Expr:
        """The expression of an array from outside: a constant."""
        return make()


def name_of(fn: Callable[..., object]) -> str:
    """The name of a function; for another callable, the name of its class."""
    return str(getattr(fn, "__name__", type(fn).__name__))


def argument(spec: object, name: str, feeds: list[Expr]) -> object:
    """An argument like `spec` made of new placeholders, which are added to `feeds`."""
    leaves, rebuild = flatten(spec)
    names = [name] if len(leaves) == 1 else [f"{name}_{i}" for i in range(len(leaves))]
    placeholders = [placeholder_like(x, n) for x, n in zip(leaves, names, strict=True)]
    feeds += placeholders
    return rebuild(holding(x, e) for x, e in zip(leaves, placeholders, strict=True))


def placeholder_like(spec: object, name: str) -> Expr:
    """A placeholder of the type of a spec, which may be a type itself."""
    t = spec if isinstance(spec, ArrayType) else type_of(held(spec))
    return placeholder(t.dtype, t.shape, name)


def expression(x: object) -> Expr:
    """A leaf of a traced function's result, as an expression."""
    value = held(x)
    return value if isinstance(value, Expr) else constant(value)


def parameters(fn: Callable[..., object], count: int) -> list[str]:
    """Names for `count` arguments: of the parameters of `fn`, then `x0`, `x1`, ..."""
    try:
        signature: Iterable[inspect.Parameter] = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        signature = []
    names = [p.name for p in signature if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (names + [f"x{i}" for i in range(len(names), count)])[:count]
