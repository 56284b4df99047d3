"""Effects and their order: groups, dependencies, checks and prints.

Note [Effects]. A check or a print takes a token and gives one, and the token is assigned to a
hidden variable of the graph. So effects follow one another in program order by the same rule as
assignments do, within loops and branches as well, and a frozen graph is pure.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradops import GraphError, Op, ShapeError, all, copy, isfinite, leaves_of
from gradops.core.source_location import here

from ..ir.expr import Expr, Kind, common_names, sequence
from ..ir.names import AFTER, Names, held_at
from ..ir.tuple_types import UNIT
from .checks import check, say
from .graph import get_default_graph
from .inputs import EFFECTS, Variable, as_expression, assign


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Let what is built inside a `with` block run only with, and after, `control_inputs`.

    They are expressions: assignments, checks, groups. None forgets the dependencies outside.

    >>> v = sg.Variable(1.0)
    >>> with sg.control_dependencies([v.assign(5.0)]):
    ...     y = v.read_value()
    >>> sg.Session().run(y)
    np.float32(5.0)
    """
    after = require_expressions(sequence(control_inputs))
    before = () if control_inputs is None else AFTER.get()
    with held_at(AFTER, (*before, *after)):
        yield


def require_expressions(given: list[Any]) -> list[Expr]:
    """Refuse what cannot be run."""
    for e in given:
        if not isinstance(e, Expr):
            raise GraphError(f"{e!r} is no expression that something could depend on")
    return given


def group(*inputs: Any, name: str = "group") -> Expr:
    """Something that has no value, and with which all `inputs`, or lists of them, are run.

    >>> v, w = sg.Variable(1.0), sg.Variable(2.0)
    >>> both = sg.group(v.assign_add(1.0), w.assign_add(1.0))
    >>> session = sg.Session()
    >>> session.run(both)
    >>> session.run([v, w])
    [np.float32(2.0), np.float32(3.0)]
    """
    inputs = tuple(require_expressions(leaves_of(inputs)))
    names = common_names("group", inputs) if inputs else get_default_graph().names
    return names.add(
        Expr(Kind.GROUP, UNIT, names.given(name), names, place=here(),
             control_inputs=(*inputs, *names.after))
    )  # fmt: skip


def is_run_only(x: Any) -> bool:
    """Whether something is run and has no value: a group, a check."""
    return isinstance(x, Expr) and x.kind is Kind.GROUP


def global_variables_initializer(name: str = "init") -> Expr:
    """What sets all variables of the default graph, as there are now, to their initial values.

    A session begins with these values, so it need not be run.

    >>> w = sg.Variable(1.0)
    >>> init, change = sg.global_variables_initializer(), w.assign(5.0)
    >>> session = sg.Session()
    >>> session.run(change), session.run(init), session.run(w)
    (np.float32(5.0), None, np.float32(1.0))
    """
    return variables_initializer(get_default_graph().get_collection("global_variables"), name)


def variables_initializer(var_list: Any, name: str = "init") -> Expr:
    """What sets some variables to their initial values; see `global_variables_initializer`."""
    var_list = sequence(var_list)
    for v in var_list:
        if not isinstance(v, Variable):
            raise GraphError(f"{getattr(v, 'label', repr(v))} is no variable, to be initialized")
    return group(*(v.initializer for v in var_list), name=name)


def no_op(name: str = "no_op") -> Expr:
    """Something that does nothing, for what has to be an operation.

    >>> sg.Session().run(sg.no_op())
    """
    return group(name=name)


def token_of(names: Names) -> Variable:
    """The hidden variable that orders the effects of a graph."""
    graph = names.home
    if graph.token is None:
        graph.token = Variable.hidden(names, np.zeros(0, bool), "effects", Kind.TOKEN)
    return graph.token


def effect(names: Names, op: Op, operands: Sequence[Any], name: str, **attrs: Any) -> Expr:
    """Something that is run for its effect, after all effects that were built before."""
    token = token_of(names)
    made = group(assign(token, op(token, *operands, **attrs), "effect"), name=name)
    if EFFECTS.get() is None:
        names.home.checks.append(made)
    return made


def Assert(condition: Any, data: Any = (), message: str = "", name: str = "Assert") -> Expr:
    """A check: when it is run and `condition` does not hold, the run fails with an AssertionError.

    The message shows the values of `data`, and has the texts that are in it. A run that fails
    changes no variable. It is run if it is fetched, or something that depends on it is; inside a
    loop or branch, whenever that is run.

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
    message, values = texts_apart(message, data)
    return effect(condition.names, check, [condition, *values], name, message=message)


def texts_apart(message: str, data: Any) -> tuple[str, list[Any]]:
    """A message to which the texts in `data` are added, and what else is in it."""
    given = [data] if isinstance(data, str) else sequence(data)
    texts = [x for x in given if isinstance(x, str)]
    if texts:
        message = " ".join([message, *texts, ""]).lstrip()
    return message, [x for x in given if not isinstance(x, str)]


def check_numerics(x: Any, message: str = "", name: str = "CheckNumerics") -> Expr:
    """`x` itself; when it is computed and has an entry that is not finite, the run fails.

    To look for the first such value of a whole run: `Session.run(..., check_numerics=True)`.

    >>> x = sg.placeholder("float32", [], name="x")
    >>> sg.compile(sg.check_numerics(sg.log(x), "the logarithm"), [x])(1.0)
    np.float32(0.0)
    """
    x = as_expression(x)
    found = Assert(all(isfinite(x)), [x], message or f"{x.name} is not finite", name)
    with control_dependencies([found]):
        return copy(x)


def Print(
    x: Any,
    data: Any = None,
    message: str = "",
    first_n: int | None = None,
    summarize: int = 6,
    name: str = "Print",
) -> Expr:
    """`x` itself; when it is computed, `message` and the values of `data` are printed.

    They go to the standard error, as in TensorFlow 1, the first `first_n` times in a session, with
    `summarize` entries of each end of a long axis, all if that is negative. `data` is `x` by
    default; texts in it join the message.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> sg.compile(sg.Print(x, [x], "x is ") * 2, [x])([1.0, 2.0])
    array([2., 4.], dtype=float32)
    """
    x = as_expression(x)
    assert x.names is not None
    wanted, counted = first_times(x.names, first_n)
    message, values = texts_apart(message, x if data is None else data)
    shown = [wanted, *values]
    said = effect(x.names, say, shown, name, message=message, edge=summarize)
    with control_dependencies([said, *counted]):
        return copy(x)


def first_times(names: Names, count: int | None) -> tuple[Any, list[Expr]]:
    """Whether something is run one of the first times, and what counts them."""
    if count is None or count < 0:
        return np.True_, []
    done = Variable.hidden(names, np.int64(0), "printed")
    return done < count, [assign(done, done + 1, "printed/next")]
