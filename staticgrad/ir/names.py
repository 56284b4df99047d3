"""The names of a graph, and the circumstances under which it is being built."""

import re
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from gradops import GraphError
from gradops.core.errors import GrowthWarning, OptionError
from gradops.core.source_location import Place, depth_of_user, describe, here

if TYPE_CHECKING:
    from .expr import Expr

NOT_IN_NAMES = re.compile(r"[\s:]")
PREFIXES: "ContextVar[Mapping[Names, str]]" = ContextVar("prefixes", default=MappingProxyType({}))
CAUSE: "ContextVar[Expr | None]" = ContextVar("cause", default=None)
"""The forward expression whose gradient is being built."""
AFTER: "ContextVar[tuple[Expr, ...]]" = ContextVar("after", default=())
"""What has to have run before what is being built."""


class Session(Protocol):
    """A session, as expressions use it."""

    def run(self, fetches: object, feed_dict: Mapping[Any, object] | None = None) -> Any:
        """The values of fetches."""

    def restore(self, values: Mapping[Any, object]) -> None:
        """Set variables."""


SESSION: "ContextVar[Session | None]" = ContextVar("session", default=None)
"""The session whose `with` block this is."""


@dataclass(eq=False)
class Enclosure:
    """A function of which a loop, branch or call makes a graph, and whether it still runs."""

    what: str
    is_open: bool = True


ENCLOSURE: "ContextVar[Enclosure | None]" = ContextVar("enclosure", default=None)
"""The function in which expressions are being built, which will be a graph of its own."""


@contextmanager
def held_at(variable: ContextVar[Any], value: Any) -> Iterator[None]:
    """Set a context variable inside a `with` block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def current_session(session: Session | None = None) -> Session:
    """`session`, or the one whose `with` block this is."""
    session = SESSION.get() if session is None else session
    if session is None:
        raise GraphError("there is no session\n  hint: open one, `with sg.Session():`, or give it")
    if not hasattr(session, "restore"):
        raise GraphError(f"{session!r} is not a session")
    return session


class Names:
    """The names of one graph: makes them unique, and tells the graph of what was built.

    Expressions hold this and not the graph, which holds them, so nothing refers in a circle.
    Threads and tasks may build one graph at once; each has its own scopes.
    """

    def __init__(self, graph: Any, label: str) -> None:
        self.graph, self.label = weakref.ref(graph), label
        self.counts: dict[str, int] = {}
        self.lock = Lock()
        self.finalized: Place | None = None
        self.ran: Place | None = None  # until it was warned that the graph grows all the same
        self.told = False

    @property
    def home(self) -> Any:
        """The graph; raises GraphError if it is no more."""
        graph = self.graph()
        if graph is None:
            raise GraphError(f"the graph {self.label} is no more: keep it while you build in it")
        return graph

    @property
    def prefix(self) -> str:
        """What the scopes that are open put before names."""
        return PREFIXES.get().get(self, "")

    @property
    def origin(self) -> "Expr | None":
        """The expression of this graph whose gradient is being built, if any."""
        cause = CAUSE.get()
        return cause if cause is not None and cause.names is self else None

    @property
    def after(self) -> "tuple[Expr, ...]":
        """What of this graph has to have run before what is being built."""
        after = AFTER.get()
        return after if after and after[0].names is self else ()

    @contextmanager
    def opened(self, prefix: str) -> Iterator[str]:
        """Put `prefix` before names inside a `with` block."""
        token = PREFIXES.set({**PREFIXES.get(), self: prefix})
        try:
            yield prefix
        finally:
            PREFIXES.reset(token)

    def unique(self, name: str) -> str:
        """`name` within the current scope, with a number if it is taken."""
        if not isinstance(name, str):
            raise GraphError(f"a name is a string, not {name!r}")
        full = self.prefix + name
        with self.lock:
            count = self.counts.get(full, 0)
            self.counts[full] = count + 1
            return full if not count else self.unique_after(full, count)

    def given(self, name: str) -> str:
        """The unique name for `name`, which a user has chosen; see `chosen_name`."""
        return self.unique(chosen_name(name))

    def release(self, full: str) -> None:
        """Let a name be used again that was given and is not wanted."""
        with self.lock:
            if self.counts.get(full) == 1:
                del self.counts[full]

    def unique_after(self, full: str, count: int) -> str:
        """`full` with the first number from `count` on that is free."""
        while (found := f"{full}_{count}") in self.counts:
            count += 1
        self.counts[full], self.counts[found] = count + 1, 1
        return found

    def add(self, e: "Expr") -> "Expr":
        """Enter a new expression in the graph, if the graph still exists."""
        if self.finalized is not None or self.ran is not None:
            self.guard(e)
        graph = self.graph()
        if graph is not None:
            graph.members[e.name] = e
            if (inside := ENCLOSURE.get()) is not None:
                graph.inside[e] = inside
        return e

    def note_run(self, place: Place | None) -> None:
        """Take down that the graph has been run, unless it was told what that means."""
        if not self.told:
            self.ran = self.ran or place

    def guard(self, e: "Expr") -> None:
        """Refuse an expression once the graph is finalized, and warn once it has been run."""
        if self.finalized is not None:
            raise GraphError(
                f"the graph is finalized: {e.label} cannot be added"
                f"\n  finalized at {describe(self.finalized)}"
                "\n  hint: build everything before finalize(), also gradients"
            )
        ran, self.ran, self.told = self.ran, None, True
        message = (
            f"the graph {self.label} grows after it was run at {describe(ran)}: {e.label} is added"
            f" at {describe(here())}\n  hint: in a loop this takes more memory and compiles anew"
            " each time; build everything before the first run; graph.finalize() makes it an error"
        )
        warnings.warn(message, GrowthWarning, stacklevel=depth_of_user())


def chosen_name(name: Any) -> Any:
    """A name that a user has chosen; OptionError if it has spaces or colons: `x:0` is `x`."""
    if isinstance(name, str) and NOT_IN_NAMES.search(name):
        raise OptionError(
            "name", [repr(name)], "as in TensorFlow, names have no spaces and no colons",
            hint="write _ or / instead",
        )  # fmt: skip
    return name
