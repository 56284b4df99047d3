"""The stand-ins inside a trace for arguments and for what a program reads from outside.

Note [Captures]. While a program is traced, every holder that it can reach holds an expression, and
so whatever the program does with it, by whichever way, is built and not computed. When the trace
ends, all of them are as they were. One thread traces at a time, since others see the same holders.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from gradops import GraphError, TransformError, leaves_of, type_of
from gradops.core.levels import TRACING
from gradops.core.tracer_protocol import held, is_holder

from ..build.graph import Graph
from ..build.guards import is_same, is_same_state, set_state, state_of
from ..build.inputs import placeholder
from ..build.surroundings import Surroundings
from ..build.tracing import expression, placeholder_like
from ..ir.expr import Expr
from ..ir.names import held_at

LOCK = threading.RLock()
SMALL = 1 << 16  # bytes up to which arrays are compared with what they held, all of them


class Given:
    """A holder that the program is given or reaches: the expressions that stand for it inside.

    `inside` is what the program sees: the holder itself, or for an argument another in its place.
    """

    def __init__(self, x: Any, name: str, index: int | None = None, base: Any = None) -> None:
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
        """Let the holder hold the expression for it."""
        if self.base is None:
            self.kind.enter(self.x, self.feed, self.grad)
        else:
            self.kind.enter_view(self.x, self.grad)

    @property
    def is_replaced(self) -> bool:
        """Whether the program gave the holder other memory, as by `x.data = y`."""
        return self.kind.memory(self.inside) is not self.memory

    @property
    def is_captured(self) -> bool:
        """Whether the program reaches it by itself."""
        return self.index is None

    def of(self, leaves: Sequence[Any]) -> Any:
        """The holder of a call whose arguments are `leaves`."""
        return self.x if self.index is None else leaves[self.index]

    def refuse_unfit(self) -> None:
        """Refuse what the program did to a holder if a call could not do it."""
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
        """Take what the program left, and let the holder be as it was."""
        if self.is_captured:
            self.after = self.kind.state(self.x)
            self.kind.restore(self.x, self.before)


class Inside:
    """A program while it is traced: what its holders, arrays and numbers stand for."""

    name = "sg.function"

    def __init__(self, graph: Graph, found: Surroundings) -> None:
        self.graph, self.found = graph, found
        self.given: list[Given] = []
        self.given_captured = False  # whether an argument is captured as well
        self.captured: dict[int, Given] = {}
        self.arrays: dict[int, tuple[Expr, np.ndarray[Any, Any]]] = {}
        self.outside = {id(owner(x)): owner(x) for _, x in found.arrays.values()}
        self.numbers: dict[tuple[int, Any], tuple[Expr, Any, Any, Any]] = {}
        self.kept: list[tuple[str, Any, Any]] = []
        self.entries: list[tuple[Any, Any, Any]] = []
        self.copies: list[tuple[str, Any, Any]] = []
        self.drawing: list[tuple[str, Any, Any]] = []
        self.drawn: list[str] = []
        self.cells: list[tuple[str, Any, Any]] = []
        self.named: list[tuple[dict[str, Any], str, Any]] = []
        self.looks: list[tuple[Callable[[], Any], Any]] = []
        self.calls: list[Callable[[], None]] = []

    def __str__(self) -> str:
        return self.name

    def enter(self) -> None:
        """Let all that was found hold expressions, and remember what containers hold."""
        self.cells = [(name, cell, cell.cell_contents)
                      for name, cell in self.found.cells if filled(cell)]  # fmt: skip
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
        """Let all holders be as they were, those that come from others last."""
        for given in reversed(self.given):
            given.leave()

    def argument(self, x: Any, index: int, name: str) -> Any:
        """The stand-in for an argument; a holder that is captured as well is its own."""
        if id(x) in self.captured:
            self.given_captured = True
            return x
        given = Given(x, name, index)
        self.given.append(given)
        return given.inside

    def capture(self, x: Any, name: str) -> None:
        """Let a holder from outside hold an expression, unless it does."""
        if id(x) in self.captured or isinstance(held(x), Expr):
            return
        base = self.found.bases[id(x)] if id(x) in self.found.bases else x.__gradop_kind__.base(x)
        self.captured[id(x)] = given = Given(x, name, None, base)
        self.given.append(given)

    def constant(self, x: Any, make: Callable[[], Expr]) -> Expr:
        """The expression for an array, which is read in each call if it lies in memory outside."""
        if id(owner(x)) not in self.outside:
            return make()
        result = self.arrays.get(id(x))
        if result is None:
            result = self.arrays[id(x)] = make(), x
        return result[0]

    def result(self, x: Any) -> Expr:
        """A value that a program returned, or left somewhere, as an expression."""
        value = held(x)
        if isinstance(value, np.ndarray):
            return self.constant(value, lambda: expression(value))
        return expression(value)

    def unread(self) -> list[tuple[Any, bytes]]:
        """Arrays that became no operand, but may have been computed with, and what is there.

        Numbers that NumPy or Python took from them are part of the program. Large ones are looked
        at here and there.
        """
        read = {id(owner(x)) for _, x in self.arrays.values()}
        result = [sample_of(x) for _, x in self.found.arrays.values() if id(owner(x)) not in read]
        return [(x, x.tobytes()) for x in result]

    def number(self, mapping: Any, key: Any) -> Expr:
        """A number in a dict of the caller, which is read in each call."""
        place = id(mapping), key
        if place not in self.numbers:
            e = placeholder("float64", [], str(key))
            self.numbers[place] = e, mapping, key, mapping[key]
        return self.numbers[place][0]

    def remember(self, mapping: Any, name: str) -> None:
        """Keep what a dict holds, to put it back when the trace ends."""
        self.kept.append((name, mapping, mapping.copy()))

    def entry(self, mapping: Any, key: Any, x: Any) -> None:
        """Let a dict have the holder `x` under a key, after each call another one."""
        mapping[key] = x
        self.entries.append((mapping, key, x))

    def guard(self, look: Callable[[], Any]) -> None:
        """Let the trace hold only as long as `look` gives what it gives now."""
        if all(look != known for known, _ in self.looks):
            self.looks.append((look, look()))

    def with_each_call(self, done: Callable[[], None]) -> None:
        """Have something done after each call."""
        self.calls.append(done)

    def forget(self, watched: set[int]) -> None:
        """Let go of what only the trace needed: what was searched, and the first arguments."""
        self.given[:] = [g for g in self.given if not g.is_captured or id(g) in watched]
        for g in self.given:
            g.before = None
            if not g.is_captured:
                g.x = None
        self.found, self.captured = Surroundings([]), {}
        self.kept, self.cells, self.named, self.drawing = [], [], [], []
        self.copies = []

    def restored(self) -> list[str]:
        """Put back what containers and names stood for; the names of those that were changed."""
        own = {(id(mapping), key) for mapping, key, _ in self.entries}
        wrong = [name for each in self.kept for name in put_back(*each, own)]
        for cls, members in self.found.classes:
            wrong += [f"{cls.__name__}.{k}" for k in put_back_members(cls, members)]
        for name, cell, before in self.cells:
            if not filled(cell) or cell.cell_contents is not before:
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


def put_back(name: str, x: Any, before: Any, own: set[Any]) -> list[str]:
    """Let a container have what it had; what was changed of it, but for what calls change.

    Values that a dict was given while tracing, and that no call could make stale, stay there.
    """
    if is_same(x, before):
        return []
    if not isinstance(x, dict):
        x.clear()
        x.extend(before)
        return [name]
    wrong = [k for k, v in before.items() if x.get(k, x) is not v]
    for k in x.keys() - before.keys():
        if (id(x), k) in own or is_traced(x[k]):
            wrong += [] if (id(x), k) in own else [k]
            del x[k]
    x.update(before)
    return [f"{name}.{k}" if isinstance(k, str) else f"{name}[{k!r}]" for k in wrong]


def is_traced(x: Any) -> bool:
    """Whether something that was put into a dict depends on what is traced."""
    return any(isinstance(held(leaf), Expr) or not is_memo(leaf) for leaf in leaves_of(x))


def is_memo(x: Any) -> bool:
    """Whether a value is one that a program keeps to save time, and not one that it counts."""
    return is_value(x) or isinstance(x, tuple | FunctionType)


def put_back_members(cls: type, members: dict[str, Any]) -> list[str]:
    """Let a class have the members that it had; the names of those that were changed."""
    wrong = [k for k, v in members.items() if vars(cls).get(k, cls) is not v]
    for k in wrong:
        setattr(cls, k, members[k])
    return wrong


def owner(x: np.ndarray[Any, Any]) -> Any:
    """The array whose memory an array is a view of."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x


def sample_of(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array, or of a large one a view of entries here and there."""
    if x.nbytes <= SMALL:
        return x
    most = max(1, int((SMALL / 8 / x.itemsize) ** (1 / x.ndim)))
    return x[tuple(slice(None, None, -(-n // most)) for n in x.shape)]


def filled(cell: Any) -> bool:
    """Whether a cell of a closure holds something yet."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


@contextmanager
def building(inside: Inside) -> Iterator[None]:
    """Build in the graph of a trace, whose programs draw no random numbers."""
    with LOCK, inside.graph.as_default(), held_at(TRACING, inside):
        yield


@contextmanager
def again(inside: Inside, givens: Sequence[Given]) -> Iterator[None]:
    """Let captured holders be as the trace left them: for what is built from its results later."""
    with building(inside):
        before = [(g, g.kind.state(g.x)) for g in givens if g.is_captured]
        try:
            for g, _ in before:
                g.kind.restore(g.x, g.after)
            yield
        finally:
            for g, state in reversed(before):
                g.kind.restore(g.x, state)


def refuse_changes(wrong: Sequence[str], drawn: Sequence[str], name: str) -> None:
    """Refuse a program that changes what is no value: that would happen once, and in no call."""
    if drawn:
        raise TransformError(
            f"{name} takes values from {', '.join(drawn)} while it is traced, which would be the"
            " same in every call\n  hint: sg.random_normal(shape) and its like draw anew in each"
            " call, gradops.random_normal(key, ...) by a key; or pass the numbers in as arguments"
        )
    if wrong:
        raise GraphError(
            f"{name} changes {', '.join(dict.fromkeys(wrong))} while it is traced, which would"
            " happen once, and not in each call\n  hint: return what is new; tensors can be"
            " written to in place, as by copy_() under no_grad()"
        )


def is_value(x: Any) -> bool:
    """Whether an argument is fed, and not part of the program."""
    return is_holder(x) or isinstance(x, np.ndarray | np.generic)
