"""Jacobians of a function by backward, by forward mode and by central differences, compared."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gradops.core.types import is_float
from gradops.testing.finite_differences import central

from ..autograd.batched_grad import grad
from ..engine.grad_mode import enable_grad, no_grad
from ..engine.handle import make_leaf
from ..engine.tensor import Tensor, handle
from ..func.forward import dual_parts

Function = Callable[..., object]
Arrays = Sequence[np.ndarray]
Along = Callable[[Arrays], list[np.ndarray]]


@dataclass(frozen=True)
class Tolerance:
    """The step of differences, and the largest absolute and relative errors of derivatives."""

    eps: float
    atol: float
    rtol: float

    def admits(self, got: np.ndarray, want: np.ndarray) -> bool:
        """True if two arrays agree; where one is NaN, so must be the other."""
        return bool(np.allclose(got, want, self.rtol, self.atol, equal_nan=True))


class Mismatch(NamedTuple):
    """Two different Jacobians of an output in an input, given by their positions."""

    output: int
    input: int
    got: np.ndarray
    want: np.ndarray


class Check:
    """A function and the point at which its derivatives are compared."""

    def __init__(self, func: Function, inputs: Sequence[object], tolerance: Tolerance) -> None:
        self.func, self.inputs, self.tolerance = func, inputs, tolerance
        leaves = {i: x for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad}
        self.checked = list(leaves)
        self.points = [np.array(x.value) for x in leaves.values()]

    def outputs_of(self, leaves: Iterable[Tensor]) -> list[Tensor]:
        """The float outputs of the function, given the inputs to differentiate by."""
        given = dict(zip(self.checked, leaves, strict=True))
        return float_outputs(self.func(*[given.get(i, x) for i, x in enumerate(self.inputs)]))

    def graph(self) -> tuple[list[Tensor], list[Tensor]]:
        """Leaves and outputs with the graph between them."""
        with enable_grad():
            leaves = [make_leaf(handle(np.array(p))) for p in self.points]
            return leaves, self.outputs_of(leaves)

    def difference(self, directions: Arrays) -> list[np.ndarray]:
        """The derivative of each output along a direction, by central differences."""

        def line(h: float | complex) -> np.ndarray:
            points = [p + h * d for p, d in zip(self.points, directions, strict=True)]
            with no_grad():
                ys = self.outputs_of([make_leaf(handle(p)) for p in points])
            values = np.empty(len(ys), object)
            values[:] = [np.array(y.value) for y in ys]
            return values

        return list(central(line, self.tolerance.eps))

    def tangents(self, directions: Arrays) -> list[np.ndarray]:
        """The derivative of each output along a direction, by forward mode."""
        points, along = [handle(p) for p in self.points], [handle(d) for d in directions]
        ys, tangents = dual_parts(lambda *xs: self.outputs_of(xs), points, along)
        return [np.zeros(y.shape) if t is None else np.array(t.value) for y, t in zip(ys, tangents)]

    def mismatches(self, kind: str, fast: bool = False) -> Iterator[Mismatch]:
        """The Jacobians by backward, or by forward mode for "jvp", that differences contradict.

        `fast` compares one random combination of the entries of each.
        """
        _, ys = self.graph()
        rng = np.random.default_rng(0)
        directions = [random_like(p, rng) if fast else units(p) for p in self.points]
        weights = [random_like(y, rng) for y in ys] if fast else None
        sizes = [y.value.size for y in ys]
        want = self.columns(self.difference, directions, sizes, weights)
        if kind == "jvp":
            got = self.columns(self.tangents, directions, sizes, weights)
        else:
            got = self.rows(directions if fast else None, weights)
        for j in range(len(ys)):
            for k, i in enumerate(self.checked):
                if not self.tolerance.admits(got[j][k], want[j][k]):
                    yield Mismatch(j, i, got[j][k], want[j][k])

    def columns(
        self, along: Along, directions: Arrays, sizes: list[int], weights: Arrays | None
    ) -> list[list[np.ndarray]]:
        """By output and input, the derivatives along directions of the inputs, times `weights`."""
        zeros = [np.zeros_like(p) for p in self.points]
        found = [
            [along([*zeros[:k], d, *zeros[k + 1 :]]) for d in ds] for k, ds in enumerate(directions)
        ]
        return [
            [matrix_of([ys[j] for ys in of_input], n, weights, j) for of_input in found]
            for j, n in enumerate(sizes)
        ]

    def rows(self, directions: Arrays | None, weights: Arrays | None) -> list[list[np.ndarray]]:
        """By output and input, the gradients for cotangents of the outputs, along `directions`."""
        leaves, ys = self.graph()
        jacobians = []
        for j, y in enumerate(ys):
            cotangents = units(np.asarray(y.detach().value)) if weights is None else weights[j]
            found = [gradients_of(y, leaves, handle(w)) for w in cotangents]
            rows = [([g[k] for g in found], p.size) for k, p in enumerate(self.points)]
            of_inputs = [matrix_of(*pair, directions, k) for k, pair in enumerate(rows)]
            jacobians.append([matrix.T for matrix in of_inputs])
        return jacobians


def matrix_of(rows: Arrays, size: int, weights: Arrays | None, i: int) -> np.ndarray:
    """The matrix of these rows, or its products with the i-th weights."""
    matrix = np.array(rows).reshape(len(rows), size)
    return matrix if weights is None else matrix @ weights[i].reshape(1, -1).T


def as_tuple(given: Any) -> tuple[Any, ...]:
    """One or several values as a tuple."""
    return tuple(given) if isinstance(given, tuple | list) else (given,)


def float_outputs(result: object) -> list[Tensor]:
    """The float tensors that a function returned."""
    tensors = as_tuple(result)
    for y in tensors:
        if not isinstance(y, Tensor):
            raise TypeError(f"gradcheck is for functions that return tensors, not {type(y)}")
    return [y for y in tensors if is_float(y.dtype)]


def random_like(x: np.ndarray | Tensor, rng: np.random.Generator, count: int = 1) -> np.ndarray:
    """Several arrays of numbers from -1 to 1, in the shape and dtype of `x`."""
    return np.asarray(rng.uniform(-1, 1, (count, *x.shape)), x.dtype)


def units(p: np.ndarray) -> np.ndarray:
    """The unit vectors of the shape of an array."""
    return np.eye(p.size, dtype=p.dtype).reshape(p.size, *p.shape)


def gradients_of(y: Tensor, leaves: Sequence[Tensor], weight: Tensor) -> list[np.ndarray]:
    """The gradients of an output as arrays, zeros where it does not depend on a leaf."""
    if y.node is None:
        return [np.zeros(x.shape, x.dtype) for x in leaves]
    gradients = grad(y, leaves, weight, retain_graph=True, materialize_grads=True)
    return [np.array(g.detach().value) for g in gradients if g is not None]
