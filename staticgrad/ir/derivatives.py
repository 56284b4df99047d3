"""Labels of derivatives: what an expression is the derivative of, and by what."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .expr import Expr

SHOWN = 2  # ys that a label names
EQUALS = " = "


def note_derivatives(ys: Sequence[Expr], pairs: Iterable[tuple[Expr, Expr | None]]) -> None:
    """Note in their graph that results are derivatives of the sum of `ys`, each by its x.

    `pairs` has the xs and the results, None for those that there are not.
    """
    graph = ys[0].graph if ys else None
    if graph is None:
        return
    y = y_text(ys)
    for x, result in pairs:
        if result is not None:
            texts = graph.derivatives.setdefault(result, [])
            if (text := f"d {y} / d {x.name}") not in texts:
                texts.append(text)


def y_text(ys: Sequence[Expr]) -> str:
    """The sum of ys in a label; the derivative of a derivative is that of its label."""
    texts = [label_of(y) for y in ys[:SHOWN]] + ["..."] * (len(ys) > SHOWN)
    text = " + ".join(texts)
    return f"({text})" if " " in text else text


def label_of(e: Expr) -> str:
    """The derivatives that an expression is known to be, in words; else its name."""
    texts = [] if e.graph is None else e.graph.derivatives.get(e, ())
    return texts[0] if texts else e.name


def inner_labels(frozen: Mapping[Expr, Expr], graph: Any) -> dict[str, str]:
    """The labels of all derivatives among frozen expressions, by name."""
    known = {} if graph is None else graph.derivatives
    return {frozen[e].name: EQUALS.join(texts) for e, texts in known.items() if e in frozen}


def output_labels(fetches: Sequence[Expr]) -> tuple[str, ...]:
    """The labels of fetches: names and derivatives.

    An expression that is several derivatives and fetched as often has one label each time; fetched
    once, it has all.
    """
    found: dict[Expr, list[int]] = {}
    for i, e in enumerate(fetches):
        found.setdefault(e, []).append(i)
    labels = [e.name for e in fetches]
    for e, places in found.items():
        texts = () if e.graph is None else e.graph.derivatives.get(e, ())
        if texts and len(places) < len(texts):
            texts = [EQUALS.join(texts)]
        for k, i in enumerate(places if texts else ()):
            labels[i] = texts[min(k, len(texts) - 1)]
    return tuple(labels)
