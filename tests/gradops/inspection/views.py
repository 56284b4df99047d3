"""Views made by hand, with names of any kind."""

import numpy as np

from gradops.inspection.model import GraphView, NodeView, Role, Saved, SourceLine

HOSTILE = [
    '"];', "</script><img src=x onerror=alert(1)>", "a\nb", "x`[(", "\\", '\\\\"', "%%{init}%%",
    "-->", "]]>", "<!--", "\u202egnp.exe", "\u2066", "\x00\x1b[31m", "\ud800", "\ufffe",
    "n" * 10_000, "", "{x}|y<z>", "end", "subgraph", "\r", "&amp;", "'", "e\u0301", "\u0301",
]  # fmt: skip
"""Texts that would leave their place in some format."""


def hostile_view() -> GraphView:
    """A view that has each hostile text in each place for a text."""
    nodes = []
    for i, text in enumerate(HOSTILE):
        place = SourceLine(text, i, text, text)
        nodes.append(
            NodeView(
                i, f"{text}{i}", text, (i - 1,) if i else (), (text, 2), text, list(Role)[i % 6],
                text, i - 1 if i else None, (place,), {text: text}, 8, (text,), ("inner",),
                (Saved(text, 8),), text,
            )
        )  # fmt: skip
    inner = GraphView(HOSTILE[1], "graph", (NodeView(0, HOSTILE[0], HOSTILE[1]),))
    return GraphView(HOSTILE[1], "graph", tuple(nodes), (0,), (3, 3), ((0, 1),), {"inner": inner})


def small_view() -> GraphView:
    """A forward, its backward and an update, in all roles."""
    line = SourceLine("/home/me/model.py", 12, "loss", "y = x * w")
    nodes = (
        NodeView(0, "x", "placeholder", (), ("batch", 3), "float32", Role.INPUT),
        NodeView(
            1, "layer/w", "variable", (), (3,), "float32", Role.PARAMETER, "layer", nbytes=12,
            data=np.arange(3, dtype=np.float32),
        ),
        NodeView(
            2, "layer/energy", "mul", (0, 1), ("batch", 3), "float32", scope="layer",
            places=(line,), outputs=("layer/energy",),
        ),
        NodeView(3, "one", "constant", (), (), "float32", Role.CONSTANT, data=np.array(1.0)),
        NodeView(
            4, "gradients/layer/energy/mul", "mul", (3, 0), ("batch", 3), "float32", Role.BACKWARD,
            "layer", 2, (line,), outputs=("d layer/energy / d layer/w",),
        ),
        NodeView(
            5, "SGD/update/sub", "sub", (1, 4), (3,), "float32", Role.UPDATE, "SGD/update",
            outputs=("new layer/w",),
        ),
    )  # fmt: skip
    return GraphView("training", "graph", nodes, (0, 1), (2, 4), ((1, 5),))
