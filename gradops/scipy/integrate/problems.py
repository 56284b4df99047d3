"""Initial value problems whose functions are closed, in any mode."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.op import PLAIN
from ...core.tree import leaves_of
from ...core.types import conflict, shape_of, type_of
from ...library.shape.joining import stack
from ...library.shape.movement import reshape
from ...library.solvers.ode_bodies import helper
from ...library.solvers.trajectories import trajectory
from ...transforms.bodies import is_traced
from ...transforms.closing import close, first_holder
from ...transforms.layers import constant
from ..optimize.unknowns import alike, as_vector, strong
from .fixed_steps import is_scanned
from .fixed_steps import states as scanned
from .options import control_of

Function = Callable[..., Any]


class Problem:
    """A differential equation, and functions of its state: closed, with the op that solves it.

    Functions are called as `fun(t, y, *args)`.
    """

    def __init__(
        self, call: str, functions: Sequence[Function], span: Sequence[Any], y0: Any,
        args: Sequence[Any], method: str, memory: int | None = None, **options: Any,
    ) -> None:  # fmt: skip
        self.like, self.method, self.options = first_holder(leaves_of(y0)), method, options
        start, (first, last) = as_state(call, y0), [reshape(strong(t), shape=()) for t in span]
        control = control_of(call, method, shape_of(start)[0], **options)
        equation, *others = functions
        bodies = [self.equation(call, equation), *map(self.of_state, others)]
        self.closed = close(bodies, (start, first, *args))
        self.start, _, *self.others = self.closed.operands
        self.span = stack([first, last])
        if self.has_known_span and np.isnan(self.span).any():
            raise OptionError(call, [], f"the span is from {first} to {last}",
                              hint="it goes from one time to another")  # fmt: skip
        self.f, *self.more = self.closed.bodies
        self.helper = helper(self.f, method, self.start)
        self.attrs: dict[str, Any] = {
            "functions": (self.f, self.helper), "method": method, "control": tuple(control),
            "memory": memory,
        }  # fmt: skip

    def of_state(self, f: Function) -> Function:
        """A function (y, t, ...) that gives a vector, of one as it is written."""

        def of_vector(y: Any, t: Any, *args: Any) -> Any:
            return as_vector(f(t, self.state(y), *args))

        return of_vector

    def equation(self, call: str, f: Function) -> Function:
        """The derivative of the state, which has its size; raises ShapeError for another one."""
        of_vector = self.of_state(f)

        def slope(y: Any, t: Any, *args: Any) -> Any:
            found = of_vector(y, t, *args)
            if conflict(shape_of(found), shape_of(y)):
                raise ShapeError(
                    call, [type_of(found)],
                    f"the state has {shape_of(y)[0]} entries, and its derivative as many",
                )  # fmt: skip
            return found

        return slope

    def state(self, y: Any) -> Any:
        """A state as functions get it: a tensor where the start has one."""
        return y if self.like is None else alike(self.like, y)

    @property
    def is_plain(self) -> bool:
        """True if all is arrays, so that nothing has a derivative."""
        xs = [self.span, *self.closed.operands]
        return self.like is None and self.closed.like is None and are_plain(xs)

    @property
    def is_known(self) -> bool:
        """True if the values of all operands are arrays, with derivatives or without."""
        return are_plain([constant(x) for x in [self.span, *self.closed.operands]])

    @property
    def is_graph(self) -> bool:
        """True if a graph is being built."""
        return any(is_traced(constant(x)) for x in [self.span, *self.closed.operands])

    @property
    def has_known_span(self) -> bool:
        """True if the span is an array without derivatives."""
        return are_plain([self.span])

    def states(self, times: Any) -> Any:
        """The states at times, as rows."""
        if is_scanned(self, times):
            return scanned(self, times)
        return trajectory(times, self.span, self.start, *self.others, **self.attrs)

    def results(self, x: Any) -> Any:
        """A result as a tensor where the program has tensors."""
        return self.closed.alike(x) if self.like is None else alike(self.like, x)


def are_plain(xs: Sequence[Any]) -> bool:
    """True if all operands are arrays or numbers."""
    return all(type(x) in PLAIN for x in xs)


def as_state(call: str, y0: Any) -> Any:
    """The start as a vector of float64, with its history."""
    leaves = [np.asarray(x) if type(x) in PLAIN else x for x in leaves_of(y0)]
    for x in leaves:
        if type_of(x).dtype.kind not in "biuf":
            raise DTypeError(
                call, [type_of(x)], "the state is a vector of real numbers",
                hint="give real and imaginary parts as entries of their own",
            )  # fmt: skip
    y = np.asarray(y0, np.float64) if are_plain(leaves) else as_vector(y0)
    return y if len(shape_of(y)) == 1 else reshape(y, shape=(-1,))
