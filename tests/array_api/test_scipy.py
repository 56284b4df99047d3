"""Functions of SciPy that take foreign arrays differentiate, when SciPy is told to allow it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = {
    "logsumexp": "scipy.special.logsumexp", "trapezoid": "scipy.integrate.trapezoid",
    "softmax": "lambda x: scipy.special.softmax(x)[1]", "rosen": "scipy.optimize.rosen",
    "xlogy": "lambda x: scipy.special.xlogy(x, x).sum()",
    "moment": "lambda x: scipy.stats.moment(x, 2)", "skew": "scipy.stats.skew",
    "gmean": "scipy.stats.gmean", "zscore": "lambda x: scipy.stats.zscore(x)[0]",
    "circmean": "scipy.stats.circmean",
}  # fmt: skip
PROGRAM = """
import numpy as np, scipy
import dynamicgrad as dg
functions = {%s}
for name, f in functions.items():
    x = dg.tensor(np.array([0.5, 1.25, 2.0]), requires_grad=True)
    found = dg.autograd.grad(f(x), x)[0].numpy()
    a, steps = x.detach().numpy(), 1e-6 * np.eye(3)
    wanted = [(float(f(a + s)) - float(f(a - s))) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8, err_msg=name)
"""


def test_functions_of_scipy_have_gradients():
    pytest.importorskip("scipy")
    functions = ", ".join(f"{name!r}: {f}" for name, f in FUNCTIONS.items())
    program = "import scipy.special, scipy.stats, scipy.integrate, scipy.optimize" + PROGRAM
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program % functions], env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
