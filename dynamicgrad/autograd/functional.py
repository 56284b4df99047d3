"""Derivatives of functions of tensors, under the names of `torch.autograd.functional`.

`dynamicgrad.func` does the same for more: trees of tensors, arrays, and functions in each other.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops import TransformError
from gradops.core.dims import Shape

from ..engine.grad_mode import enable_grad
from ..engine.handle import Face
from ..engine.tensor import Tensor, handle
from ..func import grad as gradient
from ..func import jacfwd
from ..func.forward import dual_parts, require_pair
from ..func.levels import release
from ..func.recording import Recording
from .batched_grad import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = Tensor | tuple[Tensor, ...]
Function = Callable[..., Any]
INPUTS, OUTPUTS = "inputs", "outputs of the user-provided function"
INPUT = "input to the user-provided function is a single Tensor"
OUTPUT = "user-provided function returns a single Tensor"
STRATEGIES = ("reverse-mode", "forward-mode")


def jacobian(
    func: Function, inputs: Tensors, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Jacobian of `func`, which takes and returns a tensor or several, at `inputs`.

    For one output and one input a tensor of both shapes joined; for a tuple of inputs or outputs a
    tuple of them, outputs first. With `create_graph` it can be differentiated in turn. With
    `strict`, an output that does not depend on an input is an error. `vectorize` computes all rows
    at once, and `strategy="forward-mode"` all columns. Raises TransformError.

    >>> dg.autograd.functional.jacobian(lambda x: x * x, dg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    several, xs = as_tuple(inputs, INPUTS, "jacobian")
    require_strategy(strategy)
    if strategy == "forward-mode":
        if strict:
            raise TransformError("jacobian: strict=True is not supported in forward mode")
        return finish(forward_jacobian(func, several, xs), create_graph)
    record, xs = recording(xs, create_graph)
    with record.running():
        several_outputs, ys = as_tuple(func(*xs), OUTPUTS, "jacobian")
        require_differentiable(ys, strict)
        rows = [jacobian_of(y, xs, create_graph, vectorize) for y in ys]
        if strict:
            for i, row in enumerate(rows):
                require_dependence(row, i, create_graph)
        filled = tuple(zeros_for_none(row, xs, y.shape) for row, y in zip(rows, ys, strict=True))
    found = filled if several else tuple(row[0] for row in filled)
    return finish(found if several_outputs else found[0], create_graph)


def jacobian_of(y: Tensor, xs: Sequence[Tensor], create: bool, at_once: bool) -> list[Any]:
    """The Jacobian of one output in each input; None where it does not depend on it."""
    if y.node is None:
        return [None] * len(xs)
    n = int(np.prod(y.shape, dtype=int))
    units = np.eye(n, dtype=y.dtype).reshape(n, *y.shape)
    options: Any = dict(retain_graph=True, create_graph=create, allow_unused=True)
    if at_once or not n:
        rows: Any = grad(y, xs, handle(units), is_grads_batched=True, **options)
    else:
        each = [grad(y, xs, handle(unit), **options) for unit in units]
        rows = [None if g[0] is None else ops.stack(g) for g in zip(*each, strict=True)]
    shapes = [(*y.shape, *x.shape) for x in xs]
    return [
        None if r is None else ops.reshape(r, shape=s) for r, s in zip(rows, shapes, strict=True)
    ]


def forward_jacobian(func: Function, several: bool, xs: tuple[Tensor, ...]) -> Any:
    """The Jacobian by forward mode, in the structure of `jacobian`."""

    def require_tensors(*xs: Tensor) -> Any:
        result = func(*xs)
        as_tuple(result, OUTPUTS, "jacobian")
        return result

    return jacfwd(require_tensors, argnums=tuple(range(len(xs))) if several else 0)(*xs)


def hessian(
    func: Function, inputs: Tensors, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Hessian of `func`, which returns one number, at `inputs`, a tensor or several.

    A tensor of the shape of the input twice over, or a tuple of tuples of them. The options are
    those of `jacobian`, for the Jacobian of the gradient. Raises TransformError.

    >>> dg.autograd.functional.hessian(lambda x: (x**3).sum(), dg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several, xs = as_tuple(inputs, INPUTS, "hessian")
    require_strategy(outer_jacobian_strategy)
    gradients = gradients_of(func, "hessian", strict, [])
    if outer_jacobian_strategy == "forward-mode":
        number = lambda *xs: ops.reshape(single(func(*xs), "hessian"), shape=())
        gradients = gradient(number, argnums=tuple(range(len(xs))))
    rows = jacobian(gradients, xs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return rows if several else rows[0][0]


def vjp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The output of `func` at `inputs`, and the cotangents of the inputs for `v` of the outputs.

    `v` has the structure and shapes of the output, and can be left out for one number. Options as
    in `jacobian`. Raises TransformError.

    >>> dg.autograd.functional.vjp(dg.sin, dg.zeros(2), dg.ones(2))
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    return finish(pull(func, inputs, v, create_graph, strict, "vjp", OUTPUT), create_graph)


def jvp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The output of `func` at `inputs`, and its derivative along `v`, by forward mode.

    `v` has the structure and shapes of the inputs, and can be left out for one number. Options as
    in `jacobian`. Raises TransformError.

    >>> dg.autograd.functional.jvp(dg.sin, dg.zeros(2), dg.ones(2))
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    _, xs = as_tuple(inputs, INPUTS, "jvp")
    weights = directions(v, xs, INPUT, "jvp")
    for x, w in zip(xs, weights, strict=True):
        require_pair(x, w)
    with enable_grad():
        result, found = dual_parts(func, xs, weights)
    several, ys = as_tuple(result, OUTPUTS, "jvp")
    for i, t in enumerate(found):
        if strict and t is None:
            raise TransformError(NOT_DIFFERENTIABLE.format(i))
    filled = zeros_for_none(found, ys)
    return finish((result, filled if several else filled[0]), create_graph)


def vhp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The output of `func`, one number, at `inputs`, and `v` times its Hessian there.

    `v` has the structure and shapes of the inputs, and can be left out for one number. Options as
    in `jacobian`. Raises TransformError.

    >>> dg.autograd.functional.vhp(lambda x: (x**3).sum(), dg.ones(2), dg.ones(2))
    (tensor(2.), tensor([6., 6.]))
    """
    return hessian_product(func, inputs, v, create_graph, strict, "vhp")


def hvp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The output of `func`, one number, at `inputs`, and its Hessian there times `v`.

    It is what `vhp` gives, as a Hessian is symmetric.

    >>> dg.autograd.functional.hvp(lambda x: (x**3).sum(), dg.ones(2), dg.ones(2))
    (tensor(2.), tensor([6., 6.]))
    """
    return hessian_product(func, inputs, v, create_graph, strict, "hvp")


def hessian_product(
    func: Function, inputs: Tensors, v: Tensors | None, create_graph: bool, strict: bool, name: str
) -> tuple[Tensor, Any]:
    """The output, and the Hessian times `v`: the gradient's derivative along it."""
    several, xs = as_tuple(inputs, INPUTS, name)
    values: list[Tensor] = []
    gradients = gradients_of(func, name, strict, values)
    product = pull(gradients, xs, v, create_graph, strict, name, INPUT)[1]
    return finish((values[0], product if several else product[0]), create_graph)


def gradients_of(func: Function, name: str, strict: bool, values: list[Tensor]) -> Function:
    """The gradients of `func`, which returns one number; its values are appended to `values`."""

    def gradients(*xs: Tensor) -> tuple[Tensor, ...]:
        y = single(func(*xs), name)
        values.append(y)
        require_differentiable((y,), strict)
        found = input_cotangents((y,), xs, (handle(np.ones(y.shape, y.dtype)),), True, strict)
        if strict:
            require_second(found)
        return found

    return gradients


def pull(
    func: Function, inputs: Tensors, v: Tensors | None, create_graph: bool, strict: bool, name: str,
    single_what: str,
) -> tuple[Any, Any]:  # fmt: skip
    """The output of `func`, and the cotangents of its inputs for `v` of the output."""
    several, xs = as_tuple(inputs, INPUTS, name)
    record, xs = recording(xs, create_graph)
    with record.running():
        result = func(*xs)
        _, ys = as_tuple(result, OUTPUTS, name)
        require_differentiable(ys, strict)
        weights = directions(v, ys, single_what, name)
        found = input_cotangents(ys, xs, weights, create_graph, strict)
    return result, found if several else found[0]


def input_cotangents(
    ys: Sequence[Tensor], xs: Sequence[Tensor], weights: Sequence[Tensor], create_graph: bool,
    strict: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The cotangents of inputs; zeros where nothing depends on them, or an error if `strict`."""
    seeded = [(y, w) for y, w in zip(ys, weights, strict=True) if y.node is not None]
    found: Any = [None] * len(xs)
    if seeded:
        outputs, seeds = map(list, zip(*seeded, strict=True))
        found = grad(outputs, xs, seeds, create_graph=create_graph, allow_unused=True)
    if strict:
        for j, g in enumerate(found):
            if g is None:
                raise TransformError(
                    f"The output of the user-provided function is independent of input {j}. This is"
                    " not allowed in strict mode."
                )
    return zeros_for_none(found, xs)


def as_tuple(given: object, what: str, name: str) -> tuple[bool, tuple[Tensor, ...]]:
    """A tensor or several as a tuple, after whether they are several."""
    if isinstance(given, Tensor):
        return False, (given,)
    parts: tuple[Any, ...] = given if isinstance(given, tuple) else (given,)
    for i, x in enumerate(parts):
        if not isinstance(x, Tensor):
            wrong = f"value at index {i}" if parts is given else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the"
                f" {wrong} has type {type(x)}."
            )
    return True, parts


def recording(xs: Sequence[Tensor], create_graph: bool) -> tuple[Recording, tuple[Any, ...]]:
    """The run of a function of vertices for the inputs, with their histories if `create_graph`."""
    record = Recording(xs, outer=create_graph)
    return record, tuple(record.vertices)


def directions(
    v: Tensors | None, of: Sequence[Tensor], single_what: str, name: str
) -> tuple[Tensor, ...]:
    """The direction given, which fits the tensors it is a direction of."""
    if v is None:
        if len(of) != 1 or int(np.prod(of[0].shape, dtype=int)) != 1:
            raise TransformError(
                f"The vector v can only be None if the {single_what} with a single element."
            )
        return (handle(np.ones(of[0].shape, of[0].dtype)),)
    _, weights = as_tuple(v, "v", name)
    if len(weights) != len(of):
        many = f"{len(of)} Tensors" if len(of) > 1 else "a single Tensor"
        raise TransformError(f"The given v should contain {many}, not {len(weights)}.")
    for w, x in zip(weights, of, strict=True):
        if w.shape != x.shape:
            raise TransformError(f"v has invalid size: should be {x.shape} but got {w.shape}.")
    return weights


NOT_DIFFERENTIABLE = (
    "Output {} of the user-provided function does not require gradients. The outputs must be"
    " computed in a differentiable manner from the input when running in strict mode."
)


def require_differentiable(ys: Sequence[Tensor], strict: bool) -> None:
    """In strict mode, refuse outputs that do not depend on any input."""
    for i, y in enumerate(ys):
        if strict and y.node is None:
            raise TransformError(NOT_DIFFERENTIABLE.format(i))


def require_dependence(row: Sequence[Tensor | None], i: int, create_graph: bool) -> None:
    """Refuse an output that does not depend on an input, or whose Jacobian does not."""
    for j, g in enumerate(row):
        if g is None:
            raise TransformError(
                f"Output {i} of the user-provided function is independent of input {j}. This is not"
                " allowed in strict mode."
            )
        if create_graph and g.node is None:
            raise TransformError(
                f"The jacobian of the user-provided function is independent of input {j}. This is"
                " not allowed in strict mode when create_graph=True."
            )


def require_second(gradients: Sequence[Tensor]) -> None:
    """Refuse gradients that do not depend on the inputs."""
    for j, g in enumerate(gradients):
        if g.node is None:
            raise TransformError(
                "While computing the hessian, found that the jacobian of the user-provided function"
                f" with respect to input {j} is independent of the input. This is not allowed in"
                " strict mode. You should ensure that your function is twice differentiable and"
                " that the jacobian depends on the inputs (this would be violated by a linear"
                " function for example)."
            )


def require_strategy(strategy: str) -> None:
    """Raise for an unknown strategy."""
    if strategy not in STRATEGIES:
        raise TransformError(
            f'Expected strategy to be either "forward-mode" or "reverse-mode", not {strategy!r}.'
            ' Hint: If your function has more outputs than inputs, "forward-mode" tends to be more'
            ' performant. Otherwise, prefer to use "reverse-mode".'
        )


def single(result: object, name: str) -> Tensor:
    """The one number that a function returned."""
    several, ys = as_tuple(result, OUTPUTS, name)
    if several:
        raise TransformError(f"The function given to {name} should return a single Tensor")
    if int(np.prod(ys[0].shape, dtype=int)) != 1:
        raise TransformError(
            f"The Tensor returned by the function given to {name} should contain a single element,"
            f" not {ys[0].type}"
        )
    return ys[0]


def zeros_for_none(
    derivatives: Sequence[Face | None], like: Sequence[Face], rows: Shape = ()
) -> tuple[Face | Tensor, ...]:
    """Derivatives in the shapes of tensors, after `rows`; zeros where there are none."""
    return tuple(
        handle(np.zeros((*rows, *x.shape), x.dtype)) if g is None else g
        for g, x in zip(derivatives, like, strict=True)
    )


def finish(found: Any, create_graph: bool) -> Any:
    """Results, without history unless `create_graph`."""
    if isinstance(found, Tensor):
        return release(found if create_graph else found.detach())
    return type(found)(finish(x, create_graph) for x in found)
