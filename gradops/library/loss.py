"""Losses: how far predictions are from targets, as one number or entry by entry."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..errors import DTypeError, IndexingError, OptionError, ShapeError
from ..families import elementwise
from ..kernels.rows import columns
from ..op import ErrorSample, Op
from ..samples import beside, between, cases, exactly, reals
from ..types import ArrayType, Size, product, result_dtype, shape_of, type_of
from .activation import SMALL, log_softmax, sigmoid, softmax, softmax_rule, softplus_of_minus
from .arithmetic import abs, square, strong_product
from .broadcasting import broadcast_to, repeated
from .comparison import maximum, where
from .elementwise import log
from .movement import expand_dims, reshape
from .reduction import mean, sum

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "l1_loss",
    "mse_loss", "nll_loss", "sparse_cross_entropy",
]

REDUCTIONS = ("mean", "sum", "none")
UNSIGNED = {np.dtype(f"{k}{n}"): np.dtype(f"u{n}") for n in (1, 2, 4, 8) for k in "iu"}


def reduced(losses: Any, reduction: str) -> Any:
    """The mean or sum of the losses, or the losses themselves."""
    check_reduction(reduction)
    if reduction == "none":
        return losses
    return mean(losses) if reduction == "mean" else sum(losses)


def check_reduction(reduction: str) -> None:
    """Refuse what is no way to reduce losses."""
    if reduction not in REDUCTIONS:
        raise OptionError("loss", [], f"reduction is 'mean', 'sum' or 'none', not {reduction!r}")


def share(g: Any, reduction: str, n: Size) -> Any:
    """The cotangent of each of `n` losses, from that of what they were reduced to."""
    return g / (n or 1) if reduction == "mean" else g


def entries(x: Any) -> Any:
    """How many entries there are, which an array knows without counting."""
    return x.size if type(x) is np.ndarray else product(shape_of(x))


def loss_type(shape: tuple[Size, ...], dtype: Any, reduction: str) -> ArrayType:
    """The type of losses after their reduction."""
    check_reduction(reduction)
    return ArrayType(shape if reduction == "none" else (), dtype)


def loss_batch(op: Op, xs: Sequence[Any], batched: Sequence[bool], attrs: dict[str, Any]) -> Any:
    """Each example's losses, then their reduction in each example."""
    losses = op(*repeated(xs, batched), reduction="none")
    if attrs["reduction"] == "none":
        return losses
    axes = tuple(range(1, len(shape_of(losses))))
    return (mean if attrs["reduction"] == "mean" else sum)(losses, axis=axes)


def differ(a: tuple[Size, ...], b: tuple[Size, ...]) -> bool:
    """Whether two shapes cannot be equal, whatever their unknown sizes."""
    known = [(m, n) for m, n in zip(a, b, strict=False) if {type(m), type(n)} == {int}]
    return len(a) != len(b) or not all(m == n for m, n in known)


def check_same_shape(op: str, x: Any, target: Any) -> None:
    """Refuse a prediction and a target that would broadcast: a mistake, and a silent one."""
    if differ(shape_of(x), shape_of(target)):
        raise ShapeError(
            op, [type_of(x), type_of(target)], "the two shapes must be equal",
            hint="reshape or broadcast one of them first",
            known_as=f"Using a target size ({list(shape_of(target))}) that is different to the"
            f" input size ({list(shape_of(x))})",
        )


def bce_losses(z: Any, y: Any) -> Any:
    """log(1 + exp(z)) - z y, exact for labels 0 and 1 also far out."""
    if np.size(z) > SMALL:
        return np.maximum(z, 0) - z * y + softplus_of_minus(np.abs(z))
    zy = z * y
    return np.logaddexp(-zy, z - zy)


def bce_kernel(z: Any, y: Any, reduction: str = "mean") -> Any:
    arrays = type(z) is type(y) is np.ndarray
    if arrays and z.shape == y.shape and reduction == "mean" and 0 < z.size <= SMALL:
        zy = z * y  # the common case of what follows, spelled out
        return np.add.reduce(np.logaddexp(-zy, z - zy), axis=None) / z.size
    z, y = np.asarray(z), np.asarray(y)
    if z.shape != y.shape:
        check_same_shape("binary_cross_entropy_with_logits", z, y)
    return finished(bce_losses(z, y), reduction)


def finished(losses: Any, reduction: str) -> Any:
    """The reduction of losses that are arrays."""
    if reduction == "mean":
        return np.add.reduce(losses, axis=None) / losses.size
    check_reduction(reduction)
    return losses if reduction == "none" else np.add.reduce(losses, axis=None)


def bce_infer(z: ArrayType, y: ArrayType, reduction: str) -> ArrayType:
    check_same_shape("binary_cross_entropy_with_logits", z, y)
    return loss_type(z.shape, result_dtype(bce_losses, (z.dtype, y.dtype)), reduction)


def bce_source(z: ArrayType, y: ArrayType, reduction: str) -> str:
    """The kernel, spelled out where the call would cost as much as the work."""
    n = z.size
    if reduction != "mean" or not isinstance(n, int) or not 0 < n <= SMALL or not z.ndim:
        return "binary_cross_entropy_with_logits({0}, {1}, reduction={reduction})"
    losses = "np.logaddexp(-({fresh} := {0} * {1}), {0} - {fresh})"
    return f"np.add.reduce({losses}, axis=None) / {n}"


binary_cross_entropy_with_logits = Op(
    "binary_cross_entropy_with_logits", bce_kernel, arity=2,
    infer=bce_infer,
    vjp=[
        lambda g, loss, z, y, reduction: (
            (sigmoid(z) - y) * share(g, reduction, entries(z))
        ),
        lambda g, loss, z, y, reduction: -z * share(g, reduction, entries(z)),
    ],
    jvp=[
        lambda t, loss, z, y, reduction: reduced((sigmoid(z) - y) * t, reduction),
        lambda t, loss, z, y, reduction: reduced(-z * t, reduction),
    ],
    batch=loss_batch,
    source=bce_source,
    samples=cases(
        *(beside(reals((5, 3)), between(0, 1, (5, 3), reduction=r)) for r in REDUCTIONS),
        beside(reals((9, 10)), between(0, 1, (9, 10))), exactly(0.5, 1.0),
        reals((0, 3), (0, 3), reduction="sum"),
    ),
    error_samples=[
        ErrorSample([np.ones((4, 1)), np.ones(4)], {}, ShapeError, "shapes must be equal"),
    ],
    doc="The cross entropy of labels between 0 and 1 with the logistic function of logits.",
)


def bce_of_probabilities(p: Any, y: Any) -> Any:
    with np.errstate(divide="ignore"):  # the logarithm of 0 is bounded as well
        return -(y * np.maximum(np.log(p), -100) + (1 - y) * np.maximum(np.log1p(-p), -100))


def bounded_log(p: Any) -> Any:
    """The logarithm, but at least -100; also at 0."""
    return where(p > 0, maximum(log(where(p > 0, p, 1)), -100), -100)


binary_cross_entropy = elementwise(
    "binary_cross_entropy", bce_of_probabilities, source="binary_cross_entropy({0}, {1})",
    d=[
        lambda loss, p, y: (p - y) / maximum(p * (1 - p), 1e-12),
        lambda loss, p, y: bounded_log(1 - p) - bounded_log(p),
    ],
    samples=between(0.1, 0.9, (3, 4), (3, 4)),
    doc="The cross entropy, entry by entry, of labels with probabilities; logarithms are at least"
    " -100, and the derivative by a probability is bounded likewise, as PyTorch's is.",
)


def labelled_infer(
    op: str, scores: ArrayType, labels: ArrayType, reduction: str = "none"
) -> ArrayType:
    """The type of a loss of a row of scores for each label, a class."""
    types = [scores, labels]
    if labels.dtype.kind not in "iu":
        raise DTypeError(
            op, types, f"class labels are integers, not {labels.dtype}",
            hint="probabilities as labels have the shape of the logits",
        )
    if not scores.ndim or differ(scores.shape[:-1], labels.shape):
        raise ShapeError(
            op, types, "there must be one label for each row of scores",
            hint=f"scores (..., classes) go with labels (...), not {labels.shape}",
            known_as=f"Expected input batch_size ({product(scores.shape[:-1])}) to match target"
            f" batch_size ({labels.size})",
        )
    return loss_type(labels.shape, result_dtype(log_softmax.kernel, (scores.dtype,)), reduction)


def labelled(op: str, scores: Any, labels: Any) -> tuple[Any, Any]:
    """Scores and labels as arrays, after checking that each row has a label, and it is a class."""
    scores, labels = np.asarray(scores), np.asarray(labels)
    bits = UNSIGNED.get(labels.dtype)  # in which a negative label is a large one
    if bits is None or scores.shape[:-1] != labels.shape or not scores.ndim:
        labelled_infer(op, type_of(scores), type_of(labels))
    classes = scores.shape[-1]
    if labels.size and np.maximum.reduce(labels.view(bits), axis=None) >= classes:
        wrong = labels[(labels < 0) | (labels >= classes)].flat[0]
        raise IndexingError(
            op, [type_of(scores), type_of(labels)],
            f"the label {wrong} is none of the classes 0 to {classes - 1}",
            known_as=f"Target {wrong} is out of bounds.",
        )
    return scores, labels


def nll_kernel(scores: Any, labels: Any, reduction: str = "mean") -> Any:
    scores, labels = labelled("nll_loss", scores, labels)
    chosen = labels.reshape(-1)
    picked = scores.reshape(-1, scores.shape[-1])[np.arange(chosen.size), chosen]
    return finished(np.negative(picked).reshape(labels.shape)[()], reduction)


wrong_labels = [
    ErrorSample([np.ones((2, 3)), np.array([0, 3])], {}, IndexingError, "label 3 is none"),
    ErrorSample([np.ones((2, 3)), np.array([-1, 2])], {}, IndexingError, "label -1 is none"),
    ErrorSample([np.ones((2, 3)), np.array([0, 1, 2])], {}, ShapeError, "one label for each"),
    ErrorSample([np.ones((2, 3)), np.array([0.0, 1.0])], {}, DTypeError, "not float64"),
]

nll_loss = Op(
    "nll_loss", nll_kernel, arity=2,
    infer=partial(labelled_infer, "nll_loss"),
    vjp=[
        lambda g, y, scores, labels, reduction: at_labels(
            -share(g, reduction, product(shape_of(labels))), labels, classes=shape_of(scores)[-1]
        ),
        None,
    ],
    jvp=[lambda t, y, scores, labels, reduction: nll_loss(t, labels, reduction=reduction), None],
    batch=loss_batch,
    source="nll_loss({0}, {1}, reduction={reduction})",
    samples=cases(
        *(beside(reals((4, 3)), exactly([0, 2, 1, 2], reduction=r)) for r in REDUCTIONS),
        beside(reals((2, 2, 3)), exactly([[0, 2], [1, 1]])), beside(reals((3,)), exactly(1)),
        beside(reals((0, 3)), exactly(np.zeros(0, int), reduction="sum")),
    ),
    error_samples=wrong_labels,
    doc="Less the score that each row has at its label: the negative log likelihood, where scores "
    "are logarithms of probabilities.",
)


def at_labels_kernel(x: Any, labels: Any, classes: int) -> Any:
    labels = np.asarray(labels)
    y = np.zeros((labels.size, classes), np.asarray(x).dtype)
    y[np.arange(labels.size), labels.reshape(-1)] = x if np.ndim(x) == 0 else np.reshape(x, -1)
    return y.reshape((*labels.shape, classes))


def at_labels_batch(op: Op, xs: Sequence[Any], batched: Any, attrs: dict[str, Any]) -> Any:
    """Where examples share one number, each label of an example gets its own."""
    x, labels = repeated(xs, batched)
    n, *shape = shape_of(labels)
    if len(shape_of(x)) <= len(shape):
        x = broadcast_to(reshape(x, shape=(n, *(1,) * len(shape))), shape=(n, *shape))
    return op(x, labels, **attrs)


at_labels = Op(
    "at_labels", at_labels_kernel, arity=2,
    infer=lambda x, labels, classes: ArrayType((*labels.shape, classes), x.dtype),
    vjp=[lambda g, y, x, labels, classes: -nll_loss(g, labels, reduction="none"), None],
    jvp=[lambda t, y, x, labels, classes: at_labels(t, labels, classes=classes), None],
    batch=at_labels_batch,
    source="at_labels({0}, {1}, classes={classes})",
    samples=cases(
        beside(reals(()), exactly([0, 2, 1, 2], classes=3)),
        beside(reals((2, 2)), exactly([[0, 2], [1, 1]], classes=3)),
        beside(reals(()), exactly(1, classes=2)),
        beside(reals((0,)), exactly(np.zeros(0, int), classes=3)),
    ),
    doc="A row for each label: the operand at the label's place, 0 elsewhere.",
)


def sparse_kernel(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    logits, labels = labelled("sparse_cross_entropy", logits, labels)
    y = columns(logits)
    y = y - np.maximum.reduce(y, initial=-np.inf, dtype=np.result_type(y, np.float16))
    chosen = labels.reshape(-1)
    losses = np.log(np.add.reduce(np.exp(y))) - y[chosen, np.arange(chosen.size)]
    return finished(losses.reshape(labels.shape)[()], reduction)


def class_error_kernel(logits: Any, labels: Any) -> Any:
    """softmax of each row, less 1 at its label."""
    y = np.ascontiguousarray(softmax.kernel(logits)).reshape(np.shape(logits))
    rows = y.reshape(-1, y.shape[-1])
    rows[np.arange(len(rows)), np.asarray(labels).reshape(-1)] -= 1
    return y


def class_error_rule(v: Any, y: Any, logits: Any, labels: Any) -> Any:
    return softmax_rule(v, softmax(logits), logits, axis=-1)


class_error = Op(
    "class_error", class_error_kernel, arity=2,
    infer=lambda logits, labels: ArrayType(
        logits.shape, labelled_infer("class_error", logits, labels).dtype
    ),
    vjp=[class_error_rule, None], jvp=[class_error_rule, None],
    batch=lambda op, xs, batched, attrs: op(*repeated(xs, batched)),
    source="class_error({0}, {1})",
    samples=cases(
        beside(reals((4, 3)), exactly([0, 2, 1, 2])),
        beside(reals((0, 3)), exactly(np.zeros(0, int))),
        beside(reals((2, 2, 3)), exactly([[0, 2], [1, 1]])), beside(reals((3,)), exactly(1)),
    ),
    doc="softmax of the logits less 1 at the label: the derivative of the cross entropy.",
)


def sparse_vjp(g: Any, y: Any, logits: Any, labels: Any, reduction: str) -> Any:
    g = share(g, reduction, product(shape_of(labels)))
    g = expand_dims(g, axis=-1) if reduction == "none" else g
    return class_error(logits, labels) * g


sparse_cross_entropy = Op(
    "sparse_cross_entropy", sparse_kernel, arity=2,
    infer=partial(labelled_infer, "sparse_cross_entropy"),
    vjp=[sparse_vjp, None],
    jvp=[
        lambda t, y, logits, labels, reduction: reduced(
            sum(class_error(logits, labels) * t, axis=-1), reduction
        ),
        None,
    ],
    batch=loss_batch,
    source="sparse_cross_entropy({0}, {1}, reduction={reduction})",
    samples=cases(
        *(beside(reals((4, 3)), exactly([0, 2, 1, 2], reduction=r)) for r in REDUCTIONS),
        beside(reals((2, 2, 3)), exactly([[0, 2], [1, 1]])), beside(reals((3,)), exactly(1)),
        beside(reals((0, 3)), exactly(np.zeros(0, int), reduction="sum")),
    ),
    error_samples=wrong_labels,
    doc="The negative log of the probability that softmax of the logits gives each class label.",
)


def cross_entropy(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    """The cross entropy of labels with softmax of the logits along the last axis.

    Labels are integers, one for each row of logits, or probabilities in the shape of the logits.
    Raises IndexingError for a label that is no class.

    >>> float(cross_entropy(np.zeros((1, 2)), np.array([1])))
    0.6931471805599453
    """
    if len(shape_of(labels)) != len(shape_of(logits)):
        return sparse_cross_entropy(logits, labels, reduction=reduction)
    check_same_shape("cross_entropy", logits, labels)
    return reduced(-sum(strong_product(labels, log_softmax(logits)), axis=-1), reduction)


def mse_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The squared distances of `x` from `target`.

    >>> float(mse_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    2.0
    """
    check_same_shape("mse_loss", x, target)
    return reduced(square(x - target), reduction)


def l1_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The absolute distances of `x` from `target`.

    >>> float(l1_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    1.0
    """
    check_same_shape("l1_loss", x, target)
    return reduced(abs(x - target), reduction)
