"""The generated function of a graph, with all that its code refers to."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..codegen.load import load
from ..codegen.memory.arena import pools_of
from ..codegen.source import Source, emit
from ..ir.graph import FrozenGraph
from .checking.numerics import Checked
from .feeds import sizes_of_feeds


def code_of(
    graph: FrozenGraph, written: FrozenGraph, form: str, any_layout: bool, check_numerics: bool
) -> Callable[..., Any]:
    """The function that runs a graph, which was made from the one that was written."""
    write = partial(source_of, graph, form, any_layout)
    return Checked(written, graph, form, write) if check_numerics else loaded(write)


def loaded(write: Callable[..., Source]) -> Callable[..., Any]:
    """The generated function; its text is written again when something shows it."""
    return load(write(), lambda: write(comments=True).text)


def source_of(
    graph: FrozenGraph, form: str, any_layout: bool, comments: bool = False, has_loops: bool = True
) -> Source:
    """The source of a graph, with all that it refers to."""
    source = emit(graph, form, any_layout, comments, has_loops)
    source.scope.update(runtime_scope(graph, source))
    return source


def runtime_scope(graph: FrozenGraph, source: Source) -> dict[str, Any]:
    """The functions that the generated code calls: one that compares sizes, and memory."""
    inputs = graph.inputs

    def disagree(*values: Any) -> None:
        sizes_of_feeds(inputs, values)

    result: dict[str, Any] = {"disagree": disagree}
    for arena in source.arenas:
        result[arena.pools], result[arena.allocate] = pools_of(arena)
    return result
