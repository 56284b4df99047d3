"""Declarations of ops, one module per family: what they list is what `gradops` offers."""

from . import (
    activation,
    arithmetic,
    bessel,
    broadcasting,
    comparison,
    complexes,
    contraction,
    creation,
    einsum,
    elementwise,
    exponential,
    gamma,
    indexing,
    joining,
    logic,
    loss,
    movement,
    placing,
    random,
    recurrent,
    reduction,
    rounding,
    special,
    trigonometric,
)

__all__ = sorted([
    *activation.__all__, *arithmetic.__all__, *bessel.__all__, *broadcasting.__all__,
    *comparison.__all__, *complexes.__all__, *contraction.__all__, *creation.__all__,
    *einsum.__all__, *elementwise.__all__, *exponential.__all__, *gamma.__all__, *indexing.__all__,
    *joining.__all__, *logic.__all__, *loss.__all__, *movement.__all__, *random.__all__,
    *reduction.__all__, *rounding.__all__, *special.__all__, *trigonometric.__all__,
])
