"""`sg.function`: functions that are traced once per kind of arguments, and run compiled."""

import functools
import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from gradops import GraphError, flatten
from gradops.core.levels import TRACING
from gradops.core.source_location import describe, here
from gradops.core.tracer_protocol import held, is_holder, signature
from gradops.core.tree import structure

from ..build.tracing import name_of
from ..control.calls import Calls, Rebuild
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..runtime.backends.choice import Compiler, require_backend
from ..runtime.executable import Executable
from .captures import LOCK
from .python_state import is_value
from .traces import Trace

Arguments = tuple[tuple[Any, ...], dict[str, Any]]  # by position and by name
MANY_TRACES = 8
BY_DEFAULT = Compiler()


def function(
    fn: Callable[..., Any] | None = None, *, optimize: int = 2, backend: str | None = None
) -> Any:
    """Compile `fn` to a graph, which is traced once for each kind of arguments.

    Arguments are arrays, tensors and structures of them; other values (numbers, strings, objects)
    are part of the program, which is traced for each of them. Results have the structure that `fn`
    returns, with tensors where `fn` returned tensors. `traces` counts the graphs; `graph(*args)`
    and `source(*args)` return one. `optimize` and `backend` are those of `compile`.

    A call is one operation on the tape, with a compiled gradient of any order. Tensors, modules,
    optimizers and arrays that `fn` reads from outside are read in each call and updated after it,
    gradients included; numbers and flags that it reads are part of the program. Inside transforms
    such as `vmap`, `fn` itself runs. See Notes [Captures], [Guards]. Results that NumPy computes
    from outside arrays alone are part of the program until these change; arrays above 64 kB are
    compared by samples, so pass one as an argument if single entries of it change.

    Raises ValueUnknownError if the program asks for a value that is unknown while tracing, as
    `if x > 0:` does; GraphError if it would change Python state other than tensors; TransformError
    if it draws random numbers from NumPy. A trace that fails restores all state.

    Variables that the program creates keep their values between the calls of a trace; numbers of
    `sg.random_normal` and similar functions are new in each call.

    Called on expressions, while a graph is built, it becomes one function of the graph, with one
    derivative, however often it is called.

    >>> @sg.function
    ... def f(x):
    ...     return sg.reduce_sum(x * x)
    >>> f(np.array([1.0, 2.0])), f(np.array([3.0, 4.0])), f.traces
    (np.float64(5.0), np.float64(25.0), 1)
    >>> w = dg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.function(lambda x: (w * x).sum())(dg.ones(2)).backward()
    >>> w.grad
    tensor([1., 1.])
    """
    if backend is not None:
        require_backend("function", backend)
    compiler = Compiler(optimize, backend)
    return functools.partial(Function, compiler=compiler) if fn is None else Function(fn, compiler)


class Function:
    """A function and its traces, by the kinds of its arguments."""

    def __init__(self, fn: Callable[..., Any], compiler: Compiler = BY_DEFAULT) -> None:
        if not callable(fn):
            raise GraphError(f"function takes a callable, not {fn!r}")
        self.start(fn, compiler)

    def start(self, fn: Callable[..., Any], compiler: Compiler) -> None:
        """Initialize without traces."""
        functools.update_wrapper(self, fn)
        self.fn, self.compiler = fn, compiler
        self.traced: dict[Hashable, list[Trace]] = {}
        self.captured: set[int] = set()
        self.last: Trace | None = None
        self.calls = Calls(fn)

    @property
    def traces(self) -> int:
        """The number of graphs."""
        return sum(map(len, self.traced.values()))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.last is not None and not kwargs and not TRACING.get():
            result = self.last.attempt(args)
            if result is not NotImplemented:
                return result
        leaves, rebuild = flatten((args, kwargs))
        if any(isinstance(x, np.generic) for x in leaves):
            leaves = with_numbers(leaves)
            args, kwargs = rebuild(leaves)
        if any(isinstance(x, Expr) for x in leaves):
            return self.calls.call(leaves, rebuild, self.key(leaves, (args, kwargs)))
        if TRACING.get() or any(map(is_carried, leaves)):
            return self.fn(*args, **kwargs)
        result = self.concrete(leaves, rebuild, (args, kwargs)).run(leaves)
        return self.fn(*args, **kwargs) if result is NotImplemented else result

    def __gradop_stateful__(self) -> list[tuple[str, object]]:
        """The function itself, for traces that call this one: they may read what it reads."""
        return [(name_of(self.fn), self.fn)]

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., Any]:
        return self if instance is None else functools.partial(self, instance)

    def graph(self, *args: Any, **kwargs: Any) -> FrozenGraph:
        """The graph that runs for arguments like these."""
        return self.executable(*args, **kwargs).graph

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The generated source that runs for arguments like these."""
        return self.executable(*args, **kwargs).source

    def executable(self, *args: Any, **kwargs: Any) -> Executable:
        """The executable that runs for arguments like these."""
        leaves, rebuild = flatten((args, kwargs))
        return self.concrete(leaves, rebuild, (args, kwargs)).executable

    def concrete(self, leaves: list[object], rebuild: Rebuild, tree: Arguments) -> Trace:
        """The trace for arguments of this kind; traces the function if there is none."""
        result = self.known(leaves, tree)
        if result is None:
            with LOCK:
                result = self.known(leaves, tree)
                if result is None:
                    result = Trace(self.fn, self.compiler, leaves, rebuild)
                    self.captured |= result.ids
                    self.traced.setdefault(self.key(leaves, tree), []).insert(0, result)
                    self.warn_of_many()
        args, kwargs = tree
        self.last = result if not kwargs and result.expect(args, self.captured) else None
        return result

    def known(self, leaves: list[object], tree: Arguments) -> Trace | None:
        """A valid trace for arguments of this kind, if there is one."""
        for each in self.traced.get(self.key(leaves, tree), ()):
            if each.fits() and each.watched.has_types():
                return each
        return None

    def key(self, leaves: list[object], tree: Arguments) -> Hashable:
        """The properties of arguments that select a trace; raises GraphError if not hashable."""
        kinds = [x if (x := id(leaf)) in self.captured else kind_of(leaf) for leaf in leaves]
        result = structure(tree), tuple(kinds), repeats(leaves)
        try:
            hash(result)
        except TypeError as error:
            raise GraphError(
                f"{name_of(self.fn)} was given an argument that cannot be part of a program:"
                f" {error}\n  hint: pass arrays, and structures of them; other arguments are hashed"
            ) from error
        return result

    def warn_of_many(self) -> None:
        """Warn when the function has been traced so often that compiling it may not pay."""
        if self.traces == MANY_TRACES:
            warnings.warn(
                f"{name_of(self.fn)} has been traced {MANY_TRACES} times, last for the call at"
                f" {describe(here())}: each kind of arguments makes a graph\n  hint: pass numbers"
                " that change as arrays, and use few shapes",
                stacklevel=4,
            )

    def __gradop_kept__(self) -> list[tuple[str, object]]:
        """No state that a program could change."""
        return []

    def __getstate__(self) -> tuple[Callable[..., Any], Compiler]:
        return self.fn, self.compiler

    def __setstate__(self, state: tuple[Callable[..., Any], Compiler]) -> None:
        self.start(*state)

    def __repr__(self) -> str:
        return f"<function {name_of(self.fn)}, traced {self.traces} times>"


def is_carried(x: object) -> bool:
    """Whether an argument holds the value of a transform or of another trace."""
    return is_holder(x) and not isinstance(held(x), np.ndarray | np.generic)


def with_numbers(leaves: list[Any]) -> list[Any]:
    """The leaves with NumPy scalars as Python numbers, if tensors among them expect that."""
    holders = [x for x in leaves if is_holder(x)]
    if not any(x.__gradop_kind__.takes_scalars_for_numbers(x) for x in holders):
        return leaves
    return [x.item() if isinstance(x, np.generic) else x for x in leaves]


def kind_of(x: object) -> Hashable:
    """The part of an argument that a trace depends on: the type of a value, other objects."""
    if isinstance(x, Expr):
        return Expr, x.type
    if is_value(x):
        return signature(x)
    return type(x), repr(x) if isinstance(x, float | complex) else x  # 0.0 == -0.0, nan != nan


def repeats(leaves: Sequence[object]) -> tuple[int, ...] | None:
    """For each leaf the first position of the same object; None if all are distinct."""
    ids = list(map(id, leaves))
    return None if len(set(ids)) == len(ids) else tuple([ids.index(i) for i in ids])
