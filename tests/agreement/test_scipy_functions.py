"""SciPy's own functions are differentiated where they accept the array API of their operands."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy", minversion="1.17")


def test_functions_of_scipy_are_differentiated():
    script = Path(__file__).with_name("scipy_functions.py")
    run = subprocess.run(
        [sys.executable, "-W", "error", script], capture_output=True, text=True, check=False,
        env={**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert not run.returncode, run.stderr
    errors = {
        tuple(line.split("\t")[:2]): float(line.split("\t")[2])
        for line in run.stdout.splitlines()
        if "\t" in line
    }
    assert len(errors) == 30
    assert {key: error for key, error in errors.items() if not error < 1e-8} == {}
