"""Eager kernels whose operands, results and frames lie beside pages that nothing may read or write.

`python -m tests.gradops.native.kernels.guards end` calls every kernel of the library with random
sizes so, and prints its name before. Steps are any that a kernel takes; entries are of all kinds.
"""

import faulthandler
import sys
from unittest.mock import patch

import numpy as np

from gradops.kernels.threads import set_num_threads
from gradops.native.ir.text import BYTES, FunctionText
from gradops.native.kernels.library import GROUPS, callable_kernel, kernels
from tests.staticgrad.native.guards import guarded

PATIENCE = 100  # seconds for one kernel
SIGN = "kernel: "
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 513)
TURNS = 12  # calls of a kernel for each dtype
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e-30)
ADDING = frozenset({"add_rows"})  # to what is in their results
GATES = {"lstm": 4, "gru": 3}
"""The gates of cells, whose sizes `m` are, as a rule, multiples of a size of a state."""
FEWER = {"t": 6, "r": 12, "p": 4, "q": 4}
"""How many of the first `SIZES` steps and rows of a sequence have, and axes of a stack."""


def guarded_frames(guards):
    """A way to reserve memory of a frame that is beside such a page; for one thread."""
    usual = FunctionText.reserve

    def reserve(f, type, count=1):
        if count == 1:
            return usual(f, type)
        data = guards.array((count,), np.dtype(f"V{BYTES[type]}"))
        return f"inttoptr (i64 {data.ctypes.data} to ptr)"

    return patch.object(FunctionText, "reserve", reserve)


class Operands:
    """Makes the operands of a kernel for random sizes."""

    def __init__(self, guards, kernel, dtype, rng):
        self.guards, self.kernel, self.dtype, self.rng = guards, kernel, dtype, rng
        self.sizes = {}
        self.leading = tuple(rng.choice(SIZES[:9], size=rng.integers(3)))
        self.gates = GATES.get(kernel.name.split("_")[0], 1) if rng.random() < 0.7 else 1

    def size(self, name):
        """A size by its name, or a number."""
        if name.isdecimal():
            return (int(name),)
        if name == "...":
            return self.leading
        if name == "n" and self.gates > 1 and "m" in self.sizes:
            self.sizes["n"] = self.sizes["m"] // self.gates
        if name not in self.sizes:
            sizes = SIZES[: FEWER.get(name)]
            self.sizes[name] = int(self.rng.choice(sizes)) * (self.gates if name == "m" else 1)
        return (self.sizes[name],)

    def operand(self, a):
        """An array of an operand's sizes, with some special entries."""
        shape = tuple([n for s in a.sizes for n in self.size(s)])
        if a.dtype is not None:
            most = self.sizes.get("n", 1)
            return self.guards.copy(self.rng.integers(-1, most + 1, shape).astype(a.dtype))
        x = self.rng.normal(size=shape).astype(self.dtype)
        if x.size and self.rng.random() < 0.5:
            x.flat[self.rng.integers(x.size, size=3)] = self.rng.choice(SPECIAL, 3)
        return self.with_steps(x) if a.is_strided else self.guards.copy(x)

    def with_steps(self, x):
        """The same entries at other steps, up to the end of their memory."""
        steps = [int(s) for s in self.rng.choice([-2, -1, 1, 2], x.ndim)]
        wide = [max(0, (n - 1) * abs(s) + 1) if n else 0 for n, s in zip(x.shape, steps)]
        order = self.rng.random() < 0.5
        memory = self.guards.array(tuple(wide[::-1] if order else wide), x.dtype)
        view = (memory.T if order else memory)[tuple([slice(None, None, s) for s in steps])]
        view[...] = x
        return view


def run(guards, group, name, seed):
    """Call a kernel with operands of random sizes, and one that makes or takes its results."""
    kernel, rng = kernels(group)[name], np.random.default_rng(seed)
    for dtype in kernel.dtypes:
        for _ in range(TURNS):
            made = Operands(guards, kernel, dtype, rng)
            xs = [made.operand(a) for a in kernel.operands]
            least = 0 if name in ADDING else -1
            counts = [int(rng.integers(least, 3)) for _ in kernel.counts]
            numbers = [float(rng.random()) for _ in kernel.numbers]
            call = callable_kernel(group, name)
            found = call(*xs, *counts, *numbers, *[None] * len(kernel.results))
            if name in ADDING:
                continue
            if found is not NotImplemented and len(kernel.results) == 1 and np.shape(found):
                out = guards.array(found.shape, found.dtype)
                assert call(*xs, *counts, *numbers, out) is out
                assert out.tobytes() == found.tobytes()


def main(side):
    """Run all kernels, and print the name of each before."""
    faulthandler.enable()
    set_num_threads(1)
    with guarded(side) as guards, guarded_frames(guards), np.errstate(all="ignore"):
        for group in GROUPS:
            for seed, name in enumerate(kernels(group)):
                faulthandler.dump_traceback_later(PATIENCE, exit=True)
                print(f"{SIGN}{group}.{name}", flush=True)
                run(guards, group, name, seed)


if __name__ == "__main__":
    main(*sys.argv[1:])
