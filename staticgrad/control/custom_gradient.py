"""Gradients that a user defines: of a function, scaled, or clipped.

Note [Custom]. The results of the function go through an op that leaves them as they are, and whose
backward is a graph of its own: what the user's gradient function built when it was called, once,
with parameters for the cotangents. What it read from outside is captured, as in loops (see Note
[Bodies]), so a gradient can be differentiated in turn. What the function itself read from outside
is an operand too, though the user's gradient says nothing of it: to differentiate by it is an
error, not zero. The op lives as long as something can be differentiated: freezing a program's graph
leaves it out, and with it what only the backward needs.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any

from gradops import OPS, ArrayType, GraphError, Op, ShapeError, clip, flatten
from gradops.core.rules import JointJVP, JointVJP
from gradops.core.source_location import describe
from gradops.core.traits import Trait
from gradops.core.types import conflict, is_inexact

from ..build.inputs import Variable, parameter
from ..ir.expr import Expr, clock, common_names, lifted
from ..ir.graph import FrozenGraph
from ..ir.names import Names
from ..ir.reachability import is_before, reachable
from ..ir.tuple_types import Parts, TupleType
from ..transform.reverse import carried_by, pulled
from .batch import Inside, given
from .body_tracing import Body, as_result, captures_of, closed, traced
from .ops import fitting
from .stacks import CONTROL, no_samples, size_of, zeros_like


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function `f` with a gradient of its own: it returns `(y, grad_fn)`.

    `y` is one or several expressions, and `grad_fn(*dys)` gives for their cotangents those of the
    arguments of `f`, None for one that has none; it is called when `f` is, once. It
    may use what `f` computed, and can be differentiated in turn; forward mode takes it to be
    linear. There is no gradient by what else `f` reads: to ask for it is an error, and variables
    must be arguments, unless `grad_fn` takes `variables=` and gives `(dxs, dvariables)`. A frozen
    graph is the forward alone: differentiate first. Raises GraphError, ShapeError.

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
    def call(*args: Any, **options: Any) -> Any:
        start = next(clock)
        found = f(*args, **options)
        if not isinstance(found, tuple) or len(found) != 2 or not callable(found[1]):
            raise GraphError(
                f"{name_of(f)}: a function with a gradient of its own returns (y, grad_fn), not"
                f" {found!r}"
            )
        return with_gradient(name_of(f), args, start, *found)

    return call


def grad_scale(x: Any, factor: Any) -> Any:
    """`x` itself; its gradient is multiplied by `factor`, -1 to turn it round.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> sg.compile(sg.gradients(sg.grad_scale(x, -0.5), x), [x])([1.0, 2.0])
    [array([-0.5, -0.5], dtype=float32)]
    """
    return custom_gradient(lambda x: (x, lambda dy: dy * factor))(x)


def grad_clip(x: Any, low: Any = None, high: Any = None) -> Any:
    """`x` itself; the entries of its gradient are kept between `low` and `high`.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> y = sg.grad_clip(x, -1.0, 1.0)
    >>> sg.compile(sg.gradients(y * y, x), [x])([0.25, 2.0])
    [array([0.5, 1. ], dtype=float32)]
    """
    return custom_gradient(lambda x: (x, lambda dy: clip(dy, low, high)))(x)


def name_of(f: Callable[..., Any]) -> str:
    """What messages call a function."""
    return getattr(f, "__name__", "custom_gradient")


def with_gradient(
    name: str, args: Sequence[Any], start: int, y: Any, grad_fn: Callable[..., Any]
) -> Any:
    """The results of a function, as expressions whose gradient is that of `grad_fn`."""
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
    back = traced(lambda *dys: grad_fn(*dys, **more), dys, number, list, what)
    wrt = [*args, *variables]
    wanted = settle(name, names, back, wrt, bool(variables))
    captures = captures_of([back])
    others = read_besides(ys, [x for x in wrt if isinstance(x, Expr)], start)
    found = custom(
        *ys, *(wrt[i] for i in wanted), *captures, *others, results=len(ys), wrt=len(wanted),
        others=len(others), function=name, backward=closed(back, [*dys, *captures], ()),
    )  # fmt: skip
    return rebuild(found)


def read_besides(ys: Sequence[Expr], xs: Sequence[Expr], start: int) -> list[Expr]:
    """The expressions older than the call, xs apart, to which the results would pass a gradient."""
    found, seen, stack = list[Expr](), set(xs), list(ys)
    while stack:
        e = stack.pop()
        if e in seen:
            continue
        seen.add(e)
        if e.op is not None and not is_before(e, start):
            stack += carried_by(e)
        elif is_inexact(e.dtype):
            found.append(e)
    return sorted([e for e in found if is_before(e, start)], key=lambda e: e.number)


def variables_read(ys: Sequence[Expr], xs: Sequence[Expr], start: int) -> list[Variable]:
    """The variables that a function reads itself, having been called at `start`."""
    old = {x for e in reachable(ys, stop=xs) if e.number > start for x in e.inputs} | set(ys)
    own = [e for e in old if isinstance(e, Variable) and e.trainable and e not in set(xs)]
    return sorted(own, key=lambda e: e.number)


def takes_variables(grad_fn: Callable[..., Any]) -> bool:
    """Whether a gradient function has a parameter `variables`."""
    found = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in found)


def settle(name: str, names: Names, back: Body, wrt: Sequence[Any], split: bool) -> list[int]:
    """Make what a gradient function gave expressions; the numbers of what they are for."""
    if back.effects:
        raise GraphError(f"{name}: the gradient function has effects; let the function have them")
    given = back.rebuild(back.leaves)
    row = [*listed(given[0]), *listed(given[1])] if split else listed(given)
    if len(row) != len(wrt):
        raise GraphError(
            f"{name}: the gradient function gives {len(row)} values for {len(wrt)} arguments"
        )
    wanted = [i for i, x in enumerate(wrt) if is_reached(x) and row[i] is not None]
    back.outputs = [as_result(names, row[i], wrt[i]) for i in wanted]
    for i, g in zip(wanted, back.outputs, strict=True):
        if len(g.shape) != len(wrt[i].shape) or conflict(g.shape, wrt[i].shape):
            raise ShapeError(name, [wrt[i].label, g.type], "a gradient is shaped as its argument")
    return wanted


def is_reached(x: Any) -> bool:
    """Whether something is an expression that can have a gradient."""
    return isinstance(x, Expr) and is_inexact(x.dtype)


def listed(x: Any) -> list[Any]:
    """One or several values as a list; of one that is None, too."""
    return list(x) if isinstance(x, list | tuple) else [x]


def unchanged(
    *values: Any, results: int, wrt: int, others: int, function: str, backward: Callable[..., Any]
) -> Any:
    """The first values."""
    return values[:results]


def custom_infer(
    *types: ArrayType, results: int, wrt: int, others: int, function: str, backward: FrozenGraph
) -> ArrayType:
    """The types of the first operands."""
    if len(backward.outputs) != wrt or others < 0 or len(types) < results + wrt + others:
        raise ShapeError("custom", types, "the backward does not fit the operands")
    fitting("custom", backward, [*types[:results], *types[results + wrt : len(types) - others]])
    return TupleType(types[:results])


def refuse_others(asked: Iterable[int], values: Sequence[Any], others: int, name: str) -> None:
    """Raise GraphError where the derivative by what is no argument is asked for."""
    for i in asked:
        if i >= len(values) - others:
            raise GraphError(
                f"{name}: it reads {values[i].label}, made at {describe(values[i].place)}, of which"
                " its gradient says nothing, and it is differentiated by that"
                "\n  hint: make it an argument of the function"
            )


def custom_shares(
    wanted: Sequence[int], g: Parts, y: Any, *values: Any,
    results: int, wrt: int, others: int, function: str, backward: Any,
) -> list[Any]:  # fmt: skip
    """The cotangents of what is differentiated by, from the user's graph."""
    refuse_others(wanted, values, others, function)
    dys = [g.found[k] if k in g.found else zeros_like(values[k]) for k in range(results)]
    found = backward(*dys, *values[results + wrt : len(values) - others])
    by_number = dict(enumerate(found, results))
    return [by_number.get(i) for i in wanted]


def custom_push(
    tangents: Mapping[int, Any], y: Any, *values: Any,
    results: int, wrt: int, others: int, function: str, backward: Any,
) -> Parts | None:  # fmt: skip
    """The tangents of the results: the user's graph is linear, and this is its transpose."""
    refuse_others(tangents, values, others, function)
    zeros = [zeros_like(values[k]) for k in range(results)]
    names = common_names("custom", values)
    seeds: dict[Expr, Any] = {}
    captures = values[results + wrt : len(values) - others]
    for i, ct in enumerate(backward(*zeros, *captures), results):
        if i in tangents:
            e = ct if isinstance(ct, Expr) else lifted(names, [ct])[0]
            seeds[e] = seeds[e] + tangents[i] if e in seeds else tangents[i]
    pushed = pulled(seeds, zeros, ())
    found = {k: pushed[z] for k, z in enumerate(zeros) if pushed.get(z) is not None}
    return Parts(found) if found else None


def custom_batch(op: Any, stacks: Sequence[Any], batched: Sequence[bool], attrs: Any) -> Any:
    """Over examples: all results and arguments have them, and so have the cotangents."""
    n, end = attrs["results"], attrs["results"] + attrs["wrt"]
    size = size_of(stacks, batched)
    spread = [
        x if b or k >= end else OPS["broadcast_to"](x, shape=(size, *x.shape))
        for k, (x, b) in enumerate(zip(stacks, batched, strict=True))
    ]
    captures = batched[end : len(batched) - attrs["others"]]
    inside = Inside(attrs["backward"], [*[True] * n, *captures], size)
    graph = inside.graph([True] * attrs["wrt"])
    return given(op(*spread, **{**attrs, "backward": graph}), [True] * n)


custom: Op = Op(
    name="custom", kernel=unchanged, infer=custom_infer, arity=None,
    traits=CONTROL | {Trait.GUARD},
    source="({operands},)[:{results}]",
    vjp=JointVJP(custom_shares), jvp=JointJVP(custom_push), batch=custom_batch,
    doc="Values as they are, with a gradient that a user defined.", samples=no_samples,
)  # fmt: skip
