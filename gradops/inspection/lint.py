"""Findings in a graph or tape that are worth a look: casts, unstable patterns, waste."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .model import GraphView, NodeView, Role

BITS = {"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64, "complex64": 32,
        "complex128": 64}  # fmt: skip
LARGE = 1_000_000  # bytes from which a broadcast is worth a look
FACTOR = 64  # times the bytes of its operands
LARGEST = 10_000_000  # entries up to which arrays are searched for such as are not finite


class Finding(NamedTuple):
    """One thing to look at: its kind, a sentence, and the names of the nodes."""

    kind: str
    text: str
    nodes: tuple[str, ...]


class Facts:
    """A view, as the rules below read it."""

    def __init__(self, view: GraphView) -> None:
        self.view, self.by_id, self.readers = view, view.by_id, view.readers

    def operands(self, n: NodeView) -> list[NodeView]:
        """The operands of a node."""
        return [self.by_id[i] for i in n.inputs if i in self.by_id]

    def behind(self, n: NodeView, *ops: str) -> NodeView | None:
        """The first operand that one of the ops computes."""
        return next((x for x in self.operands(n) if x.op in ops), None)


Check = Callable[[Facts, NodeView], Iterator[Finding]]


def lint(view: GraphView) -> list[Finding]:
    """The findings of all checks, in the order of the nodes.

    >>> x = NodeView(0, "x", "placeholder", shape=(3,), dtype="float32", role=Role.INPUT)
    >>> nodes = x, NodeView(1, "softmax", "softmax", (0,)), NodeView(2, "log", "log", (1,))
    >>> for finding in lint(GraphView("graph", "graph", nodes, outputs=(2,))):
    ...     print(f"{finding.kind}: {finding.text}")
    unstable: log of softmax is -inf where softmax rounds to 0: use log_softmax
    """
    facts = Facts(view)
    return [
        finding
        for n in view.nodes
        for check in (OF_LEAVES if n.is_leaf else OF_OPS.get(n.op, OF_RESULTS))
        for finding in check(facts, n)
    ]


def casts(facts: Facts, n: NodeView) -> Iterator[Finding]:
    """A cast to fewer bits, or to more."""
    (x, *_) = facts.operands(n)
    old, new = BITS.get(x.dtype), BITS.get(n.dtype)
    if old and new and old != new:
        change = "loses digits" if new < old else "takes twice the memory or more"
        yield Finding("cast", f"{x.dtype} to {n.dtype} {change}", (n.name,))


def float64_creep(facts: Facts, n: NodeView) -> Iterator[Finding]:
    """A result of 64 bits though an operand has fewer, because another one has them."""
    if n.dtype not in ("float64", "complex128"):
        return
    floats = [x for x in facts.operands(n) if x.dtype in BITS]
    narrow = [x for x in floats if BITS[x.dtype] < BITS[n.dtype]]
    wide = [x for x in floats if BITS[x.dtype] == BITS[n.dtype]]
    if narrow and wide:
        text = f"{narrow[0].dtype} meets {wide[0].dtype} of {wide[0].name}: computed in {n.dtype}"
        yield Finding("precision", text, (n.name, wide[0].name))


def unstable(facts: Facts, n: NodeView) -> Iterator[Finding]:
    """A formula that overflows or cancels, for which there is a stable one."""
    if n.role is not Role.FORWARD:
        return
    for op, inner, text in PATTERNS:
        if n.op == op and (x := facts.behind(n, *inner)) is not None:
            yield Finding("unstable", text.format(x.op), (n.name, x.name))
            return
    if n.op == "log" and (x := facts.behind(n, "sum")) and (e := facts.behind(x, "exp")):
        text = "log of a sum of exp overflows for large operands: use logsumexp"
        yield Finding("unstable", text, (n.name, x.name, e.name))
    if n.op in ("div", "truediv") and n.inputs:
        over = [e for x in facts.operands(n) if x.op == "sum" for e in facts.operands(x)]
        if any(e.op == "exp" and e.id == n.inputs[0] for e in over):
            text = "exp divided by its sum overflows for large operands: use softmax"
            yield Finding("unstable", text, (n.name,))


PATTERNS = (
    ("log", ("softmax",), "log of {} is -inf where softmax rounds to 0: use log_softmax"),
    ("log", ("sigmoid",), "log of {} is -inf where sigmoid rounds to 0: use log_sigmoid"),
)


def unused(facts: Facts, n: NodeView) -> Iterator[Finding]:
    """An input or a parameter that nothing reads."""
    if n.role not in (Role.INPUT, Role.PARAMETER) or facts.readers[n.id]:
        return
    if n.id not in facts.view.results and n.op != "token":
        yield Finding("unused", f"nothing reads the {n.role} {n.name}", (n.name,))


def broadcasts(facts: Facts, n: NodeView) -> Iterator[Finding]:
    """A result that is many times as large as what it is computed from."""
    if n.nbytes is None or n.nbytes < LARGE or len(n.inputs) < 2:
        return
    sizes = [x.nbytes for x in facts.operands(n)]
    known = [size for size in sizes if size is not None]
    if len(known) == len(sizes) and n.nbytes >= FACTOR * max(sum(known), 1):
        factor = n.nbytes / max(sum(known), 1)
        text = f"operands broadcast to {n.type}: {factor:.0f} times their bytes"
        yield Finding("broadcast", text, (n.name,))


BROADCAST = frozenset({
    "add", "sub", "mul", "div", "truediv", "maximum", "minimum", "power", "where", "less",
    "greater", "equal", "not_equal", "less_equal", "greater_equal",
})  # fmt: skip


def not_finite(facts: Facts, n: NodeView) -> Iterator[Finding]:
    """A parameter with entries that are not finite, or a constant with a NaN."""
    data = n.data
    if n.role not in (Role.CONSTANT, Role.PARAMETER) or not isinstance(data, np.ndarray):
        return
    if data.dtype.kind not in "fc" or data.size > LARGEST:
        return
    is_bad = np.isnan if n.role is Role.CONSTANT else not_a_number  # infinity is often meant
    if count := int(np.count_nonzero(is_bad(data))):
        yield Finding("not finite", f"{count} of {data.size} entries of {n.name}", (n.name,))


def not_a_number(a: np.ndarray) -> np.ndarray:
    """True where an entry is infinite or NaN."""
    return ~np.isfinite(a)


OF_LEAVES: Sequence[Check] = (unused, not_finite)
OF_RESULTS: Sequence[Check] = (float64_creep,)
OF_OPS: Mapping[str, Sequence[Check]] = {
    **dict.fromkeys(BROADCAST, (float64_creep, broadcasts)),
    **dict.fromkeys(("div", "truediv"), (float64_creep, broadcasts, unstable)),
    "log": (float64_creep, unstable), "cast": (casts,), "astype": (casts,),
}  # fmt: skip
