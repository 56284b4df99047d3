"""Eager kernels read and write nothing beside their arrays and frames: guard pages are beside."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import gradops
from gradops.core.errors import IndexingError
from gradops.native.kernels.library import GROUPS, callable_kernel, kernels

from .guards import SIGN

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

MODULE = "tests.gradops.native.kernels.guards"
sides = pytest.mark.parametrize("side", ["begin", "end"])


def run(*command):
    """A process that ran to its end, or crashed."""
    environment = os.environ | {"STATICGRAD_CACHE": "off"}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, env=environment
    )


@sides
def test_kernels_stay_within_their_arrays_and_frames(side):
    done = run("-m", MODULE, side)
    names = [line for line in done.stdout.splitlines() if line.startswith(SIGN)]
    assert done.returncode == 0, f"{names[-1:]}\n{done.stderr[-4000:]}"
    assert len(names) == sum(len(kernels(group)) for group in GROUPS)


BROKEN = f"""
import sys
from unittest.mock import patch
from gradops.native.kernels.kernel import Row
import gradops.native.kernels.library as library

at = Row.at
with (
    patch.object(Row, "at", lambda row, i: at(row, f"add (i64 0, i64 {{}})" if i == 0 else {{}})),
    patch.object(library, "GROUPS", ("activations",)),
):
    from {MODULE} import main
    main(sys.argv[1])
"""


@pytest.mark.parametrize(("side", "entry"), [("begin", "-1"), ("end", "600000")])
def test_what_reads_beside_an_array_is_found(side, entry):
    done = run("-c", BROKEN.format(entry, entry), side)
    assert done.returncode in (-signal.SIGSEGV, -signal.SIGBUS), done.stderr


def test_labels_of_no_classes_are_refused():
    for reduction in ("none", "mean"):
        with pytest.raises(IndexingError, match="none of the classes"):
            gradops.sparse_cross_entropy(np.ones((2, 0)), np.array([0, 1]), reduction=reduction)


CELLS = [("gates", name) for name in ("lstm_step", "lstm_memory", "gru_state")]
CELLS += [("sequences", f"{cell}_sequence{back}") for cell in ("lstm", "gru")
          for back in ("", "_back")]  # fmt: skip


@pytest.mark.parametrize(("group", "name"), CELLS)
@pytest.mark.parametrize(("n", "steps"), [(5, 2), (4, 0)])
def test_gates_of_another_size_than_the_state_and_no_steps_are_refused(group, name, n, steps):
    kernel = kernels(group)[name]
    if group == "gates" and not steps:
        return
    gates = 4 if name.startswith("lstm") else 3
    size = {"m": gates * 4, "n": n, "...": 2, "r": 3, "t": steps}
    xs = [np.ones([size[s] for s in a.sizes]) for a in kernel.operands]
    call = callable_kernel(group, name)
    given = [*xs, *[0] * len(kernel.counts), *[None] * len(kernel.results)]
    assert call(*given) is NotImplemented
