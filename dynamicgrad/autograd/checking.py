"""Derivatives checked against differences: `gradcheck` and `gradgradcheck`."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradops import GradcheckError, TransformError
from gradops.types import is_float

from ..func.forward import dual_parts
from ..modes import enable_grad, no_grad
from ..tensor import Tensor, handle, make_leaf
from .batched import grad
from .witness import culprit

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


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_batched_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Whether the gradients of `func` at `inputs` agree with differences of its values.

    `func` takes the inputs, a tensor or several, and returns a tensor or several; the gradients are
    those in inputs of floats that require gradients, best in float64. An input entry is moved by
    `eps`. `check_forward_ad` checks tangents too, `check_batched_grad` gradients under `vmap`;
    `fast_mode` checks one random direction instead of each entry. Two runs of backward may differ
    by `nondet_tol`. Raises GradcheckError, or returns False without `raise_exception`; it names the
    first operation whose own derivative is wrong, and its line.

    >>> x = dg.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    >>> dg.autograd.gradcheck(lambda x: dg.sin(x) * x, x)
    True
    """
    if not (check_backward_ad or check_forward_ad):
        raise TransformError("Expected at least one of check_forward_ad or check_backward_ad")
    given = as_inputs(inputs)
    check = Check(func, given, Tolerance(eps, atol, rtol))
    steps: list[Callable[[], None]] = []
    if check_forward_ad:
        steps.append(check.fast_forward if fast_mode else check.forward)
    if check_backward_ad:
        steps += [check.fast_backward if fast_mode else check.backward]
        steps.append(lambda: check.reentrant(nondet_tol))
    if check_batched_grad:
        steps.append(check.batched)
    try:
        for step in steps:
            step()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def as_inputs(inputs: Any) -> tuple[Any, ...]:
    """The inputs as a tuple, of which some must be fit to be checked."""
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    checked = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise TransformError(
            "gradcheck expects at least one input tensor to require gradient, but none of them"
            " have requires_grad=True."
        )
    for i in checked:
        if given[i].dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or"
                " complex. This check will likely fail if all the inputs are not of double"
                " precision floating point or complex.",
                UserWarning,
                stacklevel=3,
            )
        strides = np.asarray(given[i].value).strides
        if any(s == 0 and n > 1 for s, n in zip(strides, given[i].shape, strict=True)):
            raise TransformError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs"
                " that are non-overlapping to be able to compute the numerical gradients correctly."
                " You should call .contiguous on the input before passing it to gradcheck."
            )
    return given


class Check:
    """A function at a point, its derivative by differences, and by the ways there are."""

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

    def mismatch(self, what: str, kind: str, j: int, k: int, a: Any, n: Any) -> GradcheckError:
        """The error for an output and an input, with the operation that is to blame."""
        said = culprit(self.func, self.inputs, kind)
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


def gradgradcheck(
    func: Function,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Whether the second derivatives of `func` agree with differences of its gradients.

    The gradients for `grad_outputs`, by default random ones, are checked as `gradcheck` checks a
    function, in the inputs and in `grad_outputs`. `check_fwd_over_rev` checks their tangents too.

    >>> x = dg.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    >>> dg.autograd.gradgradcheck(lambda x: dg.sin(x) * x, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise TransformError("Expected at least one of check_fwd_over_rev or check_rev_over_rev")
    given = as_inputs(inputs)
    weights = tuple(random_weights(func, given)) if grad_outputs is None else as_given(grad_outputs)
    checked = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*args: Any) -> Any:
        xs, gs = args[: len(given)], args[len(given) :]
        with enable_grad():
            fresh = [x * 1 if i in checked else x for i, x in enumerate(xs)]
            for i in checked:
                if fresh[i].node is None:
                    fresh[i] = make_leaf(handle(fresh[i].value))
            ys = float_outputs(func(*fresh))
            pairs = [(y, g) for y, g in zip(ys, gs, strict=True) if y.node is not None]
            ends = [fresh[i] for i in checked]
            return grad(
                [y for y, _ in pairs], ends, [g for _, g in pairs],
                create_graph=True, materialize_grads=True,
            )  # fmt: skip

    return gradcheck(
        gradients, (*given, *weights), eps=eps, atol=atol, rtol=rtol,
        raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode,
    )  # fmt: skip


def as_given(grad_outputs: Any) -> tuple[Tensor, ...]:
    """One or several cotangents as a tuple."""
    return tuple(grad_outputs) if isinstance(grad_outputs, tuple | list) else (grad_outputs,)


def random_weights(func: Function, inputs: Sequence[Any]) -> list[Tensor]:
    """A cotangent for each output, which requires gradients."""
    rng = np.random.default_rng(0)
    with no_grad():
        ys = float_outputs(func(*inputs))
    return [make_leaf(handle(np.asarray(rng.uniform(-1, 1, y.shape), y.dtype))) for y in ys]
