"""A program of somebody else, which strict type checkers accept with the installed packages."""

import numpy as np

import dynamicgrad as dg
import staticgrad as sg
from gradops import GradError


def slope(values: np.ndarray) -> np.ndarray:
    """The derivative of a sum of squares, recorded."""
    x = dg.tensor(values, requires_grad=True)
    (x * x).sum().backward()
    return np.asarray(x.grad)


def executable() -> sg.Executable:
    """The same as a graph."""
    x = sg.placeholder("float64", [3], name="x")
    return sg.compile(sg.gradients(sg.reduce_sum(x * x), [x]), [x])


def main() -> None:
    try:
        print(slope(np.ones(3)), executable()(np.ones(3)))
    except GradError as error:
        print(error)


main()
