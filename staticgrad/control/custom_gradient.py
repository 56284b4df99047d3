"""User-defined gradients: of a function, scaled, or clipped.

Note [Custom]. The results of the function pass through an identity op whose backward is a graph of
its own: the trace of the user's gradient function, which is called once, with parameters for the
cotangents. Its captures are operands, as in loops (see Note [Bodies]), so the gradient can be
differentiated in turn. Other expressions that the function read from outside are operands too. The
user's gradient does not cover them: differentiating by one is an error, not zero. Freezing a
program's graph erases the op, and with it what only the backward needs.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeGuard

from gradops import OPS, ArrayType, GraphError, Op, ShapeError, clip, flatten
from gradops.core.rules import JointJVP, JointVJP
from gradops.core.source_location import describe
from gradops.core.traits import Trait
from gradops.core.types import conflict, is_inexact
from gradops.typing import Attrs, Operand

from ..build.inputs import Variable, parameter
from ..ir.expr import Expr, as_exprs, clock, common_names
from ..ir.graph import FrozenGraph
from ..ir.names import Names
from ..ir.reachability import is_before, reachable
from ..ir.tuple_types import Parts, TupleType
from ..transform.reverse import backpropagate, carried_by
from .batch import BatchedGraph, Results, mark_shared
from .body_tracing import Body, as_result, captures_of, close_body, trace_body
from .ops import match_sizes
from .stacks import CONTROL, batch_size, no_samples, zeros_like

P = ParamSpec("P")


def custom_gradient(f: Callable[P, Any]) -> Callable[P, Any]:
    """Decorate `f`, which returns `(y, grad_fn)`, to have the gradient `grad_fn`.

    `y` is one or several expressions. `grad_fn(*dys)` takes their cotangents and returns those of
    the arguments of `f`, None for an argument that has none; it is called once, when `f` is. It may
    use expressions that `f` built, and can be differentiated in turn; forward mode takes it to be
    linear. Other expressions that `f` reads have no gradient: asking for one is an error, and
    variables must be arguments, unless `grad_fn` takes `variables=` and returns
    `(dxs, dvariables)`. A frozen graph has the forward only: differentiate first. Raises
    GraphError, ShapeError.

    >>> @sg.custom_gradient
    ... def log1pexp(x):
    ...     e = sg.exp(x)
    ...     return sg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    >>> x = sg.placeholder("float32", [], name="x")
    >>> (g,) = sg.gradients(log1pexp(x), x)
    >>> sg.compile(g, [x])(100.0)
    np.float32(1.0)
    """

    @wraps(f)
    def call(*args: P.args, **options: P.kwargs) -> Any:
        start = next(clock)
        result = f(*args, **options)
        if not isinstance(result, tuple) or len(result) != 2 or not callable(result[1]):
            raise GraphError(
                f"{name_of(f)}: a function with a custom gradient returns (y, grad_fn), not"
                f" {result!r}"
            )
        return with_gradient(name_of(f), args, start, *result)

    return call


def grad_scale(x: Operand, factor: Operand) -> Expr:
    """The identity, with its gradient multiplied by `factor`: -1 reverses it.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> sg.compile(sg.gradients(sg.grad_scale(x, -0.5), x), [x])([1.0, 2.0])
    [array([-0.5, -0.5], dtype=float32)]
    """
    return custom_gradient(lambda x: (x, lambda dy: dy * factor))(x)


def grad_clip(x: Operand, low: Operand | None = None, high: Operand | None = None) -> Expr:
    """The identity, with the entries of its gradient clipped to between `low` and `high`.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> y = sg.grad_clip(x, -1.0, 1.0)
    >>> sg.compile(sg.gradients(y * y, x), [x])([0.25, 2.0])
    [array([0.5, 1. ], dtype=float32)]
    """
    return custom_gradient(lambda x: (x, lambda dy: clip(dy, low, high)))(x)


def name_of(f: Callable[..., object]) -> str:
    """The name of a function in messages."""
    return getattr(f, "__name__", "custom_gradient")


def with_gradient(
    name: str, args: Sequence[object], start: int, y: object, grad_fn: Callable[..., Any]
) -> Any:
    """The results `y` of a function as expressions with the gradient `grad_fn`."""
    leaves, rebuild = flatten(y)
    names = common_names(name, [*args, *leaves])
    ys = [as_result(names, leaf) for leaf in leaves]
    variables = variables_read(ys, [a for a in args if isinstance(a, Expr)], start)
    if variables and not takes_variables(grad_fn):
        raise GraphError(
            f"{name}: it reads {variables[0].label}, which would get no gradient"
            "\n  hint: make it an argument, or let the gradient function take variables="
        )
    number, more = next(clock), {"variables": variables} if variables else {}
    dys = [parameter(names, e.type, f"d{e.name}") for e in ys]
    what = f"gradient function of {name}"
    back = trace_body(lambda *dys: grad_fn(*dys, **more), dys, number, list, what)
    wrt = [*args, *variables]
    wanted = convert_cotangents(name, names, back, wrt, bool(variables))
    captures = captures_of([back])
    others = other_expressions_read(ys, [x for x in wrt if isinstance(x, Expr)], start)
    result = custom(
        *ys, *(wrt[i] for i in wanted), *captures, *others, results=len(ys), wrt=len(wanted),
        others=len(others), function=name, backward=close_body(back, [*dys, *captures], ()),
    )  # fmt: skip
    return rebuild(result)


def other_expressions_read(ys: Sequence[Expr], xs: Sequence[Expr], start: int) -> list[Expr]:
    """The expressions from before the call, but xs, to which the results pass a gradient."""
    result, seen, stack = list[Expr](), set(xs), list(ys)
    while stack:
        e = stack.pop()
        if e in seen:
            continue
        seen.add(e)
        if e.op is not None and not is_before(e, start):
            stack += carried_by(e)
        elif is_inexact(e.dtype):
            result.append(e)
    return sorted([e for e in result if is_before(e, start)], key=lambda e: e.number)


def variables_read(ys: Sequence[Expr], xs: Sequence[Expr], start: int) -> list[Variable]:
    """The trainable variables that a function called at `start` reads, other than `xs`."""
    old = {x for e in reachable(ys, stop=xs) if e.number > start for x in e.inputs} | set(ys)
    own = [e for e in old if isinstance(e, Variable) and e.trainable and e not in set(xs)]
    return sorted(own, key=lambda e: e.number)


def takes_variables(grad_fn: Callable[..., object]) -> bool:
    """Whether a gradient function has a parameter `variables`."""
    result = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in result)


def convert_cotangents(
    name: str, names: Names, back: Body, wrt: Sequence[Any], split: bool
) -> list[int]:
    """Convert a gradient function's results to expressions; the numbers of their arguments."""
    if back.effects:
        raise GraphError(f"{name}: the gradient function has effects; let the function have them")
    returned = back.rebuild(back.leaves)
    row = [*as_list(returned[0]), *as_list(returned[1])] if split else as_list(returned)
    if len(row) != len(wrt):
        raise GraphError(
            f"{name}: the gradient function gives {len(row)} values for {len(wrt)} arguments"
        )
    wanted = [i for i, x in enumerate(wrt) if is_differentiable(x) and row[i] is not None]
    back.outputs = [as_result(names, row[i], wrt[i]) for i in wanted]
    for i, g in zip(wanted, back.outputs, strict=True):
        if len(g.shape) != len(wrt[i].shape) or conflict(g.shape, wrt[i].shape):
            raise ShapeError(name, [wrt[i].label, g.type], "a gradient is shaped as its argument")
    return wanted


def is_differentiable(x: object) -> TypeGuard[Expr]:
    """Whether `x` is an expression of floats or complex numbers."""
    return isinstance(x, Expr) and is_inexact(x.dtype)


def as_list(x: object) -> list[object]:
    """One or several values as a list."""
    return list(x) if isinstance(x, list | tuple) else [x]


def first_operands(
    *values: Expr, results: int, wrt: int, others: int, function: str, backward: FrozenGraph
) -> tuple[Expr, ...]:
    """The kernel of `custom`: the first `results` operands."""
    return values[:results]


def custom_infer(
    *types: ArrayType, results: int, wrt: int, others: int, function: str, backward: FrozenGraph
) -> ArrayType:
    """The types of the first `results` operands."""
    if len(backward.outputs) != wrt or others < 0 or len(types) < results + wrt + others:
        raise ShapeError("custom", types, "the backward does not fit the operands")
    match_sizes("custom", backward, [*types[:results], *types[results + wrt : len(types) - others]])
    return TupleType(types[:results])


def refuse_others(asked: Iterable[int], values: Sequence[Expr], others: int, name: str) -> None:
    """Raise GraphError for a derivative by an expression that is not an argument."""
    for i in asked:
        if i >= len(values) - others:
            raise GraphError(
                f"{name}: it reads {values[i].label}, made at {describe(values[i].place)}, of which"
                " its gradient says nothing, and it is differentiated by that"
                "\n  hint: make it an argument of the function"
            )


def custom_vjp(
    wanted: Sequence[int], g: Parts, y: Expr, *values: Expr,
    results: int, wrt: int, others: int, function: str, backward: FrozenGraph,
) -> list[Expr | None]:  # fmt: skip
    """Cotangents of the arguments, from the user's graph."""
    refuse_others(wanted, values, others, function)
    dys = [g.by_index[k] if k in g.by_index else zeros_like(values[k]) for k in range(results)]
    result = backward(*dys, *values[results + wrt : len(values) - others])
    by_number = dict(enumerate(result, results))
    return [by_number.get(i) for i in wanted]


def custom_jvp(
    tangents: Mapping[int, Expr], y: Expr, *values: Expr,
    results: int, wrt: int, others: int, function: str, backward: FrozenGraph,
) -> Parts | None:  # fmt: skip
    """Tangents of the results: the transpose of the user's graph, which is linear."""
    refuse_others(tangents, values, others, function)
    zeros = [zeros_like(values[k]) for k in range(results)]
    names = common_names("custom", values)
    seeds: dict[Expr, Expr] = {}
    captures = values[results + wrt : len(values) - others]
    for i, ct in enumerate(backward(*zeros, *captures), results):
        if i in tangents:
            e = ct if isinstance(ct, Expr) else as_exprs(names, [ct])[0]
            seeds[e] = seeds[e] + tangents[i] if e in seeds else tangents[i]
    cotangents = backpropagate(seeds, zeros, ())
    result = {k: cotangents[z] for k, z in enumerate(zeros) if cotangents.get(z) is not None}
    return Parts(result) if result else None


def custom_batch(op: Op, stacks: Sequence[Expr], batched: Sequence[bool], attrs: Attrs) -> Results:
    """Batch all results and arguments, and with them the cotangents."""
    n, end = attrs["results"], attrs["results"] + attrs["wrt"]
    size = batch_size(stacks, batched)
    operands = [
        x if b or k >= end else OPS["broadcast_to"](x, shape=(size, *x.shape))
        for k, (x, b) in enumerate(zip(stacks, batched, strict=True))
    ]
    captures = batched[end : len(batched) - attrs["others"]]
    inside = BatchedGraph(attrs["backward"], [*[True] * n, *captures], size)
    graph = inside.graph([True] * attrs["wrt"])
    return mark_shared(op(*operands, **{**attrs, "backward": graph}), [True] * n)


custom: Op = Op(
    name="custom", kernel=first_operands, infer=custom_infer, arity=None,
    traits=CONTROL | {Trait.GUARD},
    source="({operands},)[:{results}]",
    vjp=JointVJP(custom_vjp), jvp=JointJVP(custom_jvp), batch=custom_batch,
    doc="Identity with a user-defined gradient.", samples=no_samples,
)  # fmt: skip
