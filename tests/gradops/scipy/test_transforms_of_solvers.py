"""Second derivatives through all solvers, by what is given and what is captured, in all transforms.

What is differentiated is the parameter of a function that has a closed form.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.scipy import integrate, optimize, sparse
from gradops.scipy.sparse import linalg

pytest.importorskip("scipy")

K = 1.3
EXACT = {"rtol": 1e-9, "atol": 1e-11}


def decay(t, y, k):
    return -k * k * y


def at_one(method, **more):
    """exp(-k**2), as the solution of an equation."""

    def solved(k, f, args):
        return integrate.solve_ivp(f, (0, 1), [1.0], method, [1.0], args=args, **more).y[0, 0]

    return decay, solved  # fmt: skip


def rows(v, k):
    """A matrix times a vector."""
    return k * k * v


TIMES = np.array([0.0, 1.0])
SOLVERS = {
    **{m: at_one(m, **EXACT) for m in ("RK45", "Tsit5")},
    "BDF": at_one("BDF", rtol=1e-6, atol=1e-9),
    "RK4": at_one("RK4", step=0.02),
    "odeint": (lambda y, t, k: -k * k * y,
               lambda k, f, a: integrate.odeint(f, 1.0, TIMES, a, rtol=1e-9, atol=1e-11)[1, 0]),
    "quad": (lambda x, k: np.exp(-k * x), lambda k, f, a: integrate.quad(f, 0, 1, args=a)[0]),
    "root": (lambda x, k: x**3 - k * k, lambda k, f, a: optimize.root(f, np.ones(1), args=a).x[0]),
    "fsolve": (lambda x, k: x**3 - k * k, lambda k, f, a: optimize.fsolve(f, np.ones(1), a)[0]),
    "root_scalar": (lambda x, k: x**3 - k * k,
                    lambda k, f, a: optimize.root_scalar(f, args=a, bracket=(0.1, 5.0)).root),
    "newton": (lambda x, k: x**3 - k * k, lambda k, f, a: optimize.newton(f, 1.0, args=a)),
    "fixed_point": (lambda x, k: np.cos(x) * k / 2,
                    lambda k, f, a: optimize.fixed_point(f, 0.5, args=a, xtol=1e-12)),
    "minimize": (lambda x, k: np.sum((x - k * k) ** 2 + x**4),
                 lambda k, f, a: optimize.minimize(f, np.ones(1), args=a, tol=1e-12).x[0]),
    "least_squares": (lambda x, k: np.stack([x[0] - k * k, x[0] ** 2]),
                      lambda k, f, a: optimize.least_squares(f, np.ones(1), args=a, xtol=1e-15,
                                                             ftol=1e-15, gtol=1e-15).x[0]),
    "cg": (rows, lambda k, f, a: linalg.cg(lambda v: f(v, *a), np.ones(2), rtol=1e-12)[0][0]),
    "gmres": (rows, lambda k, f, a: linalg.gmres(lambda v: f(v, *a), np.ones(2), rtol=1e-12)[0][0]),
    "spsolve": (lambda k: k * k * np.ones(2), lambda k, f, a: linalg.spsolve(
        sparse.csr_array((f(k), [0, 1], [0, 1, 2]), (2, 2)), np.ones(2))[0]),
}  # fmt: skip


def by_argument(name):
    """The function of k that a solver finds, with k among the arguments."""
    f, solved = SOLVERS[name]
    return lambda k: solved(k, f, (k,))


def by_capture(name):
    """The same, with k captured by the function that the solver calls."""
    f, solved = SOLVERS[name]
    if name == "spsolve":
        return lambda k: solved(k, f, ())
    if name == "odeint" or name in ("RK45", "Tsit5", "BDF", "RK4"):
        return lambda k: solved(k, lambda t, y: f(t, y, k), ())
    return lambda k: solved(k, lambda x: f(x, k), ())


def in_graph(f, k):
    x = sg.placeholder("float64", [], name="k")
    (first,) = sg.gradients(f(x), [x])
    return sg.compile(sg.gradients(first, [x]), [x])(k)[0]


ONE = np.float64(1.0)
TRANSFORMS = {
    "grad of grad": lambda f, k: dg.grad(dg.grad(f))(k),
    "hessian": lambda f, k: dg.hessian(f)(k),
    "hvp": lambda f, k: dg.hvp(f)(k, ONE),
    "jvp of grad": lambda f, k: gradops.jvp(dg.grad(f), [k], [ONE])[1],
    "grad of jvp": lambda f, k: dg.grad(lambda k: gradops.jvp(f, [k], [ONE])[1])(k),
    "grad of func.jvp": lambda f, k: dg.grad(lambda k: dg.func.jvp(f, (k,), (ONE,))[1])(k),
    "jvp of jvp": lambda f, k: gradops.jvp(lambda k: gradops.jvp(f, [k], [ONE])[1], [k], [ONE])[1],
    "func.hessian": lambda f, k: dg.func.hessian(f)(dg.tensor(k)).numpy(),
    "graph": in_graph,
}


@pytest.mark.parametrize("way", [by_argument, by_capture])
@pytest.mark.parametrize("name", SOLVERS)
def test_second_derivatives(name, way):
    f, k, h = way(name), np.float64(K), 1e-3
    first = dg.grad(f)
    coarse, fine = ((first(k + s) - first(k - s)) / (2 * s) for s in (h, h / 2))
    want = (4 * fine - coarse) / 3
    slope = (4 * (f(k + h / 2) - f(k - h / 2)) / h - (f(k + h) - f(k - h)) / (2 * h)) / 3
    tolerance = 1e-3 if name == "BDF" else 1e-4
    assert_allclose(first(k), slope, rtol=tolerance)
    for transform, second in TRANSFORMS.items():
        assert_allclose(second(f, k), want, rtol=tolerance, err_msg=transform)
