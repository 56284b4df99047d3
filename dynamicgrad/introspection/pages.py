"""Tapes as pages."""

import os
from pathlib import Path
from typing import Any

from gradops.inspection.model import GraphView
from gradops.inspection.page.stages import Picture, Stage
from gradops.inspection.page.template import page

from .formats import require_tensors
from .view import tape_view


def inspect(
    tensors: Any, path: str | os.PathLike[str], *, title: str = "tape", beside: Any = None
) -> None:
    """Write the tape of one or several tensors as one HTML page, which needs no network.

    Recorded operations are at the left, what backward will do at the right, with what is saved for
    it. `beside` is a graph or an executable of staticgrad, which the page shows beside the tape.
    The documentation shows such pages: *Read a graph*.

    >>> w = dg.ones(2, requires_grad=True)
    >>> dg.inspect((w * w).sum(), "tape.html")
    """
    several = tensors if isinstance(tensors, list | tuple) else [tensors]
    require_tensors("inspect", several)
    pictures = [picture_of(tape_view(*several, title=title))]
    if beside is not None:
        pictures.append(picture_of(beside.__graph_view__()))
    Path(path).write_text(page(pictures, title), encoding="utf-8")


def picture_of(view: GraphView) -> Picture:
    """A picture with one stage."""
    return Picture(view.title, [Stage(view.kind, view)])
