"""Functions that solvers call, as machine code in a graph that NumPy runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradops.core.errors import OptionError
from gradops.core.traits import Trait

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph, all_expressions
from ...ir.interning import Interning
from ...native.planning.predictions import LARGEST
from ...passes.interface import Pass
from ...passes.pipeline import Pipeline

Make = Callable[..., Any]  # of the native backend
CALLED = frozenset({"functions", "product", "transposed"})
"""The attributes whose functions a kernel calls."""


class NativeBody:
    """The machine code of a function that a solver calls."""

    def __init__(self, executable: Any) -> None:
        self.executable, self.call = executable, executable.__call__

    def __call__(self, *operands: Any) -> Any:
        """The outputs; machine code takes arrays, where a solver has numbers."""
        return self.call(*map(np.asarray, operands))

    def __repr__(self) -> str:
        return f"<machine code of {self.executable!r}>"


@dataclass(frozen=True)
class CompileBodies(Pass):
    """Machine code in the place of the functions among the attributes of solvers.

    A solver calls them some hundred times in each run. Those that have no machine code stay.
    """

    pipeline: Pipeline
    make: Make

    @property
    def bound(self) -> float:  # type: ignore[override]
        """That of machine code, for one call; what it comes to is the solver's matter."""
        from .native_executable import BOUND

        return self.pipeline.bound + BOUND

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        made: dict[FrozenGraph, Any] = {}

        def compiled(value: Any) -> Any:
            if type(value) is tuple:
                return tuple(map(compiled, value))
            if not isinstance(value, FrozenGraph):
                return value
            if value not in made:
                made[value] = self.native(value)
            return made[value]

        def change(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
            if calls_functions(e):
                new = {k: compiled(v) if k in CALLED else v for k, v in e.attrs.items()}
                e = e._replace(attrs=new)
            return intern.copy(e, inputs)

        return graph.remade(change) if any(map(calls_functions, graph.order)) else graph

    def native(self, graph: FrozenGraph) -> Any:
        """The machine code of a function, or its graph if there is none."""
        if len(graph.order) > LARGEST:
            return graph
        try:
            return NativeBody(self.make(graph, self.pipeline, "{},", None, False))
        except (OptionError, MemoryError):
            return graph


def calls_functions(e: Expr) -> bool:
    """True for a solver: its kernel calls functions among the attributes."""
    return e.op is not None and Trait.CONTROL in e.op.traits and not CALLED.isdisjoint(e.op.params)


def with_native_bodies(graph: FrozenGraph, pipeline: Pipeline, make: Make) -> Pipeline:
    """The pipeline, with machine code that `make` makes for the functions of solvers."""
    if not any(map(calls_functions, all_expressions(graph))):
        return pipeline
    unchecked = Pipeline(pipeline.passes)  # a check is for the feeds of the whole graph
    bodies = CompileBodies(unchecked, make)
    return Pipeline((bodies, *pipeline.passes), pipeline.check)
