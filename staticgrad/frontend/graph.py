"""The graph a program builds: unique names, scopes, and a default graph per thread and task."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from gradops import FetchError
from gradops.places import here, short

from ..ir.expr import Expr, Names
from .suggest import nearest

DEFAULT: "ContextVar[Graph]" = ContextVar("default_graph")


class Graph:
    """What a program builds: expressions with unique names, isolated from other graphs.

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
        self.wider: dict[Expr, Expr] = {}  # forms that keep more: see Note [Residuals]
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
    def name_scope(self, name: str) -> Iterator[str]:
        """Put `name/` before the names of what is built inside a `with` block.

        As in TensorFlow, a name that ends in `/` is taken as it is, which opens a scope again, and
        an empty one leaves all scopes.
        """
        again = not name or name.endswith("/")
        with self.names.opened(name if again else f"{self.names.unique(name)}/") as prefix:
            yield prefix

    def finalize(self) -> None:
        """Refuse further expressions."""
        self.names.finalized = self.names.finalized or here()

    def get_operations(self) -> list[Expr]:
        """Everything built so far, in order."""
        return list(self.members.values())

    def find(self, name: str) -> Expr | None:
        """The expression called `name`, or None; TensorFlow's `x:0` is `x`."""
        found = self.members.get(name)
        return self.members.get(name.removesuffix(":0")) if found is None else found

    def get_tensor_by_name(self, name: str) -> Expr:
        """The expression called `name`; raises FetchError with the nearest name if there is none.

        TensorFlow's output number is accepted: `x:0` is `x`.
        """
        found = self.find(name)
        if found is None:
            raise FetchError(
                f"{self.name!r} has no expression called {name!r}{nearest(name, self.members)}"
            )
        return found

    def __contains__(self, e: object) -> bool:
        return isinstance(e, Expr) and e.names is self.names

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"<Graph {self.name!r} of {len(self)} expressions>"


def get_default_graph() -> Graph:
    """The graph that is built in now; each thread and task begins with an empty one.

    >>> with sg.Graph().as_default() as g:
    ...     sg.get_default_graph() is g
    True
    """
    found = DEFAULT.get(None)
    if found is None:
        found = Graph("default")
        DEFAULT.set(found)
    return found


def reset_default_graph() -> None:
    """Begin again with an empty default graph.

    >>> sg.reset_default_graph()
    >>> len(sg.get_default_graph())
    0
    """
    DEFAULT.set(Graph("default"))


@contextmanager
def name_scope(name: str) -> Iterator[str]:
    """Put `name/` before the names of what is built inside a `with` block.

    >>> with sg.name_scope("layer"):
    ...     sg.placeholder("float32", [2], name="x").name
    'layer/x'
    """
    with get_default_graph().name_scope(name) as prefix:
        yield prefix
