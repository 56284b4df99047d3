"""Sessions: the values of variables, and runs that read and change them."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import Token
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import FeedError, FetchError, GraphError
from gradops.core.source_location import here

from ..build.effects import warn_of_dead_effects
from ..build.graph import Graph, get_default_graph
from ..build.suggest import nearest
from ..export.methods import add_display
from ..freezing.freezer import freeze, unknown_feed
from ..ir.errors import require_all
from ..ir.expr import Expr, Kind, sequence
from ..ir.names import SESSION
from ..ir.reachability import by_age
from ..passes.levels import pipeline_for
from .backends.choice import executable_for, require_backend
from .blocks import Block, Blocked, with_blocks
from .checking.debugging import run_watched
from .executable import Executable
from .feeds import as_feed, single_feeds
from .fetches import flattened_fetches
from .variables import VariableValues, without_constants

if TYPE_CHECKING:
    from gradops.inspection.timeline.memory import MemoryTimeline
    from gradops.inspection.timeline.profile import Profile


Feeds = Mapping[Any, Any] | None
Run = Callable[..., Any] | None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The values of variables, by name: arrays that nothing changes. `Session.restore` takes it."""

    values: Mapping[str, np.ndarray[Any, Any]]

    def __repr__(self) -> str:
        return f"<Snapshot of {len(self.values)} variables>"


@dataclass(frozen=True)
class Plan:
    """The executable of a session for one choice of fetches and feeds, and how to use it."""

    executable: Executable
    fetches: tuple[Expr, ...]
    feeds: tuple[Expr, ...]
    variables: tuple[Expr | Block, ...]
    updated: tuple[Expr | Block, ...]
    constant: Mapping[Expr, np.ndarray[Any, Any]]  # the new values that are known

    @cached_property
    def valued(self) -> tuple[bool, ...]:
        """For each fetch, whether it has a value; a group has none."""
        return tuple([e.kind is not Kind.GROUP for e in self.fetches])

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of variables that it reads and changes."""
        return tuple([b for b in self.variables if isinstance(b, Block)])

    @cached_property
    def is_plain(self) -> bool:
        """True if the executable returns the fetches and nothing else."""
        return not (self.updated or self.constant) and all(self.valued)

    @cached_property
    def checked(self) -> Executable:
        """The executable that stops at the first value that is not finite."""
        executable = self.executable
        return Executable(executable.written, executable.pipeline, check_numerics=True)


class Session:
    """Runs parts of a graph, and owns the values of its variables.

    A variable begins with its initial value. In a `with` block, what is evaluated by `eval` is
    evaluated in it. Plans are compiled once per choice of fetches and feeds, for the `backend`,
    "numpy", "native" or "auto": see `compile`. A run that fails changes no variable. A session may
    be used from many threads; their runs follow one another.

    >>> x = sg.placeholder("float32", [None], name="x")
    >>> w = sg.Variable(2.0, name="w")
    >>> with sg.Session() as session:
    ...     session.run({"y": x * w}, {x: [1.0, 2.0]})
    {'y': array([2., 4.], dtype=float32)}
    """

    def __init__(
        self, graph: Graph | None = None, optimize: int = 2, backend: str | None = None
    ) -> None:
        self.graph = get_default_graph() if graph is None else graph
        if not isinstance(self.graph, Graph):
            hint = "Session() runs the default graph"
            raise GraphError(f"a session runs a Graph, not {graph!r}\n  hint: {hint}")
        self.optimize, self.backend = optimize, require_backend("Session", backend)
        self.values = VariableValues()
        self.plans: dict[Any, Plan] = {}
        self.lock = threading.RLock()  # what debugs a run may run in turn
        self.entered: list[Token[Any]] = []
        self.has_run = False

    def __enter__(self) -> "Session":
        self.entered.append(SESSION.set(self))
        return self

    def __exit__(self, *exception: object) -> None:
        SESSION.reset(self.entered.pop())
        self.close()

    def close(self) -> None:
        """Release the values of variables and the compiled plans; the session may begin again."""
        self.values.clear()
        self.plans.clear()

    def run(
        self, fetches: Any, feed_dict: Feeds = None, *, debug: Any = None,
        check_numerics: bool = False,
    ) -> Any:  # fmt: skip
        """The values of `fetches`, in their structure.

        Fetches are expressions, names of expressions, or nested lists, tuples, dicts and
        dataclasses of these. `feed_dict` maps expressions, or names, or tuples of them, to values;
        anything can be fed, also what the graph would compute. Raises FetchError, FeedError.

        With `debug` what was written is run node by node, unoptimised: `debug(expression, value)`
        is called with each value, inside loops too, or with True each is printed to the standard
        error. With `check_numerics` the first value that is infinite or no number raises
        NotFiniteError, which names it, its operands and its line.
        """
        feeds = self.feeds(feed_dict)
        leaves, rebuild = flattened_fetches(fetches)
        plan = self.plan([self.fetched(e) for e in leaves], list(feeds))
        values = [feeds[e] for e in plan.feeds]
        with self.lock:
            if check_numerics or debug:
                plan = self.apart(plan)
            if check_numerics and not debug:
                return self.execute(plan, values, rebuild, plan.checked)
            if debug:
                graph = plan.executable.written
                run = lambda *values: run_watched(graph, values, debug, check_numerics)
                return self.execute(plan, values, rebuild, run)
            return self.execute(plan, values, rebuild)

    def feeds(self, feed_dict: Feeds) -> dict[Expr, Any]:
        """The values that are fed, by expression."""
        if feed_dict is None:
            return {}
        if not isinstance(feed_dict, Mapping):
            kind = type(feed_dict).__name__
            raise FeedError(f"feed_dict maps expressions to values; got a {kind}")
        given = list(feed_dict.items())
        for key in feed_dict:
            if isinstance(key, tuple):
                given = [each for pair in given for each in single_feeds(*pair)]
                break
        feeds = {self.fed(key): value for key, value in given}
        if len(feeds) < len(given):
            raise FeedError("an expression is fed twice, once by its name or in a tuple")
        return feeds

    def execute(
        self, plan: Plan, values: Sequence[Any], rebuild: Callable[[Any], Any], run: Run = None
    ) -> Any:
        """Run a plan with the values of its feeds; change variables when the results are there."""
        if not all(map(self.values.can_join, plan.blocks)):
            plan = self.apart(plan)
        if plan.variables:
            values = [*values, *map(self.values.current, plan.variables)]
        results = (run or plan.executable)(*values)
        if not self.has_run:  # from now on there is a warning if the graph grows
            self.has_run = True
            self.graph.names.note_run(here())
        if plan.is_plain:
            return rebuild(results)
        rest = iter(results)
        result = rebuild([next(rest) if v else None for v in plan.valued])
        for variable, new in zip(plan.updated, rest, strict=True):
            self.values.put(variable, np.asarray(new))
        self.values.update(plan.constant)
        return result

    def plan(self, fetches: list[Expr], feeds: list[Expr]) -> Plan:
        """The plan for these fetches, and feeds in any order; compiled at the first use."""
        feeds = sorted(feeds, key=by_age)
        key = tuple(fetches), tuple(feeds)
        result = self.plans.get(key)
        if result is None:
            result = self.plans[key] = self.compiled(fetches, feeds)
        return result

    def compiled(self, fetches: Sequence[Expr], feeds: Sequence[Expr], join: bool = True) -> Plan:
        """Freeze, optimise and compile; with `join`, variables may be in blocks or share arrays."""
        graph = freeze(fetches, feeds)
        warn_of_dead_effects(self.graph, fetches, feeds)
        graph, known = without_constants(graph) if join else (graph, {})
        blocked = with_blocks(graph) if join and self.optimize else Blocked(graph, {})
        places = {e: self.place(e, blocked) for e in blocked.graph.inputs[len(feeds) :]
                  if e.kind is Kind.VARIABLE}  # fmt: skip
        updated = [places[v] for v, _ in blocked.graph.updates]
        computes = any(e.kind is Kind.OP for e in blocked.graph.order)
        backend = self.backend if computes else "interpreter"  # copies need no code
        executable = executable_for(backend, blocked.graph, pipeline_for(self.optimize))
        constant = {self.graph.members[v.name]: new for v, new in known.items()}
        return Plan(
            executable, tuple(fetches), tuple(feeds), tuple(places.values()), tuple(updated),
            constant,
        )  # fmt: skip

    def place(self, e: Expr, blocked: Blocked) -> Expr | Block:
        """The variable of the session's graph that an input is, or its block of such variables."""
        block = blocked.blocks.get(e)
        if block is None:
            return self.graph.members[e.name]
        return self.values.block(tuple([self.graph.members[v.name] for v in block.variables]))

    def apart(self, plan: Plan) -> Plan:
        """The plan without blocks, which computes constants, too."""
        if not (plan.blocks or plan.constant):
            return plan
        key = plan.fetches, plan.feeds, "apart"
        if key not in self.plans:
            self.plans[key] = self.compiled(plan.fetches, plan.feeds, join=False)
        return self.plans[key]

    def fetched(self, e: Any) -> Expr:
        """An expression of this session's graph, given itself or by its name."""
        if isinstance(e, Expr) and e.names is self.graph.names:
            return e
        if isinstance(e, str):
            return self.graph.get_tensor_by_name(e)
        if not isinstance(e, Expr):
            raise FetchError(f"{e!r} is neither an expression nor the name of one")
        owner = e.names.label if e.names else "a frozen graph"
        raise FetchError(
            f"{e.label} belongs to {owner}, the session to {self.graph.names.label}"
            "\n  hint: open the session with the graph it was built in: Session(graph)"
        )

    def fed(self, key: Any) -> Expr:
        """The expression that a feed is for."""
        if isinstance(key, Expr):
            return self.fetched(key)
        if not isinstance(key, str):
            raise FeedError(f"{key!r} is neither an expression nor the name of one")
        result = self.graph.find(key)
        if result is None:
            raise unknown_feed(key, self.graph.members)
        return result

    def profile(self, fetches: Any, feed_dict: Feeds = None, repeat: int = 10) -> "Profile":
        """Where a run of `fetches` spends its time; see `Executable.profile`.

        The runs begin with the current values of variables, and change none.

        >>> x = sg.placeholder("float64", [8], name="x")
        >>> profile = sg.Session().profile(sg.exp(x), {x: np.zeros(8)})
        >>> [row.name for row in profile.by("op") if row.flops]
        ['exp']
        """
        with self.lock:
            executable, values = self.run_of(fetches, feed_dict)
            return executable.profile(values, repeat)

    def run_of(self, fetches: Any, feed_dict: Feeds) -> tuple[Executable, list[Any]]:
        """The executable of fetches, and the values of its inputs in the run to come."""
        feeds = self.feeds(feed_dict)
        leaves, _ = flattened_fetches(fetches)
        plan = self.plan([self.fetched(e) for e in leaves], list(feeds))
        current = map(self.values.current, plan.variables)
        return plan.executable, [*(feeds[e] for e in plan.feeds), *current]

    def timeline(self, fetches: Any, feed_dict: Feeds = None) -> "MemoryTimeline":
        """The memory of a run of `fetches` by step; see `Executable.timeline`. Nothing is run.

        >>> x = sg.placeholder("float64", ["n"], name="x")
        >>> sg.Session().timeline(sg.reduce_sum(sg.exp(x)), {x: np.zeros(1000)})
        <MemoryTimeline of 3 steps, peak 8.01 kB>
        """
        with self.lock:
            executable, values = self.run_of(fetches, feed_dict)
            return executable.timeline(values)

    def inspect(
        self, fetches: Any, path: str | os.PathLike[str], feed_dict: Feeds = None, **options: Any
    ) -> None:
        """Write the page of a run of `fetches`; see `Executable.inspect`, also for options.

        A run is profiled, with the current values of variables, of which none changes.

        >>> x = sg.placeholder("float64", [8], name="x")
        >>> sg.Session().inspect(sg.exp(x), "exp.html", {x: np.zeros(8)})
        """
        with self.lock:
            executable, values = self.run_of(fetches, feed_dict)
            executable.inspect(path, values, **options)

    def make_callable(self, fetches: Any, feed_list: Any = ()) -> Callable[..., Any]:
        """A function of the values of `feed_list`, one or several, that runs `fetches`.

        >>> x = sg.placeholder("float32", [], name="x")
        >>> sg.Session().make_callable(x * x, [x])(3.0)
        np.float32(9.0)
        """
        feeds = [self.fed(key) for key in sequence(feed_list)]
        leaves, rebuild = flattened_fetches(fetches)
        plan = self.plan([self.fetched(e) for e in leaves], feeds)
        by_feed = {e: i for i, e in enumerate(feeds)}
        places = [by_feed[e] for e in plan.feeds]
        is_sorted = places == sorted(places)

        def call(*values: Any) -> Any:
            if len(values) != len(places):
                require_all(feeds, len(values))
            with self.lock:
                given = values if is_sorted else [values[i] for i in places]
                return self.execute(plan, given, rebuild)

        return call

    def partial(self, fetches: Any, feed_dict: Feeds = None) -> Callable[..., Any]:
        """A function that runs `fetches` with the feeds of `feed_dict`, and those that it is given.

        It takes them by name, or as a mapping like `feed_dict`; they stand before those fixed here,
        as with `functools.partial`.

        >>> x, rate = (sg.placeholder("float32", [], name=name) for name in ("x", "rate"))
        >>> step = sg.Session().partial(x * rate, {rate: 0.5})
        >>> step(x=3.0), step({x: 3.0}, rate=2.0)
        (np.float32(1.5), np.float32(6.0))
        """
        leaves, rebuild = flattened_fetches(fetches)
        wanted = [self.fetched(e) for e in leaves]
        fixed = {e: as_feed(e, value) for e, value in self.feeds(feed_dict).items()}

        def call(feed_dict: Feeds = None, /, **named: Any) -> Any:
            given, by_name = self.feeds(feed_dict), self.feeds(named)
            if twice := given.keys() & by_name.keys():
                raise FeedError(f"{min(e.name for e in twice)!r} is fed twice, once by its name")
            feeds = {**fixed, **given, **by_name}
            plan = self.plan(wanted, list(feeds))
            with self.lock:
                return self.execute(plan, [feeds[e] for e in plan.feeds], rebuild)

        return call

    def __repr__(self) -> str:
        return f"<Session of {self.graph.name!r} with {len(self.plans)} compiled plans>"

    def snapshot(self) -> Snapshot:
        """The values that all variables of the graph have now, for `restore`. Nothing is copied.

        >>> w = sg.Variable(1.0, name="w")
        >>> session = sg.Session()
        >>> before = session.snapshot()
        >>> session.run(w.assign(5.0)), before.values["w"]
        (np.float32(5.0), array(1., dtype=float32))
        >>> session.restore(before)
        >>> session.run(w)
        np.float32(1.0)
        """
        with self.lock:
            result = {e.name: self.values.current(e) for e in self.variables()}
        for value in result.values():
            value.flags.writeable = False  # a session replaces values and writes in none
        return Snapshot(MappingProxyType(result))

    def restore(self, values: Snapshot | Mapping[Any, Any]) -> None:
        """Set variables to the values of a snapshot, or of a mapping from names or variables.

        Variables that are not named keep their values. Raises FeedError, and changes nothing, if a
        name is not that of a variable or a value has another type than its variable.
        """
        kept = isinstance(values, Snapshot)
        given = values.values if isinstance(values, Snapshot) else values
        if not isinstance(given, Mapping):
            raise FeedError(f"restore takes a snapshot or a mapping, not a {type(given).__name__}")
        new: dict[Expr, np.ndarray[Any, Any]] = {}
        for key, value in given.items():
            variable = self.variable(key)
            if variable in new:
                raise FeedError(f"{variable.name!r} is given twice, once by its name")
            array = as_feed(variable, value)
            new[variable] = array if kept else np.array(array, order="C")
        with self.lock:
            self.values.update(new)

    def variables(self) -> list[Expr]:
        """The variables of the graph."""
        return [e for e in self.graph.get_operations() if e.kind is Kind.VARIABLE]

    def variable(self, key: Any) -> Expr:
        """A variable of the graph, given itself or by its name."""
        result = self.graph.find(key) if isinstance(key, str) else self.fed(key)
        if result is None or result.kind is not Kind.VARIABLE:
            name = key if result is None else result.name
            near = nearest(name, [v.name for v in self.variables()])
            raise FeedError(f"the graph has no variable called {name!r}{near}")
        return result


add_display(Session, "session_mimebundle")
