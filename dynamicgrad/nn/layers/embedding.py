"""Embeddings: a vector for each word of a vocabulary."""

from typing import Any

import numpy as np

import gradops as ops
from gradops.typing import DTypeLike

from ...engine.grad_mode import no_grad
from ...engine.tensor import Tensor, as_tensor, handle
from ...ops.creation import empty
from .. import init
from ..functional.embedding import require_rows
from ..modules.module import Module
from ..modules.parameter import Parameter

__all__ = ["Embedding"]


class Embedding(Module):
    """The rows of a table, `weight`, at given indices; they begin with normal random numbers.

    The row `padding_idx` begins with zeros and gets no gradient. With `max_norm`, rows that are
    looked up are first scaled down, in place, to a norm of order `norm_type` of at most that.

    >>> table = dg.nn.Embedding.from_pretrained(dg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    >>> table(dg.tensor([1, 0, 1]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, _weight: Any = None,
        _freeze: bool = False, dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type = max_norm, norm_type
        self.padding_idx = place_of(padding_idx, num_embeddings)
        if _weight is None:
            self.weight = Parameter(empty(num_embeddings, embedding_dim, dtype=dtype))
            self.reset_parameters()
            return
        if tuple(_weight.shape) != (num_embeddings, embedding_dim):
            raise ValueError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0,
    ) -> "Embedding":  # fmt: skip
        """An embedding on the memory of a table, which is not trained unless `freeze` is off."""
        table = as_tensor(embeddings)
        if table.ndim != 2:
            raise ValueError("Embeddings parameter is expected to be 2-dimensional")
        n, size = table.shape
        return cls(n, size, padding_idx, max_norm, norm_type, _weight=table, _freeze=freeze)

    def reset_parameters(self) -> None:
        """Reinitialize the table; the row of padding is zeros."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].zero_()

    def forward(self, input: Tensor) -> Tensor:
        """A row for each index."""
        indices = as_tensor(input)
        if self.max_norm is not None:
            self.shorten(indices)
        require_rows(indices)
        return ops.embedding(indices, self.weight, self.padding_idx)

    def shorten(self, indices: Tensor) -> None:
        """Scale the rows that are looked up to a norm of at most `max_norm`."""
        with no_grad():
            used = np.unique(np.asarray(indices.value))
            rows = self.weight.value[used]
            norms = np.linalg.norm(rows, self.norm_type, axis=1, keepdims=True)
            factor = np.where(norms > self.max_norm, self.max_norm / (norms + 1e-7), 1)
            self.weight[handle(used)] = handle((rows * factor).astype(rows.dtype))

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the default ones."""
        said = [f"{self.num_embeddings}, {self.embedding_dim}"]
        options = {"padding_idx": None, "max_norm": None, "norm_type": 2.0}
        said += [f"{k}={getattr(self, k)}" for k, v in options.items() if getattr(self, k) != v]
        return ", ".join(said)


def place_of(padding_idx: int | None, count: int) -> int | None:
    """The row of padding, counted from the front."""
    if padding_idx is None:
        return None
    if not -count <= padding_idx < count:
        raise ValueError("Padding_idx must be within num_embeddings")
    return padding_idx % count
