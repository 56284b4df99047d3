"""Distances between vectors: see `gradops.scipy.spatial.distance`."""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from . import distance

__all__ = ["distance"]

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
