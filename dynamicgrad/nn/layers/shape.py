"""Modules that reshape, pad or resample; and distances of vectors."""

from collections.abc import Sequence

import gradops as ops

from ...engine.tensor import Tensor, as_tensor
from .. import functional as F
from ..modules.function_module import REQUIRED, Applied
from ..modules.module import Module

__all__ = [
    "CosineSimilarity", "Flatten", "Fold", "LocalResponseNorm", "PairwiseDistance", "PixelShuffle",
    "PixelUnshuffle", "Unflatten", "Unfold", "Upsample",
]  # fmt: skip


class Flatten(Module):
    """Flattens the dimensions from `start_dim` to `end_dim` into one.

    >>> dg.nn.Flatten()(dg.ones(2, 3, 4)).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input in its new shape."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """A dimension as several ones, of given sizes.

    >>> dg.nn.Unflatten(1, (3, 4))(dg.ones(2, 12)).shape
    (2, 3, 4)
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """The input in its new shape."""
        x = as_tensor(input)
        k = range(x.ndim)[self.dim]
        return ops.reshape(x, shape=(*x.shape[:k], *self.unflattened_size, *x.shape[k + 1 :]))

    def extra_repr(self) -> str:
        """The dimension and the sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Upsample(
    Applied, function=F.interpolate, size=None, scale_factor=None, mode="nearest",
    align_corners=None, recompute_scale_factor=None,
):  # fmt: skip
    """The input (batch, channels, ...) with other sizes; see `functional.interpolate`.

    >>> dg.nn.Upsample(scale_factor=2)(dg.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    def extra_repr(self) -> str:
        """The sizes or factors, and the mode."""
        sizes = "scale_factor" if self.size is None else "size"
        return f"{sizes}={getattr(self, sizes)}, mode={self.mode!r}"


class PixelShuffle(Applied, function=F.pixel_shuffle, upscale_factor=REQUIRED):
    """Channels (c f f, h, w) as places (c, h f, w f), for a factor f.

    >>> dg.nn.PixelShuffle(2)(dg.ones(1, 4, 3, 3)).shape
    (1, 1, 6, 6)
    """


class PixelUnshuffle(Applied, function=F.pixel_unshuffle, downscale_factor=REQUIRED):
    """Places (c, h f, w f) as channels (c f f, h, w), for a factor f.

    >>> dg.nn.PixelUnshuffle(2)(dg.ones(1, 1, 6, 6)).shape
    (1, 4, 3, 3)
    """


class Unfold(Applied, function=F.unfold, kernel_size=REQUIRED, dilation=1, padding=0, stride=1):
    """The windows of images (batch, channels, height, width) as columns.

    >>> dg.nn.Unfold(2)(dg.ones(1, 1, 3, 3)).shape
    (1, 4, 4)
    """


class Fold(
    Applied, function=F.fold, output_size=REQUIRED, kernel_size=REQUIRED, dilation=1, padding=0,
    stride=1,
):  # fmt: skip
    """Columns added up where `Unfold` takes them from, in images of a size.

    >>> dg.nn.Fold(3, 2)(dg.ones(1, 4, 4)).shape
    (1, 1, 3, 3)
    """


class CosineSimilarity(Applied, function=F.cosine_similarity, dim=1, eps=1e-8):
    """The cosines of the angles between vectors along a dimension.

    >>> dg.nn.CosineSimilarity()(dg.tensor([[1.0, 0.0]]), dg.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """


class PairwiseDistance(Applied, function=F.pairwise_distance, p=2.0, eps=1e-6, keepdim=False):
    """The norms of differences along the last dimension, to which `eps` is added.

    >>> dg.nn.PairwiseDistance(eps=0.0)(dg.tensor([3.0, 0.0]), dg.tensor([0.0, 4.0]))
    tensor(5.)
    """


class LocalResponseNorm(
    Applied, function=F.local_response_norm, size=REQUIRED, alpha=1e-4, beta=0.75, k=1.0
):
    """The input over a power of the mean of squares of `size` neighbouring channels.

    >>> dg.nn.LocalResponseNorm(1, alpha=3.0, beta=0.5)(dg.ones(1, 1, 1))
    tensor([[[0.5000]]])
    """
