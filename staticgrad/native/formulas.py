"""Ops that are formulas of others: a graph in which they are written out.

Note [Formulas]. The formula of an op is applied to expressions of a graph that is being made. Of an
elementwise op it is applied to entries instead, where these are computed: see `elementwise.py`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace as replaced
from typing import Any

import numpy as np

from gradops import ArrayType, Op, Operators
from gradops.core.traits import Trait
from gradops.native.text import is_computable

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph, has_graphs
from ..ir.interning import Interning

MOMENTS = frozenset({"inverse_spread", "standardize", "standardize_slope", "std", "var"})
LONGEST_ROW = 8192  # entries of a row whose mean is as exact as NumPy's


class Made(Operators):
    """An expression of a graph that is being made, to which ops apply."""

    gradop_level = 0.0

    def __init__(self, e: Expr, intern: Interning) -> None:
        self.e, self.intern = e, intern

    @property
    def type(self) -> ArrayType:
        """The type of the expression."""
        return self.e.type

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: Mapping[str, Any]) -> "Made":
        made = [a for a in args if isinstance(a, Made)]
        like, kinds = made[0], [a.dtype for a in made if a.dtype != bool]
        dtype = np.result_type(*kinds) if kinds else made[0].dtype
        inputs = [a.e if isinstance(a, Made) else like.constant(a, dtype) for a in args]
        if is_written_out(op, inputs, attrs):
            result: Made = op.formula(*args, **attrs)  # type: ignore[misc]
            return result
        return Made(like.intern.apply(op.name, *inputs, like=like.e, **attrs), like.intern)

    def constant(self, value: Any, dtype: np.dtype) -> Expr:
        """A number beside operands of a dtype, or an array in its own."""
        is_typed = isinstance(value, np.ndarray | np.generic)
        array = np.array(value, None if is_typed else np.result_type(dtype, value))
        return self.intern.constant(array, like=self.e)


def written_out(graph: FrozenGraph) -> FrozenGraph:
    """The graph, and those in it, without ops that are formulas of others."""

    def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        if not is_formula(e):
            return intern.copy(with_graphs_written_out(e) if has_graphs(e) else e, inputs)
        assert e.op is not None
        assert e.op.formula is not None
        result = e.op.formula(*[Made(x, intern) for x in inputs], **e.attrs).e
        return (
            result
            if result.type == e.type
            else intern.apply("astype", result, like=e, dtype=e.dtype)
        )

    return replaced(graph, derived={}).remade(make)


def with_graphs_written_out(e: Expr) -> Expr:
    """A loop, branch or call whose graphs have no formulas either."""
    attrs = {
        key: written_out(v) if isinstance(v, FrozenGraph)
        else tuple(map(written_out, v)) if holds_graphs(v)
        else v
        for key, v in e.attrs.items()
    }  # fmt: skip
    return e._replace(attrs=attrs)


def holds_graphs(value: object) -> bool:
    """True for several graphs, as of branches."""
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], FrozenGraph)


def is_formula(e: Expr) -> bool:
    """True for an expression that is written out."""
    return e.op is not None and is_written_out(e.op, e.inputs, e.attrs)


def is_written_out(op: Op, inputs: Sequence[Expr], attrs: Mapping[str, Any]) -> bool:
    """True for an op that is a formula; not of nothing, which has no maximum."""
    if op.formula is None or Trait.ELEMENTWISE in op.traits:
        return False
    x = inputs[0]
    if op.name in MOMENTS and not is_of_rows(x, attrs["axis"]):
        return False
    return x.dtype.kind == "f" and is_computable(x.dtype) and 0 not in x.shape


def is_of_rows(x: Expr, axis: Any) -> bool:
    """True for the last axes, of few entries: NumPy's sums of others are more exact."""
    rank = len(x.shape)
    axes = {i % rank for i in np.atleast_1d(range(rank) if axis is None else axis).tolist()}
    first = rank - len(axes)
    return min(axes, default=0) == first and math.prod(x.shape[first:]) <= LONGEST_ROW
