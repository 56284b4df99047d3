"""Normalization of channels, by batches and by examples, with running statistics."""

from typing import Any, ClassVar

import numpy as np

import gradops as ops
from gradops.typing import DTypeLike

from ...engine.grad_mode import no_grad
from ...engine.tensor import Tensor, as_tensor, handle
from ...ops.creation import ones, zeros
from .. import functional as F
from ..modules.text import format_attributes
from .normalization import Normalization
from .parameters import add_parameter

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d",
]  # fmt: skip


class ByChannel(Normalization):
    """Base class of norms of channels: scales, offsets, and running mean and variance."""

    ranks: ClassVar[tuple[int, ...]]
    tracks, scales = True, True

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool | None = None, track_running_stats: bool | None = None,
        dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine = self.scales if affine is None else affine
        tracks = self.tracks if track_running_stats is None else track_running_stats
        self.track_running_stats = tracks
        for name in ("weight", "bias"):
            add_parameter(self, name, [num_features] if self.affine else None, dtype)
        self.register_buffer("running_mean", zeros(num_features, dtype=dtype) if tracks else None)
        self.register_buffer("running_var", ones(num_features, dtype=dtype) if tracks else None)
        count = handle(np.zeros((), np.int64)) if tracks else None
        self.register_buffer("num_batches_tracked", count)
        super().reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the batches that were seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """The weight is ones, the bias zeros; batches are forgotten."""
        self.reset_running_stats()
        super().reset_parameters()

    def check(self, x: Tensor) -> None:
        """Refuse inputs of another rank or number of channels."""
        name = type(self).__name__
        if x.ndim not in self.ranks:
            wanted = " or ".join(f"{n}D" for n in self.ranks)
            raise ops.ShapeError(name, [x.type], f"expected {wanted} input (got {x.ndim}D input)")
        if x.shape[1] != self.num_features:
            raise ops.ShapeError(
                name, [x.type], f"the layer takes {self.num_features} channels, not {x.shape[1]}",
                known_as=f"running_mean should contain {x.shape[1]} elements not"
                f" {self.num_features}",
            )  # fmt: skip

    def extra_repr(self) -> str:
        """The size and options."""
        options = ("eps", "momentum", "affine", "track_running_stats")
        return f"{self.num_features}, {format_attributes(self, *options)}"


class BatchNorm(ByChannel):
    """Each channel less its mean over a batch, over its spread; scaled and moved.

    While training, the running mean and variance move towards the batch's by the share `momentum`,
    or with None are the averages of all batches. In evaluation they replace the batch's, unless
    `track_running_stats` is off. Raises ShapeError for a batch with one number for each channel.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input."""
        x = as_tensor(input)
        self.check(x)
        batch = self.training or not self.track_running_stats
        momentum: Any = self.momentum
        if self.training and self.track_running_stats:
            with no_grad():
                self.num_batches_tracked.add_(1)
            if momentum is None:
                momentum = 1 / ops.astype(self.num_batches_tracked, dtype=x.dtype)
        statistics = (self.running_mean, self.running_var)
        return F.batch_norm(x, *statistics, self.weight, self.bias, batch, momentum, self.eps)


class BatchNorm1d(BatchNorm):
    """`BatchNorm2d` for inputs (batch, channels) or (batch, channels, length).

    >>> dg.nn.BatchNorm1d(2, affine=False)(dg.tensor([[1.0, 2.0], [3.0, 2.0]]))
    tensor([[-1.0000,  0.0000],
            [ 1.0000,  0.0000]])
    """

    ranks = 2, 3


class BatchNorm2d(BatchNorm):
    """Each channel less its mean over a batch, over its spread; scaled and moved.

    Inputs have the shape (batch, channels, height, width). While training, the running mean and
    variance move towards the batch's by the share `momentum`, or with None are the averages of all
    batches. In evaluation they replace the batch's, unless `track_running_stats` is off.

    >>> layer = dg.nn.BatchNorm2d(2)
    >>> layer(dg.ones(3, 2, 4, 4)).shape, layer.running_mean
    ((3, 2, 4, 4), tensor([0.1000, 0.1000]))
    """

    ranks = (4,)


class BatchNorm3d(BatchNorm):
    """`BatchNorm2d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.BatchNorm3d(2)(dg.ones(3, 2, 2, 2, 2)).shape
    (3, 2, 2, 2, 2)
    """

    ranks = (5,)


class InstanceNorm(ByChannel):
    """Each channel of each example less its mean, over its spread."""

    tracks, scales = False, False

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input."""
        x = as_tensor(input)
        if x.ndim == self.ranks[0] - 1:
            return ops.squeeze(self.forward(ops.expand_dims(x, axis=0)), axis=(0,))
        self.check(x)
        batch = self.training or not self.track_running_stats
        given = (self.running_mean, self.running_var, self.weight, self.bias)
        return F.instance_norm(x, *given, batch, self.momentum or 0.0, self.eps)


class InstanceNorm1d(InstanceNorm):
    """Each channel of each example (batch, channels, length) less its mean, over its spread.

    >>> dg.nn.InstanceNorm1d(1)(dg.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """

    ranks = (3,)


class InstanceNorm2d(InstanceNorm):
    """`InstanceNorm1d` for inputs (batch, channels, height, width).

    >>> dg.nn.InstanceNorm2d(2)(dg.ones(3, 2, 4, 4)).shape
    (3, 2, 4, 4)
    """

    ranks = (4,)


class InstanceNorm3d(InstanceNorm):
    """`InstanceNorm1d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.InstanceNorm3d(2)(dg.ones(3, 2, 2, 2, 2)).shape
    (3, 2, 2, 2, 2)
    """

    ranks = (5,)
