"""Silence what libraries say about themselves, which is not about the measurement."""

import logging
import warnings


def silence() -> None:
    """No warnings and no log lines."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
