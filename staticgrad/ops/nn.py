"""TensorFlow's functions for neural networks, in terms of other ops."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.types import as_shape, shape_of, type_of
from gradops.typing import AnyArray, Axis, Operand, ShapeLike

from ..build.inputs import as_expression
from .pointwise import as_tuple, squared_difference
from .random import random_uniform

Given = Operand | None


def only_by_name(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate `f` to take keyword arguments only, as TensorFlow changed their order once.

    Raises OptionError for positional arguments.
    """

    @wraps(f)
    def call(*args: Any, **named: Any) -> AnyArray:
        if args:
            raise OptionError(
                f.__name__, [type_of(x) for x in args],
                "it takes arguments by name only, as in TensorFlow 1: their order tells nothing",
                hint="write labels=..., logits=...",
            )  # fmt: skip
        return f(**named)

    return call


def leaky_relu(features: Operand, alpha: float = 0.2) -> AnyArray:
    """x where it is positive, alpha * x elsewhere.

    >>> float(sg.nn.leaky_relu(-1.0))
    -0.2
    """
    return ops.leaky_relu(features, alpha)


def gelu(features: Operand, approximate: Any = False) -> AnyArray:
    """x times the normal distribution function, or its tanh approximation.

    >>> float(sg.nn.gelu(0.0))
    0.0
    """
    kind = {True: "tanh", False: "none"}.get(approximate, approximate)
    return ops.gelu(features, approximate=kind)


def moments(x: Operand, axes: Axis, keepdims: bool = False) -> tuple[AnyArray, AnyArray]:
    """The mean and the variance over some axes.

    >>> [float(m) for m in sg.nn.moments(np.array([1.0, 3.0]), [0])]
    [2.0, 1.0]
    """
    axis = as_tuple(axes)
    mean = ops.mean(x, axis=axis, keepdims=True)
    variance = ops.mean(squared_difference(x, mean), axis=axis, keepdims=keepdims)
    return (mean if keepdims else ops.squeeze(mean, axis=axis)), variance


def l2_loss(t: Operand) -> AnyArray:
    """Half the sum of the squares of all entries.

    >>> float(sg.nn.l2_loss(np.array([3.0, 4.0])))
    12.5
    """
    return ops.sum(ops.square(t)) / 2


def l2_normalize(x: Operand, axis: Axis = None, epsilon: float = 1e-12) -> AnyArray:
    """x / sqrt(max(sum(x**2), epsilon)) along an axis.

    >>> sg.nn.l2_normalize(np.array([3.0, 4.0]), 0)
    array([0.6, 0.8])
    """
    total = ops.sum(ops.square(x), axis=as_tuple(axis), keepdims=True)
    return ops.mul(x, ops.rsqrt(ops.maximum(total, epsilon)))


def bias_add(value: Operand, bias: Operand) -> AnyArray:
    """Add a vector along the last axis.

    >>> sg.nn.bias_add(np.zeros((1, 2)), np.array([1.0, 2.0]))
    array([[1., 2.]])
    """
    if len(shape_of(bias)) != 1 or len(shape_of(value)) < 2:
        raise ShapeError("bias_add", [type_of(value), type_of(bias)], "a bias is a vector")
    return ops.add(value, bias)


@only_by_name
def sigmoid_cross_entropy_with_logits(*, labels: Operand, logits: Operand) -> AnyArray:
    """The cross entropy of labels between 0 and 1 with the logistic function of logits.

    >>> float(sg.nn.sigmoid_cross_entropy_with_logits(labels=1.0, logits=0.0))
    0.6931471805599453
    """
    return ops.binary_cross_entropy_with_logits(logits, labels, reduction="none")


def softmax_cross_entropy_with_logits_v2(
    labels: Operand, logits: Operand, axis: int = -1
) -> AnyArray:
    """The cross entropy of each example's probabilities with softmax of its logits.

    >>> sg.nn.softmax_cross_entropy_with_logits_v2(np.array([[0.5, 0.5]]), np.zeros((1, 2)))
    array([0.69314718])
    """
    if axis != -1:
        labels, logits = (ops.moveaxis(x, axis, -1) for x in (labels, logits))
    return ops.cross_entropy(logits, labels, reduction="none")


@only_by_name
def softmax_cross_entropy_with_logits(
    *, labels: Operand, logits: Operand, axis: int = -1
) -> AnyArray:
    """The cross entropy of probabilities, without gradient, with softmax of the logits.

    >>> sg.nn.softmax_cross_entropy_with_logits(
    ...     labels=np.array([[0.5, 0.5]]), logits=np.zeros((1, 2))
    ... )
    array([0.69314718])
    """
    return softmax_cross_entropy_with_logits_v2(ops.stop_gradient(labels), logits, axis)


@only_by_name
def sparse_softmax_cross_entropy_with_logits(*, labels: Operand, logits: Operand) -> AnyArray:
    """The cross entropy of each example's class label with softmax of its logits.

    >>> sg.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=np.zeros((1, 2)))
    array([0.69314718])
    """
    return ops.sparse_cross_entropy(logits, labels, reduction="none")


def weighted_cross_entropy_with_logits(labels: Any, logits: Operand, pos_weight: Any) -> AnyArray:
    """The cross entropy of labels with logits, with weight `pos_weight` for the label 1.

    >>> round(float(sg.nn.weighted_cross_entropy_with_logits(1.0, 0.0, 2.0)), 4)
    1.3863
    """
    share = ops.add(1, ops.mul(pos_weight - 1, labels))
    return ops.add(ops.mul(1 - labels, logits), ops.mul(share, ops.softplus(ops.neg(logits))))


def log_poisson_loss(
    targets: Operand, log_input: Operand, compute_full_loss: bool = False
) -> AnyArray:
    """The negative log likelihood of counts, from the logarithms of rates.

    >>> float(sg.nn.log_poisson_loss(np.ones(1), np.zeros(1))[0])
    1.0
    """
    return ops.poisson_nll_loss(log_input, targets, full=compute_full_loss, reduction="none")


def dropout(
    x: Operand, keep_prob: float | AnyArray | None = None, noise_shape: ShapeLike | None = None,
    seed: int | None = None, rate: float | AnyArray | None = None,
) -> AnyArray:  # fmt: skip
    """Set random entries to zero, others in each run, and scale up the remaining ones.

    An entry is kept with probability `keep_prob`, or dropped with probability `rate`. Axes of size
    1 in `noise_shape` are kept or dropped as a whole.

    >>> sg.Session().run(sg.nn.dropout(sg.ones([2]), rate=0.0))
    array([1., 1.], dtype=float32)
    """
    if (keep_prob is None) is (rate is None):
        raise OptionError("dropout", [type_of(x)], "it takes either rate or keep_prob")
    given = rate if keep_prob is None else keep_prob
    if isinstance(given, int | float) and not 0 <= given <= 1:
        raise OptionError("dropout", [type_of(x)], f"{given} is not a probability")
    keep = keep_prob if rate is None else 1 - rate
    x = as_expression(x)
    shape = x.shape if noise_shape is None else as_shape(noise_shape)
    drawn = random_uniform(shape, dtype=x.dtype, seed=seed)
    return ops.where(ops.less(drawn, keep), x / keep, 0)


def batch_normalization(
    x: Operand, mean: Operand, variance: Operand, offset: Given, scale: Given, epsilon: float
) -> AnyArray:
    """scale * (x - mean) / sqrt(variance + variance_epsilon) + offset.

    >>> sg.nn.batch_normalization(np.array([3.0]), 1.0, 4.0, 1.0, None, 0.0)
    array([2.])
    """
    factor = ops.div(1, ops.sqrt(ops.add(variance, epsilon)))
    if scale is not None:
        factor = ops.mul(factor, scale)
    y = ops.mul(ops.sub(x, mean), factor)
    return y if offset is None else ops.add(y, offset)


def embedding_lookup(params: Operand, ids: Operand) -> AnyArray:
    """The rows of a table at integer indices.

    >>> sg.nn.embedding_lookup(np.array([[1.0], [2.0]]), np.array([1, 0]))
    array([[2.],
           [1.]])
    """
    return ops.embedding(ids, params)
