"""Options of solvers of differential equations, checked."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...kernels.odes.stepping import Control
from ...kernels.odes.tableaus import EXPLICIT, FIXED
from ..optimize.unknowns import hashable

STIFF = ("Radau", "BDF", "LSODA")
METHODS = (*EXPLICIT, *STIFF)
AIDS = frozenset({"jac", "jac_sparsity", "lband", "uband", "min_step"})
"""Options of SciPy's that exact Jacobians replace."""

LEAST = 100 * np.finfo(np.float64).eps  # the smallest relative tolerance, as for SciPy


def control_of(
    call: str, method: str, entries: Any, rtol: float = 1e-3, atol: Any = 1e-6,
    max_step: float = np.inf, first_step: float | None = None, step: float | None = None,
    **aids: Any,
) -> Control:  # fmt: skip
    """What the sizes of steps follow; raises OptionError for values that no solver takes."""
    if method not in METHODS:
        raise OptionError(call, [], f"there is no method {method!r}", hint=f"of {METHODS}")
    if not isinstance(entries, int):
        raise ShapeError(call, [], f"the size {entries} of the state is not known")
    for wrong, reason in (
        (not set(aids) <= AIDS, f"it takes no option {', '.join(sorted(set(aids) - AIDS))}"),
        (rtol < 0 or np.any(np.asarray(atol) < 0), "tolerances are not negative"),
        (not max_step > 0, "max_step has to be positive"),
        (first_step is not None and not first_step > 0, "first_step has to be positive"),
        (
            method in FIXED and not (step and step > 0),
            f"{method} needs the size `step` of its steps",
        ),
        (method not in FIXED and step is not None, f"{method} finds the sizes of its steps"),
        (np.ndim(atol) and np.size(atol) != entries, f"`atol` has not {entries} entries"),
    ):
        if wrong:
            raise OptionError(call, [], reason)
    return Control(entries, max(float(rtol), LEAST), hashable(np.asarray(atol, np.float64)),
                   float(max_step), first_step, step)  # fmt: skip
