"""Wider forms of loops, branches and calls: used in the place of narrower ones.

A gradient may need values from within a loop that has been built already. It builds a wider form,
which gives all that the loop gives and these values too. Freezing computes only the widest form.
Reverse mode collects the cotangents of all forms at the narrowest and applies the rules of the
widest once, so that neither the values nor the gradient is computed twice.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gradops import Op
from gradops.core.traits import Trait
from gradops.transforms.reverse import Conjugated, conjugated
from gradops.typing import Attrs

from ..ir.expr import Expr, Kind, whole_of
from ..ir.reachability import by_age, reachable
from ..ir.tuple_types import TupleType

Places = tuple[int, ...]
"""The indices at which a wider form gives the values of a narrower one."""


@dataclass(frozen=True, eq=False)
class NodeView:
    """The expression `e` as reverse mode sees it: its op, inputs and attributes may be others.

    Rules get `operand` for the expression itself.
    """

    e: Expr
    operand: Expr
    op: Op | Conjugated | None
    inputs: tuple["Expr | NodeView", ...]
    attrs: Attrs
    watch = None

    @property
    def wanted(self) -> range:
        """The positions of the inputs that may get cotangents: all."""
        return range(len(self.inputs))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.e, name)


WidestViews = Mapping[Expr, tuple[NodeView, Places]]


def widest_views(active: Iterable[Expr]) -> WidestViews:
    """Views of expressions as their widest forms, and where these give the expressions' values."""
    whole = sorted([e for e in active if type(e.type) is TupleType], key=by_age)
    graph = whole[0].graph if whole else None
    wider: dict[Expr, Expr] = {} if graph is None else dict(graph.wider)
    wider |= {e.widens.narrow: e for e in whole if e.widens is not None}
    result: dict[Expr, tuple[NodeView, Places]] = {}
    inside = set(active)
    for e in whole:
        if e not in result and len(forms := forms_of(e, wider, inside)) > 1:
            widest = forms[-1]
            view = NodeView(e, widest, widest.op, widest.inputs, widest.attrs)
            assert isinstance(widest.type, TupleType)
            places = tuple(range(len(widest.type.parts)))
            for form in reversed(forms):
                result[form] = view, places
                if form.widens is not None:
                    places = tuple([places[k] for k in form.widens.places])
    return result


def forms_of(e: Expr, wider: Mapping[Expr, Expr], active: set[Expr]) -> list[Expr]:
    """An expression and its wider forms, as far as their operands are differentiated after it."""
    forms, first = [e], e.number
    while (form := wider.get(forms[-1])) is not None:
        if any(x.number > first and x in active for x in form.inputs):
            break
        forms.append(form)
    return forms


def reverse_view(views: WidestViews, stop: Container[Expr], e: Expr | NodeView) -> Expr | NodeView:
    """An expression as reverse mode sees it; in `stop`, as a leaf. See Note [Complex]."""
    if isinstance(e, NodeView) or e.op is None:
        return e
    if e in stop:
        return NodeView(e, e, None, (), {})
    if (whole := whole_of(e)) is not None and whole in views:
        view, places = views[whole]
        return NodeView(e, e, e.op, (view,), {"index": places[e.attrs["index"]]})
    if e.dtype.kind == "c" and Trait.CONTROL not in e.op.traits:
        return NodeView(e, e, conjugated(e.op), e.inputs, e.attrs)
    return e


def widest_forms(needed: Iterable[Expr]) -> dict[Expr, tuple[Expr, Places]]:
    """For each expression that a wider form can replace: the widest, and its places."""
    result: dict[Expr, tuple[Expr, Places]] = {}
    whole = [e for e in needed if type(e.type) is TupleType]
    for e in sorted([e for e in whole if e.widens is not None], key=by_age):
        wide, step = e, e.widens
        places = step.places if step else ()
        while step is not None and can_replace(wide, step.narrow):
            result[step.narrow] = wide, places
            step = step.narrow.widens
            places = tuple([places[k] for k in step.places]) if step else ()
    return result


def can_replace(wide: Expr, narrow: Expr) -> bool:
    """True if a wider form can be computed in the place of the narrower expression."""
    if all(x.number < narrow.number for x in wide.inputs):
        return True
    needed = reachable(wide.inputs)
    return narrow not in needed and not any(e.kind is Kind.ASSIGN for e in needed)
