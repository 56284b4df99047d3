"""Training: optimizers and schedules of learning rates, with TensorFlow 1's names.

>>> x, y = sg.placeholder("float32", [None]), sg.placeholder("float32", [None])
>>> w = sg.Variable(0.0, name="w")
>>> loss = sg.reduce_mean(sg.square(w * x - y))
>>> train = sg.train.GradientDescentOptimizer(0.1).minimize(loss)
>>> session = sg.Session()
>>> for _ in range(20):
...     session.run(train, {x: [1.0, 2.0], y: [3.0, 6.0]})
>>> session.run(w)
np.float32(2.9999971)
"""

from typing import Any as _Any

from ..missing_names import missing as _missing
from .optimizer import Optimizer
from .optimizers import (
    AdagradOptimizer,
    AdamOptimizer,
    AdamWOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
)
from .schedules import (
    cosine_decay,
    exponential_decay,
    inverse_time_decay,
    natural_exp_decay,
    piecewise_constant,
    polynomial_decay,
)
from .steps import create_global_step, get_global_step, get_or_create_global_step


def __getattr__(name: str) -> _Any:
    raise _missing(name, "train")


__all__ = [
    "AdagradOptimizer", "AdamOptimizer", "AdamWOptimizer", "GradientDescentOptimizer",
    "MomentumOptimizer", "Optimizer", "RMSPropOptimizer", "cosine_decay", "create_global_step",
    "exponential_decay", "get_global_step", "get_or_create_global_step", "inverse_time_decay",
    "natural_exp_decay", "piecewise_constant", "polynomial_decay",
]  # fmt: skip
