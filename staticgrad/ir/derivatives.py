"""Labels of derivatives: what an expression is the derivative of, and by what."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .expr import Expr

SHOWN = 2  # ys that a label names
EQUALS = " = "
WEIGHT = "grad_y"  # an array


def note_derivatives(
    ys: Sequence[Expr], pairs: Iterable[tuple[Expr, Expr | None]],
    weights: Sequence[Any] = (), constant: Iterable[Expr] = (),
) -> None:  # fmt: skip
    """Note in their graph that results are derivatives of the sum of `ys`, each by its x.

    `pairs` has the xs and the results, None for those that there are not; `weights` the factors of
    the ys, None for one; `constant` expressions that count as such.
    """
    graph = ys[0].graph if ys else None
    if graph is None:
        return
    y = y_text(ys, weights)
    given = ", ".join(e.name for e in constant)
    suffix = f" with {given} constant" if given else ""
    for x, result in pairs:
        if result is not None:
            texts = graph.derivatives.setdefault(result, [])
            if (text := f"d {y} / d {x.name}{suffix}") not in texts:
                texts.append(text)


def y_text(ys: Sequence[Expr], weights: Sequence[Any] = ()) -> str:
    """The sum of ys in a label; the derivative of a derivative is that of its label."""
    factors = weights or [None] * len(ys)
    texts = [term_text(y, g) for y, g in zip(ys[:SHOWN], factors)]
    text = " + ".join(texts + ["..."] * (len(ys) > SHOWN))
    return f"({text})" if " " in text else text


def term_text(y: Expr, weight: Any) -> str:
    """A y in a label, times its weight."""
    text = label_of(y)
    if weight is None:
        return text
    is_number = isinstance(weight, int | float)
    factor = label_of(weight) if isinstance(weight, Expr) else repr(weight) if is_number else WEIGHT
    return " * ".join(f"({part})" if " " in part else part for part in (factor, text))


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
