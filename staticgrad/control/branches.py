"""Branches: of several functions, only the selected one runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradops import OPS, DTypeError, OptionError, ShapeError, where
from gradops.core.errors import StructureError
from gradops.core.source_location import describe
from gradops.core.tree import structure
from gradops.core.types import conflict
from gradops.typing import Operand

from ..build.effects import Assert, group
from ..build.graph import get_default_graph
from ..build.inputs import as_expression
from ..ir.expr import Expr, clock
from ..ir.names import Names
from . import body_tracing
from .body_tracing import Body, as_result, captures_of, close_body, trace_body

Branch = Callable[[], Any]


def cond(pred: Operand, true_fn: Branch, false_fn: Branch, name: str = "cond") -> Any:
    """The result of `true_fn()` if `pred` holds, else that of `false_fn()`.

    `pred` is one truth value. Both functions are traced once, at the call, and return the same
    structure of expressions with the same dtypes. When the graph runs, only the selected one is
    computed, with its assignments and prints; the expressions that either reads from outside are
    computed in any case. Derivatives exist to any order. A Python bool selects at the call. Raises
    ShapeError, DTypeError, GraphError for functions whose results differ.

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
    condition = as_expression(pred)
    if condition.shape or condition.dtype.kind != "b":
        raise ShapeError(
            "cond", [condition.label], "the condition is one truth value",
            hint="compare, or reduce with reduce_all or reduce_any; where() chooses entry by entry",
        )  # fmt: skip
    return build_case(condition, [false_fn, true_fn], name)


def switch(
    index: Operand,
    branch_fns: Sequence[Branch] | Mapping[int, Branch],
    default: Branch | None = None,
    name: str = "switch",
) -> Any:
    """The result of function number `index`: TensorFlow's `switch_case`.

    `index` is one integer. One that no function has selects `default`, or else the last function.
    As with `cond`, only the selected function runs.

    >>> i = sg.placeholder("int64", [], name="i")
    >>> y = sg.switch(i, [lambda: sg.constant(10.0), lambda: sg.constant(20.0)])
    >>> sg.compile(y, [i])(0)
    np.float32(10.0)
    """
    fns = dict(branch_fns) if isinstance(branch_fns, Mapping) else dict(enumerate(branch_fns))
    if not fns:
        raise OptionError("switch", [], "there is no function to choose from")
    number = as_expression(index)
    if number.shape or number.dtype.kind not in "iu":
        raise ShapeError("switch", [number.label], "the functions are numbered: give one integer")
    last = default or fns[max(fns)]
    numbers = [i for i in sorted(fns) if default is not None or i != max(fns)]
    if numbers != list(range(len(numbers))):
        position: Operand = len(numbers)
        for k, i in enumerate(numbers):
            position = where(OPS["equal"](number, i), k, position)
        number = as_expression(position)
    return build_case(number, [*(fns[i] for i in numbers), last], name)


def case(
    pred_fn_pairs: Sequence[tuple[Operand, Branch]] | Mapping[Operand, Branch],
    default: Branch | None = None,
    exclusive: bool = False,
    name: str = "case",
) -> Any:
    """The result of the function paired with the first condition that holds, or of `default`.

    Without a default, it is an error at run time if no condition holds; with `exclusive`, also if
    several hold.

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
    index: Operand = len(fns) - 1
    for k, p in reversed(list(enumerate(preds))):
        index = where(p, k, index)
    return build_case(as_expression(index), fns, name, checks)


def build_case(index: Expr, fns: Sequence[Branch], name: str, checks: Sequence[Expr] = ()) -> Any:
    """Trace all functions; the results of a `case` over them, in the functions' structure."""
    names = index.names
    assert names is not None
    with get_default_graph().name_scope(name):
        bodies = []
        for k, fn in enumerate(fns):
            what = f"function {k} of {name}"
            with get_default_graph().name_scope("branch"):
                bodies.append(trace_body(fn, [], next(clock), lambda parameters: (), what))
        require_one_structure(name, bodies)
        convert_results(names, name, bodies)
        state = body_tracing.state_of(bodies)
        captures = captures_of(bodies)
        graphs = tuple([close_body(b, captures, state) for b in bodies])
        if not graphs[0].outputs:
            return group(*checks)
        result = OPS["case"](index, *captures, branches=graphs)
        n = len(bodies[0].outputs)
        effects = [*checks, *body_tracing.assign_final_values(state, result[n:])]
    results = body_tracing.depend_on(result[:n], effects)
    return bodies[0].rebuild(results) if n else group(*effects)


def require_one_structure(name: str, bodies: Sequence[Body]) -> None:
    """Raise StructureError unless all functions return the same structure."""
    results = [b.rebuild(b.leaves) for b in bodies]
    for b, each in zip(bodies, results, strict=True):
        same = structure(each) == structure(results[0])
        if not same or len(b.leaves) != len(bodies[0].leaves):
            raise StructureError(
                f"{name}: the functions give different structures: {results[0]!r} and {each!r}"
            )


def convert_results(names: Names, name: str, bodies: Sequence[Body]) -> None:
    """Convert the results of the functions to expressions, of one type for each result."""
    for k in range(len(bodies[0].leaves)):
        row = [b.leaves[k] for b in bodies]
        like = next((x for x in row if isinstance(x, Expr)), None)
        for b in bodies:
            b.outputs.append(as_result(names, b.leaves[k], like))
        require_one_type(name, k, [b.outputs[k] for b in bodies])


def require_one_type(name: str, k: int, row: Sequence[Expr]) -> None:
    """Raise unless result `k` has one dtype and one shape in all branches."""
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


switch_case = switch  # as TensorFlow calls it
