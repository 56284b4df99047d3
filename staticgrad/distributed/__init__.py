"""Data larger than one machine: gradients and training on Dask, on MPI, or out of core.

>>> blocks = [np.ones((3, 2)), np.ones((2, 2))]
>>> f = sg.distributed.value_and_grad(lambda w, x: np.sum((x @ w) ** 2), np.zeros(2), blocks)
>>> f(np.ones(2))
(np.float64(20.0), array([20., 20.]))
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from gradops.core.lazy_import import lazily as _lazily

if _TYPE_CHECKING:
    from .engines.message_passing import mpi
    from .evaluation import hvp, value_and_grad
    from .training import train

__getattr__, __dir__ = _lazily(
    __name__,
    {"engines.message_passing": "mpi", "evaluation": "hvp value_and_grad", "training": "train"},
)

__all__ = ["hvp", "mpi", "train", "value_and_grad"]
