"""Functions of SciPy that take foreign arrays differentiate, when SciPy is told to allow it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ON_TENSORS = {
    "logsumexp": "scipy.special.logsumexp", "moment": "lambda x: scipy.stats.moment(x, 2)",
    "zscore": "lambda x: scipy.stats.zscore(x)[0]", "hmean": "scipy.stats.hmean",
    "variation": "scipy.stats.variation", "iqr": "scipy.stats.iqr", "tvar": "scipy.stats.tvar",
}  # fmt: skip
ON_EXPRESSIONS = {  # which do not ask for a value on their way
    "trapezoid": "scipy.integrate.trapezoid", "rosen": "scipy.optimize.rosen",
    "cumulative": "lambda x: scipy.integrate.cumulative_trapezoid(x)[-1]",
    "softmax": "lambda x: scipy.special.softmax(x)[1]",
    "xlogy": "lambda x: scipy.special.xlogy(x, x).sum()", "skew": "scipy.stats.skew",
    "gmean": "scipy.stats.gmean", "circmean": "scipy.stats.circmean", "sem": "scipy.stats.sem",
    "variance": "lambda x: scipy.stats.describe(x).variance", "kstat": "scipy.stats.kstat",
}  # fmt: skip
PROGRAM = """
import numpy as np, scipy.integrate, scipy.optimize, scipy.special, scipy.stats
import dynamicgrad as dg, staticgrad as sg

def by_differences(f):
    return [(float(f(A + s)) - float(f(A - s))) / 2e-6 for s in 1e-6 * np.eye(3)]

def on_a_tensor(f):
    x = dg.tensor(A, requires_grad=True)
    return dg.autograd.grad(f(x), x)[0].numpy()

def on_an_expression(f):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [3])
        return sg.compile(sg.gradients(f(x), x), [x])(A)[0]

A, eager, both = np.array([0.5, 1.25, 2.0]), {%s}, {%s}
for name, f in (eager | both).items():
    for gradient in (on_a_tensor, on_an_expression)[: 1 + (name in both)]:
        said = gradient.__name__ + " " + name
        np.testing.assert_allclose(gradient(f), by_differences(f), 1e-6, 1e-8, err_msg=said)
"""


def table(functions):
    """The source of a table of functions."""
    return ", ".join(f"{name!r}: {f}" for name, f in functions.items())


def test_functions_of_scipy_have_gradients():
    pytest.importorskip("scipy")
    program = PROGRAM % (table(ON_TENSORS), table(ON_EXPRESSIONS))
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
