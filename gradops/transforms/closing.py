"""Functions as attributes of ops: closed, so that whatever they read is an operand.

Note [Closed functions]. A solver is an op whose attribute is a function. `close(f, args)` gives the
function as a *body*, and the operands that it takes: the arrays, tensors and expressions in `args`,
and after them what `f` captures: what it reads by name first, see Note [Captured names]. The op is
applied to these operands, so each operand type does with the op what it does with any other: a
tensor records one node, a `Dual` carries a tangent, an expression builds the op with the graph of
`f` as its attribute.

    closed = close(f, (x, *args))
    y = some_solver(*closed.operands, function=closed.body)
    return closed.alike(y)

A body takes one operand of any kind each, and returns a tuple of outputs, as a frozen graph does,
which it is where there are expressions. A kernel gets it compiled, or running `f` on arrays with
nothing recorded. Derivative rules use its derivatives, which are bodies too:

    body.tangents(active)   takes the operands, then tangents of those numbered `active`,
                            and returns the tangents of the outputs
    body.pullback(wanted)   takes the operands, then cotangents of the outputs,
                            and returns the cotangents of the operands numbered `wanted`
    body.composed(f)        takes the operands, and returns the tuple `f(body, *operands)`
    body.jacobian()         takes the operands, and returns the Jacobian by the first one
    body.sparse_jacobian()  the same, or its entries, their columns, and where rows start

So a rule is written with bodies and ops, and can be differentiated in turn. It reads the solution
(its `y`), never the way to it. All of these can be attributes of the op as well, such as a
Jacobian for the solver.

Several functions of the same arguments are closed together, `close([f, jac], args)`, and share the
operands: `closed.bodies` has a body for each.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..core.levels import clock
from ..core.tracer_protocol import Tape, held, is_holder
from ..core.tree import flatten
from ..core.types import type_of
from .bodies import Body, Outputs, Trace, bottom, is_traced
from .captured_names import with_captures
from .layers import Layer, layers_in, sample

Function = Callable[..., Any]


class Called(Body):
    """One of several functions of the same arguments, called as the program has written it."""

    def __init__(
        self, functions: "Functions", index: int, layers: Sequence[Layer], outputs: int
    ) -> None:
        count = functions.count
        captured = range(count, count + sum(len(layer.operands) for layer in layers))
        super().__init__(captured.stop, captured, layers, outputs)
        self.functions, self.index = functions, index

    def raw(self, operands: Sequence[Any]) -> Outputs:
        """The outputs, with the layers of what was captured."""
        return self.functions.call(self.index, operands[: self.captured.start])

    @property
    def tape(self) -> Tape | None:
        """The tape of the tensors that the body was closed with, if there are any."""
        return getattr(self.functions.like, "__gradop_tape__", None)

    def traced(self, trace: Trace) -> Any:
        """The graph of the function."""
        return trace(self)


class Functions:
    """Functions of the same arguments, and which leaves of these are operands."""

    def __init__(self, functions: Sequence[Function], args: Sequence[Any]) -> None:
        self.functions = list(functions)
        self.leaves, self.rebuild = flatten(tuple(args))
        self.at = [i for i, x in enumerate(self.leaves) if is_operand(x)]
        self.types: list[Any] = []
        self.like = first_holder(self.given)  # a tensor among arguments or captures
        self.graphs: tuple[Any, Any] | None = None  # of a trace, with the names it is for

    @property
    def count(self) -> int:
        """The number of operands among the arguments."""
        return len(self.at)

    @property
    def operands(self) -> list[Any]:
        """The operands among the arguments, as an op takes them."""
        return [x.__gradop_tape__.plain(x) if is_holder(x) else x for x in self.given]

    @property
    def given(self) -> list[Any]:
        """The operands among the arguments, as they are given."""
        return [self.leaves[i] for i in self.at]

    def call(self, k: int, operands: Sequence[Any]) -> Outputs:
        """The outputs of function `k` for operands, which it gets in the form of the arguments."""
        return tuple(map(as_output, self.results(k, operands)))

    def results(self, k: int, operands: Sequence[Any]) -> Outputs:
        """The results of function `k` as it returns them."""
        leaves = list(self.leaves)
        for i, x in zip(self.at, operands, strict=True):
            like = leaves[i]
            leaves[i] = like.__gradop_tape__.alike(like, x) if is_holder(like) else x
        results = self.functions[k](*self.rebuild(leaves))
        return results if type(results) is tuple else (results,)


def is_operand(x: object) -> bool:
    """True if a leaf of arguments is an operand: an array, a float, a tensor, an expression."""
    return isinstance(x, np.ndarray | np.generic | float | complex) or hasattr(x, "gradop_level")


def as_output(y: Any) -> Any:
    """A result of a function as an operand of ops: not in a holder that has no history."""
    while is_holder(y) and y.__gradop_tape__.vertex(y) is None:
        y = held(y)
    return y.__gradop_tape__.plain(y) if is_holder(y) else y


class Closed:
    """Functions closed for one call of an op: their bodies, and the operands these take."""

    def __init__(self, functions: Sequence[Function], args: Sequence[Any]) -> None:
        plain = functions
        functions, args = with_captures(functions, args)
        own = Functions(functions, args)
        self.operands, self.like = own.operands, own.like
        layers: list[Layer] = []
        counts = [1] * len(functions)
        anchor = next((x for x in [*own.given, *map(captured_cells, plain)] if is_traced(x)), None)
        if anchor is None:
            layers, counts, anchor = self.observe(own)
        self.operands += [x for layer in layers for x in layer.operands]
        own.types = [type_of(x) for x in self.operands]
        self.bodies = [Called(own, k, layers, n) for k, n in enumerate(counts)]
        if anchor is not None and not any(is_traced(bottom(x)) for x in self.operands):
            self.operands[0] = anchor.__gradop_lift__(self.operands[0])

    @property
    def body(self) -> Body:
        """The body of the first function."""
        return self.bodies[0]

    def observe(self, own: Functions) -> tuple[list[Layer], list[int], Any]:
        """The layers of what the functions capture, found by one call of each.

        Also their numbers of outputs, and an output that is an expression, if there is one.
        """
        began = next(clock)
        examples = [sample(x) for x in own.given]
        results = [own.results(k, examples) for k in range(len(own.functions))]
        leaves = [y for row in results for y in row]
        self.like = own.like = first_holder([self.like, *leaves])
        outputs = list(map(as_output, leaves))
        anchor = next((x for x in map(bottom, outputs) if is_traced(x)), None)
        return layers_in(outputs, began), list(map(len, results)), anchor

    def alike(self, y: Any) -> Any:
        """A result as the program has its operands: as a tensor where there are tensors."""
        return y if self.like is None else self.like.__gradop_tape__.alike(self.like, y)


def close(functions: Function | Sequence[Function], args: Sequence[Any]) -> Closed:
    """One function or several of the arguments `args`, as bodies, and the operands of these.

    A function returns one array or a tuple of arrays. What of `args`, which may be structures, is
    an array, a float or an operand of another kind becomes an operand; the rest is part of the
    functions.

    >>> import numpy as np
    >>> closed = close(lambda x, a: np.sin(x) * a, (np.zeros(2), 3.0))
    >>> closed.body(*closed.operands)
    (array([0., 0.]),)
    >>> closed.body.pullback([0, 1])(np.zeros(2), 3.0, np.ones(2))
    (array([3., 3.]), np.float64(0.0))
    """
    return Closed([functions] if callable(functions) else functions, args)


def first_holder(xs: Iterable[Any]) -> Any:
    """The first tensor among operands."""
    return next(filter(is_holder, xs), None)


def captured_cells(f: Any) -> Any:
    """An expression that a function captures directly; None if it has none."""
    cells = getattr(f, "__closure__", None) or ()
    return next((x for c in cells if is_traced(x := contents(c))), None)


def contents(cell: Any) -> Any:
    """The contents of a cell; None if it has none yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
