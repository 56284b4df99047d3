"""Update rules of optimizers, as pure functions of ops that both packages share.

A rule maps a parameter, its gradient and the optimizer's state to a new parameter and a new state.
Operands are arrays, tensors or expressions; hyperparameters are numbers, `lr` may also be one of
them. The state is a dict under PyTorch's names, empty before the first step; `step` in it counts
the steps, as a number or an array. Each package holds the state in its own way: tensors updated in
place, or variables assigned in a graph.

Note [Scalars]. What is computed from numbers alone, a rate or a power of beta, is computed in
float64 and rounded where it meets an array: by Python with its numbers, or by a graph that holds
the step. So both have the same bits. NumPy's power and Python's may differ in the last one; both
use NumPy's.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ..core.types import PYTHON_SCALARS, type_of
from ..library.elementwise.arithmetic import power, sqrt
from ..library.elementwise.comparison import maximum
from ..library.shape.movement import astype
from ..typing import Arrays, Operand, OperandLike

__all__ = ["adagrad", "adam", "adamw", "momentum_sgd", "rmsprop", "rmsprop_graves", "sgd"]

State = Mapping[str, Any]
NewState = dict[str, Any]
Updated = tuple[Any, NewState]


def sgd(
    param: Any, grad: Any, state: State,
    *, lr: Any, momentum: float = 0.0, dampening: float = 0.0, weight_decay: float = 0.0,
    nesterov: bool = False, maximize: bool = False,
) -> Updated:  # fmt: skip
    """Gradient descent: p - lr * v, with v the gradient or, with momentum, its running sum.

    PyTorch's form of Sutskever et al., "On the importance of initialization and momentum in deep
    learning" (2013). The state is `momentum_buffer`, if there is momentum.

    >>> sgd(1.0, 0.5, {"momentum_buffer": 1.0}, lr=0.5, momentum=0.5)
    (0.5, {'momentum_buffer': 1.0})
    """
    g = with_weight_decay(param, -grad if maximize else grad, weight_decay)
    rate = scalar(lr, param)
    if not momentum:
        return param - rate * g, {}
    v = g
    if (before := state.get("momentum_buffer")) is not None:
        v = momentum * before + ((1 - dampening) * g if dampening else g)
    direction = g + momentum * v if nesterov else v
    return param - rate * direction, {"momentum_buffer": v}


def adam(
    param: Any, grad: Any, state: State,
    *, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
    weight_decay: float = 0.0, amsgrad: bool = False, maximize: bool = False,
    decoupled_weight_decay: bool = False, eps_hat: bool = False,
) -> Updated:  # fmt: skip
    """Kingma and Ba, "Adam" (2015); with decoupled weight decay, AdamW of Loshchilov and Hutter.

    With `eps_hat`, `eps` is the one that the paper writes so, at the end of its section 2: it is
    added before the bias is corrected, not after; that is TensorFlow's form. The state is `step`,
    `exp_avg`, `exp_avg_sq` and, with `amsgrad`, `max_exp_avg_sq`.

    >>> p, state = adam(1.0, 0.5, {}, lr=0.1)
    >>> round(float(p), 6), state["step"]
    (0.9, 1)
    """
    g = -grad if maximize else grad
    if decoupled_weight_decay and weight_decay:
        param = param * scalar(1 - lr * weight_decay, param)
    elif weight_decay:
        g = with_weight_decay(param, g, weight_decay)
    step = state.get("step", 0) + 1
    m = moving_average(state.get("exp_avg"), g, betas[0])
    v = moving_average(state.get("exp_avg_sq"), g * g, betas[1])
    new = {"step": step, "exp_avg": m, "exp_avg_sq": v}
    if amsgrad:
        largest = state.get("max_exp_avg_sq")
        v = new["max_exp_avg_sq"] = v if largest is None else maximum(largest, v)
    rate = scalar(lr / bias_correction(betas[0], step), param)
    seen = scalar(root(bias_correction(betas[1], step)), param)
    scale = (sqrt(v) + eps) / seen if eps_hat else sqrt(v) / seen + eps
    return param - rate * (m / scale), new


def adamw(
    param: OperandLike, grad: OperandLike, state: State,
    *, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
    weight_decay: float = 1e-2, amsgrad: bool = False, maximize: bool = False,
) -> Updated:  # fmt: skip
    """`adam` with its weight decay decoupled from the gradient.

    >>> p, state = adamw(1.0, 0.5, {}, lr=0.1, weight_decay=0.5)
    >>> round(float(p), 6)
    0.85
    """
    return adam(
        param, grad, state, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
        amsgrad=amsgrad, maximize=maximize, decoupled_weight_decay=True,
    )  # fmt: skip


def rmsprop(
    param: Any, grad: Any, state: State,
    *, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0,
    momentum: float = 0.0, centered: bool = False, maximize: bool = False,
) -> Updated:  # fmt: skip
    """Hinton's RMSprop: the gradient over the root of the moving average of its square.

    The state is `step`, `square_avg`, with momentum `momentum_buffer`, and `grad_avg` if the
    variance replaces the mean square (`centered`).

    >>> p, state = rmsprop(1.0, 0.5, {}, lr=0.1)
    >>> round(float(p), 6)
    0.0
    """
    g = with_weight_decay(param, -grad if maximize else grad, weight_decay)
    new = {"step": state.get("step", 0) + 1}
    square = square_average(g, state, new, alpha, centered)
    move = g / (sqrt(square) + eps)
    if momentum:
        move = with_momentum(move, state, new, momentum)
    return param - scalar(lr, param) * move, new


def rmsprop_graves(
    param: Any, grad: Any, state: State,
    *, lr: Any = 1e-2, alpha: float = 0.9, eps: float = 1e-10, momentum: float = 0.0,
    centered: bool = False,
) -> Updated:  # fmt: skip
    """RMSprop of Graves, "Generating sequences with recurrent neural networks" (2013).

    It is TensorFlow's: `eps` is under the root, and the rate is part of what momentum adds up. The
    state is `square_avg`, with momentum `momentum_buffer`, and `grad_avg` if it is `centered`.

    >>> p, state = rmsprop_graves(1.0, 0.5, {"square_avg": 1.0}, lr=0.1, alpha=0.75)
    >>> round(float(p), 6), float(state["square_avg"])
    (0.94453, 0.8125)
    """
    new: NewState = {}
    square = square_average(grad, state, new, alpha, centered)
    move = scalar(lr, param) * grad / sqrt(square + eps)
    return param - (with_momentum(move, state, new, momentum) if momentum else move), new


def adagrad(
    param: Any, grad: Any, state: State,
    *, lr: Any = 1e-2, lr_decay: float = 0.0, weight_decay: float = 0.0, eps: float = 1e-10,
    maximize: bool = False,
) -> Updated:  # fmt: skip
    """Duchi et al., "Adaptive subgradient methods" (2011): g over the root of the sum of squares.

    The state is `step` and `sum`.

    >>> p, state = adagrad(1.0, 0.5, {}, lr=0.1)
    >>> round(float(p), 6), float(state["sum"])
    (0.9, 0.25)
    """
    g = with_weight_decay(param, -grad if maximize else grad, weight_decay)
    step, total = state.get("step", 0) + 1, g * g
    if (before := state.get("sum")) is not None:
        total = before + total
    rate = scalar(lr / (1 + (step_count(step) - 1) * lr_decay) if lr_decay else lr, param)
    return param - rate * (g / (sqrt(total) + eps)), {"step": step, "sum": total}


def with_weight_decay(param: Any, grad: Any, weight_decay: float) -> Any:
    """The gradient plus `weight_decay` times the parameter."""
    return grad + weight_decay * param if weight_decay else grad


def scalar(x: Operand, like: Any) -> Any:
    """A scalar in the dtype of an array; Python numbers unchanged. See Note [Scalars]."""
    if type(x) in PYTHON_SCALARS or type_of(x).dtype == (dtype := type_of(like).dtype):
        return x
    return astype(x, dtype=dtype)


def step_count(step: Any) -> Any:
    """The number of steps as a float64."""
    return float(step) if type(step) in PYTHON_SCALARS else astype(step, dtype="float64")


def bias_correction(beta: float, step: Any) -> Any:
    """1 - beta ** step, the bias correction of a mean that starts from zero."""
    if type(step) in PYTHON_SCALARS:
        return number_bias_correction(beta, step)
    return 1 - power(beta, step_count(step))


@lru_cache(maxsize=64)  # a step asks anew for each parameter
def number_bias_correction(beta: float, step: float) -> float:
    """`bias_correction` for a Python number of steps, with NumPy's power."""
    return 1 - float(np.power(beta, float(step)))


def root(x: Operand) -> Operand:
    """The square root of a scalar; of a Python number, a Python number."""
    return math.sqrt(x) if type(x) is float else sqrt(x)


def moving_average(before: Any, value: Any, beta: float) -> Any:
    """An exponential moving average, starting from zero."""
    share = (1 - beta) * value
    return share if before is None else beta * before + share


def square_average(grad: Any, state: State, new: NewState, alpha: float, centered: bool) -> Any:
    """The moving average of the squared gradient, or of its variance, noted in the new state."""
    square = new["square_avg"] = moving_average(state.get("square_avg"), grad * grad, alpha)
    if not centered:
        return square
    mean = new["grad_avg"] = moving_average(state.get("grad_avg"), grad, alpha)
    return square - mean * mean


def with_momentum(move: Any, state: State, new: NewState, momentum: float) -> Any:
    """The step plus `momentum` times the one before, noted in the new state."""
    if (before := state.get("momentum_buffer")) is not None:
        move = momentum * before + move
    new["momentum_buffer"] = move
    return move


def momentum_sgd(
    params: Arrays, grads: Arrays, velocities: Arrays, lr: float, momentum: float = 0.9
) -> tuple[list[Any], list[Any]]:
    """`sgd` with momentum for several parameters: the new parameters and velocities.

    >>> momentum_sgd([1.0], [0.5], [0.0], lr=0.1)
    ([0.95], [0.5])
    """
    updated = [
        sgd(p, g, {"momentum_buffer": v}, lr=lr, momentum=momentum)
        for p, g, v in zip(params, grads, velocities, strict=True)
    ]
    return [p for p, _ in updated], [state["momentum_buffer"] for _, state in updated]
