"""A function at a point: its derivative by differences, and by the ways there are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradops import GradcheckError
from gradops.core.types import is_float

from ..engine.grad_mode import enable_grad, no_grad
from ..engine.handle import make_leaf
from ..engine.tensor import Tensor, handle
from ..func.batched_grad import grad
from ..func.forward import dual_parts
from .blame import culprit

Function = Callable[..., Any]
Jacobians = list[list[Any]]  # per output and input, a matrix: entries of the input x of the output


@dataclass(frozen=True)
class Tolerance:
    """How far from each other two derivatives may be."""

    eps: float
    atol: float
    rtol: float

    def admits(self, got: Any, want: Any) -> bool:
        """Whether two matrices agree; where one is NaN, so must be the other."""
        return bool(np.allclose(got, want, self.rtol, self.atol, equal_nan=True))


class Check:
    """The comparisons; each raises GradcheckError at the first derivative that is not right."""

    def __init__(self, func: Function, inputs: tuple[Any, ...], tolerance: Tolerance) -> None:
        self.func, self.inputs, self.tolerance = func, inputs, tolerance
        self.checked = [
            i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad
        ]
        self.points = [np.array(inputs[i].value) for i in self.checked]

    def outputs(self, points: Sequence[Any]) -> list[Tensor]:
        """What the function gives at other points."""
        return self.outputs_of([make_leaf(handle(np.array(p))) for p in points])

    def outputs_of(self, leaves: Sequence[Tensor]) -> list[Tensor]:
        """The floats among what the function gives for these inputs."""
        args = list(self.inputs)
        for i, x in zip(self.checked, leaves, strict=True):
            args[i] = x
        return float_outputs(self.func(*args))

    def difference(self, directions: Sequence[Any]) -> list[Any]:
        """The change of each output along a direction in the inputs, by central differences."""
        eps = self.tolerance.eps
        ends = []
        for step in (eps, -eps):
            points = [p + step * d for p, d in zip(self.points, directions, strict=True)]
            with no_grad():
                moved = [make_leaf(handle(p)) for p in points]
                ends.append([np.array(y.value) for y in self.outputs_of(moved)])
        return [(a - b) / (2 * eps) for a, b in zip(*ends, strict=True)]

    def numerical(self) -> Jacobians:
        """The Jacobian of each output in each input by differences."""
        columns: list[list[list[Any]]] = []
        for k, p in enumerate(self.points):
            columns.append([])
            for unit in units(p):
                zero = [np.zeros_like(q) for q in self.points]
                zero[k] = unit
                columns[k].append([np.ravel(c) for c in self.difference(zero)])
        with no_grad():
            sizes = [int(np.prod(y.shape, dtype=int)) for y in self.outputs(self.points)]
        return [
            [np.array([entry[j] for entry in column]).reshape(len(column), n) for column in columns]
            for j, n in enumerate(sizes)
        ]

    def analytical(self) -> Jacobians:
        """The same by backward."""
        leaves, ys = self.recorded()
        return [
            [
                np.array(column).reshape(-1, leaf.value.size).T
                for leaf, column in zip(leaves, columns, strict=True)
            ]
            for y in ys
            for columns in [columns_of(y, leaves)]
        ]

    def recorded(self) -> tuple[list[Tensor], list[Tensor]]:
        """Leaves and outputs with the graph between them."""
        with enable_grad():
            leaves = [make_leaf(handle(np.array(p))) for p in self.points]
            return leaves, self.outputs_of(leaves)

    def pushed(self, directions: Sequence[Any]) -> list[Any]:
        """The tangent of each output by forward mode."""
        ys, found = dual_parts(
            lambda *xs: self.outputs_of(xs),
            [handle(p) for p in self.points],
            [handle(d) for d in directions],
        )
        return [
            np.zeros(y.shape) if t is None else np.array(t.value)
            for y, t in zip(ys, found, strict=True)
        ]

    def compare(self, got: Jacobians, want: Jacobians, what: str, kind: str) -> None:
        """Raise for the first matrix that is not as it should be."""
        for j, (row, wanted) in enumerate(zip(got, want, strict=True)):
            for k, (a, n) in enumerate(zip(row, wanted, strict=True)):
                if not self.tolerance.admits(a, n):
                    raise self.mismatch(what, kind, j, k, a, n)

    def agrees(self) -> bool:
        """Whether backward gives what differences do."""
        pairs = zip(self.analytical(), self.numerical(), strict=True)
        return all(
            self.tolerance.admits(a, n)
            for row, wanted in pairs
            for a, n in zip(row, wanted, strict=True)
        )

    def mismatch(self, what: str, kind: str, j: int, k: int, a: Any, n: Any) -> GradcheckError:
        """The error for an output and an input, with the operation that is to blame."""
        from .suspects import wrong_function

        said = wrong_function(self.func, self.inputs, self.tolerance) if kind == "vjp" else None
        said = said or culprit(self.func, self.inputs, kind)
        if any(p.dtype != np.float64 for p in self.points):
            said += "\n  hint: differences of inputs that are not float64 have few digits"
        return GradcheckError(
            f"{what} for output {j} with respect to input {self.checked[k]},\nnumerical:{n}\n"
            f"analytical:{a}\n{said}"
        )

    def backward(self) -> None:
        """Each entry of the Jacobian by backward."""
        self.compare(self.analytical(), self.numerical(), "Jacobian mismatch", "vjp")

    def forward(self) -> None:
        """Each entry of the Jacobian by forward mode."""
        columns: list[list[list[Any]]] = []
        for k, p in enumerate(self.points):
            columns.append([])
            for unit in units(p):
                zero = [np.zeros_like(q) for q in self.points]
                zero[k] = unit
                columns[k].append([np.ravel(t) for t in self.pushed(zero)])
        want = self.numerical()
        got = [
            [
                np.array([entry[j] for entry in column]).reshape(n.shape)
                for column, n in zip(columns, row, strict=True)
            ]
            for j, row in enumerate(want)
        ]
        self.compare(got, want, "Jacobian computed with forward mode mismatch", "jvp")

    def fast_backward(self) -> None:
        """A random combination of the Jacobian's entries by backward."""
        self.fast("Jacobian mismatch", "vjp", self.pulled_along)

    def fast_forward(self) -> None:
        """The same by forward mode."""
        self.fast("Jacobian computed with forward mode mismatch", "jvp", self.pushed_along)

    def fast(self, what: str, kind: str, along: Callable[[Any, Any], Jacobians]) -> None:
        """Compare the derivative along random directions, one input at a time."""
        rng = np.random.default_rng(0)
        directions = [np.asarray(rng.uniform(-1, 1, p.shape), p.dtype) for p in self.points]
        with no_grad():
            ys = self.outputs(self.points)
        weights = [np.asarray(rng.uniform(-1, 1, y.shape), y.dtype) for y in ys]
        by_input = [self.difference(alone(directions, k)) for k in range(len(directions))]
        want = [[np.sum(w * found[j]) for found in by_input] for j, w in enumerate(weights)]
        self.compare(along(directions, weights), want, what, kind)

    def pulled_along(self, directions: Any, weights: Any) -> Jacobians:
        """Each output's cotangent carried back, along the directions."""
        leaves, ys = self.recorded()
        return [
            [np.sum(g * d) for g, d in zip(pulled(y, leaves, handle(w)), directions, strict=True)]
            for y, w in zip(ys, weights, strict=True)
        ]

    def pushed_along(self, directions: Any, weights: Any) -> Jacobians:
        """Each direction carried on, along the weights."""
        by_input = [self.pushed(alone(directions, k)) for k in range(len(directions))]
        return [[np.sum(w * found[j]) for found in by_input] for j, w in enumerate(weights)]

    def reentrant(self, tolerance: float) -> None:
        """Backward gives the same when it runs again."""
        leaves, ys = self.recorded()
        for y in ys:
            weight = handle(np.ones(y.shape, y.dtype))
            once, again = (pulled(y, leaves, weight) for _ in range(2))
            for a, b in zip(once, again, strict=True):
                if np.any(np.abs(a - b) > tolerance):
                    raise GradcheckError(
                        "Backward is not reentrant, i.e., running backward with same input and"
                        " grad_output multiple times gives different values, although analytical"
                        " gradient matches numerical gradient. The tolerance for nondeterminism was"
                        f" {tolerance}."
                    )

    def batched(self) -> None:
        """Backward of several cotangents at once gives what it gives one by one."""
        leaves, ys = self.recorded()
        rng = np.random.default_rng(0)
        for j, y in enumerate(y for y in ys if y.node is not None):
            weights = np.asarray(rng.uniform(-1, 1, (2, *y.shape)), y.dtype)
            together = grad(
                y, leaves, handle(weights), True, materialize_grads=True, is_grads_batched=True
            )
            apart = [pulled(y, leaves, handle(w)) for w in weights]
            for k, (got, *want) in enumerate(zip(together, *apart, strict=True)):
                if not self.tolerance.admits(got.value, np.stack(want)):
                    raise GradcheckError(
                        f"While testing batched gradients, for output {j} and input"
                        f" {self.checked[k]}: vmap gives\n{got}\nand one by one they are\n"
                        f"{np.stack(want)}"
                    )


def float_outputs(result: Any) -> list[Tensor]:
    """The tensors of floats that a function returned."""
    ys = list(result) if isinstance(result, tuple | list) else [result]
    for y in ys:
        if not isinstance(y, Tensor):
            raise TypeError(f"gradcheck is for functions that return tensors, not {type(y)}")
    return [y for y in ys if is_float(y.dtype)]


def units(p: Any) -> Any:
    """The unit vectors of the shape of an array."""
    return np.eye(p.size, dtype=p.dtype).reshape(p.size, *p.shape)


def alone(directions: Sequence[Any], k: int) -> list[Any]:
    """The directions with zeros for all but one."""
    return [d if i == k else np.zeros_like(d) for i, d in enumerate(directions)]


def columns_of(y: Tensor, leaves: Sequence[Tensor]) -> list[list[Any]]:
    """For each leaf the gradients of each entry of an output."""
    rows = [pulled(y, leaves, handle(unit)) for unit in units(np.asarray(y.detach().value))]
    return [[row[k] for row in rows] for k in range(len(leaves))]


def pulled(y: Tensor, leaves: Sequence[Tensor], weight: Tensor) -> list[Any]:
    """The gradients of an output as arrays, zeros where it does not depend on a leaf."""
    if y.node is None:
        return [np.zeros(x.shape, x.dtype) for x in leaves]
    found: Any = grad(y, leaves, weight, retain_graph=True, materialize_grads=True)
    return [np.array(g.detach().value) for g in found]
