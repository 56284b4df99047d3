"""The formats as methods of graphs and executables, and what notebooks show of them.

`graph.to_dot()` is `sg.to_dot(graph)`.
"""

from typing import Any

FORMATS = (
    "to_dot", "to_gexf", "to_graphml", "to_json", "to_mermaid", "to_networkx", "to_svg", "to_text",
)  # fmt: skip


def add_formats(kind: type) -> None:
    """Give a class the formats as methods."""
    for name in FORMATS:
        if not hasattr(kind, name):
            setattr(kind, name, method(kind, name))


def add_display(kind: type, name: str) -> None:
    """Give a class what notebooks ask for, a function of `notebook.py`."""

    def display(self: object, include: object = None, exclude: object = None) -> Any:
        from . import notebook

        return getattr(notebook, name)(self)

    display.__name__ = "_repr_mimebundle_"
    kind._repr_mimebundle_ = display  # type: ignore[attr-defined]


def method(kind: type, name: str) -> Any:
    """The method of a class for one format, which is imported when it is called."""

    def export(self: object, *args: Any, **options: Any) -> Any:
        from . import formats

        return getattr(formats, name)(self, *args, **options)

    export.__name__, export.__qualname__ = name, f"{kind.__name__}.{name}"
    export.__doc__ = f"The graph in this format: see `staticgrad.{name}`."
    return export
