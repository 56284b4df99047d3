"""Random numbers of SciPy's, of distributions that have none with derivatives."""

from typing import Any

import numpy as np

from ...core.errors import MissingExtraError, MissingRuleError
from ...core.op import PLAIN
from ...core.tree import leaves_of
from ...transforms.layers import constant


def draws(name: str, args: Any, kwargs: Any, size: Any, random_state: Any) -> Any:
    """Random numbers as of `scipy.stats`, from a seed, a generator of NumPy's, or a key of ours.

    Raises MissingRuleError for parameters that are operands: counts jump, and SciPy's vectors and
    matrices are not made of numbers that have derivatives.
    """
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError(f"{name}.rvs", "SciPy", "scipy") from error

    if any(type(value) not in PLAIN for value in leaves_of((args, kwargs))):
        raise MissingRuleError(
            f"{name}.rvs", "vjp",
            hint="give parameters without derivatives; the logarithm of the probability of what"
            " is drawn has them",
        )  # fmt: skip
    state = generator_of(constant(random_state))
    return getattr(stats, name).rvs(*args, size=size, random_state=state, **kwargs)


def generator_of(random_state: Any) -> Any:
    """NumPy's generator, of a seed, a generator, or the bits of a key."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.ndarray):
        return np.random.default_rng([int(x) for x in np.ravel(random_state)])
    return np.random.default_rng(random_state)
