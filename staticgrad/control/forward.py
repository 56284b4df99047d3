"""Tangents through loops, branches and calls: they travel along with the values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gradops.typing import Attrs

from ..freezing.freezer import freeze_body
from ..ir.expr import Expr, lifted, parts_of
from ..ir.graph import FrozenGraph
from ..ir.tuple_types import Parts, carries_derivatives
from ..transform.forward import pushed
from .partial_eval import Scratch, loop_reach
from .reverse import widen
from .stacks import zeros_like

Tangents = Mapping[int, Any]


class Moved:
    """A graph that also gives tangents of its outputs, for tangents of the inputs `moving`.

    `graph` takes the inputs, then the tangents; it gives the outputs, then tangents of `moved`.
    """

    def __init__(
        self, graph: FrozenGraph, moving: Sequence[int], always: Sequence[int] = ()
    ) -> None:
        s = Scratch()
        inputs = s.parameters(graph.inputs)
        tangents = s.parameters([inputs[i] for i in moving], "t/")
        outputs = s.thaw(graph, inputs)
        found: dict[Any, Any] = {}
        if moving:
            given = dict(zip([inputs[i] for i in moving], tangents, strict=True))
            found = {e: t for e, t in pushed(given, outputs).items() if t is not None}
        self.moved = [k for k, y in enumerate(outputs) if y in found or k in always]
        ends = [outputs[k] for k in self.moved]
        moved = [s.expression(found[y] if y in found else zeros_like(y)) for y in ends]
        self.inputs, self.tangents, self.outputs, self.results = inputs, tangents, outputs, moved

    def graph(self) -> FrozenGraph:
        """The graph of values and tangents."""
        return freeze_body([*self.outputs, *self.results], [*self.inputs, *self.tangents])


def loop_push(tangents: Tangents, y: Any, *operands: Any, **attrs: Any) -> Any:
    """The tangents of a loop's results, from a loop that carries values and tangents."""
    carries, given = attrs["carries"], attrs["gives"]
    end = carries + attrs["lists"]
    state = moving_state(attrs["body"], tangents, carries)
    steps = [i for i in tangents if carries <= i < end]
    shared = [i for i in tangents if i >= end]
    m = Moved(attrs["body"], [*state, *steps, *shared], always=state)
    n, extra = len(state), [i for i in m.moved if i >= carries]
    start = [tangents[i] if i in tangents else zeros_like(operands[i]) for i in state]
    parts = moved_parts(
        y, "loop",
        [*operands[:carries], *start, *operands[carries:end], *(tangents[i] for i in steps),
         *operands[end:], *(tangents[i] for i in shared)],
        {**attrs, **loop_graphs(m, state, len(steps), attrs), "carries": carries + n,
         "lists": attrs["lists"] + len(steps), "gives": given + len(extra)},
        [*range(carries), *range(carries + n, carries + n + given)],
    )  # fmt: skip
    total = {i: parts[carries + j] for j, i in enumerate(state)}
    total |= {i: parts[carries + n + given + j] for j, i in enumerate(extra)}
    return Parts(total) if total else None


def loop_graphs(m: Moved, state: list[int], k: int, attrs: Attrs) -> dict[str, FrozenGraph | None]:
    """The body and condition of a loop that also carries tangents of `state`, and has `k` lists."""
    cond, carries, n = attrs["cond"], attrs["carries"], len(state)
    end, results = carries + attrs["lists"], dict(zip(m.moved, m.results, strict=True))
    start, steps, shared = m.tangents[:n], m.tangents[n : n + k], m.tangents[n + k :]
    body = freeze_body(
        [*m.outputs[:carries], *(results[i] for i in state), *m.outputs[carries:],
         *(results[i] for i in m.moved if i >= carries)],
        [*m.inputs[:carries], *start, *m.inputs[carries:end], *steps, *m.inputs[end:], *shared],
    )  # fmt: skip
    if cond is not None:
        cond = with_ignored(cond, carries, start, shared)
    return {"body": body, "cond": cond}


def moving_state(body: FrozenGraph, tangents: Iterable[int], carries: int) -> list[int]:
    """The state that moves when operands do."""
    reach, moving = loop_reach(body, carries), sum(1 << i for i in tangents)
    inputs = body.inputs
    return [k for k in range(carries) if reach[k] & moving and carries_derivatives(inputs[k].type)]


def with_ignored(
    graph: FrozenGraph, after: int, some: Sequence[Expr], rest: Sequence[Expr]
) -> FrozenGraph:
    """A graph with further inputs that it does not use: some after the first, some at the end."""
    s = Scratch()
    inputs = s.parameters(graph.inputs)
    outputs = s.thaw(graph, inputs)
    return freeze_body(
        outputs, [*inputs[:after], *s.parameters(some), *inputs[after:], *s.parameters(rest)]
    )


def case_push(tangents: Tangents, y: Any, *operands: Any, **attrs: Any) -> Any:
    """The tangents of what the branch that is taken gives."""
    moving = sorted(i - 1 for i in tangents if i)
    made = [Moved(b, moving) for b in attrs["branches"]]
    always = sorted({k for m in made for k in m.moved})
    if not always:
        return None
    pairs = zip(made, attrs["branches"], strict=True)
    whole = [m if m.moved == always else Moved(b, moving, always) for m, b in pairs]
    branches = tuple([m.graph() for m in whole])
    operands = (*operands, *(tangents[i + 1] for i in moving))
    return settled(moved_parts(y, "case", operands, {"branches": branches}), always)


def call_push(tangents: Tangents, y: Any, *operands: Any, **attrs: Any) -> Any:
    """The tangents of what a function gives. Its forward mode is made once, and kept with it."""
    graph, moving = attrs["function"], tuple(sorted(tangents))
    m = graph.derived.get(("forward", moving))
    if m is None:
        made = Moved(graph, moving)
        m = graph.derived.setdefault(("forward", moving), (made.graph(), tuple(made.moved)))
    if not m[1]:
        return None
    operands = (*operands, *(tangents[i] for i in moving))
    return settled(moved_parts(y, "call", operands, {"function": m[0]}), m[1])


def moved_parts(
    y: Expr, name: str, operands: Sequence[Any], attrs: dict[str, Any], places: Sequence[int] = ()
) -> Sequence[Any]:
    """What a wider form of `y` gives, which also gives tangents."""
    assert y.names is not None
    found: Sequence[Any] = parts_of(widen(y, name, lifted(y.names, operands), attrs, places))
    return found


def settled(found: Sequence[Any], moved: Sequence[int]) -> Parts:
    """The tangents among what was given."""
    n = len(found) - len(moved)
    return Parts({k: found[n + j] for j, k in enumerate(moved)})
