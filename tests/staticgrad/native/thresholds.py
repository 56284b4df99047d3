"""Thresholds of machine code, set so low that small graphs reach what large ones do."""

from contextlib import ExitStack, contextmanager
from unittest.mock import patch

LOW = {
    "no loop is written out": {"gradops.native.ir.text": {"FEW": 0}},
    "threads share all loops": {"gradops.native.costs.CostTable": {"worth": 1}},
    "signals are looked for in all loops": {
        "gradops.native.runtime.interrupts": {"OFTEN": 4},
        "staticgrad.native.templates.loops": {"OFTEN": 4},
    },
    "all arrays lie in the arena": {"gradops.native.ir.memory": {"IN_FRAME": 0}},
    "short functions are cut": {"gradops.native.ir.cuts": {"LONGEST": 40, "LONGEST_ONCE": 40}},
    "the slowest way is chosen": {"staticgrad.native.planning.choices": {"min": max}},
    "short runs have cold functions": {
        "staticgrad.native.output.coldness": {"LEAST": 0, "SHARE": 1, "WORTH": 0}
    },
    "the lock is let go of": {"staticgrad.native.output.entry": {"LONG": -1}},
    "few values wait to be computed": {"staticgrad.native.planning.plan": {"DEEP": 3}},
}  # fmt: skip


@contextmanager
def low_thresholds(names):
    """Some of the sizes are as low as `LOW` says."""
    with ExitStack() as stack:
        for name in names:
            for module, values in LOW[name].items():
                stack.enter_context(patch.multiple(module, create="min" in values, **values))
        yield
