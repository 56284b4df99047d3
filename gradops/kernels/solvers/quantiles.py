"""Quantiles of standard forms, by SciPy's distributions."""

import numpy as np

from ...core.errors import MissingExtraError


def quantile(*operands: np.ndarray, name: str, upper: bool = False) -> np.ndarray:
    """The points below which a distribution of SciPy's has a probability, or above with `upper`.

    Operands are the probabilities and the shapes, which broadcast.
    """
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("ppf", "SciPy", "scipy") from error
    d = getattr(stats, name)
    with np.errstate(all="ignore"):
        found = (d.isf if upper else d.ppf)(*operands)
    dtype = np.result_type(*operands)
    return np.asarray(found, dtype if dtype.kind == "f" else np.float64)[()]
