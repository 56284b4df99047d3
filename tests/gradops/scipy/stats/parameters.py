"""Shapes that the distributions of `stats` take."""

from gradops.scipy import stats

USUAL = (1.7, 2.3)
WITHIN_ONE = {"skewcauchy", "triang"}


def usual(name):
    """Valid shapes of a distribution."""
    return USUAL[: len(getattr(stats, name).shapes)] if name not in WITHIN_ONE else (0.6,)
