"""The executable: a compiled graph, called with values."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import Dim, FeedError, FetchError, flatten
from gradops.places import describe

from ..codegen.load import load
from ..codegen.source import Source, emit
from ..frontend.freeze import freeze, unknown_feed
from ..frontend.graph import get_default_graph
from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..passes.pipeline import optimized
from .feeds import admitted, bind_sizes


class Executable:
    """A compiled graph. Calling it with values, in the order of its inputs or by name, runs it.

    `source` is the Python function it runs, `graph` the frozen graph it was made from. It may be
    called from many threads at once. Results share no memory with anything it keeps.
    """

    def __init__(
        self, graph: FrozenGraph, form: str = "{},", rebuild: Callable[[Any], Any] | None = None
    ) -> None:
        self.graph = graph
        self.rebuild = rebuild
        self.emitted: Source = emit(graph, form)
        self.emitted.scope.update(runtime_scope(graph, self.emitted))
        self.run = load(self.emitted)
        self.silent = meets_singularities(graph)
        self.names = [e.name for e in graph.inputs]

    @property
    def source(self) -> str:
        """The generated function, as text."""
        return self.emitted.text

    def __call__(self, *args: Any, **named: Any) -> Any:
        if named or len(args) != len(self.names):
            args = self.bind(args, named)
        try:
            if self.silent:
                with np.errstate(all="ignore"):
                    found = self.run(*args)
            else:
                found = self.run(*args)
        except Exception as error:
            self.blame(error)
            raise
        return found if self.rebuild is None else self.rebuild(found)

    def bind(self, args: Sequence[Any], named: dict[str, Any]) -> tuple[Any, ...]:
        """The values of all inputs, in order, from those given by place and by name."""
        given = dict(zip(self.names, args, strict=False))
        for name in named:
            if name not in self.names:
                raise unknown_feed(name, self.names)
        given |= named
        missing = [e for e in self.graph.inputs if e.name not in given]
        if missing or len(args) > len(self.names):
            shown = "".join(f"\n  {e.label}, made at {describe(e.place)}" for e in missing)
            raise FeedError(f"{len(given)} of {len(self.names)} inputs were fed; missing:{shown}")
        return tuple(given[name] for name in self.names)

    def blame(self, error: Exception) -> None:
        """Tell an error of the generated code which expression, and whose line, it comes from."""
        frame = error.__traceback__
        while frame is not None and frame.tb_frame.f_code is not self.run.__code__:
            frame = frame.tb_next
        e = self.emitted.lines.get(frame.tb_lineno) if frame is not None else None
        if e is not None and e.op is not None:
            error.add_note(f"  in {e.label}, made at {describe(e.place)}")

    def __repr__(self) -> str:
        inputs = ", ".join(e.label for e in self.graph.inputs)
        return f"<Executable ({inputs}) -> {', '.join(str(e.type) for e in self.graph.outputs)}>"


def meets_singularities(graph: FrozenGraph) -> bool:
    """Whether a gradient in the graph may divide by zero: a warning of it would help nobody."""
    return any(e.origin is not None and e.op and "singular" in e.op.traits for e in graph.order)


def runtime_scope(graph: FrozenGraph, source: Source) -> dict[str, Any]:
    """What the generated function calls back: admission of inputs, and memory."""
    inputs, types = graph.inputs, source.plan.types
    names = source.scope.pop("sizes_of_buffers", ())

    def admit(i: int, value: Any) -> Any:
        return admitted(inputs[i], value)

    def disagree(*values: Any) -> None:
        bind_sizes(inputs, values)

    def allocate(*sizes: int) -> tuple[Any, ...]:
        known = dict(zip(names, sizes, strict=True))
        return tuple(np.empty(shape_with(t.shape, known), t.dtype) for t in types)

    pools: Any = defaultdict(list)
    return {"admit": admit, "disagree": disagree, "allocate": allocate, "pools": pools}


def shape_with(shape: Sequence[Any], sizes: dict[str, int]) -> tuple[int, ...]:
    """A shape with its unknown sizes filled in."""
    return tuple(n.evaluate(sizes) if isinstance(n, Dim) else n for n in shape)


def compile(outputs: Any, inputs: Sequence[Any] | None = None, optimize: int = 1) -> Executable:
    """An executable that computes `outputs` from `inputs`.

    `outputs` is an expression, or a structure (list, tuple, dict, dataclass) of them, whose form
    the results have; or a frozen graph, whose results come as a tuple. `optimize=0` computes what
    was written and nothing else, with the bits that eager execution gives; 1 also folds constants
    and applies identities that are exact. Raises FeedError if a placeholder is missing in `inputs`.

    >>> x = sg.placeholder("float32", ["batch"], name="x")
    >>> f = sg.compile({"double": x * 2, "sum": sg.reduce_sum(x)}, [x])
    >>> f([1.0, 2.0])
    {'double': array([2., 4.], dtype=float32), 'sum': np.float32(3.0)}
    """
    if isinstance(outputs, FrozenGraph):
        return Executable(optimized(outputs, optimize))
    leaves, rebuild = flatten(outputs)
    fetches = [fetched(e) for e in leaves]
    graph = freeze(fetches, list(inputs or ()))
    if variables := [e for e in graph.inputs if e.kind is Kind.VARIABLE]:
        shown = ", ".join(e.label for e in variables)
        raise FeedError(f"the graph reads variables: {shown}\n  hint: give them in inputs, or run"
                        " it in a Session, which has their values")  # fmt: skip
    form, rebuild = form_of(outputs, rebuild)
    return Executable(optimized(graph, optimize), form, rebuild)


def form_of(outputs: Any, rebuild: Any) -> tuple[str, Any]:
    """How the generated function returns its results, and what is left to be done with them."""
    if isinstance(outputs, Expr):
        return "{}", None
    if outputs and type(outputs) is list and all(isinstance(e, Expr) for e in outputs):
        return "[{}]", None
    return "{},", rebuild


def fetched(e: Any) -> Expr:
    """An expression to compute, or a FetchError."""
    if isinstance(e, str):
        return get_default_graph().get_tensor_by_name(e)
    if isinstance(e, Expr):
        return e
    raise FetchError(f"{e!r} is neither an expression nor the name of one")
