"""Gradients as functions: `backward` and `grad`; what is made of them; and how to check them."""

from ..backward import backward
from . import forward_ad, functional
from .batched import grad
from .checking import gradcheck, gradgradcheck
from .checkpointing import checkpoint, checkpoint_sequential

__all__ = [
    "backward", "checkpoint", "checkpoint_sequential", "forward_ad", "functional", "grad",
    "gradcheck", "gradgradcheck",
]  # fmt: skip
