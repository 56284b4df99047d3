"""Giving the tensors of a module another dtype while they stay the same tensors."""

from typing import Any

import numpy as np


def cast_tensor(t: Any, dtype: np.dtype) -> None:
    """Let a leaf that holds floats, and its gradient, have another dtype."""
    if t.dtype.kind != "f" or t.dtype == dtype:
        return
    grad, required = t.grad, t.requires_grad
    t.grad = None
    t.requires_grad_(False)  # what requires gradients has a dtype that does not change
    t.data = t.data.to(dtype)
    t.requires_grad_(required)
    if grad is not None:
        t.grad = grad.detach().to(dtype)
