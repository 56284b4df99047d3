"""The optimizer: gradients, an update rule for each variable, and the variables it keeps itself.

Note [Steps]. An expression that is built after an assignment reads the new value. So a step builds
all new values before it assigns any: they are computed from what was there before the step.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradops import DTypeError, GradError, GraphError, OptionError, ShapeError
from gradops.core.types import conflict, is_float, shape_of, type_of

from ..build.effects import group
from ..build.graph import Graph
from ..build.inputs import Variable, as_expression, assign
from ..ir.errors import foreign
from ..ir.expr import Expr, sequence
from ..ir.names import Names
from ..ir.reachability import reachable
from ..transform.reverse import gradients
from ..transform.unconnected import why_none

SHOWN = 5  # variables that a text names
STEP = "step"

Slots = Mapping[str, tuple[str, float]]


class Optimizer:
    """Makes steps of an update rule of `gradops.nn.optimizer_updates`, by which variables learn.

    `learning_rate` is a number or any scalar expression: a placeholder, a variable, a schedule. The
    rule's state is kept in variables that are not trained, one of each kind for each variable,
    which begin at zero; `slots` says, for each entry of the state, under which name and with which
    value, and leaves out what need not be kept. `options` go to the rule. The optimizers under
    TensorFlow's names are made of this one; so can others be.

    >>> from gradops.nn import optimizer_updates as updates
    >>> w = sg.Variable(1.0, name="w")
    >>> optimizer = sg.train.Optimizer(updates.rmsprop, 0.1, alpha=0.75)
    >>> train = optimizer.minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train)
    >>> session.run(w)
    np.float32(0.8)
    """

    def __init__(
        self,
        rule: Callable[..., Any],
        learning_rate: Any,
        name: str | None = None,
        slots: Slots | None = None,
        **options: Any,
    ) -> None:
        self.rule, self.learning_rate = rule, number(one_number(learning_rate))
        self.options = {name: number(option) for name, option in options.items()}
        self.name = name or rule.__name__
        self.slots = slots_of(rule, options) if slots is None else slots
        self.held: dict[Variable, dict[str, Variable]] = {}
        self.steps: dict[Names, Variable] = {}

    def minimize(
        self,
        loss: Expr,
        global_step: Variable | None = None,
        var_list: Any = None,
        *,
        grad_loss: Any = None,
        name: str | None = None,
    ) -> Expr:
        """What makes a step by which `loss` gets smaller: gradients computed, and applied.

        `var_list` are the variables that learn, by default all of the graph that are trainable.
        `global_step`, if given, is counted up. Raises ShapeError for a loss that is no single
        number, DTypeError, and GradError if no gradient reaches a variable.

        >>> w = sg.Variable(2.0, name="w")
        >>> train = sg.train.GradientDescentOptimizer(0.25).minimize(w * w)
        >>> session = sg.Session()
        >>> session.run(train), session.run(w)
        (None, np.float32(1.0))
        """
        result = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(g is None for g, _ in result):
            raise no_gradient(loss, [v for _, v in result])
        return self.apply_gradients(result, global_step, name)

    def compute_gradients(
        self, loss: Expr, var_list: Any = None, *, grad_loss: Any = None
    ) -> list[tuple[Expr | None, Variable]]:
        """The gradients of `loss` beside their variables; None where it depends on none.

        What is done with them before they are applied, clipping for one, is up to the caller. See
        `minimize`.
        """
        if not isinstance(loss, Expr):
            raise GraphError(f"minimize: {loss!r} is not an expression, and so not a loss")
        if grad_loss is None and any(n != 1 for n in loss.shape):
            raise ShapeError(
                "minimize", [loss.label], "a loss is a single number",
                hint="reduce it with reduce_mean or reduce_sum, or give grad_loss",
            )  # fmt: skip
        variables = trainable(loss) if var_list is None else sequence(var_list)
        require_trainable(loss, variables)
        result = gradients(loss, variables, grad_loss) if variables else []
        return list(zip(result, variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Variable]],
        global_step: Variable | None = None, name: str | None = None,
    ) -> Expr:  # fmt: skip
        """What changes variables by their gradients, in one step; pairs without one are left out.

        All is computed from the values before the step. See Note [Steps]. Raises GradError if there
        is no gradient, ShapeError for one of another shape than its variable.
        """
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise GradError("apply_gradients: there is no gradient for any variable")
        require_trainable(pairs[0][1], [v for _, v in pairs])
        require_step(global_step, [v for _, v in pairs])
        name, graph = name or self.name, graph_of(pairs[0][1])
        with graph.as_default(), graph.name_scope(f"{name}/update"):
            changes: dict[Variable, Any] = {}
            for g, v in pairs:
                changes.update(self.updated(as_gradient(g, v), v))
            if global_step is not None:
                changes[global_step] = global_step + global_step.own(1)
            done = [assign(v, new, "assign") for v, new in changes.items()]
        with graph.as_default():
            return group(*done, name=name)

    def updated(self, g: Expr, v: Variable) -> dict[Variable, Any]:
        """The new values of a variable and of what is kept for it."""
        held = self.kept(v)
        new, state = self.rule(v, g, held, lr=self.learning_rate, **self.options)
        return {v: new, **{own: state[entry] for entry, own in held.items()}}

    def kept(self, v: Variable) -> dict[str, Variable]:
        """The variables that hold the rule's state for `v`, made when they are first asked for."""
        if v not in self.held:
            graph = graph_of(v)
            with graph.as_default(), graph.name_scope(""):
                self.held[v] = {
                    entry: self.count(graph) if entry == STEP
                    else slot(f"{v.name}/{self.name}/{name}", v, start)
                    for entry, (name, start) in self.slots.items()
                }  # fmt: skip
        return self.held[v]

    def count(self, graph: Graph) -> Variable:
        """The number of steps, which all variables of a graph share."""
        if graph.names not in self.steps:
            made = Variable(0, f"{self.name}/{STEP}", dtype="int64", trainable=False)
            self.steps[graph.names] = made
        return self.steps[graph.names]

    def get_slot_names(self) -> list[str]:
        """The names of what is kept for each variable.

        >>> sg.train.AdamOptimizer().get_slot_names()
        ['m', 'v']
        """
        return sorted(name for entry, (name, _) in self.slots.items() if entry != STEP)

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The variable called `name` that is kept for `var`; None if there is none yet.

        >>> w = sg.Variable([1.0, 2.0], name="w")
        >>> optimizer = sg.train.MomentumOptimizer(0.1, 0.9)
        >>> train = optimizer.minimize(sg.reduce_sum(w))
        >>> optimizer.get_slot(w, "momentum")
        <variable w/Momentum/momentum: float32[2]>
        """
        entries = {name: entry for entry, (name, _) in self.slots.items() if entry != STEP}
        return self.held.get(var, {}).get(entries.get(name, ""))

    def variables(self) -> list[Variable]:
        """All variables that the optimizer keeps, its count of steps included."""
        return list(dict.fromkeys(own for held in self.held.values() for own in held.values()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


def one_number(rate: Any) -> Any:
    """A learning rate, which must be a single number."""
    if isinstance(rate, str) or rate is None:
        raise OptionError("learning_rate", [], f"{rate!r} is not a number")
    if shape := shape_of(rate):
        raise ShapeError("learning_rate", [type_of(rate)], f"it is a single number, not {shape}")
    return rate


def number(option: Any) -> Any:
    """NumPy's numbers as Python's: theirs have a dtype, which would be the result's."""
    if isinstance(option, tuple):
        return tuple(map(number, option))
    return option.item() if isinstance(option, np.generic | np.ndarray) else option


def slots_of(rule: Callable[..., Any], options: Mapping[str, Any]) -> Slots:
    """What a rule keeps, seen in a step that it takes; all of it begins at zero."""
    one = np.ones(())
    return {entry: (entry, 0.0) for entry in rule(one, one, {}, lr=1.0, **options)[1]}


def slot(name: str, v: Variable, start: float) -> Variable:
    """A variable like `v` that holds the same number everywhere and is not trained."""
    return Variable(np.full(v.shape, start, v.dtype), name, trainable=False)


def graph_of(e: Expr) -> Graph:
    """The graph that an expression belongs to."""
    graph = e.names.graph() if e.names is not None else None
    if graph is None:
        raise GraphError(f"the graph of {e.label} no longer exists")
    return graph


def trainable(loss: Expr) -> list[Variable]:
    """The variables of a graph that are trained if nothing else is said: those that are trainable.

    One that is no float, though the loss reads it, was meant to be one.
    """
    graph = graph_of(loss)
    several = graph.get_collection("trainable_variables")
    result, read = [v for v in several if is_float(v.dtype)], reachable([loss])
    for v in several:
        if v in read and not is_float(v.dtype):
            raise DTypeError(
                "minimize", [v.label], f"only floats can be trained, not {v.dtype}",
                hint=f"begin with floats, as 0.0, or give {v.name} trainable=False",
            )  # fmt: skip
    if not result:
        raise GradError(
            f"minimize({loss.label}): {graph.names.label} has no trainable variables"
            "\n  hint: make one with sg.Variable, or give var_list"
        )
    return result


def require_trainable(first: Expr, variables: Sequence[Any]) -> None:
    """Refuse to train what is no variable, no float, of another graph, or given twice."""
    for v in variables:
        if not isinstance(v, Variable):
            raise GraphError(
                f"{getattr(v, 'label', repr(v))} is not a variable, and cannot be trained"
            )
        if v.names is not first.names:
            raise foreign("minimize", first, v)
        if not is_float(v.dtype):
            raise DTypeError(
                "minimize", [v.label], f"only floats can be trained, not {v.dtype}",
                hint="leave it out of var_list, or make it with trainable=False",
            )  # fmt: skip
    if len(set(variables)) < len(variables):
        raise GraphError("minimize: a variable is given twice")


def require_step(step: Any, variables: Sequence[Variable]) -> None:
    """Refuse to count steps in what is no variable, of another graph, or trained itself."""
    if step is None:
        return
    if not isinstance(step, Variable):
        raise GraphError(f"global_step is a variable, not {getattr(step, 'label', repr(step))}")
    if step.names is not variables[0].names:
        raise foreign("apply_gradients", variables[0], step)
    if any(step is v for v in variables):
        raise GraphError(f"{step.label} cannot be trained and count the steps")


def as_gradient(g: Any, v: Variable) -> Expr:
    """A gradient as an expression, which must have the shape of its variable."""
    g = as_expression(g, v.names, v)
    if g.names is not v.names:
        raise foreign("apply_gradients", v, g)
    if len(g.shape) != len(v.shape) or conflict(g.shape, v.shape):
        raise ShapeError(
            "apply_gradients", [v.label, g.type], "a gradient is shaped as its variable"
        )
    return g


def no_gradient(loss: Expr, variables: Sequence[Variable]) -> GradError:
    """The error for a loss that depends on no variable that is to be trained, with the reasons."""
    reasons = "".join(
        f"\n  {v.label}: " + why_none(loss, v).replace("\n", "\n  ") for v in variables[:SHOWN]
    )
    more = f"\n  and {len(variables) - SHOWN} more" if len(variables) > SHOWN else ""
    return GradError(f"minimize({loss.label}): no gradient reaches a variable{reasons}{more}")
