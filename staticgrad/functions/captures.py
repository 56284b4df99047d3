"""The state of a trace: placeholders for arguments and for values read from outside.

Note [Captures]. While a program is traced, every holder that it can reach holds an expression, so
all that the program does with it is built, not computed. When the trace ends, the holders are
restored. One thread traces at a time, since others see the same holders.
"""

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from types import CellType
from typing import Any

import numpy as np

from gradops import GraphError, type_of
from gradops.core.levels import TRACING
from gradops.core.tracer_protocol import held

from ..build.graph import Graph
from ..build.guards import is_same_state, set_state, state_of
from ..build.inputs import placeholder
from ..build.surroundings import Surroundings
from ..build.tracing import expression, placeholder_like
from ..ir.expr import Expr
from ..ir.names import set_context
from .python_state import Container, has_contents, restore_container, restore_members

Numbers = dict[Any, float]
LOCK = threading.RLock()
SMALL = 1 << 16  # bytes up to which arrays are compared as a whole with their earlier contents


class TracedHolder:
    """A holder that the program takes or reaches, and its placeholders in the trace.

    `inside` is what the program sees: the holder itself, or a new one in place of an argument.
    """

    def __init__(self, x: Any, name: str, index: int | None = None, base: object = None) -> None:
        self.x, self.name, self.index, self.kind = x, name, index, x.__gradop_kind__
        self.base = base
        label = name.replace(".", "_").replace(" ", "_")
        self.feed = placeholder_like(x, label) if self.base is None else None
        self.grad_feed = self.grad = None
        if (grad := self.kind.gradient(x)) is not None:
            self.grad_feed = placeholder_like(grad, f"{label}_grad")
            self.grad = self.kind.stand_in(grad, self.grad_feed, None)
        self.look, self.type = self.kind.looks([x])[0], type_of(held(x))
        self.before = self.kind.state(x)
        self.after: Any = None
        if index is not None:
            self.inside = self.kind.stand_in(x, self.feed, self.grad)
        else:
            self.inside = x
            self.enter()
        asks = self.look is not None
        self.memory = self.kind.memory(self.inside)
        self.vertex = self.kind.vertex(self.inside)
        self.is_active = asks and self.inside.is_leaf

    def enter(self) -> None:
        """Let the holder hold its placeholder."""
        if self.base is None:
            self.kind.enter(self.x, self.feed, self.grad)
        else:
            self.kind.enter_view(self.x, self.grad)

    @property
    def is_replaced(self) -> bool:
        """Whether the program replaced the memory of the holder, as by `x.data = y`."""
        return self.kind.memory(self.inside) is not self.memory

    @property
    def is_captured(self) -> bool:
        """Whether the program reaches the holder from outside, not as an argument."""
        return self.index is None

    def of(self, leaves: Sequence[object]) -> Any:
        """The holder in a call with the arguments `leaves`."""
        return self.x if self.index is None else leaves[self.index]

    def refuse_unfit(self) -> None:
        """Raise GraphError if the program changed the holder in a way that a call cannot."""
        asks = self.look is not None
        if self.inside.is_leaf and (self.kind.vertex(self.inside) is not None) != asks:
            raise GraphError(
                f"a traced function changes requires_grad of {self.name}\n  hint: set it before the"
                " call, and leave it as it is inside"
            )
        if self.look == "result" and self.kind.gradient(self.inside) is not None:
            raise GraphError(
                f"backward() inside a traced function arrives at {self.name}, a result of what was"
                " computed outside, where it would go on\n  hint: return the loss, and call"
                " backward() outside"
            )

    def leave(self) -> None:
        """Record the state that the program left, and restore the holder."""
        if self.is_captured:
            self.after = self.kind.state(self.x)
            self.kind.restore(self.x, self.before)


class TraceContext:
    """A program while it is traced: the expressions of its holders, arrays and numbers."""

    name = "sg.function"

    def __init__(self, graph: Graph, found: Surroundings) -> None:
        self.graph, self.found = graph, found
        self.given: list[TracedHolder] = []
        self.given_captured = False  # whether an argument is captured as well
        self.captured: dict[int, TracedHolder] = {}
        self.arrays: dict[int, tuple[Expr, np.ndarray]] = {}
        self.outside = {id(owner(x)): owner(x) for _, x in found.arrays.values()}
        self.numbers: dict[tuple[int, Hashable], tuple[Expr, Numbers, Hashable, object]] = {}
        self.kept: list[tuple[str, Container, Container]] = []
        self.entries: list[tuple[dict[Any, Any], Hashable, object]] = []
        self.copies: list[tuple[str, np.ndarray, np.ndarray]] = []
        self.drawing: list[tuple[str, object, object]] = []
        self.drawn: list[str] = []
        self.cells: list[tuple[str, CellType, object]] = []
        self.named: list[tuple[dict[str, object], str, object]] = []
        self.looks: list[tuple[Callable[[], object], object]] = []
        self.calls: list[Callable[[], None]] = []

    def __str__(self) -> str:
        return self.name

    def enter(self) -> None:
        """Let all reachable holders hold expressions, and save the contents of containers."""
        self.cells = [(name, cell, cell.cell_contents)
                      for name, cell in self.found.cells if has_contents(cell)]  # fmt: skip
        self.named = [(own, name, own[name]) for own, name in self.found.globals]
        for name, x, _ in self.found.containers:
            self.kept.append((name, x, x.copy()))
        for name, x in self.found.kept:
            self.remember(x, name)
        self.copies = [(name, x, x.copy()) for name, x in self.found.arrays.values()
                       if x.flags.writeable]  # fmt: skip
        self.drawing = [(name, g, state_of(g)) for name, g in self.found.generators]
        for name, x in self.found.holders.values():
            self.capture(x, name)

    def leave(self) -> None:
        """Restore all holders, views before their bases."""
        for given in reversed(self.given):
            given.leave()

    def argument(self, x: Any, index: int, name: str) -> Any:
        """The holder that the program gets for an argument; `x` itself if it is captured too."""
        if id(x) in self.captured:
            self.given_captured = True
            return x
        given = TracedHolder(x, name, index)
        self.given.append(given)
        return given.inside

    def capture(self, x: Any, name: str) -> None:
        """Let a holder from outside hold an expression, unless it already does."""
        if id(x) in self.captured or isinstance(held(x), Expr):
            return
        base = self.found.bases[id(x)] if id(x) in self.found.bases else x.__gradop_kind__.base(x)
        self.captured[id(x)] = given = TracedHolder(x, name, None, base)
        self.given.append(given)

    def constant(self, x: Any, make: Callable[[], Expr]) -> Expr:
        """The expression for an array, which is read in each call if its memory is outside."""
        if id(owner(x)) not in self.outside:
            return make()
        result = self.arrays.get(id(x))
        if result is None:
            result = self.arrays[id(x)] = make(), x
        return result[0]

    def result(self, x: object) -> Expr:
        """A value that a program returned, or stored outside, as an expression."""
        value = held(x)
        if isinstance(value, np.ndarray):
            return self.constant(value, lambda: expression(value))
        return expression(value)

    def unread(self) -> list[tuple[np.ndarray, bytes]]:
        """Arrays that are not operands of the graph but may have been read, with their contents.

        Numbers that NumPy or Python read from them are part of the program. Large arrays are
        compared by samples.
        """
        read = {id(owner(x)) for _, x in self.arrays.values()}
        result = [
            strided_sample(x) for _, x in self.found.arrays.values() if id(owner(x)) not in read
        ]
        return [(x, x.tobytes()) for x in result]

    def number(self, mapping: Numbers, key: Hashable) -> Expr:
        """A number in a dict of the caller that each call reads."""
        place = id(mapping), key
        if place not in self.numbers:
            e = placeholder("float64", [], str(key))
            self.numbers[place] = e, mapping, key, mapping[key]
        return self.numbers[place][0]

    def remember(self, mapping: Container, name: str) -> None:
        """Save the contents of a dict, to restore them when the trace ends."""
        self.kept.append((name, mapping, mapping.copy()))

    def entry(self, mapping: dict[Any, Any], key: Hashable, x: object) -> None:
        """Store the holder `x` in a dict; each call stores a new one."""
        mapping[key] = x
        self.entries.append((mapping, key, x))

    def guard(self, look: Callable[[], object]) -> None:
        """Keep the trace valid only while `look` returns its present result."""
        if all(look != known for known, _ in self.looks):
            self.looks.append((look, look()))

    def with_each_call(self, done: Callable[[], None]) -> None:
        """Call `done` after each call."""
        self.calls.append(done)

    def forget(self, watched: set[int]) -> None:
        """Drop what only tracing needs: reachable objects, and the first arguments."""
        self.given[:] = [g for g in self.given if not g.is_captured or id(g) in watched]
        for g in self.given:
            g.before = None
            if not g.is_captured:
                g.x = None
        self.found, self.captured = Surroundings([]), {}
        self.kept, self.cells, self.named, self.drawing = [], [], [], []
        self.copies = []

    def restore_state(self) -> list[str]:
        """Restore containers, names and generators; returns the names of the changed ones."""
        own = {(id(mapping), key) for mapping, key, _ in self.entries}
        wrong = [name for each in self.kept for name in restore_container(*each, own)]
        for cls, members in self.found.classes:
            wrong += [f"{cls.__name__}.{k}" for k in restore_members(cls, members)]
        for name, cell, before in self.cells:
            if not has_contents(cell) or cell.cell_contents is not before:
                cell.cell_contents = before
                wrong.append(name)
        for names, name, before in self.named:
            if names.get(name) is not before:
                names[name] = before
                wrong.append(name)
        for name, x, before in self.copies:
            if x.tobytes() != before.tobytes():
                np.copyto(x, before)
                wrong.append(name)
        for name, generator, state in self.drawing:
            if not is_same_state(state, state_of(generator)):
                set_state(generator, state)
                self.drawn.append(name)
        return wrong


def owner(x: np.ndarray) -> np.ndarray:
    """The array that owns the memory of an array."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x


def strided_sample(x: np.ndarray) -> np.ndarray:
    """The array, or a strided sample of a large one."""
    if x.nbytes <= SMALL:
        return x
    most = max(1, int((SMALL / 8 / x.itemsize) ** (1 / x.ndim)))
    return x[tuple(slice(None, None, -(-n // most)) for n in x.shape)]


@contextmanager
def building(inside: TraceContext) -> Iterator[None]:
    """Build in the graph of a trace, as its only thread."""
    with LOCK, inside.graph.as_default(), set_context(TRACING, inside):
        yield


@contextmanager
def resume(inside: TraceContext, givens: Sequence[TracedHolder]) -> Iterator[None]:
    """Put captured holders into the state that the trace left, to build on its results."""
    with building(inside):
        before = [(g, g.kind.state(g.x)) for g in givens if g.is_captured]
        try:
            for g, _ in before:
                g.kind.restore(g.x, g.after)
            yield
        finally:
            for g, state in reversed(before):
                g.kind.restore(g.x, state)
