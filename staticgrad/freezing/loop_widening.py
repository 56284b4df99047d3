"""What reverse mode goes through in the place of an expression.

Of a loop or branch there may be wider forms, made for gradients: they give all that it gives, and
more. Their cotangents are collected and carried back by the rules of the widest alone, when it is
the turn of the narrowest, so that neither the values nor the gradient is computed twice.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gradops.core.traits import Trait
from gradops.transforms.reverse import conjugated

from ..ir.expr import Expr, whole_of
from ..ir.tuple_types import TupleType

Places = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Stand:
    """What stands for the expression `e`: the rules are those of `op`, and are shown `shown`."""

    e: Expr
    shown: Expr
    op: Any
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]
    watch = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.e, name)


Stands = Mapping[Expr, tuple[Stand, Places]]


def standing_in(active: Iterable[Expr]) -> Stands:
    """What stands for the expressions that have wider forms, and where it gives their parts."""
    whole = sorted([e for e in active if type(e.type) is TupleType], key=lambda e: e.number)
    graph = whole[0].names.graph() if whole and whole[0].names else None
    wider: dict[Expr, Expr] = {} if graph is None else dict(graph.wider)
    wider |= {e.widens.narrow: e for e in whole if e.widens is not None}
    found: dict[Expr, tuple[Stand, Places]] = {}
    inside = set(active)
    for e in whole:
        if e not in found and len(forms := forms_of(e, wider, inside)) > 1:
            widest = forms[-1]
            assert widest.op is not None
            stand = Stand(e, widest, widest.op, widest.inputs, widest.attrs)
            places = tuple(range(len(widest.type.parts)))  # type: ignore[attr-defined]
            for form in reversed(forms):
                found[form] = stand, places
                if form.widens is not None:
                    places = tuple([places[k] for k in form.widens.places])
    return found


def forms_of(e: Expr, wider: Mapping[Expr, Expr], active: set[Expr]) -> list[Expr]:
    """An expression and its wider forms, as far as their operands are differentiated after it."""
    forms, first = [e], e.number
    while (form := wider.get(forms[-1])) is not None:
        if any(x.number > first and x in active for x in form.inputs):
            break
        forms.append(form)
    return forms


def seen(stands: Stands, stop: Container[Expr], e: Any) -> Any:
    """An expression as reverse mode goes through it: where it stops, a leaf. See Note [Complex]."""
    if isinstance(e, Stand) or e.op is None:
        return e
    if e in stop:
        return Stand(e, e, None, (), {})
    if (whole := whole_of(e)) is not None and whole in stands:
        stand, places = stands[whole]
        return Stand(e, e, e.op, (stand,), {"index": places[e.attrs["index"]]})
    if e.dtype.kind == "c" and Trait.CONTROL not in e.op.traits:
        return Stand(e, e, conjugated(e.op), e.inputs, e.attrs)
    return e
