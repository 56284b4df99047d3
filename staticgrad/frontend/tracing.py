"""Tracing: a function of arrays, or of tensors, run once on placeholders, becomes a graph."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from gradops import ArrayType, GraphError, flatten, leaves_of, type_of
from gradops.holding import held, holding
from gradops.levels import TRACING, own_errors

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.names import held_at
from .freeze import freeze
from .graph import Graph
from .leaves import constant, placeholder


def trace(fn: Callable[..., Any], specs: Any = ()) -> FrozenGraph:
    """The graph of what `fn` computes for arguments of the types `specs`, a list of them or one.

    A spec is an array or a tensor, whose type counts, an `ArrayType`, whose sizes may be names, or
    a structure of them. `fn`, a plain NumPy function say, is called once, with placeholders named
    after its parameters, held by tensors where the spec is a tensor; so a program of `dynamicgrad`,
    its `backward` included, becomes a graph too. Python's control flow is followed there and then.
    Raises ValueUnknownError where the program asks a placeholder for its value.

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
        with held_at(TRACING, "sg.trace"), own_errors():
            found = fn(*args)
        return freeze([expression(x) for x in leaves_of(found)], feeds)


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
