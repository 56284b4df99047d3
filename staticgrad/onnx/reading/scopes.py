"""Scopes: the values of names in a graph, and in graphs within it."""

from typing import Any

from gradops import GraphFormatError

from ..errors import listed

Attributes = dict[str, tuple[Any, "Scope"]]
"""Attributes as a model has them, by name, each with the scope in which its graphs are read."""


class Scope:
    """The values by name; those of the surrounding scope are read, too.

    `attributes` are those of the call of a function, to which its nodes refer.
    """

    __slots__ = ("attributes", "outer", "values")

    def __init__(self, outer: "Scope | None" = None) -> None:
        self.outer, self.values = outer, dict[str, Any]()
        self.attributes: Attributes = {} if outer is None else outer.attributes

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self.values:
            raise GraphFormatError(f"two nodes or inputs give the value {name!r}")
        self.values[name] = value

    def read(self, name: str, reader: str) -> Any:
        """The value of a name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        raise GraphFormatError(
            f"{reader} reads {listed([name])}, which nothing before it gives"
            "\n  hint: nodes stand after those whose outputs they read, and there is no cycle"
        )
