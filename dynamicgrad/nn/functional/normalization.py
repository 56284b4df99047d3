"""Normalization, as functions."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops.nn import running_moments

from ...dispatch.zero_dim import numbers_as_rows
from ...engine.grad_mode import no_grad
from ...engine.tensor import Tensor, as_tensor

__all__ = [
    "batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "normalize",
    "rms_norm",
]  # fmt: skip


Affine = Tensor | None
"""A scale or an offset of each entry or channel, None for neither."""


def optional(x: Tensor | None) -> Tensor | None:
    """A tensor, or None."""
    return None if x is None else as_tensor(x)


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Affine = None,
    bias: Affine = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel standardized: by the batch if `training`, else by the running statistics.

    While training, running statistics that are given are moved towards those of the batch by
    `momentum`, in place.

    >>> dg.nn.functional.batch_norm(dg.tensor([[1.0], [3.0]]), None, None, training=True, eps=0)
    tensor([[-1.],
            [ 1.]])
    """
    x, w, b = as_tensor(input), optional(weight), optional(bias)
    if not training:
        if running_mean is None or running_var is None:
            raise ops.OptionError(
                "batch_norm", [x.type], "without training it needs running_mean and running_var"
            )
        return ops.batch_norm(x, w, b, eps, (as_tensor(running_mean), as_tensor(running_var)))
    require_several("batch_norm", x, (*x.shape[:1], *x.shape[2:]), "value per channel")
    if running_mean is not None or running_var is not None:
        update_statistics(x, (running_mean, running_var), momentum, by_example=False)
    return ops.batch_norm(x, w, b, eps)


def require_several(name: str, x: Tensor, sizes: Sequence[int], what: str) -> None:
    """Raise ShapeError for channels of fewer than two entries, which have no variance."""
    if x.ndim > 1 and (count := math.prod(sizes)) < 2:
        raise ops.ShapeError(
            name, [x.type], f"each channel has {count or 'no'} entr{'y' if count else 'ies'}, and"
            " so no spread",
            known_as=f"Expected more than 1 {what} when training, got input size {tuple(x.shape)}",
        )  # fmt: skip


def update_statistics(x: Tensor, running: Sequence[Any], momentum: Any, by_example: bool) -> None:
    """Update the running mean and variance by those of the batch, or by means over examples."""
    with no_grad():
        new = running_moments(x, running, momentum, by_example)
        for before, after in zip(running, new, strict=True):
            if before is not None:
                before.copy_(after)


def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Affine = None, bias: Affine = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each example standardized over its last dimensions, of the sizes given.

    >>> dg.nn.functional.layer_norm(dg.tensor([[1.0, 3.0]]), [2], eps=0)
    tensor([[-1.,  1.]])
    """
    x = as_tensor(input)
    if 0 in x.shape[-len(normalized_shape) :]:
        return ops.copy(x)  # there is nothing to standardize
    shape, given = tuple(normalized_shape), (optional(weight), optional(bias))
    return ops.layer_norm(x, shape, *given, eps)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Affine = None, eps: float | None = None
) -> Tensor:
    """Each example over the root of the mean of its squares, along its last dimensions.

    >>> dg.nn.functional.rms_norm(dg.tensor([[3.0, 3.0]]), [2])
    tensor([[1., 1.]])
    """
    x = as_tensor(input)
    eps = float(np.finfo(x.dtype).eps) if eps is None else eps
    return ops.rms_norm(x, tuple(normalized_shape), optional(weight), eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Affine = None, bias: Affine = None, eps: float = 1e-5
) -> Tensor:
    """Groups of channels of each example standardized together.

    >>> dg.nn.functional.group_norm(dg.tensor([[1.0, 3.0]]), 1, eps=0)
    tensor([[-1.,  1.]])
    """
    return ops.group_norm(as_tensor(input), num_groups, optional(weight), optional(bias), eps)


def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Affine = None, bias: Affine = None, use_input_stats: bool = True, momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel of each example standardized, or by running statistics unless `use_input_stats`.

    >>> dg.nn.functional.instance_norm(dg.tensor([[[1.0, 3.0]]]), eps=0)
    tensor([[[-1.,  1.]]])
    """
    x, w, b = as_tensor(input), optional(weight), optional(bias)
    if not use_input_stats:
        return batch_norm(x, running_mean, running_var, w, b, False, momentum, eps)
    require_several("instance_norm", x, x.shape[2:], "spatial element")
    if x.shape[0] and not running_mean is running_var is None:
        update_statistics(x, (running_mean, running_var), momentum, by_example=True)
    return ops.instance_norm(x, w, b, eps)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """The input over a power of the mean of squares of neighbouring channels.

    >>> dg.nn.functional.local_response_norm(dg.ones(1, 1, 1), 1, alpha=3.0, beta=0.5)
    tensor([[[0.5000]]])
    """
    return ops.local_response_norm(as_tensor(input), size, alpha, beta, k)


normalized = numbers_as_rows(ops.normalize)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """The input over its norm along a dimension, which counts as at least `eps`.

    >>> dg.nn.functional.normalize(dg.tensor([3.0, 4.0]), dim=0)
    tensor([0.6000, 0.8000])
    """
    return normalized(input, p, dim, eps)
