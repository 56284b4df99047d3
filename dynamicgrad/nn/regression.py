"""Losses of quantities, as functions: distances between predictions and targets."""

from typing import Any

import gradops as ops
from gradops.library.loss import check_same_shape, reduced

from ..spelling import spelled
from ..tensor import as_tensor

mse_loss, l1_loss = spelled(ops.mse_loss), spelled(ops.l1_loss)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared distance up to `delta`, and from there on straight.

    >>> dg.nn.functional.huber_loss(dg.tensor([0.0, 3.0]), dg.tensor([0.0, 1.0]))
    tensor(0.7500)
    """
    if delta <= 0:
        raise ops.OptionError("huber_loss", [], f"delta is greater than 0, not {delta}")
    x, y = as_tensor(input), as_tensor(target)
    check_same_shape("huber_loss", x, y)
    d = ops.abs(x - y)
    return reduced(ops.where(d < delta, 0.5 * (d * d), delta * (d - 0.5 * delta)), reduction)


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """The distance from `beta` on, less beta / 2, and before that a parabola that joins it.

    >>> dg.nn.functional.smooth_l1_loss(dg.tensor([0.0, 3.0]), dg.tensor([0.0, 1.0]))
    tensor(0.7500)
    """
    if beta < 0:
        raise ops.OptionError("smooth_l1_loss", [], f"beta is at least 0, not {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    x, y = as_tensor(input), as_tensor(target)
    check_same_shape("smooth_l1_loss", x, y)
    d = ops.abs(x - y)
    return reduced(ops.where(d < beta, 0.5 * (d * d) / beta, d - 0.5 * beta), reduction)
