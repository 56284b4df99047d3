"""Checks the gradients of SciPy's own functions; run with SCIPY_ARRAY_API=1 by a test.

A line for each function and mode: its name and the largest relative error of its gradient.
"""

import numpy as np
from scipy import fft, integrate, optimize, special, stats

import dynamicgrad as dg
import staticgrad as sg

X = np.array([[0.5, 1.5, 2.5, 0.9], [1.0, 0.3, 0.7, 2.0]])
IN_BOTH = {
    "softmax": lambda x: special.softmax(x, axis=1), "xlogy": lambda x: special.xlogy(x, x),
    "trapezoid": lambda x: integrate.trapezoid(x * x, axis=1),
    "cumulative_trapezoid": lambda x: integrate.cumulative_trapezoid(x, axis=1),
    "skew": lambda x: stats.skew(x, axis=1), "kurtosis": lambda x: stats.kurtosis(x, axis=1),
    "gmean": lambda x: stats.gmean(x, axis=1), "sem": lambda x: stats.sem(x, axis=1),
    "fft": lambda x: abs(fft.fft(x, axis=1)), "rosen": lambda x: optimize.rosen(x[0]),
}  # fmt: skip
ON_THE_TAPE = {
    "logsumexp": lambda x: special.logsumexp(x, axis=1),
    "log_softmax": lambda x: special.log_softmax(x, axis=1),
    "zscore": lambda x: stats.zscore(x, axis=1), "moment": lambda x: stats.moment(x, 3, axis=1),
    "hmean": lambda x: stats.hmean(x, axis=1), "variation": lambda x: stats.variation(x, axis=1),
    "pmean": lambda x: stats.pmean(x, 2, axis=1), "circmean": lambda x: stats.circmean(x, axis=1),
    "rel_entr": lambda x: np.sum(special.rel_entr(x, 2 + x)),
    "cubature": lambda x: integrate.cubature(lambda t: np.exp(-t * x[0, 0]), [0.0], [1.0]).estimate,
}  # fmt: skip
"""Functions that look at values, to choose a formula by them."""


def report(name, package, f):
    """Print the error of a gradient."""
    print(package.__name__, name, package.check(f, X), sep="\t")


if __name__ == "__main__":
    for name, f in IN_BOTH.items():
        report(name, dg, f)
        report(name, sg, f)
    for name, f in ON_THE_TAPE.items():
        report(name, dg, f)
