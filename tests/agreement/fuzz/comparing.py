"""How values of torch and of ours are compared, and what a disagreement is."""

from dataclasses import dataclass
from typing import Any

import numpy as np

ULPS = 4
TORCHS = {  # the tolerances of torch.testing.assert_close
    "float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip
HALVES = 4  # torch computes in float32 what takes several steps, NumPy rounds each of them
GROWTH = 16  # gradients add up the errors of many steps, each within torch's tolerance


@dataclass
class Disagreement:
    """A difference between what torch and ours make of a statement."""

    kind: str  # error, accepted, refused, type, shape, dtype, flag, version, value, gradient
    statement: str
    where: str
    theirs: Any
    ours: Any
    operands: tuple[Any, ...] = ()
    program: tuple[str, ...] = ()
    raised: bool = False  # whether both raised
    transposed: bool = False  # whether a result of torch does not lie row by row
    shared: bool = False  # whether operands lie in one memory
    overlaps: bool = False  # whether entries of an operand do

    def __str__(self):
        return f"{self.kind} of {self.where}:\n  torch: {self.theirs}\n  ours:  {self.ours}"


def array(t):
    """The entries of a tensor of either library."""
    t = t.detach()
    if hasattr(t, "resolve_conj"):
        return t.numpy(force=True)
    return np.asarray(t.value)


def close(theirs, ours, strict, growth=1):
    """Whether entries are equal within 4 units in the last place, or torch's tolerance."""
    if theirs.dtype.kind not in "fc":
        return np.array_equal(theirs, ours)
    usual = np.isfinite(theirs)
    if theirs.dtype.kind == "c":  # of which a part may be infinite or no number, or both
        if not np.array_equal(usual, np.isfinite(ours)):
            return False
    elif not np.array_equal(theirs[~usual], ours[~usual], equal_nan=True):
        return False
    a, b = wide(theirs[usual]), wide(ours[usual])
    return bool((np.abs(a - b) <= bound(theirs.dtype, a, strict, growth)).all())


def wide(x):
    """Entries in double precision."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def bound(dtype, a, strict, growth):
    """How far entries may differ from those of torch."""
    if strict and dtype != np.float16:
        info = np.finfo(dtype)
        return ULPS * np.maximum(info.eps * np.abs(a), info.smallest_subnormal)
    relative, absolute = TORCHS[str(dtype)]
    if dtype == np.float16:
        growth *= HALVES
    elif growth == 1:
        return relative * np.abs(a) + absolute
    return growth * relative * np.abs(a).max(initial=1.0)
