"""Layers that are random while training."""

from typing import Any

import numpy as np

from . import functional as F
from .functional.dropout import require_probability
from .module import Module


class Dropout(Module):
    """While training, each entry is zero with probability `p`, else divided by 1 - p.

    The random numbers are those of `generator`, by default of this thread, which `dg.manual_seed`
    seeds. Raises ValueError for a `p` that is no probability.

    >>> layer = dg.nn.Dropout(0.5, generator=np.random.default_rng(0))
    >>> layer(dg.ones(4))
    tensor([2., 2., 2., 0.])
    >>> layer.eval()(dg.ones(4))
    tensor([1., 1., 1., 1.])
    """

    def __init__(
        self, p: float = 0.5, inplace: bool = False, generator: np.random.Generator | None = None
    ) -> None:
        super().__init__()
        require_probability(p)
        self.p, self.inplace, self.generator = p, inplace, generator

    def forward(self, input: Any) -> Any:
        """The input, with some entries dropped if the mode is that of training."""
        return F.dropout(input, self.p, self.training, self.inplace, self.generator)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"
