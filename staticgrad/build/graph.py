"""The graph a program builds: unique names, scopes, and a default graph per thread and task."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from gradops import FetchError, GraphError
from gradops.core.source_location import here, short

from ..ir.expr import Expr
from ..ir.names import Enclosure, Names
from . import fast_path as fast_path
from .suggest import nearest

if TYPE_CHECKING:
    from .inputs import Variable

__all__ = [
    "Graph", "add_to_collection", "get_collection", "get_default_graph", "global_variables",
    "name_scope", "reset_default_graph", "trainable_variables",
]  # fmt: skip

DEFAULT: "ContextVar[Graph]" = ContextVar("default_graph")


class Graph:
    """A graph under construction: expressions with unique names, isolated from other graphs.

    >>> g = sg.Graph()
    >>> with g.as_default():
    ...     x = sg.placeholder("float32", [3], name="x")
    ...     y = x * 2
    >>> [e.name for e in g.get_operations()]
    ['x', 'constant', 'mul']
    """

    def __init__(self, name: str = "graph") -> None:
        self.name = name
        self.members: dict[str, Expr] = {}
        self.token: Expr | None = None  # orders effects: see Note [Effects]
        self.checks: list[Expr] = []
        self.variables: list[Variable] = []
        self.collections: dict[str, list[Any]] = {}
        self.callees: dict[Any, Any] = {}  # the functions called in it, by control/calls.py
        self.seed: int | None = None  # of random numbers: see Note [Seeds]
        self.run_number: Expr | None = None
        self.steps: set[Expr] = set()  # step counters of loops that draw random numbers
        self.frozen: set[Expr] = set()  # fetched or fed, so that their shapes are final
        self.wider: dict[Expr, Expr] = {}  # by narrow form: see Note [Residuals]
        self.derivatives: dict[Expr, list[str]] = {}  # what results of `gradients` are, in words
        self.inside: dict[Expr, Enclosure] = {}  # of expressions in bodies: see Note [Bodies]
        self.names = Names(self, f"{name!r} (made at {short(here())})")

    @contextmanager
    def as_default(self) -> Iterator["Graph"]:
        """Build in this graph inside a `with` block."""
        token = DEFAULT.set(self)
        try:
            yield self
        finally:
            DEFAULT.reset(token)

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Prefix `name/` to the names of expressions built inside a `with` block.

        As in TensorFlow, a name that ends in `/` is taken as it is, which opens a scope again, and
        an empty one, or None, leaves all scopes.
        """
        if not isinstance(name, str | None):
            raise GraphError(f"the name of a scope is a string or None, not {name!r}")
        name = name or ""
        again = not name or name.endswith("/")
        with self.names.scope(name if again else f"{self.names.unique_valid(name)}/") as prefix:
            yield prefix

    def finalize(self) -> None:
        """Refuse further expressions."""
        self.names.finalized = self.names.finalized or here()

    def add_to_collection(self, name: str, value: object) -> None:
        """Keep something with the graph under the name of a collection."""
        self.collections.setdefault(name, []).append(value)

    def get_collection(self, name: str) -> list[Any]:
        """The values in a collection; TensorFlow's collections of variables have the variables.

        >>> with sg.Graph().as_default() as g:
        ...     w = sg.Variable(1.0, name="w")
        >>> g.get_collection("trainable_variables")
        [<variable w: float32[]>]
        """
        values = list(self.collections.get(name, ()))
        if name in ("variables", "global_variables"):
            values += self.variables
        if name == "trainable_variables":
            values += [v for v in self.variables if v.trainable]
        return values

    def get_operations(self) -> list[Expr]:
        """All expressions built so far, in order."""
        return list(self.members.values())

    def find(self, name: str) -> Expr | None:
        """The expression called `name`, or None; TensorFlow's `x:0` is `x`."""
        result = self.members.get(name)
        return self.members.get(name.removesuffix(":0")) if result is None else result

    def get_tensor_by_name(self, name: str) -> Expr:
        """The expression called `name`; raises FetchError with the nearest name if there is none.

        TensorFlow's output number is accepted: `x:0` is `x`.
        """
        result = self.find(name) if isinstance(name, str) else None
        if result is None:
            raise FetchError(
                f"{self.name!r} has no expression called {name!r}{nearest(str(name), self.members)}"
            )
        return result

    def __bool__(self) -> bool:
        return True  # an empty graph is a graph

    def __contains__(self, e: object) -> bool:
        return isinstance(e, Expr) and e.names is self.names

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"<Graph {self.name!r} of {len(self)} expressions>"


def get_default_graph() -> Graph:
    """The current default graph; each thread and task begins with an empty one.

    >>> with sg.Graph().as_default() as g:
    ...     sg.get_default_graph() is g
    True
    """
    result = DEFAULT.get(None)
    if result is None:
        result = Graph("default")
        DEFAULT.set(result)
    return result


def rename(e: object, name: str) -> Expr:
    """The expression `e`, just built, under another name."""
    if not isinstance(e, Expr) or e.names is None:
        raise TypeError(f"name={name!r} names an expression, not {type(e).__name__}")
    if (graph := e.graph) is not None:
        del graph.members[e.name]
    e.names.release(e.name)
    e.name = e.names.unique_valid(name)
    return e.names.add(e)


def global_variables() -> "list[Variable]":
    """The variables of the default graph, in the order in which they were made.

    >>> w = sg.Variable(1.0)
    >>> w in sg.global_variables()
    True
    """
    return get_default_graph().get_collection("global_variables")


def trainable_variables() -> "list[Variable]":
    """The variables of the default graph that are trained.

    >>> step = sg.Variable(0, trainable=False)
    >>> step in sg.trainable_variables()
    False
    """
    return get_default_graph().get_collection("trainable_variables")


def add_to_collection(name: str, value: object) -> None:
    """Keep something with the default graph under the name of a collection.

    >>> sg.add_to_collection("losses", sg.constant(1.0))
    >>> len(sg.get_collection("losses"))
    1
    """
    get_default_graph().add_to_collection(name, value)


def get_collection(name: str) -> list[Any]:
    """The values in a collection of the default graph; see `add_to_collection`."""
    return get_default_graph().get_collection(name)


def reset_default_graph() -> None:
    """Begin again with an empty default graph.

    >>> sg.reset_default_graph()
    >>> len(sg.get_default_graph())
    0
    """
    DEFAULT.set(Graph("default"))


@contextmanager
def name_scope(
    name: str | None, default_name: str | None = None, values: object = None
) -> Iterator[str]:
    """Prefix `name/` to the names of expressions built inside a `with` block.

    Without a name it is `default_name`; without either, all scopes are left. A name that ends in
    `/` is taken as it is. `values` has no effect; TensorFlow has it.

    >>> with sg.name_scope("layer"):
    ...     sg.placeholder("float32", [2], name="x").name
    'layer/x'
    """
    with get_default_graph().name_scope(default_name if name is None else name) as prefix:
        yield prefix
