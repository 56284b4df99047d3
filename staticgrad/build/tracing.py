"""Tracing: a function of arrays, or of tensors, run once on placeholders, becomes a graph."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradops import ArrayType, GraphError, flatten, leaves_of, type_of
from gradops.core.tracer_protocol import held, holding
from gradops.core.levels import TRACING, own_errors

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.names import held_at
from ..freezing.freezer import freeze
from .graph import Graph
from .inputs import constant, placeholder
from .surroundings import Surroundings


def trace(fn: Callable[..., Any], specs: Any = ()) -> FrozenGraph:
    """The graph of what `fn` computes for arguments of the types `specs`, a list of them or one.

    A spec is an array or a tensor, whose type counts, an `ArrayType`, whose sizes may be names, or
    a structure of them. `fn`, a plain NumPy function say, is called once, with placeholders named
    after its parameters, held by tensors where the spec is a tensor; so a program of `dynamicgrad`,
    its `backward` included, becomes a graph too. Python's control flow is followed there and then.
    Tensors and arrays that `fn` reads from outside are constants of the graph. Raises
    ValueUnknownError where the program asks a placeholder for its value, and GraphError where it
    writes to an argument or to a tensor from outside, which a graph does not do; what is outside
    is as it was, gradients included.

    >>> graph = sg.trace(lambda x: np.tanh(x) * 2, sg.ArrayType(("batch", 3), "float32"))
    >>> graph.outputs[0].type
    float32[batch, 3]
    """
    if not callable(fn):
        raise GraphError(
            f"trace takes a function, and what its arguments are like; {fn!r} is none"
            "\n  hint: linalg.trace(x) is the sum of a diagonal"
        )
    specs = specs if isinstance(specs, list | tuple) else [specs]
    with Graph("trace").as_default():
        feeds: list[Expr] = []
        names = parameters(fn, len(specs))
        args = [fed(spec, name, feeds) for spec, name in zip(specs, names, strict=True)]
        with held_at(TRACING, Once()), own_errors(), unchanged(fn):
            found = fn(*args)
            refuse_written(leaves_of(args), feeds)
        return freeze([expression(x) for x in leaves_of(found)], feeds)


def refuse_written(args: Iterable[Any], feeds: Iterable[Expr]) -> None:
    """Refuse a program that wrote to its arguments: the graph only gives what it returns."""
    for x, feed in zip(args, feeds, strict=True):
        if held(x) is not feed:
            raise GraphError(WRITTEN.format(name=feed.name))


@contextmanager
def unchanged(fn: Callable[..., Any]) -> Iterator[None]:
    """Let what a function reads from outside be as it was; refuse one that writes to it."""
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
    """A trace whose graph is for another place: what it reads from outside are constants."""

    def __str__(self) -> str:
        return "sg.trace"

    def constant(self, x: Any, make: Callable[[], Expr]) -> Expr:
        """A constant."""
        return make()


def name_of(fn: Callable[..., Any]) -> str:
    """What a function is called; an object that is called, what its class is."""
    return str(getattr(fn, "__name__", type(fn).__name__))


def fed(spec: Any, name: str, feeds: list[Expr]) -> Any:
    """An argument like `spec` made of new placeholders, which are added to `feeds`."""
    leaves, rebuild = flatten(spec)
    names = [name] if len(leaves) == 1 else [f"{name}_{i}" for i in range(len(leaves))]
    found = [placeholder_like(x, n) for x, n in zip(leaves, names, strict=True)]
    feeds += found
    return rebuild(holding(x, e) for x, e in zip(leaves, found, strict=True))


def placeholder_like(spec: Any, name: str) -> Expr:
    """A placeholder of the type that a spec has, or is."""
    t = spec if isinstance(spec, ArrayType) else type_of(held(spec))
    return placeholder(t.dtype, t.shape, name)


def expression(x: Any) -> Expr:
    """What a traced function returned, as an expression."""
    x = held(x)
    return x if isinstance(x, Expr) else constant(x)


def parameters(fn: Callable[..., Any], count: int) -> list[str]:
    """The names of the first `count` parameters of `fn`, invented where it has none."""
    try:
        found: Iterable[Any] = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        found = []
    names = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (names + [f"x{i}" for i in range(len(names), count)])[:count]
