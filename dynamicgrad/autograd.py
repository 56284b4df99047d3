"""Gradients as functions: `backward` and `grad`."""

from .backward import backward, grad

__all__ = ["backward", "grad"]
