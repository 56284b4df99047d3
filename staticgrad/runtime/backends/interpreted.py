"""Executables that the interpreter runs."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ...ir.graph import FrozenGraph
from ...passes.pipeline import Optimized
from ..checking.debugging import run_watched
from ..executable import Executable
from .interpreter import in_form


class InterpretedExecutable(Executable):
    """A graph that is run node by node. `source`, `report` and `profile` are of generated code."""

    def compiled(self, optimized: Optimized) -> Callable[..., Any]:
        return partial(interpreted, optimized.graph(), self.form, self.check_numerics)

    def may_run_on_arrays(self, error: Exception) -> bool:
        return False


def interpreted(graph: FrozenGraph, form: str, checked: bool, *args: Any) -> Any:
    """The results of a graph as a form says."""
    return in_form(run_watched(graph, args, check_numerics=checked), form)
