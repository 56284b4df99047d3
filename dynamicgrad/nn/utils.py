"""Functions of all gradients or all parameters: clipping, and conversion to a vector."""

import math
from collections.abc import Iterable

import numpy as np

import gradops as ops
from gradops import ShapeError

from ..engine.grad_mode import no_grad
from ..engine.tensor import Tensor, as_tensor, handle
from ..ops.assignment import copy_

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]

Tensors = Tensor | Iterable[Tensor]


def gradients(parameters: Tensors) -> list[Tensor]:
    """The gradients that are not None."""
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in given if p.grad is not None]


def norm_of(grads: list[Tensor], norm_type: float) -> Tensor:
    """The norm of all gradients as one vector, as a tensor; zero of none."""
    filled = [g.value for g in grads if math.prod(g.shape)]
    if not filled:
        dtypes = [g.dtype for g in grads] or [np.dtype(np.float32)]
        return handle(np.zeros((), np.result_type(*dtypes)))
    lengths = [ops.vector_norm(g, ord=norm_type) for g in filled]
    return handle(ops.vector_norm(ops.stack(lengths), ord=norm_type))


def clip_grad_norm_(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Scale all gradients by one factor, so that their norm as one vector is at most `max_norm`.

    Returns the norm that it was. Raises ValueError, and changes nothing, for a norm that is no
    finite number if `error_if_nonfinite`.

    >>> w = dg.ones(2, requires_grad=True)
    >>> w.grad = dg.tensor([3.0, 4.0])
    >>> dg.nn.utils.clip_grad_norm_(w, max_norm=1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    grads = gradients(parameters)
    with no_grad(), np.errstate(all="ignore"):
        total = norm_of(grads, float(norm_type))
        if error_if_nonfinite and not math.isfinite(total.item()):
            raise ValueError(
                f"The total norm of order {norm_type} for gradients from `parameters` is"
                " non-finite, so it cannot be clipped"
            )
        factor = ops.minimum(max_norm / (total.value + 1e-6), 1.0)
        for g in grads if is_scaled(factor) else ():
            g.mul_(handle(factor))
    return total


def is_scaled(factor: object) -> bool:
    """True if a factor is not 1, or unknown in a traced program."""
    return not (isinstance(factor, np.ndarray | np.generic) and factor == 1)


def clip_grad_value_(parameters: Tensors, clip_value: float) -> None:
    """Keep every entry of the gradients between `-clip_value` and `clip_value`.

    >>> w = dg.ones(2, requires_grad=True)
    >>> w.grad = dg.tensor([3.0, -4.0])
    >>> dg.nn.utils.clip_grad_value_(w, 1.0)
    >>> w.grad
    tensor([ 1., -1.])
    """
    with no_grad():
        for g in gradients(parameters):
            g.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters as one vector, through which gradients flow.

    >>> dg.nn.utils.parameters_to_vector([dg.ones(2), dg.zeros(1, 2)])
    tensor([1., 1., 0., 0.])
    """
    return ops.concatenate([ops.reshape(as_tensor(p), shape=(-1,)) for p in parameters], axis=0)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copy the entries of a vector into the parameters. Raises ShapeError if they are not as many.

    >>> w = dg.zeros(2)
    >>> dg.nn.utils.vector_to_parameters(dg.tensor([1.0, 2.0]), [w])
    >>> w
    tensor([1., 2.])
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected a Tensor, but got {type(vec).__name__}")
    targets = list(parameters)
    sizes = [math.prod(p.shape) for p in targets]
    if vec.shape != (sum(sizes),):
        raise ShapeError(
            "vector_to_parameters", [vec.type], f"the parameters have {sum(sizes)} entries"
        )
    ends = np.cumsum(sizes).tolist()
    with no_grad():
        for p, size, end in zip(targets, sizes, ends):
            copy_(p, vec[end - size : end].reshape(p.shape))
