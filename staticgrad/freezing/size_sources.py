"""Expressions that a frozen graph computes because their shapes determine sizes it uses.

A gradient may need only the size of something: of `mean(x)`, how many entries `x` has.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..ir.expr import Expr, Kind
from ..ir.reachability import dependencies, reachable
from ..ir.sizes import no_source, sizes_determined_by, sizes_introduced_by, sizes_missing


def add_size_sources(
    needed: dict[Expr, None],
    feeds: Sequence[Expr],
    dependencies: Callable[[Expr], Iterable[Expr]] = dependencies,
) -> list[Expr]:
    """Add to `needed` expressions that determine the sizes in use, and return those expressions."""
    known, result = sizes_determined_by(feeds), list[Expr]()
    while missing := sizes_missing(needed, known):
        size = min(missing)
        sources = (e for e in size_sources(size, needed) if e not in needed)
        source = next((e for e in sources if depends_only_on(e, feeds)), None)
        if source is None:
            raise no_source(size)
        result.append(source)
        needed.update(reachable([source], feeds, dependencies))
    return result


def depends_only_on(e: Expr, parameters: Sequence[Expr]) -> bool:
    """True if `e` depends on none but these parameters of bodies."""
    ends = set(parameters)
    return all(x.kind is not Kind.PARAMETER or x in ends for x in reachable([e], stop=ends))


def size_source(size: str, needed: Iterable[Expr]) -> Expr | None:
    """The first expression of the graph that determines the size, if there is one."""
    return next(size_sources(size, needed), None)


def size_sources(size: str, needed: Iterable[Expr]) -> Iterator[Expr]:
    """The expressions that determine the size, of the graph that `needed` is part of."""
    names = next((e.names for e in needed if e.names is not None), None)
    graph = None if names is None else names.graph()
    members = graph.get_operations() if graph is not None else ()
    return (e for e in members if size in sizes_introduced_by(e))
