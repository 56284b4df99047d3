"""Rows by number, as functions."""

import numpy as np

import gradops as ops

from ...engine.tensor import Tensor, as_tensor

__all__ = ["embedding", "embedding_bag", "one_hot"]


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of `weight` at integer indices; the row `padding_idx` gets no gradient.

    Gradients are dense, also if `sparse`. Raises OptionError for `max_norm` and
    `scale_grad_by_freq`, which are not here, and IndexingError for a row that there is not.

    >>> dg.nn.functional.embedding(dg.tensor([1, 0]), dg.tensor([[1.0], [2.0]]))
    tensor([[2.],
            [1.]])
    """
    if max_norm is not None or scale_grad_by_freq:
        raise ops.OptionError(
            "embedding", [], "max_norm and scale_grad_by_freq are not supported",
            hint="normalize the weight, or scale its gradient, in the training step",
        )  # fmt: skip
    labels = as_tensor(input)
    require_rows(labels)
    return ops.embedding(labels, as_tensor(weight), padding_idx)


def require_rows(labels: Tensor) -> None:
    """Raise for known negative labels, which NumPy would count from the end."""
    numbers = labels.value
    known = isinstance(numbers, np.ndarray | np.generic) and numbers.size
    if known and numbers.dtype.kind == "i" and (least := numbers.min()) < 0:
        raise ops.IndexingError(
            "embedding", [labels.type], f"{least} names no row",
            known_as="index out of range in self",
        )  # fmt: skip


def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
    sparse: bool = False, per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean, sum or maximum, by `mode`, of the rows that each bag of integers names.

    `input` has a row for each bag; or it is one row, in which bags begin at `offsets`, and end
    at the last of them with `include_last_offset`.

    >>> dg.nn.functional.embedding_bag(dg.tensor([[0, 1]]), dg.tensor([[1.0], [2.0]]))
    tensor([[1.5000]])
    """
    if mode not in ("mean", "sum", "max"):
        raise ops.OptionError("embedding_bag", [], f"mode is 'mean', 'sum' or 'max', not {mode!r}")
    labels, weights, counted = as_tensor(input), per_sample_weights, None
    if offsets is not None or len(labels.shape) == 1:
        places, counted = bags(labels, offsets, include_last_offset)
        labels = labels[places] if labels.shape[0] else as_tensor(places)
        weights = None if weights is None else as_tensor(weights)[places]
    if padding_idx is not None:
        named = labels != padding_idx % weight.shape[0]
        counted = named if counted is None else ops.logical_and(named, counted)
    rows = embedding(labels, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)
    if weights is not None:
        rows = rows * ops.expand_dims(as_tensor(weights), axis=-1)
    return pool(rows, counted, mode)


def bags(labels: Tensor, offsets: Tensor | None, with_end: bool) -> tuple[np.ndarray, np.ndarray]:
    """The positions of each bag's labels, padded to one length, and which of them are labels."""
    if offsets is None or len(labels.shape) != 1:
        raise ops.OptionError(
            "embedding_bag", [labels.type], "bags are rows, or one row and the offsets of the bags",
            known_as="offsets has to be a 1D Tensor" if offsets is None else None,
        )  # fmt: skip
    starts, count = np.asarray(as_tensor(offsets).value), labels.shape[0]
    ends = starts[1:] if with_end else np.append(starts[1:], count)
    starts = starts[: len(ends)]
    places = starts[:, None] + np.arange(max(1, (ends - starts).max(initial=0)))
    there = places < ends[:, None]
    return np.where(there, places, 0), there


def pool(rows: Tensor, counted: Tensor | np.ndarray | None, mode: str) -> Tensor:
    """The mean, sum or maximum of the rows of each bag that are counted; all are for None."""
    if counted is not None:
        counted = ops.expand_dims(counted, axis=-1)
        rows = ops.where(counted, rows, -np.inf if mode == "max" else 0)
    if mode == "max":
        most = ops.max(rows, axis=1)
        return most if counted is None else ops.where(ops.any(counted, axis=1), most, 0)
    total = ops.sum(rows, axis=1)
    if mode == "sum":
        return total
    if counted is None:
        return total / max(1, rows.shape[1])
    return total / ops.maximum(ops.astype(ops.sum(counted, axis=1), dtype=rows.dtype), 1)


def one_hot(labels: Tensor, num_classes: int = -1) -> Tensor:
    """A row per label, with a 1 at its index; by default as long as the greatest label needs.

    >>> dg.nn.functional.one_hot(dg.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    labels = as_tensor(labels)
    if num_classes < 0 and 0 in labels.shape:
        raise ops.ShapeError(
            "one_hot", [ops.type_of(labels)], "no labels tell how many classes there are",
            hint="say it: num_classes=",
            known_as="Can not infer total number of classes from empty tensor.",
        )  # fmt: skip
    classes = int(labels.value.max()) + 1 if num_classes < 0 else num_classes
    return ops.one_hot(labels, classes=classes, dtype=np.int64)
