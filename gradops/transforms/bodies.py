"""Functions that solvers call, as bodies, and their derivatives.

See Note [Closed functions] in `closing.py`.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..core.errors import TransformError
from ..core.levels import Carrier
from ..core.op import OPS
from ..core.tracer_protocol import Tape, held, is_holder
from ..core.types import shape_of
from ..library.elementwise.comparison import masked
from ..library.linalg.matrices import on_diagonal
from ..library.solvers.compositions import Composition
from .batching import vmap
from .forward import jvp
from .layers import Layer, TapeLayer, bare
from .recording import vjp

CAPTURED = (
    "the second derivative of a solution by a tensor that its function captures is not known"
    "\n  hint: give the tensor to the function as an argument, by args="
)
Outputs = tuple[Any, ...]
Trace = Callable[[Any], Any]  # of the functions that a body calls, to their graphs
Places = Iterable[tuple[Layer, slice]]


class Body:
    """A closed function that runs as Python code: see Note [Closed functions].

    It takes `size` operands. Those numbered `captured` are of the captures; their values are
    ignored, as the function reads what it captures from where the program has it. See Note
    [Layers].
    """

    def __init__(
        self, size: int, captured: range, layers: Sequence[Layer], outputs: int = 1
    ) -> None:
        self.size, self.captured, self.layers = size, captured, list(layers)
        self.outputs = outputs
        self.places: list[tuple[Layer, slice]] = []
        start = captured.start
        for layer in self.layers:
            self.places.append((layer, slice(start, start := start + len(layer.operands))))

    is_frozen = False  # what it reads may change

    def raw(self, operands: Sequence[Any]) -> Outputs:
        """The outputs, with the layers of what was captured."""
        raise NotImplementedError

    def __call__(self, *operands: Any) -> Outputs:
        if not self.places:
            return bare_outputs(self, operands)
        with ExitStack() as modes:
            for layer, place in self.places:
                if isinstance(layer, TapeLayer):
                    modes.enter_context(layer.tape.recording(layer.is_given(operands[place])))
            outputs = self.raw(operands)
        return tuple([bare(peel(y, self.places, operands)) for y in outputs])

    def tangents(self, active: Iterable[int]) -> "Body":
        """The body of the tangents of the outputs, for those of the operands `active`."""
        return Tangents(self, tuple(active))

    def pullback(self, wanted: Iterable[int]) -> "Body":
        """The body of the cotangents of the operands `wanted`, for those of the outputs."""
        return Pullback(self, tuple(wanted))

    def composed(
        self, f: Callable[..., Outputs], types: Sequence[Any] = (), outputs: int = 1
    ) -> "Body":
        """The body of `f(body, *operands)`: the first operands have `types`, others their own."""
        return Composed(self, f, types, outputs)

    def require_tangents(self, numbers: Iterable[int]) -> None:
        """Raise TransformError for tensors that are captured: their tape pulls back only.

        A body that is composed of tangents by these would have zeros in their place.
        """
        taped = [place for layer, place in self.places if isinstance(layer, TapeLayer)]
        if any(place.start <= i < place.stop for i in numbers for place in taped):
            raise TransformError(CAPTURED)

    def stacked(self, types: Sequence[Any]) -> "Body":
        """The body of the results for each of the rows of the first operands: stacks of `types`."""
        return self.composed(Stacked(len(types)), types)

    def jacobian(self) -> "Body":
        """The body of the Jacobian matrix, for a body from a vector, its first operand, to one."""
        return self.composed(jacobian_of)

    def sparse_jacobian(self) -> "Body":
        """As `jacobian`, or where most entries are zero and a tape knows which, the others alone.

        These are three arrays in CSR order: entries, columns, and where rows start.
        """
        return SparseJacobian(self)

    @property
    def tape(self) -> Tape | None:
        """The tape of the tensors that the body was closed with, if there are any."""
        raise NotImplementedError

    def traced(self, trace: Trace) -> Any:
        """The graph of the body, made of the graphs of the functions that it calls."""
        raise NotImplementedError


def jacobian_of(body: Any, x: Any, *others: Any) -> Outputs:
    """The Jacobian of a body by its first operand, from a tangent for each entry of that."""
    push = body.tangents([0])
    columns = vmap(lambda v: push(x, *others, v)[0])(identity_like(x))
    return (OPS["transpose"](columns),)


class Stacked(Composition):
    """The results of a body for each of the rows of its first operands."""

    def __call__(self, body: Any, *operands: Any) -> Outputs:
        (count,) = self.fields
        rows, others = operands[:count], operands[count:]
        return (vmap(lambda *xs: body(*xs, *others)[0])(*rows),)


def identity_like(x: Any) -> Any:
    """The identity matrix of the size of a vector, which may be unknown."""
    n, inner = shape_of(x)[0], bottom(x)
    if isinstance(n, int):
        return inner.__gradop_lift__(np.eye(n)) if is_traced(inner) else np.eye(n)
    ones = OPS["broadcast_to"](OPS["full_like"](x, value=1), shape=(n, n))
    return masked(on_diagonal(ones), ones)


def peel(y: Any, places: Places, operands: Sequence[Any]) -> Any:
    """An output without the layers whose operands are those of lower levels."""
    for layer, place in places:
        if not layer.is_given(operands[place]):
            y = layer.peel(y, operands[place])
    return y


def bare_outputs(body: Body, operands: Sequence[Any]) -> Outputs:
    """The outputs of a body with the layers of captures, but not within tensors as mere faces."""
    return tuple(map(bare, body.raw(operands)))


class Derived(Body):
    """A body that is made of another one, `body`."""

    body: Body

    @property
    def tape(self) -> Tape | None:
        """The tape of the tensors that the body was closed with, if there are any."""
        return self.body.tape


class Composed(Derived):
    """A function of operands that calls a body."""

    def __init__(
        self, body: Body, f: Callable[..., Outputs], types: Sequence[Any], outputs: int
    ) -> None:
        size = max(body.size, len(types))
        super().__init__(size, body.captured, body.layers, outputs)
        self.body, self.f, self.types = body, f, types

    def raw(self, operands: Sequence[Any]) -> Outputs:
        """The outputs, with the layers of what was captured."""
        return self.f(Raw(self.body), *operands)

    def traced(self, trace: Trace) -> Any:
        """The graph of the function of operands."""
        return self.body.traced(trace).composed(self.f, self.types)


class Raw:
    """A body that is called, as are its derivatives, with the layers of what was captured."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def __call__(self, *operands: Any) -> Outputs:
        return bare_outputs(self.body, operands)

    def tangents(self, active: Iterable[int]) -> "Raw":
        """The tangents of the outputs."""
        return Raw(self.body.tangents(active))

    def pullback(self, wanted: Iterable[int]) -> "Raw":
        """The cotangents of operands."""
        return Raw(self.body.pullback(wanted))

    def composed(
        self, f: Callable[..., Outputs], types: Sequence[Any] = (), outputs: int = 1
    ) -> "Raw":
        """A function of operands that calls the body."""
        return Raw(self.body.composed(f, types, outputs))


class Tangents(Derived):
    """The tangents of the outputs of a body."""

    def __init__(self, body: Body, active: Sequence[int]) -> None:
        super().__init__(body.size + len(active), body.captured, body.layers, body.outputs)
        self.body, self.active = body, active

    def raw(self, operands: Sequence[Any]) -> Outputs:
        """The tangents, with the layers of what was captured, unless that has a tangent."""
        n, body = self.body.size, self.body
        fixed = all(i not in self.captured for i in self.active)

        def along(*xs: Any) -> Outputs:
            own = list(operands[:n])
            for i, x in zip(self.active, xs, strict=True):
                own[i] = x
            return bare_outputs(body, own) if fixed else body(*own)

        return tuple(jvp(along, [operands[i] for i in self.active], operands[n:])[1])

    def traced(self, trace: Trace) -> Any:
        """The graph of the tangents."""
        return self.body.traced(trace).tangents(self.active)


class Pullback(Derived):
    """The cotangents of operands of a body."""

    def __init__(self, body: Body, wanted: Sequence[int]) -> None:
        size = body.size + body.outputs
        super().__init__(size, body.captured, body.layers, len(wanted))
        self.body, self.wanted = body, wanted

    def raw(self, operands: Sequence[Any]) -> Outputs:
        """The cotangents, with the layers of what was captured."""
        own, seeds = list(operands[: self.body.size]), operands[self.body.size :]
        arguments = [i for i in self.wanted if i not in self.captured]
        found = dict(zip(arguments, self.of_arguments(own, seeds, arguments), strict=True))
        for k, (_, place) in enumerate(self.places):
            ends = [i for i in self.wanted if place.start <= i < place.stop]
            found |= zip(ends, self.of_captures(own, seeds, k, ends), strict=True)
        return tuple([found[i] for i in self.wanted])

    def traced(self, trace: Trace) -> Any:
        """The graph of the cotangents."""
        return self.body.traced(trace).pullback(self.wanted)

    def of_arguments(
        self, own: list[Any], seeds: Sequence[Any], arguments: Sequence[int]
    ) -> Sequence[Any]:
        """The cotangents of operands that the function is given."""
        if not arguments:
            return ()

        def along(*xs: Any) -> Outputs:
            new = list(own)
            for i, x in zip(arguments, xs, strict=True):
                new[i] = x
            return bare_outputs(self.body, new)

        return vjp(along, [own[i] for i in arguments])[1](*seeds)

    def of_captures(
        self, own: list[Any], seeds: Sequence[Any], k: int, ends: Sequence[int]
    ) -> Sequence[Any]:
        """The cotangents of vertices that the function captures, from the tape they are on."""
        layer, place = self.places[k]
        if not ends or not isinstance(layer, TapeLayer):
            return [None] * len(ends)
        with layer.tape.recording(True):
            apart, stop = set_apart(own, layer.tape)
            apart[place] = layer.operands
            outputs = self.body.raw(apart)
        ys = [bare(peel(y, self.places[:k], own)) for y in outputs]
        pairs = [(y, g) for y, g in zip(ys, seeds, strict=True) if is_on(layer.tape, y)]
        vertices = [layer.vertices[i - place.start] for i in ends]
        stop += layer.vertices  # one may be computed from another
        return layer.tape.pull([y for y, _ in pairs], vertices, [g for _, g in pairs], stop)


class SparseJacobian(Derived):
    """The entries of a Jacobian, columns, and where rows start; or a matrix."""

    def __init__(self, body: Body) -> None:
        super().__init__(body.size, body.captured, body.layers)
        self.body = body

    @cached_property
    def found(self) -> Callable[..., Outputs]:
        """The function that computes it."""
        tape = self.tape
        return self.body.jacobian() if tape is None else tape.sparse_jacobian(self.body)

    def __call__(self, *operands: Any) -> Outputs:
        return self.found(*operands)

    def traced(self, trace: Trace) -> Any:
        """The graph of the Jacobian."""
        return self.body.traced(trace).sparse_jacobian()


def set_apart(operands: Sequence[Any], tape: Tape) -> tuple[list[Any], list[Any]]:
    """Operands behind new vertices of a tape, and these: what leads through them is another path.

    They may depend on what the function captures, or be the same.
    """
    vertices: list[Any] = []
    return [behind_vertex(x, tape, vertices) for x in operands], vertices


def behind_vertex(x: Any, tape: Tape, vertices: list[Any]) -> Any:
    """An operand behind a new vertex of a tape, if it is on that, which is added to `vertices`."""
    if is_on(tape, x):
        x = OPS["reshape"](x, shape=shape_of(x))
        vertices.append(tape.vertex(x))
        return x
    change = partial(behind_vertex, tape=tape, vertices=vertices)
    return x.mapped(change) if isinstance(x, Carrier) else x


def is_on(tape: Tape, y: Any) -> bool:
    """True if an output has a history on a tape."""
    return getattr(y, "__gradop_tape__", None) is tape and tape.vertex(y) is not None


def bottom(x: Any) -> Any:
    """The value below all tapes and transforms: an array or an expression."""
    while True:
        if is_holder(x):
            x = held(x)
        elif isinstance(x, Carrier):
            x = x.parts[0]
        else:
            return x


def is_traced(x: Any) -> bool:
    """True for an expression of a graph that is being built."""
    return hasattr(type(x), "__gradop_lift__")
