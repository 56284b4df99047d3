"""Views: a write to one tensor gives all tensors on its memory new histories.

Note [Views]. A view knows its base, which is not a view, and the ops that lead from the base to it.
When a view is written to, its base gets a new history: `copy_slices` of the old one and the new
value of the view. All views of the base then get histories that are replayed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from gradops import OPS, TapeError
from gradops.core.source_location import describe

from .handle import Face, Handle, hold
from .node import NOTHING, Leaf, Node, Part, SavedOperands, Vertex, clock
from .record import node_of, record
from .storage import Alias, Step, live_views, storage_of

LEAF = (
    "a leaf Variable that requires grad is being used in an in-place operation.\n"
    "  hint: an update of a parameter goes inside `with no_grad():`; else write `w = w + 1`, which"
    " makes a new tensor"
)
OVERTAKEN = (
    "the output of {op}, called at {place}, is a view and its base or another view of its base has"
    " been modified inplace, so that the history of the view is lost\n  hint: return a clone() from"
    " forward, or write to clones"
)
DETACHED = (
    "a detached tensor, whose memory is carried by a transform or a trace, is written to with what"
    " requires gradients\n  hint: write under no_grad(), or to a clone()"
)
VIEW_OF_LEAF = "a view of " + LEAF


def refuse_leaf(t: Handle) -> None:
    """Raise TapeError for a recorded write to a leaf that requires gradients, or to its view."""
    if type(t.node) is Leaf:
        raise TapeError(LEAF)
    if t.alias is not None:
        if not t.alias.follows:
            raise TapeError(DETACHED)
        if type(t.alias.base.node) is Leaf:
            raise TapeError(VIEW_OF_LEAF)
        if t.alias.refusal:
            raise TapeError(t.alias.refusal)


def set_history(t: Face, vertex: Vertex | None) -> Face:
    """Give a tensor that was just written to a new history, and replay it for its base and views.

    `vertex` is the node of the new value.
    """
    base = t if t.alias is None else t.alias.base
    if t.alias is None:
        replace_node(t, vertex)
    else:
        replace_node(base, put_in_place(base, t, vertex, t.alias))
    for view in views_of(base):
        steps = view.alias.steps
        replace_node(view, lost_view(view) if steps is None else replay(base, steps))
    return t


def views_of(base: Handle) -> list[Any]:
    """The live views of a tensor; without leaves, unless the tensor has a history now."""
    return [
        view for view in live_views(base)
        if view.alias.follows and (base.node is not None or type(view.node) is not Leaf)
    ]  # fmt: skip


def follow_leaf(base: Face) -> Face:
    """Replay the histories of the views of a new leaf, except of views created unrecorded."""
    for view in views_of(base):
        if not view.alias.refusal and view.node is None and view.alias.steps is not None:
            replace_node(view, replay(base, view.alias.steps))
    return base


def history(t: Handle) -> Vertex | None:
    """The node of `t` before a write; of a view without its hooks, as in PyTorch."""
    node, alias = t.node, t.alias
    if node is None or alias is None or alias.steps is None or alias.base.node is None:
        return node
    watched = node.watch is not None and getattr(node.watch, "hooks", True)
    return replay(alias.base, alias.steps) if watched or hasattr(node.op, "before") else node


def put_in_place(base: Handle, t: Handle, vertex: Vertex | None, alias: Alias) -> Node | None:
    """The node of `base` after a write of the value of `vertex` to its view."""
    active = (base.node is not None) + 2 * (vertex is not None)
    if not active:
        return None
    operands, op = (base, t), OPS["copy_slices"]
    return record(op, operands, (base.node, vertex), active, alias.attrs, base.value)


def replay(base: Handle, steps: Sequence[Step]) -> Vertex | None:
    """The node of a view of `base`, from its steps."""
    node, value = base.node, base.value
    for op, attrs in steps if node is not None else ():
        y = op(value, **attrs)
        node = record(op, (hold(type(base), value, node),), (node,), 1, attrs, y)
        value = y
    return node


class LostHistory(SavedOperands):
    """The operands of a node whose output was overwritten; reading them raises."""

    __slots__ = ()

    def read(self, node: Node, freed: object) -> NoReturn:
        """Raise TapeError: the history of the view is lost."""
        raise TapeError(OVERTAKEN.format(op=node.op, place=describe(node.place)))


def lost_view(view: Handle) -> Node | None:
    """A node for a view that cannot be replayed after a write to its base."""
    before = view.node
    if before is None:
        return None
    op = before.owner.op if type(before) is Part else before.op
    node = node_of(
        op, before.inputs, LostHistory(), NOTHING, None, before.wanted, before.shape, before.dtype
    )
    node.code, node.offset = before.place
    return node


def replace_node(t: Handle, node: Vertex | None) -> None:
    """Give `t` another node, newer than the last write; a retained `.grad` moves to it."""
    before, t.node = t.node, node
    if type(before) is Leaf:
        t.kept_grad = before.grad
    if node is None or isinstance(node, Leaf):
        return
    node.storage, node.number = storage_of(t), next(clock)
    watch = None if before is None else before.watch
    if watch is not None and getattr(watch, "retains", False):
        from ..hooks.tensor_hooks import watch_of

        watch_of(node).retains, watch_of(node).grad = True, watch.grad
        watch.retains, watch.grad = False, None
