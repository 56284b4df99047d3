"""Branches: of several functions, the one that a value chooses is run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradops import OPS, DTypeError, OptionError, ShapeError, where
from gradops.core.errors import StructureError
from gradops.core.source_location import describe
from gradops.core.tree import structure
from gradops.core.types import conflict

from ..build.effects import Assert, group
from ..build.graph import get_default_graph
from ..build.inputs import as_expression
from ..ir.expr import Expr, clock
from ..ir.names import Names
from .body_tracing import (
    Body,
    as_result,
    bring_about,
    captures_of,
    closed,
    reassigned,
    state_of,
    traced,
)

Branch = Callable[[], Any]


def cond(pred: Any, true_fn: Branch, false_fn: Branch, name: str = "cond") -> Any:
    """What `true_fn()` gives where `pred` holds, else what `false_fn()` gives.

    `pred` is one truth value. Both functions are called now, once, and give the same structure of
    expressions with the same dtypes. When the graph runs, only the one that is chosen is computed,
    and only its assignments and prints happen. What either reads from outside is computed in any
    case. It can be differentiated to any order. A `pred` that is known now chooses now. Raises
    ShapeError, DTypeError, GraphError for functions that give different things.

    >>> x = sg.placeholder("float32", [], name="x")
    >>> y = sg.cond(x > 0, lambda: sg.log(x), lambda: -x)
    >>> f = sg.compile([y, *sg.gradients(y, x)], [x])
    >>> f(4.0), f(-2.0)
    ([np.float32(1.3862944), np.float32(0.25)], [np.float32(2.0), np.float32(-1.0)])
    """
    for fn in (true_fn, false_fn):
        if not callable(fn):
            raise TypeError(
                f"cond takes two functions without arguments, not {fn!r}: write lambda: ..., or"
                " choose between values with where()"
            )
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    chosen = as_expression(pred)
    if chosen.shape or chosen.dtype.kind != "b":
        raise ShapeError(
            "cond", [chosen.label], "the condition is one truth value",
            hint="compare, or reduce with reduce_all or reduce_any; where() chooses entry by entry",
        )  # fmt: skip
    return branched(chosen, [false_fn, true_fn], name)


def switch(
    index: Any,
    branch_fns: Sequence[Branch] | Mapping[int, Branch],
    default: Branch | None = None,
    name: str = "switch",
) -> Any:
    """What the function with the number `index` gives; TensorFlow's `switch_case`.

    `index` is one integer. For one that no function has, it is `default`, or else the last
    function. As for `cond`, only one is run.

    >>> i = sg.placeholder("int64", [], name="i")
    >>> y = sg.switch(i, [lambda: sg.constant(10.0), lambda: sg.constant(20.0)])
    >>> sg.compile(y, [i])(0)
    np.float32(10.0)
    """
    fns = dict(branch_fns) if isinstance(branch_fns, Mapping) else dict(enumerate(branch_fns))
    if not fns:
        raise OptionError("switch", [], "there is no function to choose from")
    index = as_expression(index)
    if index.shape or index.dtype.kind not in "iu":
        raise ShapeError("switch", [index.label], "the functions are numbered: give one integer")
    last = default or fns[max(fns)]
    numbers = [i for i in sorted(fns) if default is not None or i != max(fns)]
    if numbers != list(range(len(numbers))):
        position: Any = len(numbers)
        for k, i in enumerate(numbers):
            position = where(OPS["equal"](index, i), k, position)
        index = position
    return branched(index, [*(fns[i] for i in numbers), last], name)


def case(
    pred_fn_pairs: Sequence[tuple[Any, Branch]] | Mapping[Any, Branch],
    default: Branch | None = None,
    exclusive: bool = False,
    name: str = "case",
) -> Any:
    """What the function beside the first condition that holds gives, or else `default`.

    Without a default, that no condition holds is an error when the graph runs; so is with
    `exclusive` that several hold.

    >>> x = sg.placeholder("float32", [], name="x")
    >>> y = sg.case([(x < 0, lambda: -x), (x < 1, lambda: x * x)], default=lambda: x + 10)
    >>> f = sg.compile(y, [x])
    >>> f(-2.0), f(0.5), f(3.0)
    (np.float32(2.0), np.float32(0.25), np.float32(13.0))
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, Mapping) else pred_fn_pairs)
    if not pairs:
        raise OptionError("case", [], "there is no function to choose from")
    preds = [as_expression(p) for p, _ in pairs]
    checks = []
    if default is None:
        some = OPS["any"](OPS["stack"](*preds))
        checks.append(Assert(some, preds, "no condition of a case holds"))
    if exclusive:
        count = OPS["sum"](OPS["astype"](OPS["stack"](*preds), dtype="int64"))
        checks.append(Assert(count <= 1, preds, "several conditions of an exclusive case hold"))
    fns = [fn for _, fn in pairs] + ([default] if default else [])
    index: Any = len(fns) - 1
    for k, p in reversed(list(enumerate(preds))):
        index = where(p, k, index)
    return branched(index, fns, name, checks)


def branched(index: Expr, fns: Sequence[Branch], name: str, checks: Sequence[Expr] = ()) -> Any:
    """The expression of the chosen function's results, once all have been called."""
    names = index.names
    assert names is not None
    with get_default_graph().name_scope(name):
        bodies = []
        for k, fn in enumerate(fns):
            what = f"function {k} of {name}"
            with get_default_graph().name_scope("branch"):
                bodies.append(traced(fn, [], next(clock), lambda parameters: (), what))
        require_same(name, bodies)
        settle(names, name, bodies)
        state = state_of(bodies)
        captures = captures_of(bodies)
        graphs = tuple([closed(b, captures, state) for b in bodies])
        if not graphs[0].outputs:
            return group(*checks)
        result = OPS["case"](index, *captures, branches=graphs)
        n = len(bodies[0].outputs)
        effects = [*checks, *reassigned(state, result[n:])]
    results = bring_about(result[:n], effects)
    return bodies[0].rebuild(results) if n else group(*effects)


def require_same(name: str, bodies: Sequence[Body]) -> None:
    """Refuse functions that give different structures."""
    given = [b.rebuild(b.leaves) for b in bodies]
    for b, each in zip(bodies, given, strict=True):
        same = structure(each) == structure(given[0])
        if not same or len(b.leaves) != len(bodies[0].leaves):
            raise StructureError(
                f"{name}: the functions give different structures: {given[0]!r} and {each!r}"
            )


def settle(names: Names, name: str, bodies: Sequence[Body]) -> None:
    """Make the results of the functions expressions of the same dtypes."""
    for k in range(len(bodies[0].leaves)):
        row = [b.leaves[k] for b in bodies]
        like = next((x for x in row if isinstance(x, Expr)), None)
        for b in bodies:
            b.outputs.append(as_result(names, b.leaves[k], like))
        require_types(name, k, [b.outputs[k] for b in bodies])


def require_types(name: str, k: int, row: Sequence[Expr]) -> None:
    """Refuse a result that is of another dtype or shape in another branch."""
    first = row[0]
    for e in row[1:]:
        same = e.dtype == first.dtype and len(e.shape) == len(first.shape)
        if same and not conflict(e.shape, first.shape):
            continue
        kind = DTypeError if e.dtype != first.dtype else ShapeError
        raise kind(
            name, [first.type, e.type],
            f"the functions give different types as result {k}"
            f"\n  {first.label}, made at {describe(first.place)}"
            f"\n  {e.label}, made at {describe(e.place)}",
            hint="convert one of them: astype, reshape or broadcast_to",
        )  # fmt: skip
