"""Distances between vectors: see `gradops.scipy.spatial.distance`."""

from . import distance

__all__ = ["distance"]
