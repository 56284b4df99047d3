"""Declarations of ops, one module per family."""

from . import (
    activation,
    arithmetic,
    broadcasting,
    comparison,
    complexes,
    contraction,
    creation,
    einsum,
    elementwise,
    indexing,
    joining,
    loss,
    movement,
    placing,
    random,
    reduction,
)

__all__ = [
    "activation",
    "arithmetic",
    "broadcasting",
    "comparison",
    "complexes",
    "contraction",
    "creation",
    "einsum",
    "elementwise",
    "indexing",
    "joining",
    "loss",
    "movement",
    "placing",
    "random",
    "reduction",
]
