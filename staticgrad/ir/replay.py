"""Applying a graph to operands of any kind: arrays are computed with, expressions built on."""

from collections.abc import Mapping, Sequence
from typing import Any

from gradops import ArrayType, Dim, Op
from gradops.types import Size, shape_of

from .expr import Expr, Kind
from .graph import FrozenGraph
from .structure import TupleType, relaxed


def replay(graph: FrozenGraph, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The graph's outputs for `operands`, one for each input, by applying its ops one by one."""
    if len(operands) != len(graph.inputs):
        raise TypeError(f"the graph has {len(graph.inputs)} inputs, not {len(operands)}")
    values: dict[Expr, Any] = dict(zip(graph.inputs, operands, strict=True))
    sizes = sizes_of(graph.inputs, operands)
    for e in graph.order:
        if e not in values:
            values[e] = value_of(e, values, sizes)
        note_sizes(e, values[e], sizes)
    return tuple([values[e] for e in graph.outputs])


def value_of(e: Expr, values: Mapping[Expr, Any], sizes: Mapping[str, Size]) -> Any:
    """The value of one expression, given those of its inputs."""
    if e.op is None:
        return substituted(e.value, sizes) if e.kind is Kind.SIZE else e.value[()]
    attrs = {k: substituted(v, sizes) for k, v in e.attrs.items()}
    return applied(e.op, [values[x] for x in e.inputs], attrs)


def applied(op: Op, operands: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """An op applied to operands, which may be lists of arrays where the op takes those."""
    if any(hasattr(x, "gradop_level") for x in operands):
        return op(*operands, **attrs)
    return op.kernel(*operands, **attrs)


def substituted(value: Any, sizes: Mapping[str, Size]) -> Any:
    """An attribute's value with sizes in the place of their names."""
    if isinstance(value, Dim):
        return value.substitute(sizes)
    return tuple([substituted(v, sizes) for v in value]) if type(value) is tuple else value


def sizes_of(inputs: Sequence[Expr], operands: Sequence[Any]) -> dict[str, Size]:
    """What the names in the types of inputs stand for in the shapes of operands."""
    found: dict[str, Size] = {}
    for e, x in zip(inputs, operands, strict=True):
        note_sizes(e, x, found)
    return found


def note_sizes(e: Expr, value: Any, sizes: dict[str, Size]) -> None:
    """Take down the sizes that a value tells, if it is the first to tell them."""
    if not any(isinstance(n, Dim) for n in e.shape):
        return
    shape: Sequence[Size] = (len(value),) if type(value) is list else shape_of(value)
    for want, n in zip(e.shape, shape, strict=False):
        if isinstance(want, Dim) and want.linear is not None:
            name, times, plus = want.linear
            if name not in sizes:
                sizes[name] = (n - plus) // times


def bound(type: ArrayType, sizes: Mapping[str, Size], unknown: Size | None = None) -> ArrayType:
    """`type` with sizes in the place of names; `unknown` for those that nothing tells."""
    if isinstance(type, TupleType):
        return TupleType([bound(t, sizes, unknown) for t in type.parts])
    return relaxed(type, tuple(size_in(n, sizes, unknown) for n in type.shape))


def size_in(size: Size, sizes: Mapping[str, Size], unknown: Size | None) -> Size:
    """One size of a type."""
    if not isinstance(size, Dim):
        return size
    if unknown is not None and not size.names() <= sizes.keys():
        return unknown
    return size.substitute(sizes)
