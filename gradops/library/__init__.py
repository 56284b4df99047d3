"""Declarations of ops, one module per family: what they list is what `gradops` offers."""

from . import (
    activation,
    arithmetic,
    arranging,
    broadcasting,
    comparison,
    complexes,
    contraction,
    creation,
    diagonals,
    einsum,
    elementwise,
    exponential,
    indexing,
    joining,
    logic,
    loss,
    movement,
    padding,
    placing,
    random,
    recurrent,
    reduction,
    repeating,
    rounding,
    trigonometric,
    windows,
)

__all__ = sorted([
    *activation.__all__, *arithmetic.__all__, *arranging.__all__, *broadcasting.__all__,
    *comparison.__all__, *complexes.__all__, *contraction.__all__, *creation.__all__,
    *diagonals.__all__, *einsum.__all__, *elementwise.__all__, *exponential.__all__,
    *indexing.__all__, *joining.__all__, *logic.__all__, *loss.__all__, *movement.__all__,
    *padding.__all__, *random.__all__, *reduction.__all__, *repeating.__all__, *rounding.__all__,
    *trigonometric.__all__, *windows.__all__,
])
