"""Effects and their order: groups, dependencies, checks and prints.

Note [Effects]. A check or a print takes a token and returns one, which is assigned to a
hidden variable of the graph. So effects follow one another in program order by the same rule as
assignments do, within loops and branches as well, and a frozen graph is pure.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from gradops import GraphError, Op, ShapeError, UnreachedWarning, all, copy, isfinite, leaves_of
from gradops.core.source_location import depth_of_user, describe, here
from gradops.typing import Operand, OperandLike

from ..ir.expr import Expr, Kind, common_names, sequence
from ..ir.names import AFTER, Names, set_context
from ..ir.reachability import reachable
from ..ir.tuple_types import UNIT
from .checks import check, say
from .graph import Graph, get_default_graph
from .inputs import EFFECTS, Variable, as_expression, assign

__all__ = [
    "Assert", "Print", "check_numerics", "control_dependencies", "global_variables_initializer",
    "group", "no_op", "variables_initializer",
]  # fmt: skip


@contextmanager
def control_dependencies(control_inputs: Expr | Iterable[Expr] | None) -> Iterator[None]:
    """Run what is built inside a `with` block only with, and after, `control_inputs`.

    They are expressions: assignments, checks, groups. None removes the dependencies of outer
    blocks.

    >>> v = sg.Variable(1.0)
    >>> with sg.control_dependencies([v.assign(5.0)]):
    ...     y = v.read_value()
    >>> sg.Session().run(y)
    np.float32(5.0)
    """
    after = require_dependencies(sequence(control_inputs))
    before = () if control_inputs is None else AFTER.get()
    with set_context(AFTER, (*before, *after)):
        yield


def require_dependencies(values: Iterable[object]) -> list[Expr]:
    """The values, all of which must be expressions."""
    dependencies: list[Expr] = []
    for e in values:
        if not isinstance(e, Expr):
            raise GraphError(f"{e!r} is not an expression that something could depend on")
        dependencies.append(e)
    return dependencies


def group(*inputs: object, name: str = "group") -> Expr:
    """An expression without a value; running it runs all `inputs`, or lists of them.

    >>> v, w = sg.Variable(1.0), sg.Variable(2.0)
    >>> both = sg.group(v.assign_add(1.0), w.assign_add(1.0))
    >>> session = sg.Session()
    >>> session.run(both)
    >>> session.run([v, w])
    [np.float32(2.0), np.float32(3.0)]
    """
    run = require_dependencies(leaves_of(inputs))
    names = common_names("group", run) if run else get_default_graph().names
    return names.add(
        Expr(Kind.GROUP, UNIT, names.unique_valid(name), names, place=here(),
             control_inputs=(*run, *names.after))
    )  # fmt: skip


def is_run_only(x: object) -> bool:
    """True for an expression without a value: a group, a check."""
    return isinstance(x, Expr) and x.kind is Kind.GROUP


def global_variables_initializer(name: str = "init") -> Expr:
    """An operation that sets all current variables of the default graph to their initial values.

    A session begins with these values, so it need not be run.

    >>> w = sg.Variable(1.0)
    >>> init, change = sg.global_variables_initializer(), w.assign(5.0)
    >>> session = sg.Session()
    >>> session.run(change), session.run(init), session.run(w)
    (np.float32(5.0), None, np.float32(1.0))
    """
    return variables_initializer(get_default_graph().get_collection("global_variables"), name)


def variables_initializer(var_list: Variable | Iterable[Variable], name: str = "init") -> Expr:
    """An operation that sets variables to initial values; see `global_variables_initializer`."""
    var_list = sequence(var_list)
    for v in var_list:
        if not isinstance(v, Variable):
            raise GraphError(f"{getattr(v, 'label', repr(v))} is not a variable")
    return group(*(v.initializer for v in var_list), name=name)


def no_op(name: str = "no_op") -> Expr:
    """An operation that does nothing.

    >>> sg.Session().run(sg.no_op())
    """
    return group(name=name)


def token_of(names: Names) -> Variable:
    """The hidden variable that orders the effects of a graph."""
    graph = names.home
    if graph.token is None:
        graph.token = Variable.hidden(names, np.zeros(0, bool), "effects", Kind.TOKEN)
    return graph.token


def effect(
    names: Names, op: Op, operands: Sequence[OperandLike], name: str, **attrs: str | int
) -> Expr:
    """An operation that is run for its effect, after all effects that were built before."""
    token = token_of(names)
    made = group(assign(token, op(token, *operands, **attrs), "effect"), name=name)
    if EFFECTS.get() is None:
        names.home.checks.append(made)
    return made


def Assert(
    condition: OperandLike, data: OperandLike = (), message: str = "", name: str = "Assert"
) -> Expr:
    """A check: when it is run and `condition` does not hold, the run fails with an AssertionError.

    The message shows the values of `data`, after the strings in it. A run that fails changes no
    variable. A check is run if it is fetched, or something that depends on it is; inside a loop or
    branch, whenever that is run.

    >>> x = sg.placeholder("float32", [], name="x")
    >>> with sg.control_dependencies([sg.Assert(x > 0, [x], "x is a length")]):
    ...     y = sg.sqrt(x)
    >>> sg.compile(y, [x])(4.0)
    np.float32(2.0)
    """
    condition = as_expression(condition)
    if condition.dtype.kind != "b":
        raise ShapeError("Assert", [condition.label], "the condition is of truth values")
    assert condition.names is not None
    message, values = split_strings(message, data)
    return effect(condition.names, check, [condition, *values], name, message=message)


def split_strings(message: str, data: OperandLike) -> tuple[str, list[OperandLike]]:
    """The message with the strings in `data` appended, and the other values in `data`."""
    values = [data] if isinstance(data, str) else sequence(data)
    strings = [x for x in values if isinstance(x, str)]
    if strings:
        message = " ".join([message, *strings, ""]).lstrip()
    return message, [x for x in values if not isinstance(x, str)]


def check_numerics(x: OperandLike, message: str = "", name: str = "CheckNumerics") -> Expr:
    """`x`; when it is computed and has an entry that is not finite, the run fails.

    To find the first such value of a whole run: `Session.run(..., check_numerics=True)`.

    >>> x = sg.placeholder("float32", [], name="x")
    >>> sg.compile(sg.check_numerics(sg.log(x), "the logarithm"), [x])(1.0)
    np.float32(0.0)
    """
    x = as_expression(x)
    check = Assert(all(isfinite(x)), [x], message or f"{x.name} is not finite", name)
    with control_dependencies([check]):
        return copy(x)


def Print(
    x: OperandLike, data: OperandLike | None = None, message: str = "", first_n: int | None = None,
    summarize: int = 6, name: str = "Print",
) -> Expr:  # fmt: skip
    """`x`; when it is computed, `message` and the values of `data` are printed.

    They go to the standard error, as in TensorFlow 1, the first `first_n` times in a session, with
    `summarize` entries of each end of a long axis, all if that is negative. `data` is `x` by
    default; strings in it join the message.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> sg.compile(sg.Print(x, [x], "x is ") * 2, [x])([1.0, 2.0])
    array([2., 4.], dtype=float32)
    """
    x = as_expression(x)
    assert x.names is not None
    wanted, counter = first_times(x.names, first_n)
    message, values = split_strings(message, x if data is None else data)
    printed = effect(x.names, say, [wanted, *values], name, message=message, edge=summarize)
    with control_dependencies([printed, *counter]):
        return copy(x)


def first_times(names: Names, count: int | None) -> tuple[Operand, list[Expr]]:
    """The condition that this is one of the first `count` runs, and the update of its counter."""
    if count is None or count < 0:
        return np.True_, []
    done = Variable.hidden(names, np.int64(0), "printed")
    return done < count, [assign(done, done + 1, "printed/next")]


def warn_of_dead_effects(graph: Graph, fetches: Iterable[Expr], feeds: Sequence[Expr]) -> None:
    """Warn once of each check or print that is not run although its operands are computed."""
    if not graph.checks:
        return
    needed = reachable(fetches, stop=feeds)
    pending = []
    for each in graph.checks:
        if each in needed:
            continue
        applied = each.control_inputs[0].inputs[1]  # the op, as `effect` built it
        if any(x in needed for x in applied.inputs[1:]):
            warnings.warn(dead_effect_text(each), UnreachedWarning, stacklevel=depth_of_user())
        else:
            pending.append(each)
    graph.checks[:] = pending


def dead_effect_text(check: Expr) -> str:
    """The text of the warning of a check or print that is not run."""
    return (
        f"{check.name} is not run, though what it looks at is computed: nothing that is fetched"
        f" depends on it\n  made at {describe(check.place)}\n  hint: fetch it too, use what Print"
        " returns, or build what follows under control_dependencies([...])"
    )
