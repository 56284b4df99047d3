"""References in float64, and the errors of results."""

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from ..columns import BY_HAND, EAGER, LIBRARIES, TORCH
from ..libraries.interface import Library, Refusal
from ..workload import Arrays, Workload

TOLERANCE = {"float32": 1e-3, "float64": 1e-6}
REFERENCES = (TORCH, BY_HAND, EAGER)


class WrongResult(Refusal):
    """A result is further from the reference than rounding explains."""


def reference(workload: Workload) -> tuple[str, Arrays]:
    """The results in float64 on the workload's inputs, and which library computed them."""
    for name in REFERENCES:
        library = next(lib for lib in LIBRARIES if lib.name == name)
        if find_spec(library.package):
            try:
                return name, in_float64(workload, library)
            except Refusal:
                continue
    raise Refusal("no library computes a reference")


def in_float64(workload: Workload, library: Library) -> Arrays:
    """The results of one library on the rounded inputs, computed in float64."""
    params, data = workload.inputs(workload.sizes)
    wide = [[a.astype(np.float64) if a.dtype.kind == "f" else a for a in group]
            for group in (params, data)]  # fmt: skip
    return library.arrays(workload, library.build(workload, *wide)())


def error(results: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """The largest relative error of a result, in the Euclidean norm; infinite for other shapes."""
    if [np.shape(r) for r in results] != [np.shape(e) for e in expected]:
        return float("inf")
    return max(map(relative, results, expected))


def relative(result: np.ndarray, expected: np.ndarray) -> float:
    """The relative error of one result; infinite if it is not a number."""
    distance = float(np.linalg.norm(np.asarray(result, np.float64) - expected))
    scale = float(np.linalg.norm(expected))
    return distance / (scale or 1.0) if np.isfinite(distance) else float("inf")


def require_close(workload: Workload, found: float) -> None:
    """Raise WrongResult for an error above the tolerance of the workload's dtype."""
    if not found <= TOLERANCE[workload.dtype]:
        raise WrongResult(f"wrong: relative error {found:.1e}")
