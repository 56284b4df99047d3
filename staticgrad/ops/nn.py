"""TensorFlow's functions for neural networks, in terms of other ops."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.types import as_shape, shape_of, type_of

from ..build.inputs import as_expression
from .pointwise import squared_difference, tupled
from .random import random_uniform


def only_by_name(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function `f`, which takes no arguments by position: of their order there were two.

    Raises OptionError.
    """

    @wraps(f)
    def call(*args: Any, **named: Any) -> Any:
        if args:
            raise OptionError(
                f.__name__, [type_of(x) for x in args],
                "it takes arguments by name only, as in TensorFlow 1: their order tells nothing",
                hint="write labels=..., logits=...",
            )  # fmt: skip
        return f(**named)

    return call


def leaky_relu(features: Any, alpha: float = 0.2) -> Any:
    """The entry where it is positive, `alpha` times it elsewhere.

    >>> float(sg.nn.leaky_relu(-1.0))
    -0.2
    """
    return ops.leaky_relu(features, alpha)


def gelu(features: Any, approximate: Any = False) -> Any:
    """x times the normal distribution function, or if `approximate` its usual form by tanh.

    >>> float(sg.nn.gelu(0.0))
    0.0
    """
    return ops.gelu(
        features, approximate={True: "tanh", False: "none"}.get(approximate, approximate)
    )


def moments(x: Any, axes: Any, keepdims: bool = False) -> tuple[Any, Any]:
    """The mean and the variance over some axes.

    >>> [float(m) for m in sg.nn.moments(np.array([1.0, 3.0]), [0])]
    [2.0, 1.0]
    """
    axes = tupled(axes)
    mean = ops.mean(x, axis=axes, keepdims=True)
    variance = ops.mean(squared_difference(x, mean), axis=axes, keepdims=keepdims)
    return (mean if keepdims else ops.squeeze(mean, axis=axes)), variance


def l2_loss(t: Any) -> Any:
    """Half the sum of the squares of all entries.

    >>> float(sg.nn.l2_loss(np.array([3.0, 4.0])))
    12.5
    """
    return ops.sum(ops.square(t)) / 2


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12) -> Any:
    """The operand divided by its norm along an axis, whose square counts as at least `epsilon`.

    >>> sg.nn.l2_normalize(np.array([3.0, 4.0]), 0)
    array([0.6, 0.8])
    """
    total = ops.sum(ops.square(x), axis=tupled(axis), keepdims=True)
    return ops.mul(x, ops.rsqrt(ops.maximum(total, epsilon)))


def bias_add(value: Any, bias: Any) -> Any:
    """The operand with a vector added along its last axis.

    >>> sg.nn.bias_add(np.zeros((1, 2)), np.array([1.0, 2.0]))
    array([[1., 2.]])
    """
    if len(shape_of(bias)) != 1 or len(shape_of(value)) < 2:
        raise ShapeError("bias_add", [type_of(value), type_of(bias)], "a bias is a vector")
    return ops.add(value, bias)


@only_by_name
def sigmoid_cross_entropy_with_logits(*, labels: Any, logits: Any) -> Any:
    """The cross entropy of each label, from 0 to 1, with the logistic function of its logit.

    >>> float(sg.nn.sigmoid_cross_entropy_with_logits(labels=1.0, logits=0.0))
    0.6931471805599453
    """
    return ops.binary_cross_entropy_with_logits(logits, labels, reduction="none")


def softmax_cross_entropy_with_logits_v2(labels: Any, logits: Any, axis: int = -1) -> Any:
    """The cross entropy of probabilities with softmax of the logits, one for each example.

    >>> sg.nn.softmax_cross_entropy_with_logits_v2(np.array([[0.5, 0.5]]), np.zeros((1, 2)))
    array([0.69314718])
    """
    if axis != -1:
        labels, logits = (ops.moveaxis(x, axis, -1) for x in (labels, logits))
    return ops.cross_entropy(logits, labels, reduction="none")


@only_by_name
def softmax_cross_entropy_with_logits(*, labels: Any, logits: Any, axis: int = -1) -> Any:
    """The cross entropy of probabilities, which count as constant, with softmax of the logits.

    >>> sg.nn.softmax_cross_entropy_with_logits(
    ...     labels=np.array([[0.5, 0.5]]), logits=np.zeros((1, 2))
    ... )
    array([0.69314718])
    """
    return softmax_cross_entropy_with_logits_v2(ops.stop_gradient(labels), logits, axis)


@only_by_name
def sparse_softmax_cross_entropy_with_logits(*, labels: Any, logits: Any) -> Any:
    """The cross entropy of class labels with softmax of the logits, one for each example.

    >>> sg.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=np.zeros((1, 2)))
    array([0.69314718])
    """
    return ops.sparse_cross_entropy(logits, labels, reduction="none")


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any) -> Any:
    """The cross entropy of labels with logits, in which the label 1 counts `pos_weight` times.

    >>> round(float(sg.nn.weighted_cross_entropy_with_logits(1.0, 0.0, 2.0)), 4)
    1.3863
    """
    share = ops.add(1, ops.mul(pos_weight - 1, labels))
    return ops.add(ops.mul(1 - labels, logits), ops.mul(share, ops.softplus(ops.neg(logits))))


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False) -> Any:
    """The negative log likelihood of counts, from the logarithms of rates.

    >>> float(sg.nn.log_poisson_loss(np.ones(1), np.zeros(1))[0])
    1.0
    """
    return ops.poisson_nll_loss(log_input, targets, full=compute_full_loss, reduction="none")


def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: int | None = None,
    rate: Any = None,
) -> Any:  # fmt: skip
    """Zeros in place of some entries, other ones in each run; what is kept is scaled up.

    An entry is kept with probability `keep_prob`, or dropped with probability `rate`. Entries that
    share one in `noise_shape` are kept or dropped together.

    >>> sg.Session().run(sg.nn.dropout(sg.ones([2]), rate=0.0))
    array([1., 1.], dtype=float32)
    """
    if (keep_prob is None) is (rate is None):
        raise OptionError("dropout", [type_of(x)], "it takes either rate or keep_prob")
    given = rate if keep_prob is None else keep_prob
    if isinstance(given, int | float) and not 0 <= given <= 1:
        raise OptionError("dropout", [type_of(x)], f"{given} is no probability")
    keep = 1 - rate if keep_prob is None else keep_prob
    x = as_expression(x)
    shape = x.shape if noise_shape is None else as_shape(noise_shape)
    drawn = random_uniform(shape, dtype=x.dtype, seed=seed)
    return ops.where(ops.less(drawn, keep), x / keep, 0)
