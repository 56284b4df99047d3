"""Functions that are traced at their first call with arguments of a kind, and then run compiled.

Note [Effects]. A traced program may change the tensors it is given: an update in place under
`no_grad()`, gradients that backward adds up. What such a tensor holds when the program ends, and
the gradient it has then, are further outputs of the graph; after each run they are written to the
caller's tensors. A gradient that is there when the call begins is a further input.
"""

import functools
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import GraphError, flatten
from gradops.holding import held, holding, is_holder, signature
from gradops.levels import TRACING, own_errors
from gradops.places import describe, here
from gradops.tree import structure

from ..control.calls import Calls
from ..frontend.effects import group, is_run_only
from ..frontend.freeze import freeze
from ..frontend.graph import Graph
from ..frontend.leaves import EFFECTS
from ..frontend.tracing import expression, name_of, parameters, placeholder_like
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.names import held_at
from .executable import Executable

MANY_TRACES = 8


def function(fn: Callable[..., Any] | None = None, *, optimize: int = 1) -> Any:
    """A function that runs as a compiled graph, traced once for each kind of arguments.

    Arguments are arrays, tensors and structures of them; other values (numbers, strings, objects)
    count as part of the program, which is traced anew for each. What is returned has the form that
    `fn` gave it: arrays, or tensors where `fn` returned tensors. Tensors that `fn` changes in place
    and their gradients are changed as if it had run by itself. `traces` counts the graphs made;
    `graph(*args)` and `source(*args)` show one. Raises ValueUnknownError where the program asks for
    a value that is not known while tracing, as `if x > 0:` does.

    Variables that the program makes last from call to call, each trace having its own; random
    numbers are new in each call.

    Called on expressions, while a graph is built, it becomes a part of the graph: one function,
    with one derivative, however often it is called.

    >>> @sg.function
    ... def f(x):
    ...     return sg.reduce_sum(x * x)
    >>> f(np.array([1.0, 2.0])), f(np.array([3.0, 4.0])), f.traces
    (np.float64(5.0), np.float64(25.0), 1)
    """
    if fn is None:
        return functools.partial(function, optimize=optimize)
    return Function(fn, optimize)


class Function:
    """A function and the graphs it was traced to, by the kinds of its arguments."""

    def __init__(self, fn: Callable[..., Any], optimize: int = 1) -> None:
        if not callable(fn):
            raise GraphError(f"function takes what can be called, not {fn!r}")
        functools.update_wrapper(self, fn)
        self.fn, self.optimize = fn, optimize
        self.traced: dict[Any, Traced] = {}
        self.calls = Calls(fn)
        self.lock = threading.RLock()  # it may call itself

    @property
    def traces(self) -> int:
        """How many graphs there are."""
        return len(self.traced)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, rebuild = flatten((args, kwargs))
        if any(isinstance(x, Expr) for x in leaves):
            return self.calls.call(leaves, rebuild, self.key(leaves, (args, kwargs)))
        return self.concrete(leaves, rebuild, (args, kwargs)).run(leaves)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def graph(self, *args: Any, **kwargs: Any) -> FrozenGraph:
        """The graph that is run for arguments like these."""
        return self.executable(*args, **kwargs).graph

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The source that is run for arguments like these."""
        return self.executable(*args, **kwargs).source

    def executable(self, *args: Any, **kwargs: Any) -> Executable:
        """What is run for arguments like these."""
        leaves, rebuild = flatten((args, kwargs))
        return self.concrete(leaves, rebuild, (args, kwargs)).executable

    def concrete(self, leaves: list[Any], rebuild: Any, tree: Any) -> "Traced":
        """The trace for arguments of this kind, made if there is none."""
        key = self.key(leaves, tree)
        found = self.traced.get(key)
        if found is None:
            with self.lock:
                found = self.traced.get(key)
                if found is None:
                    found = self.traced[key] = Traced(self, leaves, rebuild)
                    self.warn_of_many()
        return found

    def key(self, leaves: list[Any], tree: Any) -> Any:
        """What of arguments a trace depends on; raises GraphError if that cannot be compared."""
        found = structure(tree), tuple(map(kind_of, leaves)), repeats(leaves)
        try:
            hash(found)
        except TypeError as error:
            raise GraphError(
                f"{name_of(self.fn)} was given what is no value and cannot be part of a program:"
                f" {error}\n  hint: pass arrays, and structures of them; other arguments are hashed"
            ) from error
        return found

    def warn_of_many(self) -> None:
        """Warn when the function has been traced so often that compiling it may not pay."""
        if len(self.traced) == MANY_TRACES:
            warnings.warn(
                f"{name_of(self.fn)} has been traced {MANY_TRACES} times, last for the call at"
                f" {describe(here())}: each kind of arguments makes a graph\n  hint: pass numbers"
                " that change as arrays, and use few shapes",
                stacklevel=4,
            )

    def __repr__(self) -> str:
        return f"<function {name_of(self.fn)}, traced {self.traces} times>"


def is_value(x: Any) -> bool:
    """Whether an argument is fed, and not part of the program."""
    return is_holder(x) or isinstance(x, np.ndarray | np.generic)


def kind_of(x: Any) -> Any:
    """What of an argument a trace depends on: its type if it is fed, else the value itself."""
    if isinstance(x, Expr):
        return Expr, x.type
    if is_value(x):
        return signature(x)
    return type(x), repr(x) if isinstance(x, float | complex) else x  # 0.0 == -0.0, nan != nan


def repeats(leaves: Sequence[Any]) -> Any:
    """Which leaves are the same object as one before, and as which; None if there are none."""
    ids = list(map(id, leaves))
    return None if len(set(ids)) == len(ids) else tuple([ids.index(i) for i in ids])


class Argument:
    """A value that a traced program is given, and what stands in for it while tracing."""

    def __init__(self, x: Any, index: int, name: str) -> None:
        self.index = index
        self.feeds = [placeholder_like(x, name)]
        self.stand_in = holding(x, self.feeds[0])
        grad = getattr(x, "grad", None) if is_holder(x) else None
        if grad is not None:
            self.feeds.append(placeholder_like(grad, f"{name}_grad"))
            self.stand_in.grad = holding(grad, self.feeds[1])

    def values(self, leaves: Sequence[Any]) -> list[Any]:
        """What is fed for this argument of a call: its value, and its gradient where it has one."""
        x = leaves[self.index]
        return [held(x)] if len(self.feeds) == 1 else [held(x), held(x.grad)]

    def effects(self) -> "list[Effect]":
        """What the program did to the stand-in."""
        if not is_holder(self.stand_in):
            return []
        found: list[Effect] = []
        grad = getattr(self.stand_in, "grad", None)
        if held(self.stand_in) is not self.feeds[0]:
            found.append(Effect(self, self.stand_in, is_gradient=False))
        before = self.feeds[1] if len(self.feeds) > 1 else None
        if (None if grad is None else held(grad)) is not before:
            found.append(Effect(self, grad, is_gradient=True))
        return found


class Effect:
    """A change of an argument, or of its gradient, to what `source` holds; None is no gradient."""

    def __init__(self, argument: Argument, source: Any, is_gradient: bool) -> None:
        self.index, self.source, self.is_gradient = argument.index, source, is_gradient

    def apply(self, leaves: Sequence[Any], value: Any) -> None:
        """Make the change to an argument of a call."""
        x = leaves[self.index]
        if self.is_gradient:
            x.grad = None if self.source is None else holding(self.source, value)
        else:
            x.__gradop_write__(value)


class Traced:
    """A function traced for one kind of arguments: what runs, and where its results go."""

    def __init__(self, owner: Function, leaves: Sequence[Any], rebuild: Any) -> None:
        with Graph(name_of(owner.fn)).as_default():
            names = parameters(owner.fn, len(leaves))
            first = {id(x): i for i, x in reversed(list(enumerate(leaves)))}
            arguments = {i: Argument(leaves[i], i, names[i]) for i in first.values()
                         if is_value(leaves[i])}  # fmt: skip
            given = [arguments[first[id(x)]].stand_in if is_value(x) else x for x in leaves]
            args, kwargs = rebuild(given)
            changes: list[Expr] = []
            with held_at(EFFECTS, changes), held_at(TRACING, "sg.function"), own_errors():
                found, self.rebuild = flatten(owner.fn(*args, **kwargs))
            run = [x for x in found if is_run_only(x)]
            self.found = [None if is_run_only(x) else x for x in found]
            self.arguments = list(arguments.values())
            self.effects = [e for a in self.arguments for e in a.effects()]
            sources = [x for x in self.found if is_computed(x)]
            sources += [e.source for e in self.effects if e.source is not None]
            feeds = [e for a in self.arguments for e in a.feeds]
            fetches = [*map(expression, sources), *run, *[group(*changes)] * bool(changes)]
            self.executable = Executable(freeze(fetches, feeds), owner.optimize)
            self.state = State(self.executable, len(feeds))

    def run(self, leaves: Sequence[Any]) -> Any:
        """The results for arguments of this kind, whose changes are made."""
        values = [v for a in self.arguments for v in a.values(leaves)]
        computed = iter(self.state.run(values) if self.state.values else self.executable(*values))
        results = [holding(x, next(computed)) if is_computed(x) else x for x in self.found]
        for effect in self.effects:
            effect.apply(leaves, None if effect.source is None else next(computed))
        return self.rebuild(results)


class State:
    """The variables that a traced program made, for the calls of one trace: random numbers' too."""

    def __init__(self, executable: Executable, feeds: int) -> None:
        self.executable, self.lock = executable, threading.Lock()
        variables = executable.written.inputs[feeds:]
        numbers = {e: i for i, e in enumerate(variables)}
        self.values = [e.value for e in variables]
        self.updated = [numbers[v] for v, _ in executable.written.updates]

    def run(self, feeds: Sequence[Any]) -> Sequence[Any]:
        """Run with the values that variables have, and keep their new ones."""
        with self.lock:
            found = self.executable(*feeds, *self.values)
            count = len(found) - len(self.updated)
            for i, new in zip(self.updated, found[count:], strict=True):
                self.values[i] = np.asarray(new)
            return found[:count]


def is_computed(x: Any) -> bool:
    """Whether a result is computed by the graph, and not just handed back."""
    return is_value(x) or isinstance(x, Expr)
