"""A workload: inputs, a program over an array namespace, and the derivative to compute."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arrays = list[np.ndarray]
Program = Callable[[Any, Sequence[Any], Sequence[Any]], Any]
Run = Callable[[], Sequence[Any]]
Make = Callable[..., tuple[Arrays, Arrays]]


@dataclass(frozen=True)
class Workload:
    """One row: `program(xp, params, data)`, and what each library computes from it.

    `xp` holds the functions in `libraries/namespace.py`. `make(rng, **sizes)` returns parameters
    and data in float64 and integers; floats are converted to `dtype`. The request is one of

    * "gradient": the loss, and its gradient by each parameter;
    * "sgd", "adam": a training step; the loss, and the new parameters;
    * "hessian": the Hessian by the first parameter, a vector;
    * "hvp": the product of the Hessian with `directions(params)`;
    * "jacobian": for columns that are independent of each other, the output of shape (m, n), and
      for each parameter of shape (k, n) its Jacobian blocks, of shape (m, k, n).

    `images` and `kernels` are the positions, among parameters and data, of arrays with the axes
    (n, channels, height, width) and (out, in, height, width), which libraries that have channels
    last are given in their order. `without` has the reason for each library that cannot run the
    workload; `slow` are libraries that compile it for so long that a quick run leaves them out.
    """

    key: str
    title: str
    make: Make
    program: Program
    sizes: Mapping[str, int]
    small: Mapping[str, int]
    request: str = "gradient"
    by_hand: Callable[[Arrays, Arrays], Run] | None = None
    dtype: str = "float32"
    threads: Sequence[int] = (1,)
    images: Sequence[int] = ()
    kernels: Sequence[int] = ()
    without: Mapping[str, str] = field(default_factory=dict)
    slow: Sequence[str] = ()

    def inputs(self, sizes: Mapping[str, int], dtype: str | None = None) -> tuple[Arrays, Arrays]:
        """Parameters and data of these sizes; equal at each call."""
        params, data = self.make(np.random.default_rng(0), **sizes)
        dtype = dtype or self.dtype
        return [cast(p, dtype) for p in params], [cast(d, dtype) for d in data]


def cast(a: np.ndarray, dtype: str) -> np.ndarray:
    """Floats in the dtype of the workload; integers as they are."""
    return a.astype(dtype) if a.dtype.kind == "f" else a


def directions(params: Sequence[np.ndarray]) -> Arrays:
    """The vectors that a Hessian is multiplied with: fixed numbers between -1 and 1."""
    return [np.cos(np.arange(p.size)).reshape(p.shape).astype(p.dtype) for p in params]


RATE = 0.01
ADAM = {"rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8}
