"""Random numbers of SciPy's, of distributions that have none with derivatives."""

from typing import Any

import numpy as np

from ...core.errors import MissingRuleError
from ...core.op import PLAIN


def draws(name: str, args: Any, kwargs: Any, size: Any, random_state: Any) -> Any:
    """Random numbers as of `scipy.stats`, from a seed, a generator of NumPy's, or a key of ours.

    Raises MissingRuleError for parameters with a derivative: counts jump, and SciPy's vectors and
    matrices are not made of numbers that are.
    """
    from scipy import stats

    for value in (*args, *kwargs.values()):
        if not isinstance(value, list | tuple) and type(value) not in PLAIN:
            raise MissingRuleError(
                f"{name}.rvs", "vjp",
                hint="give parameters without derivatives; the logarithm of the probability of what"
                " is drawn has them",
            )  # fmt: skip
    generator = getattr(stats, name)
    return generator.rvs(*args, size=size, random_state=generator_of(random_state), **kwargs)


def generator_of(random_state: Any) -> Any:
    """NumPy's generator, of a seed, a generator, or the bits of a key."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.ndarray):
        return np.random.default_rng([int(x) for x in np.ravel(random_state)])
    return np.random.default_rng(random_state)
