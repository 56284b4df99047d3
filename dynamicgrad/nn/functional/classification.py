"""Losses for class labels and probabilities.

Classes lie along dimension 1, or along the only one, as in PyTorch: scores of shape (N, C, ...) go
with labels of shape (N, ...).
"""

import numpy as np

import gradops as ops
from gradops.library.nn.loss import check_reduction, check_same_shape, reduce_losses

from ...dispatch.fast_path import several
from ...engine.piecewise import mark_kinked
from ...engine.tensor import Tensor, as_tensor

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "nll_loss"]

sparse, logistic = several(ops.sparse_cross_entropy), several(ops.binary_cross_entropy_with_logits)
IGNORE = -100  # the label that PyTorch ignores by default
Weight = Tensor | None  # of each class, or of each loss; None for equal weights


def classes_last(scores: Tensor) -> Tensor:
    """Scores with their classes along the last dimension."""
    return ops.moveaxis(scores, 1, -1) if scores.ndim > 2 else scores


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = IGNORE,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """The cross entropy of labels with softmax of `input`.

    `target` are class labels, or probabilities in the shape of `input`. `weight` has a number for
    each class; a mean is that of the weighted labels. Labels that are `ignore_index` do not count.
    `label_smoothing` is the share of each label that is spread over all classes. Raises
    IndexingError for a label that is not a class.

    >>> dg.nn.functional.cross_entropy(dg.zeros(1, 2), dg.tensor([1]))
    tensor(0.6931)
    """
    if weight is None and not label_smoothing and ignore_index < 0:
        loss = of_labels(input, target, reduction)
        if loss is not None:
            return loss
    check_reduction(reduction)
    if not 0 <= label_smoothing <= 1:
        wrong = f"label_smoothing is between 0 and 1, not {label_smoothing}"
        raise ops.OptionError("cross_entropy", [], wrong)
    x, y = classes_last(as_tensor(input)), as_tensor(target)
    require_order(x, y)
    if len(y.shape) == x.ndim:
        require_no_labels(as_tensor(input), y)
        check_same_shape("cross_entropy", as_tensor(input), y)
        return of_probabilities(x, classes_last(y), weight, reduction, label_smoothing)
    logs = ops.log_softmax(x)
    sharp = picked_loss(logs, y, weight, ignore_index, reduction)
    if not label_smoothing:
        return sharp
    spread = spread_loss(logs, y, weight, ignore_index, reduction)
    return (1 - label_smoothing) * sharp + label_smoothing / x.shape[-1] * spread


def require_order(x: Tensor, y: Tensor) -> None:
    """Raise for labels and scores in the wrong order."""
    if x.dtype.kind in "iu" and y.dtype.kind == "f":
        raise ops.NoKernelError(
            "cross_entropy", [x.type, y.type], f"the input is {x.dtype} and the target {y.dtype}",
            known_as=f"not implemented for '{x.dtype}'",
            hint="exchange them: cross_entropy(scores, labels)",
        )  # fmt: skip


def require_no_labels(x: Tensor, y: Tensor) -> None:
    """Refuse class labels that have a dimension too many, as data sets often give them."""
    if y.dtype.kind in "iu" and y.shape[1:] != x.shape[1:]:
        raise ops.ShapeError(
            "cross_entropy", [x.type, y.type], "labels have no dimension for the classes",
            known_as="0D or 1D target tensor expected, multi-target not supported",
            hint="target.squeeze(1) takes away a dimension of size 1",
        )  # fmt: skip


def of_labels(input: Tensor, target: Tensor, reduction: str) -> Tensor | None:
    """The loss by one op in the common case; None in others."""
    rank = as_tensor(input).value.ndim
    if rank > 2 or as_tensor(target).value.ndim != rank - 1:
        return None
    try:
        if reduction == "mean":
            return sparse(input, target)
        return sparse(input, target, reduction=reduction)
    except ops.IndexingError:  # a label is none of the classes: one to ignore, or wrong
        return None


def is_array(t: Tensor) -> bool:
    """True if the entries of a tensor are known; in a traced program they are not."""
    return isinstance(t.value, np.ndarray | np.generic)


def of_probabilities(
    x: Tensor, p: Tensor, weight: Weight, reduction: str, smoothing: float
) -> Tensor:
    """The cross entropy with probabilities as targets; a mean is over the rows."""
    if smoothing:
        p = p * (1 - smoothing) + smoothing / x.shape[-1]
    shares = ops.strong_product(p, ops.log_softmax(x))
    losses = -ops.sum(shares if weight is None else shares * weight, axis=-1)
    return reduce_losses(losses, reduction)


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = IGNORE,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the entry of `input`, log-probabilities, at each label; see `cross_entropy`.

    >>> dg.nn.functional.nll_loss(dg.tensor([[-1.0, -2.0]]), dg.tensor([1]))
    tensor(2.)
    """
    check_reduction(reduction)
    x, labels = as_tensor(input), as_tensor(target)
    loss = picked_loss(classes_last(x), labels, weight, ignore_index, reduction)
    return mark_kinked(loss, x, "nll_loss")


def picked_loss(logs: Tensor, labels: Tensor, weight: Weight, ignored: int, reduce: str) -> Tensor:
    """Minus the log-probability at each label, reduced; one of weight 0 may be infinite."""
    known, counts = labels_and_weights(logs, labels, weight, ignored)
    index = ops.expand_dims(known, axis=-1)
    picked = ops.squeeze(ops.take_along_axis(logs, index, axis=-1), axis=(-1,))
    losses = ops.where(counts != 0, -picked, ops.zeros_like(picked)) * counts
    return reduce_by_weight(losses, counts, reduce)


def spread_loss(logs: Tensor, labels: Tensor, weight: Weight, ignored: int, reduce: str) -> Tensor:
    """Minus the sum of all log-probabilities of the rows whose labels count."""
    _, counts = labels_and_weights(logs, labels, weight, ignored)
    rows = -ops.sum(logs if weight is None else logs * weight, axis=-1)
    rows = ops.where(labels != ignored, rows, ops.zeros_like(rows))
    return reduce_by_weight(rows, counts, reduce)


def labels_and_weights(
    logs: Tensor, labels: Tensor, weight: Weight, ignored: int
) -> tuple[Tensor, Tensor]:
    """The labels, with 0 for ignored ones, and the weight of each."""
    require_labels(logs, labels, ignored)
    counted = labels != ignored
    known = ops.where(counted, labels, ops.zeros_like(labels))
    counts = ops.astype(counted, dtype=logs.dtype)
    if weight is not None:
        counts = counts * ops.take(as_tensor(weight), known, axis=0)
    return known, counts


def reduce_by_weight(losses: Tensor, counts: Tensor, reduction: str) -> Tensor:
    """The reduction of weighted losses; a mean is over the sum of the weights."""
    if reduction == "mean":
        return ops.sum(losses) / ops.sum(counts)
    return reduce_losses(losses, reduction)


def require_labels(logs: Tensor, labels: Tensor, ignored: int) -> None:
    """Refuse labels that are not integers, too many, or not classes."""
    types = [ops.type_of(logs), labels.type]
    if labels.dtype.kind not in "iu":
        raise ops.DTypeError("nll_loss", types, f"class labels are integers, not {labels.dtype}")
    if labels.shape != tuple(logs.shape[:-1]):
        raise ops.ShapeError(
            "nll_loss", types, "there must be one label for each row of scores",
            hint="scores (N, C, ...) go with labels (N, ...)",
            known_as=f"Expected input batch_size ({logs.shape[0]}) to match target batch_size"
            f" ({labels.shape[0] if labels.shape else 1})",
        )  # fmt: skip
    if is_array(labels):
        value, classes = np.asarray(labels.value), logs.shape[-1]
        wrong = value[((value < 0) | (value >= classes)) & (value != ignored)]
        if wrong.size:
            raise ops.IndexingError(
                "nll_loss", types,
                f"the label {wrong[0]} is none of the classes 0 to {classes - 1}",
                known_as=f"Target {wrong[0]} is out of bounds.",
            )  # fmt: skip


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Weight = None, reduction: str = "mean",
    pos_weight: Weight = None,
) -> Tensor:  # fmt: skip
    """The cross entropy of labels between 0 and 1 with the logistic function of `input`.

    `weight` multiplies the losses, `pos_weight` the share of the label 1 in them.

    >>> dg.nn.functional.binary_cross_entropy_with_logits(dg.zeros(1), dg.ones(1))
    tensor(0.6931)
    """
    if weight is None and pos_weight is None:
        if reduction == "mean":
            return logistic(input, target)
        return logistic(input, target, reduction=reduction)
    z, y = as_tensor(input), as_tensor(target)
    if pos_weight is None:
        losses = ops.binary_cross_entropy_with_logits(z, y, "none")
    else:
        check_same_shape("binary_cross_entropy_with_logits", z, y)
        losses = (1 - y) * z + (1 + (pos_weight - 1) * y) * ops.softplus(-z)
    return reduce_losses(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The cross entropy of labels with probabilities; logarithms are at least -100.

    Raises OptionError for an input that is not a probability. On logits, the function that takes
    them is more exact.

    >>> dg.nn.functional.binary_cross_entropy(dg.tensor([0.5]), dg.ones(1))
    tensor(0.6931)
    """
    x, y = as_tensor(input), as_tensor(target)
    check_same_shape("binary_cross_entropy", x, y)
    if is_array(x) and not np.all((x.value >= 0) & (x.value <= 1)):
        raise ops.OptionError(
            "binary_cross_entropy", [x.type, y.type],
            "all elements of input should be between 0 and 1",
            hint="apply sigmoid, or use binary_cross_entropy_with_logits",
        )  # fmt: skip
    losses = ops.binary_cross_entropy(x, y)
    return reduce_losses(losses if weight is None else losses * weight, reduction)
