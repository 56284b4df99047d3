"""Rows by number, as functions."""

from typing import Any

import numpy as np

import gradops as ops

from ...tensor import as_tensor


def embedding(
    input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Any:  # fmt: skip
    """The rows of `weight` that integers name; the row `padding_idx` gets no gradient.

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
    return ops.embedding(as_tensor(input), as_tensor(weight), padding_idx)


def one_hot(labels: Any, num_classes: int = -1) -> Any:
    """A row per label, with a 1 at its place; by default up to the greatest label there is.

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
