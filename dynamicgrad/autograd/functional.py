"""Derivatives of functions of tensors, under the names of `torch.autograd.functional`.

`dynamicgrad.func` does the same for more: trees of tensors, arrays, and functions in each other.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops import TransformError
from gradops.core.dims import Shape
from gradops.typing import Function

from ..engine.grad_mode import enable_grad
from ..engine.tensor import Tensor, handle
from ..func import grad as gradient
from ..func import jacfwd
from ..func.forward import dual_parts, require_pair
from ..func.levels import release
from ..func.recording import Recording
from .batched_grad import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Several = tuple[Tensor, ...]
Tensors = Tensor | Several
INPUTS, OUTPUTS = "inputs", "outputs of the user-provided function"
INPUT = "input to the user-provided function is a single Tensor"
OUTPUT = "user-provided function returns a single Tensor"
STRATEGIES = ("reverse-mode", "forward-mode")
NOT_DIFFERENTIABLE = (
    "Output {} of the user-provided function does not require gradients. The outputs must be"
    " computed in a differentiable manner from the input when running in strict mode."
)
INDEPENDENT = (
    "{} of the user-provided function is independent of input {}. This is not allowed in strict"
    " mode{}."
)


class Call(NamedTuple):
    """The name and the options of the user's call."""

    name: str
    create_graph: bool
    strict: bool


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
    record = Recording(xs, outer=create_graph)
    with record.running():
        several_outputs, ys = as_tuple(func(*record.vertices), OUTPUTS, "jacobian")
        require_differentiable([y.node for y in ys], strict)
        rows = [jacobian_of(y, record.vertices, create_graph, vectorize) for y in ys]
        for i, row in enumerate(rows if strict else ()):
            require_dependence(row, f"Output {i}", create_graph)
        filled = tuple(zeros_for_none(row, xs, y.shape) for row, y in zip(rows, ys))
    found = filled if several else tuple(row[0] for row in filled)
    return finish(found if several_outputs else found[0], create_graph)


def jacobian_of(y: Tensor, xs: Sequence[Any], create: bool, at_once: bool) -> list[Any]:
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
    return [None if r is None else ops.reshape(r, shape=s) for r, s in zip(rows, shapes)]


def forward_jacobian(func: Function, several: bool, xs: Several) -> Any:
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
    gradients = gradients_of(Call("hessian", True, strict), func, [])
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
    call = Call("vjp", create_graph, strict)
    return finish(pull(call, func, inputs, v, OUTPUT), create_graph)


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
    require_differentiable(found, strict)
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
    return hessian_product(Call("vhp", create_graph, strict), func, inputs, v)


def hvp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The output of `func`, one number, at `inputs`, and its Hessian there times `v`.

    It is what `vhp` gives, as a Hessian is symmetric.

    >>> dg.autograd.functional.hvp(lambda x: (x**3).sum(), dg.ones(2), dg.ones(2))
    (tensor(2.), tensor([6., 6.]))
    """
    return hessian_product(Call("hvp", create_graph, strict), func, inputs, v)


def hessian_product(call: Call, func: Function, inputs: Tensors, v: Tensors | None) -> Any:
    """The output, and the Hessian times `v`: the gradient's derivative along it."""
    several, xs = as_tuple(inputs, INPUTS, call.name)
    values: list[Tensor] = []
    product = pull(call, gradients_of(call, func, values), xs, v, INPUT)[1]
    return finish((values[0], product if several else product[0]), call.create_graph)


def gradients_of(call: Call, func: Function, values: list[Tensor]) -> Function:
    """The gradients of `func`, which returns one number; its values are appended to `values`."""
    second_order = call._replace(create_graph=True)

    def gradients(*xs: Tensor) -> Several:
        y = single(func(*xs), call.name)
        values.append(y)
        require_differentiable([y.node], call.strict)
        found = input_cotangents(second_order, (y,), xs, (handle(np.ones(y.shape, y.dtype)),))
        if call.strict:
            require_second(found)
        return found

    return gradients


def pull(
    call: Call, func: Function, inputs: Tensors, v: Tensors | None, single_what: str
) -> tuple[Any, Any]:
    """The output of `func`, and the cotangents of its inputs for `v` of the output."""
    several, xs = as_tuple(inputs, INPUTS, call.name)
    record = Recording(xs, outer=call.create_graph)
    with record.running():
        result = func(*record.vertices)
        _, ys = as_tuple(result, OUTPUTS, call.name)
        require_differentiable([y.node for y in ys], call.strict)
        weights = directions(v, ys, single_what, call.name)
        found = input_cotangents(call, ys, record.vertices, weights)
    return result, found if several else found[0]


def input_cotangents(call: Call, ys: Several, xs: Sequence[Any], weights: Several) -> Several:
    """The cotangents of inputs; zeros where nothing depends on them, or an error if strict."""
    seeded = [(y, w) for y, w in zip(ys, weights) if y.node is not None]
    found: Any = [None] * len(xs)
    if seeded:
        outputs, seeds = map(list, zip(*seeded))
        found = grad(outputs, xs, seeds, create_graph=call.create_graph, allow_unused=True)
    if call.strict:
        require_dependence(found, "The output")
    return zeros_for_none(found, xs)


def as_tuple(given: object, what: str, name: str) -> tuple[bool, Several]:
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


def directions(v: Tensors | None, of: Several, single_what: str, name: str) -> Several:
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


def require_differentiable(links: Sequence[object], strict: bool) -> None:
    """In strict mode, refuse outputs that do not depend on any input: their nodes are None."""
    for i, link in enumerate(links):
        if strict and link is None:
            raise TransformError(NOT_DIFFERENTIABLE.format(i))


def require_dependence(row: Sequence[Tensor | None], what: str, create: bool = False) -> None:
    """Refuse an output that does not depend on an input, or whose Jacobian does not."""
    for j, g in enumerate(row):
        if g is None:
            raise TransformError(INDEPENDENT.format(what, j, ""))
        if create and g.node is None:
            raise TransformError(INDEPENDENT.format("The jacobian", j, " when create_graph=True"))


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


def zeros_for_none(derivatives: Sequence[Any], like: Sequence[Any], rows: Shape = ()) -> Several:
    """Derivatives in the shapes of tensors, after `rows`; zeros where there are none."""
    return tuple(
        handle(np.zeros((*rows, *x.shape), x.dtype)) if g is None else g
        for g, x in zip(derivatives, like)
    )


def finish(found: Any, create_graph: bool) -> Any:
    """Results, without history unless `create_graph`."""
    if isinstance(found, Tensor):
        return release(found if create_graph else found.detach())
    return type(found)(finish(x, create_graph) for x in found)
