"""The optimizer: gradients, an update rule applied to each variable, and the rule's state.

Note [Steps]. An expression that is built after an assignment reads the new value. So a step builds
all new values before it assigns any: they are computed from the values before the step.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradops import DTypeError, GradError, GraphError, OptionError, ShapeError
from gradops.core.types import conflict, is_float, shape_of, type_of
from gradops.typing import Operand

from ..build.effects import group
from ..build.graph import Graph
from ..build.inputs import Variable, as_expression, assign
from ..ir.errors import foreign
from ..ir.expr import Expr, sequence
from ..ir.names import Names
from ..ir.reachability import reachable
from ..transform.reverse import gradients
from ..transform.unconnected import why_none

SHOWN = 5  # variables listed in a text
STEP = "step"

Variables = Variable | Sequence[Variable] | None
Slots = Mapping[str, tuple[str, float]]


class Optimizer:
    """Trains variables by an update rule of `gradops.nn.optimizer_updates`.

    `learning_rate` is a number or a scalar expression: a placeholder, a variable, a schedule. The
    state of the rule is kept in variables that are not trained, one per entry and trained variable,
    with zeros as initial values; `slots` says which entries are kept, with their names and other
    initial values. `options` go to the rule. The optimizers with TensorFlow's names are instances
    of this one.

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
        self, rule: Callable[..., Any], learning_rate: Operand, name: str | None = None,
        slots: Slots | None = None, **options: Any,
    ) -> None:  # fmt: skip
        self.rule, self.learning_rate = rule, number(one_number(learning_rate))
        self.options = {name: number(option) for name, option in options.items()}
        self.name = name or rule.__name__
        self.slots = slots_of(rule, options) if slots is None else slots
        self.entries = {name: entry for entry, (name, _) in self.slots.items() if entry != STEP}
        self.state_variables: dict[Variable, dict[str, Variable]] = {}
        self.steps: dict[Names, Variable] = {}

    def minimize(
        self, loss: Expr, global_step: Variable | None = None, var_list: Variables = None, *,
        grad_loss: Operand | None = None, name: str | None = None,
    ) -> Expr:  # fmt: skip
        """An expression whose evaluation takes a step: computes gradients of `loss`, applies them.

        `var_list` are the variables to train, by default all trainable ones of the graph. Each step
        increments `global_step`, if given. Raises ShapeError for a loss that is not a single
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
        self, loss: Expr, var_list: Variables = None, *, grad_loss: Operand | None = None
    ) -> list[tuple[Expr | None, Variable]]:
        """Pairs of the gradients of `loss`, None where there is none, and their variables.

        The caller may change them, for example clip them, before `apply_gradients`. See `minimize`.
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
        self, grads_and_vars: Iterable[tuple[Operand | None, Variable]],
        global_step: Variable | None = None, name: str | None = None,
    ) -> Expr:  # fmt: skip
        """An expression whose evaluation applies gradients in one step; None is left out.

        All new values are computed from those before the step. See Note [Steps]. Raises GradError
        if there is no gradient, ShapeError for one of another shape than its variable.
        """
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise GradError("apply_gradients: there is no gradient for any variable")
        require_trainable(pairs[0][1], [v for _, v in pairs])
        require_step(global_step, [v for _, v in pairs])
        name, graph = name or self.name, graph_of(pairs[0][1])
        with graph.as_default(), graph.name_scope(f"{name}/update"):
            changes: dict[Variable, Expr] = {}
            for g, v in pairs:
                changes.update(self.updated(as_gradient(g, v), v))
            if global_step is not None:
                changes[global_step] = global_step + global_step.own(1)
            done = [assign(v, new, "assign") for v, new in changes.items()]
        with graph.as_default():
            return group(*done, name=name)

    def updated(self, g: Expr, v: Variable) -> dict[Variable, Expr]:
        """The new values of a variable and of the rule's state for it."""
        state = self.kept(v)
        new, changed = self.rule(v, g, state, lr=self.learning_rate, **self.options)
        return {v: new, **{own: changed[entry] for entry, own in state.items()}}

    def kept(self, v: Variable) -> dict[str, Variable]:
        """The variables with the rule's state for `v`, created at the first use."""
        if v not in self.state_variables:
            graph = graph_of(v)
            with graph.as_default(), graph.name_scope(""):
                self.state_variables[v] = {
                    entry: self.count(graph) if entry == STEP
                    else slot(f"{v.name}/{self.name}/{name}", v, start)
                    for entry, (name, start) in self.slots.items()
                }  # fmt: skip
        return self.state_variables[v]

    def count(self, graph: Graph) -> Variable:
        """The variable that counts steps, one for each graph."""
        if graph.names not in self.steps:
            made = Variable(0, f"{self.name}/{STEP}", dtype="int64", trainable=False)
            self.steps[graph.names] = made
        return self.steps[graph.names]

    def get_slot_names(self) -> list[str]:
        """The names of the state variables kept for each trained variable.

        >>> sg.train.AdamOptimizer().get_slot_names()
        ['m', 'v']
        """
        return sorted(self.entries)

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The state variable called `name` of `var`; None if there is none yet.

        >>> w = sg.Variable([1.0, 2.0], name="w")
        >>> optimizer = sg.train.MomentumOptimizer(0.1, 0.9)
        >>> train = optimizer.minimize(sg.reduce_sum(w))
        >>> optimizer.get_slot(w, "momentum")
        <variable w/Momentum/momentum: float32[2]>
        """
        return self.state_variables.get(var, {}).get(self.entries.get(name, ""))

    def variables(self) -> list[Variable]:
        """All state variables of the optimizer, its count of steps included."""
        states = self.state_variables.values()
        return list(dict.fromkeys(own for state in states for own in state.values()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


def one_number(rate: Operand) -> Operand:
    """The learning rate; raises unless it is a single number."""
    if isinstance(rate, str) or rate is None:
        raise OptionError("learning_rate", [], f"{rate!r} is not a number")
    if shape := shape_of(rate):
        raise ShapeError("learning_rate", [type_of(rate)], f"it is a single number, not {shape}")
    return rate


def number(option: Any) -> Any:
    """NumPy numbers as Python numbers, which do not determine the dtype of results."""
    if isinstance(option, tuple):
        return tuple(map(number, option))
    return option.item() if isinstance(option, np.generic | np.ndarray) else option


def slots_of(rule: Callable[..., Any], options: Mapping[str, Any]) -> Slots:
    """The entries of a rule's state, found by a trial step; their initial values are zero."""
    one = np.ones(())
    return {entry: (entry, 0.0) for entry in rule(one, one, {}, lr=1.0, **options)[1]}


def slot(name: str, v: Variable, start: float) -> Variable:
    """An untrained variable like `v`, filled with one number."""
    return Variable(np.full(v.shape, start, v.dtype), name, trainable=False)


def graph_of(e: Expr) -> Graph:
    """The graph of an expression; raises GraphError if it no longer exists."""
    graph = e.names.graph() if e.names is not None else None
    if graph is None:
        raise GraphError(f"the graph of {e.label} no longer exists")
    return graph


def trainable(loss: Expr) -> list[Variable]:
    """The variables that are trained by default: all trainable ones of the graph.

    Raises DTypeError for one that the loss reads and that is not of floats.
    """
    graph = graph_of(loss)
    several = graph.get_collection("trainable_variables")
    result, read = [v for v in several if is_float(v.dtype)], reachable([loss])
    for v in several:
        if v in read and not is_float(v.dtype):
            raise not_floats(v, f"begin with floats, as 0.0, or give {v.name} trainable=False")
    if not result:
        raise GradError(
            f"minimize({loss.label}): {graph.names.label} has no trainable variables"
            "\n  hint: make one with sg.Variable, or give var_list"
        )
    return result


def not_floats(v: Variable, hint: str) -> DTypeError:
    """The error for a variable that cannot be trained because of its dtype."""
    reason = f"only floats can be trained, not {v.dtype}"
    return DTypeError("minimize", [v.label], reason, hint=hint)


def require_trainable(first: Expr, variables: Sequence[object]) -> None:
    """Raise unless all are distinct variables of floats, of the graph of `first`."""
    for v in variables:
        if not isinstance(v, Variable):
            label = getattr(v, "label", repr(v))
            raise GraphError(f"{label} is not a variable, and cannot be trained")
        if v.names is not first.names:
            raise foreign("minimize", first, v)
        if not is_float(v.dtype):
            raise not_floats(v, "leave it out of var_list, or make it with trainable=False")
    if len(set(variables)) < len(variables):
        raise GraphError("minimize: a variable is given twice")


def require_step(step: object, variables: Sequence[Variable]) -> None:
    """Raise GraphError unless `step` is None or an untrained variable of the same graph."""
    if step is None:
        return
    if not isinstance(step, Variable):
        raise GraphError(f"global_step is a variable, not {getattr(step, 'label', repr(step))}")
    if step.names is not variables[0].names:
        raise foreign("apply_gradients", variables[0], step)
    if any(step is v for v in variables):
        raise GraphError(f"{step.label} cannot be trained and count the steps")


def as_gradient(gradient: Operand, v: Variable) -> Expr:
    """The gradient as an expression; raises ShapeError unless it has its variable's shape."""
    g = as_expression(gradient, v.names, v)
    if g.names is not v.names:
        raise foreign("apply_gradients", v, g)
    if len(g.shape) != len(v.shape) or conflict(g.shape, v.shape):
        reason = "a gradient is shaped as its variable"
        raise ShapeError("apply_gradients", [v.label, g.type], reason)
    return g


def no_gradient(loss: Expr, variables: Sequence[Variable]) -> GradError:
    """The error for a loss that depends on none of the variables, with the reasons."""
    reasons = "".join(
        f"\n  {v.label}: " + why_none(loss, v).replace("\n", "\n  ") for v in variables[:SHOWN]
    )
    more = f"\n  and {len(variables) - SHOWN} more" if len(variables) > SHOWN else ""
    return GradError(f"minimize({loss.label}): no gradient reaches a variable{reasons}{more}")
