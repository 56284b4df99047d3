"""Looking up expressions of a frozen graph, by name or as they are."""

from gradops import GraphError

from ..build.suggest import nearest
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph, require_frozen
from ..text.printer import unique_names


class Elements:
    """The expressions of a graph by name; names are those in its text."""

    def __init__(self, graph: FrozenGraph) -> None:
        self.names = unique_names(require_frozen("surgery", graph))
        self.by_name = {name: e for e, name in self.names.items()}

    def find(self, key: object, error: type[GraphError]) -> Expr:
        """The expression with the name `key`, or `key` itself; TensorFlow's `x:0` is `x`."""
        if isinstance(key, Expr):
            return self.require_own(key, error)
        if not isinstance(key, str):
            raise error(f"{key!r} is neither an expression nor the name of one")
        name = key if key in self.by_name else key.removesuffix(":0")
        if name not in self.by_name:
            raise error(f"the graph has no expression called {key!r}{nearest(key, self.by_name)}")
        return self.by_name[name]

    def require_own(self, e: Expr, error: type[GraphError]) -> Expr:
        """Return `e`; raises `error` unless it is an expression of the graph."""
        if e not in self.names:
            by_name = f"\n  hint: give its name, {e.name!r}" if e.name in self.by_name else ""
            raise error(f"{e.label} is not an expression of the frozen graph{by_name}")
        return e
