"""Explaining why a gradient is None."""

from gradops import depending_on
from gradops.core.source_location import describe

from ..ir.expr import Expr, Kind, common_names, require_expression, whole_of
from ..ir.reachability import reachable
from .reverse import differentiable

SHOWN = 5  # expressions listed in a text


def why_none(y: Expr, x: Expr) -> str:
    """Explain why the gradient of `y` by `x` is None: which expressions cut the path, and where.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> print(sg.why_none(sg.cast(sg.argmax(x), "float32"), x))  # doctest: +ELLIPSIS
    astype is computed from x, but no derivative passes
      argmax: int64[], made at ...
    >>> sg.why_none(x * 2, x)
    'the gradient of mul by x is not None'
    """
    require_expression("why_none", y, x)
    common_names("why_none", [y, x])
    if x not in reachable([y]):
        return f"{y.name} is not computed from {x.name}{through_variables(y)}"
    between = depending_on([x], [y])
    active = differentiable([x], between)
    if y in active:
        return f"the gradient of {y.name} by {x.name} is not None"
    cuts = [e for e in between if e not in active and not active.isdisjoint(e.inputs)]
    cuts.sort(key=lambda e: e.number)
    shown = "".join(f"\n  {e.label}{reason(e)}, made at {describe(e.place)}" for e in cuts[:SHOWN])
    more = f"\n  and {len(cuts) - SHOWN} more" if len(cuts) > SHOWN else ""
    return f"{y.name} is computed from {x.name}, but no derivative passes{shown}{more}"


def reason(e: Expr) -> str:
    """Why derivatives stop at the inputs of `e`, where the op alone does not say it."""
    whole = whole_of(e)
    if whole is None or e.dtype.kind not in "fc":
        return ""
    return f", which inside the {whole.what} is computed from other operands"


def through_variables(y: Expr) -> str:
    """A note that assignments to the variables that `y` reads pass no derivative on."""
    variables = [e.name for e in reachable([y]) if e.kind is Kind.VARIABLE]
    if not variables:
        return ""
    return f"; assignments to variables ({', '.join(variables)}) pass no derivative on"
