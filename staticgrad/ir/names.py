"""The names of a graph, and the context in which it is being built."""

import re
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gradops import GraphError
from gradops.core.errors import GrowthWarning, OptionError
from gradops.core.source_location import Place, depth_of_user, describe, here

if TYPE_CHECKING:
    from .expr import Expr

T = TypeVar("T")
Feeds = Mapping[Any, object] | None
NOT_IN_NAMES = re.compile(r"[\s:]")
PREFIXES: "ContextVar[Mapping[Names, str]]" = ContextVar("prefixes", default=MappingProxyType({}))
CAUSE: "ContextVar[Expr | None]" = ContextVar("cause", default=None)
"""The forward expression whose gradient is being built."""
AFTER: "ContextVar[tuple[Expr, ...]]" = ContextVar("after", default=())
"""Control inputs of the expressions that are being built."""


class Session(Protocol):
    """A session, as expressions use it."""

    def run(self, fetches: object, feed_dict: Feeds = None) -> Any:
        """The values of fetches."""

    def restore(self, values: Mapping[Any, object]) -> None:
        """Set variables."""


SESSION: "ContextVar[Session | None]" = ContextVar("session", default=None)
"""The session whose `with` block this is."""


@dataclass(eq=False)
class Enclosure:
    """The body of a loop, branch or call; open while its function runs."""

    what: str
    is_open: bool = True


ENCLOSURE: "ContextVar[Enclosure | None]" = ContextVar("enclosure", default=None)
"""The body in which expressions are being built, which will be a graph of its own."""


@contextmanager
def set_context(variable: ContextVar[T], value: T) -> Iterator[None]:
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
    """The names of one graph: makes them unique, and registers new expressions in the graph.

    Expressions refer to this and not to the graph, which refers to them: there is no cycle.
    Threads and tasks may build one graph at once; each has its own scopes.
    """

    def __init__(self, graph: Any, label: str) -> None:
        self.graph, self.label = weakref.ref(graph), label
        self.counts: dict[str, int] = {}
        self.lock = Lock()
        self.finalized: Place | None = None
        self.ran: Place | None = None  # where the graph first ran, until the warning that it grows
        self.warned = False

    @property
    def home(self) -> Any:
        """The graph; raises GraphError if it no longer exists."""
        graph = self.graph()
        if graph is None:
            reason = "no longer exists: keep it while building in it"
            raise GraphError(f"the graph {self.label} {reason}")
        return graph

    @property
    def prefix(self) -> str:
        """The prefix of the open name scopes."""
        return PREFIXES.get().get(self, "")

    @property
    def origin(self) -> "Expr | None":
        """The expression of this graph whose gradient is being built, if any."""
        cause = CAUSE.get()
        return cause if cause is not None and cause.names is self else None

    @property
    def after(self) -> "tuple[Expr, ...]":
        """Control inputs of the expressions that are being built in this graph."""
        after = AFTER.get()
        return after if after and after[0].names is self else ()

    @contextmanager
    def scope(self, prefix: str) -> Iterator[str]:
        """Set the prefix of names inside a `with` block."""
        token = PREFIXES.set({**PREFIXES.get(), self: prefix})
        try:
            yield prefix
        finally:
            PREFIXES.reset(token)

    def unique(self, name: str) -> str:
        """`name` within the current scope, with a number if it is taken."""
        if not isinstance(name, str):
            raise GraphError(f"a name is a string, not {name!r}")
        prefixes, counts = PREFIXES.get(), self.counts
        full = prefixes[self] + name if prefixes and self in prefixes else name
        with self.lock:
            if full not in counts:
                counts[full] = 1
                return full
            return self.unique_after(full, counts[full])

    def unique_valid(self, name: str) -> str:
        """The unique name for `name`, which a user has chosen; see `valid_name`."""
        return self.unique(valid_name(name))

    def release(self, full: str) -> None:
        """Make a name available again."""
        with self.lock:
            if self.counts.get(full) == 1:
                del self.counts[full]

    def unique_after(self, full: str, count: int) -> str:
        """`full` with the first number from `count` on that is free."""
        counts = self.counts
        while (name := f"{full}_{count}") in counts:
            count += 1
        counts[full], counts[name] = count + 1, 1
        return name

    def add(self, e: "Expr") -> "Expr":
        """Register a new expression in the graph, if the graph still exists."""
        if self.finalized is not None or self.ran is not None:
            self.guard(e)
        graph = self.graph()
        if graph is not None:
            graph.members[e.name] = e
            if (inside := ENCLOSURE.get()) is not None:
                graph.inside[e] = inside
        return e

    def note_run(self, place: Place | None) -> None:
        """Record that the graph has run, unless its growth was warned of already."""
        if not self.warned:
            self.ran = self.ran or place

    def guard(self, e: "Expr") -> None:
        """Refuse an expression once the graph is finalized, and warn once it has been run."""
        if self.finalized is not None:
            raise GraphError(
                f"the graph is finalized: {e.label} cannot be added"
                f"\n  finalized at {describe(self.finalized)}"
                "\n  hint: build everything before finalize(), also gradients"
            )
        ran, self.ran, self.warned = self.ran, None, True
        message = (
            f"the graph {self.label} grows after it was run at {describe(ran)}: {e.label} is added"
            f" at {describe(here())}\n  hint: in a loop this takes more memory and compiles anew"
            " each time; build everything before the first run; graph.finalize() makes it an error"
        )
        warnings.warn(message, GrowthWarning, stacklevel=depth_of_user())


def valid_name(name: T) -> T:
    """A user's name for an expression; raises OptionError for spaces and colons."""
    if isinstance(name, str) and NOT_IN_NAMES.search(name):
        raise OptionError(
            "name", [repr(name)], "as in TensorFlow, names have no spaces and no colons",
            hint="write _ or / instead",
        )  # fmt: skip
    return name


def unique_name(name: str, taken: set[str]) -> str:
    """`name`, with a number if it is taken; from then on the result is."""
    result, i = name, 1
    while result in taken:
        result, i = f"{name}_{i}", i + 1
    taken.add(result)
    return result
