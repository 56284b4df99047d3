"""Layers that are random while training."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...engine.tensor import Tensor
from .. import functional as F
from ..functional.dropout import require_probability
from ..modules.module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class Dropout(Module):
    """While training, each entry is zero with probability `p`, else divided by 1 - p.

    The random numbers are those of `generator`, by default of this thread, which `dg.manual_seed`
    seeds. Raises ValueError for a `p` that is not a probability.

    >>> layer = dg.nn.Dropout(0.5, generator=np.random.default_rng(0))
    >>> layer(dg.ones(4))
    tensor([2., 2., 2., 0.])
    >>> layer.eval()(dg.ones(4))
    tensor([1., 1., 1., 1.])
    """

    drop: ClassVar[Callable[..., Any]] = staticmethod(F.dropout)

    def __init__(
        self, p: float = 0.5, inplace: bool = False, generator: np.random.Generator | None = None
    ) -> None:
        super().__init__()
        require_probability(p)
        self.p, self.inplace, self.generator = p, inplace, generator

    def forward(self, input: Tensor) -> Tensor:
        """The input, with random entries dropped in training mode."""
        return self.drop(input, self.p, self.training, self.inplace, self.generator)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """While training, channels of (batch, channels, length) are zero, or scaled; see `Dropout`.

    >>> dg.nn.Dropout1d().eval()(dg.ones(2, 3, 4)).shape
    (2, 3, 4)
    """

    drop = staticmethod(F.dropout1d)


class Dropout2d(Dropout):
    """`Dropout1d` for inputs (batch, channels, height, width).

    >>> dg.nn.Dropout2d().eval()(dg.ones(2, 3, 4, 4)).shape
    (2, 3, 4, 4)
    """

    drop = staticmethod(F.dropout2d)


class Dropout3d(Dropout):
    """`Dropout1d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.Dropout3d().eval()(dg.ones(2, 3, 4, 4, 4)).shape
    (2, 3, 4, 4, 4)
    """

    drop = staticmethod(F.dropout3d)


class AlphaDropout(Dropout):
    """Dropout that keeps mean 0 and variance 1 after a `SELU`.

    >>> dg.nn.AlphaDropout().eval()(dg.ones(2, 3)).shape
    (2, 3)
    """

    drop = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(Dropout):
    """`AlphaDropout` of whole channels.

    >>> dg.nn.FeatureAlphaDropout().eval()(dg.ones(2, 3)).shape
    (2, 3)
    """

    drop = staticmethod(F.feature_alpha_dropout)
