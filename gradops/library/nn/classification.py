"""Classification losses: scores for each class, and a label for each row of scores."""

from functools import partial
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import product
from ...core.errors import DTypeError, IndexingError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import beside, cases, exactly, reals
from ...core.traits import Trait
from ...core.types import ArrayType, result_dtype, shape_of, type_of
from ...kernels.native_kernels import native
from ...kernels.nn.activation import columns, has_short_rows
from ...typing import AnyArray, Arrays, Attrs, Flags
from ..elementwise.arithmetic import strong_product
from ..elementwise.comparison import equal, where
from ..elementwise.exponential import exp, log
from ..families import elementwise
from ..reduce.along_axis import take_along_axis
from ..reduce.reduction import sum
from ..shape.broadcasting import batch_as_is, broadcast_to, repeat_shared
from ..shape.movement import expand_dims, reshape
from .loss import (
    REDUCTIONS,
    check_same_shape,
    differ,
    loss_batch,
    loss_cotangent,
    loss_type,
    reduce_arrays,
    reduce_losses,
)
from .softmax import log_softmax, shifted, softmax, softmax_rule

__all__ = ["cross_entropy", "nll_loss", "sparse_cross_entropy"]

UNSIGNED = {np.dtype(f"{k}{n}"): np.dtype(f"u{n}") for n in (1, 2, 4, 8) for k in "iu"}


def labelled_infer(
    op: str, scores: ArrayType, labels: ArrayType, reduction: str = "none"
) -> ArrayType:
    """The type of a loss of scores and labels, with a check of their shapes."""
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
        )
    return loss_type(labels.shape, result_dtype(log_softmax.kernel, (scores.dtype,)), reduction)


def check_labels(op: str, scores: AnyArray, labels: Any) -> tuple[AnyArray, AnyArray]:
    """Scores and labels as arrays, after checking that each row has a valid label."""
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
        )
    return scores, labels


def nll_kernel(scores: Any, labels: Any, reduction: str = "mean") -> Any:
    scores, labels = check_labels("nll_loss", scores, labels)
    chosen = labels.reshape(-1)
    picked = scores.reshape(-1, scores.shape[-1])[np.arange(chosen.size), chosen]
    return reduce_arrays(np.negative(picked).reshape(labels.shape)[()], reduction)


wrong_labels = [
    ErrorSample([np.ones((2, 3)), np.array([0, 3])], {}, IndexingError, "label 3 is none"),
    ErrorSample([np.ones((2, 3)), np.array([-1, 2])], {}, IndexingError, "label -1 is none"),
    ErrorSample([np.ones((2, 3)), np.array([0, 1, 2])], {}, ShapeError, "one label for each"),
    ErrorSample([np.ones((2, 3)), np.array([0.0, 1.0])], {}, DTypeError, "not float64"),
]

labelled_rows = cases(
    *(beside(reals((4, 3)), exactly([0, 2, 1, 2], reduction=r)) for r in REDUCTIONS),
    beside(reals((2, 2, 3)), exactly([[0, 2], [1, 1]])), beside(reals((3,)), exactly(1)),
    beside(reals((0, 3)), exactly(np.zeros(0, int), reduction="sum")),
)

def class_labels_kernel(labels: Any, classes: int) -> Any:
    labels = np.asarray(labels)
    check_labels("class_labels", np.broadcast_to(0, (*labels.shape, classes)), labels)
    return labels.copy()[()]


class_labels = elementwise(
    "class_labels", class_labels_kernel, d=[None], infer=lambda labels, classes: labels,
    samples=cases(exactly([0, 2, 1, 2], classes=3), exactly([[0, 1]], classes=2)),
    doc="The labels, checked to be at least 0 and less than the number of classes.",
)


def is_label(x: AnyArray, labels: AnyArray) -> AnyArray:
    """True at the label of each row of `x`."""
    classes: Any = shape_of(x)[-1]
    labels = class_labels(labels, classes=classes)
    return equal(expand_dims(labels, axis=-1), np.arange(classes).astype(labels.dtype))


def of_label(x: AnyArray, labels: AnyArray) -> AnyArray:
    """The entry of each row at its label."""
    return sum(where(is_label(x, labels), x, 0), axis=-1)


def nll_formula(scores: AnyArray, labels: AnyArray, reduction: str) -> AnyArray:
    at = expand_dims(class_labels(labels, classes=shape_of(scores)[-1]), axis=-1)
    found = take_along_axis(scores, at, axis=-1)
    return reduce_losses(-reshape(found, shape=shape_of(labels)), reduction)


nll_loss = Op(
    "nll_loss", nll_kernel, arity=2, infer=partial(labelled_infer, "nll_loss"),
    vjp=[
        lambda g, y, scores, labels, reduction: at_labels(
            -loss_cotangent(g, reduction, product(shape_of(labels))), labels,
            classes=shape_of(scores)[-1],
        ),
        None,
    ],
    jvp=[lambda t, y, scores, labels, reduction: nll_loss(t, labels, reduction=reduction), None],
    batch=loss_batch, samples=labelled_rows, error_samples=wrong_labels,
    doc="The negative of each row's score at its label: of log-probabilities, the negative log "
    "likelihood.",
    formula=nll_formula,
)


def at_labels_kernel(x: np.ndarray, labels: np.ndarray, classes: int) -> np.ndarray:
    labels = np.asarray(labels)
    y = np.zeros((labels.size, classes), np.asarray(x).dtype)
    y[np.arange(labels.size), labels.reshape(-1)] = x if np.ndim(x) == 0 else np.reshape(x, -1)
    return y.reshape((*labels.shape, classes))


def at_labels_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch with a separate cotangent per label where examples share one."""
    x, labels = repeat_shared(xs, batched)
    n, *shape = shape_of(labels)
    if len(shape_of(x)) <= len(shape):
        x = broadcast_to(reshape(x, shape=(n, *(1,) * len(shape))), shape=(n, *shape))
    return op(x, labels, **attrs)


def at_labels_formula(x: AnyArray, labels: AnyArray, classes: int) -> AnyArray:
    labels = class_labels(labels, classes=classes)
    there = equal(expand_dims(labels, axis=-1), np.arange(classes).astype(labels.dtype))
    return where(there, expand_dims(x, axis=-1), 0)


at_labels = Op(
    "at_labels", at_labels_kernel, traits=[Trait.C_CONTIGUOUS], arity=2,
    infer=lambda x, labels, classes: ArrayType((*labels.shape, classes), x.dtype),
    vjp=[lambda g, y, x, labels, classes: -nll_loss(g, labels, reduction="none"), None],
    jvp=[lambda t, y, x, labels, classes: at_labels(t, labels, classes=classes), None],
    batch=at_labels_batch, formula=at_labels_formula,
    samples=cases(
        beside(reals(()), exactly([0, 2, 1, 2], classes=3)),
        beside(reals((2, 2)), exactly([[0, 2], [1, 1]], classes=3)),
        beside(reals(()), exactly(1, classes=2)),
        beside(reals((0,)), exactly(np.zeros(0, int), classes=3)),
    ),
    doc="A row for each label, with the operand at the label and 0 elsewhere.",
)


def sparse_kernel(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    return reduce_arrays(losses_kernel(logits, labels), reduction)


def wide(labels: Any) -> Any:
    """Labels of any integer dtype as native kernels read them; others as they are."""
    is_integer = type(labels) is np.ndarray and labels.dtype.kind in "iu"
    return labels.astype(np.int64, copy=False) if is_integer else labels


@native("softmax", "class_losses", "logits, wide(labels), None")
def losses_kernel(logits: Any, labels: Any) -> Any:
    """The cross entropy of each row."""
    logits, labels = check_labels("sparse_cross_entropy", logits, labels)
    y = columns(logits)
    y = y - np.maximum.reduce(y, initial=-np.inf, dtype=np.result_type(y, np.float16))
    chosen = labels.reshape(-1)
    losses = np.log(np.add.reduce(np.exp(y))) - y[chosen, np.arange(chosen.size)]
    return losses.reshape(labels.shape)[()]


@native("softmax", "class_errors", "logits, wide(labels), None")
def class_error_kernel(logits: Any, labels: np.ndarray) -> np.ndarray:
    """softmax of each row, less 1 at the label."""
    y = np.ascontiguousarray(softmax.kernel(logits)).reshape(np.shape(logits))
    rows = y.reshape(-1, y.shape[-1])
    rows[np.arange(len(rows)), np.asarray(labels).reshape(-1)] -= 1
    return y


def loss_and_error_kernel(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    """The cross entropy and the class error, which share the exponentials."""
    losses, errors = losses_and_errors_kernel(logits, labels)
    return reduce_arrays(losses, reduction), errors


@native("softmax", "class_losses_and_errors", "logits, wide(labels), None, None")
def losses_and_errors_kernel(logits: Any, labels: Any) -> Any:
    """The cross entropy and the class error of each row."""
    if type(logits) is not np.ndarray or logits.dtype.kind != "f" or not logits.size:
        return losses_kernel(logits, labels), class_error_kernel(logits, labels)
    logits, labels = check_labels("sparse_cross_entropy", logits, labels)
    y = columns(logits)
    y = y - np.maximum.reduce(y)
    e, numbers = np.exp(y), np.arange(labels.size)
    losses = np.log(np.add.reduce(e)) - y[labels.reshape(-1), numbers]
    if has_short_rows(logits, -1):
        error = np.ascontiguousarray(np.divide(e, np.add.reduce(e), out=e).T)
    else:
        error = np.ascontiguousarray(e.T)
        np.divide(error, np.add.reduce(error, axis=-1, keepdims=True), out=error)
    error[numbers, labels.reshape(-1)] -= 1
    return losses.reshape(labels.shape)[()], error.reshape(logits.shape)


def class_error_rule(v: AnyArray, y: AnyArray, logits: AnyArray, labels: AnyArray) -> AnyArray:
    return softmax_rule(v, softmax(logits), logits, axis=-1)


def class_error_formula(logits: AnyArray, labels: AnyArray) -> AnyArray:
    y = softmax(logits)
    return where(is_label(logits, labels), y - 1, y)


class_error = Op(
    "class_error", class_error_kernel, traits=[Trait.C_CONTIGUOUS], arity=2,
    infer=lambda logits, labels: ArrayType(
        logits.shape, labelled_infer("class_error", logits, labels).dtype
    ),
    vjp=[class_error_rule, None], jvp=[class_error_rule, None], batch=batch_as_is,
    samples=cases(
        beside(reals((4, 3)), exactly([0, 2, 1, 2])),
        beside(reals((0, 3)), exactly(np.zeros(0, int))),
        beside(reals((2, 2, 3)), exactly([[0, 2], [1, 1]])), beside(reals((3,)), exactly(1)),
    ),
    doc="softmax of the logits less 1 at the label: the derivative of the cross entropy.",
    formula=class_error_formula,
)


def sparse_vjp(
    g: AnyArray, y: AnyArray, logits: AnyArray, labels: AnyArray, reduction: str
) -> AnyArray:
    g = loss_cotangent(g, reduction, product(shape_of(labels)))
    g = expand_dims(g, axis=-1) if reduction == "none" else g
    return class_error(logits, labels) * g


def sparse_formula(logits: AnyArray, labels: AnyArray, reduction: str) -> AnyArray:
    rest = shifted(logits, -1)
    losses = log(sum(exp(rest), axis=-1)) - of_label(rest, labels)
    return reduce_losses(losses, reduction)


sparse_cross_entropy = Op(
    "sparse_cross_entropy", sparse_kernel, arity=2,
    flops=flops.per_operand(4),
    infer=partial(labelled_infer, "sparse_cross_entropy"), vjp=[sparse_vjp, None],
    jvp=[
        lambda t, y, logits, labels, reduction: reduce_losses(
            sum(class_error(logits, labels) * t, axis=-1), reduction
        ),
        None,
    ],
    batch=loss_batch, samples=labelled_rows, error_samples=wrong_labels,
    pairs={"class_error": loss_and_error_kernel}, formula=sparse_formula,
    doc="The negative log of the probability that softmax of the logits gives each class label.",
)


def cross_entropy(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    """The cross entropy of labels with softmax of the logits along the last axis.

    Labels are integers, one for each row of logits, or probabilities in the shape of the logits.
    Raises IndexingError for a label out of range.

    >>> float(cross_entropy(np.zeros((1, 2)), np.array([1])))
    0.6931471805599453
    """
    if len(shape_of(labels)) != len(shape_of(logits)):
        return sparse_cross_entropy(logits, labels, reduction=reduction)
    check_same_shape("cross_entropy", logits, labels)
    return reduce_losses(-sum(strong_product(labels, log_softmax(logits)), axis=-1), reduction)
