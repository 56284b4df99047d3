"""Machine code reads and writes nothing beside its arrays, which lie beside guard pages."""

import os
import signal
import subprocess
import sys

import pytest

import gradops
from gradops.testing.cases import cases
from gradops.testing.op_properties import NOT_OF_ARRAYS

from .fuzz import SIGN, outcomes

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

MODULE = "tests.staticgrad.native.guards"
COMMAND = (sys.executable, "-m", MODULE)


def run(*command):
    """A process that ran to its end, or crashed."""
    environment = os.environ | {"STATICGRAD_CACHE": "off"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_ops_stay_within_their_arrays():
    done = run(*COMMAND, "end", "ops")
    names = [line for line in done.stdout.splitlines() if line.startswith(SIGN)]
    assert done.returncode == 0, f"{names[-1:]}\n{done.stderr[-4000:]}"
    of_arrays = [op for op in list(gradops.OPS.values()) if not op.traits & NOT_OF_ARRAYS]
    assert len(names) >= sum(len(cases(op)) for op in of_arrays if not op.params) // 2


@pytest.mark.parametrize("side", ["begin", "end"])
def test_random_graphs_stay_within_their_arrays(side):
    found = outcomes(range(40), (*COMMAND, side, "graphs"))
    assert not any(found), "\n\n".join(filter(None, found))


BROKEN = f"""
import sys
from unittest.mock import patch
from gradops.native.ir.places import Place

address = Place.address
with patch.object(Place, "address", lambda p, f, i: address(p, f, [*i[:-1], {{}}])):
    import numpy as np, staticgrad as sg
    from {MODULE} import guarded
    with guarded(sys.argv[1]) as guards:
        x = sg.placeholder("float64", [40, 50])
        f = sg.compile(sg.sort(x * 2.0), [x], backend="native")
        f(guards.copy(np.ones((40, 50))))
"""


@pytest.mark.parametrize(("side", "index"), [("begin", "-1"), ("end", "2000")])
def test_what_writes_beside_an_array_is_found(side, index):
    done = run(sys.executable, "-c", BROKEN.format(index), side)
    assert done.returncode in (-signal.SIGSEGV, -signal.SIGBUS)
