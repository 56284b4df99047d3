"""Sessions: the values of variables, and runs that read and change them."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradops import FeedError, FetchError, flatten

from ..frontend.freeze import freeze, unknown_feed
from ..frontend.graph import Graph, get_default_graph
from ..ir.expr import Expr, Kind
from ..ir.given import require_all
from .executable import Executable


@dataclass(frozen=True)
class Plan:
    """What a session compiled for one choice of fetches and feeds."""

    executable: Executable
    feeds: tuple[Expr, ...]
    variables: tuple[Expr, ...]
    updated: tuple[Expr, ...]


class Session:
    """Runs parts of a graph, and owns the values of its variables.

    A variable begins with its initial value. Plans are compiled once per choice of fetches and
    feeds. A run that fails changes no variable. A session may be used from many threads; their
    runs follow one another.

    >>> x = sg.placeholder("float32", [None], name="x")
    >>> w = sg.Variable(2.0, name="w")
    >>> with sg.Session() as session:
    ...     session.run({"y": x * w}, {x: [1.0, 2.0]})
    {'y': array([2., 4.], dtype=float32)}
    """

    def __init__(self, graph: Graph | None = None, optimize: int = 1) -> None:
        self.graph = get_default_graph() if graph is None else graph
        self.optimize = optimize
        self.values: dict[Expr, np.ndarray[Any, Any]] = {}
        self.plans: dict[Any, Plan] = {}
        self.lock = threading.Lock()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the values of variables and of what was compiled."""
        self.values.clear()
        self.plans.clear()

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """The values of `fetches`, in their structure.

        Fetches are expressions, names of expressions, or nested lists, tuples, dicts and
        dataclasses of these. `feed_dict` maps expressions, or names, to values; anything can be
        fed, also what the graph would compute. Raises FetchError, FeedError.
        """
        if not isinstance(feed_dict, Mapping | None):
            raise FeedError(
                f"feed_dict maps expressions to values; got a {type(feed_dict).__name__}"
            )
        feeds = {self.fed(key): value for key, value in (feed_dict or {}).items()}
        if len(feeds) < len(feed_dict or ()):
            raise FeedError("an expression is fed twice, once by its name")
        leaves, rebuild = flatten(fetches)
        plan = self.plan([self.fetched(e) for e in leaves], list(feeds))
        with self.lock:
            return self.execute(plan, feeds, rebuild)

    def execute(self, plan: Plan, feeds: Mapping[Expr, Any], rebuild: Callable[[Any], Any]) -> Any:
        """Run a plan, and only when its results are there change the variables."""
        values = [feeds[e] for e in plan.feeds]
        found = plan.executable(*values, *[self.value(v) for v in plan.variables])
        count = len(found) - len(plan.updated)
        result = rebuild(found[:count])
        for variable, new in zip(plan.updated, found[count:], strict=True):
            self.values[variable] = np.asarray(new)
        return result

    def plan(self, fetches: list[Expr], feeds: list[Expr]) -> Plan:
        """What is compiled for these fetches and feeds in any order, now or earlier."""
        feeds = sorted(feeds, key=lambda e: e.number)
        key = tuple(fetches), tuple(feeds)
        found = self.plans.get(key)
        if found is None:
            found = self.plans[key] = self.compiled(fetches, feeds)
        return found

    def compiled(self, fetches: list[Expr], feeds: list[Expr]) -> Plan:
        """Freeze, optimise and compile."""
        graph = freeze(fetches, feeds)
        variables = [e for e in graph.inputs[len(feeds) :] if e.kind is Kind.VARIABLE]
        originals = [self.graph.members[e.name] for e in variables]
        updated = [self.graph.members[v.name] for v, _ in graph.updates]
        executable = Executable(graph, self.optimize)
        return Plan(executable, tuple(feeds), tuple(originals), tuple(updated))

    def value(self, variable: Expr) -> np.ndarray[Any, Any]:
        """The value a variable has in this session."""
        found = self.values.get(variable)
        return variable.value if found is None else found

    def fetched(self, e: Any) -> Expr:
        """An expression of this session's graph, given itself or by its name."""
        if isinstance(e, str):
            return self.graph.get_tensor_by_name(e)
        if not isinstance(e, Expr):
            raise FetchError(f"{e!r} is neither an expression nor the name of one")
        if e not in self.graph:
            owner = e.names.label if e.names else "a frozen graph"
            raise FetchError(
                f"{e.label} belongs to {owner}, the session to {self.graph.names.label}"
                "\n  hint: open the session with the graph it was built in: Session(graph)"
            )
        return e

    def fed(self, key: Any) -> Expr:
        """The expression that a feed is for."""
        if isinstance(key, str):
            found = self.graph.find(key)
            if found is None:
                raise unknown_feed(key, self.graph.members)
            return found
        if not isinstance(key, Expr):
            raise FeedError(f"{key!r} is neither an expression nor the name of one")
        return self.fetched(key)

    def make_callable(self, fetches: Any, feed_list: Sequence[Any] = ()) -> Callable[..., Any]:
        """A function of the values of `feed_list` that runs `fetches`.

        >>> x = sg.placeholder("float32", [], name="x")
        >>> sg.Session().make_callable(x * x, [x])(3.0)
        np.float32(9.0)
        """
        feeds = [self.fed(key) for key in feed_list]
        leaves, rebuild = flatten(fetches)
        plan = self.plan([self.fetched(e) for e in leaves], feeds)

        def call(*values: Any) -> Any:
            require_all(feeds, len(values))
            with self.lock:
                return self.execute(plan, dict(zip(feeds, values, strict=True)), rebuild)

        return call
