"""Solutions of solvers: SciPy's values, and derivatives of first and second order in every mode."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg

scipy_optimize = pytest.importorskip("scipy.optimize")
from gradops.scipy import optimize  # noqa: E402

A = np.array([2.0, 10.0])
TIME = np.linspace(0, 1, 6)
DATA = np.exp(-2 * TIME) + 0.01 * np.cos(9 * TIME)
TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}


def cubic(x, a):
    return x**3 + x - a


def loss(x, a):
    return ((x**3 + x - a) ** 2).sum() + (x[0] * x[1] - 1.7) ** 2


def residuals(x, a):
    return np.stack([x[0] ** 2 - a[0], x[1] * x[0] - a[1], x[0] + x[1] - 1])


def by_root(method):
    options = {"options": {"xtol": 1e-15}} if method == "hybr" else {"tol": 1e-13}
    return lambda a: optimize.root(cubic, 1.5 * np.ones(2), (a,), method=method, **options).x


def by_bracket(method):
    find = getattr(optimize, method)
    return lambda a: np.stack(
        [find(lambda x: cubic(x, a[0]), 0.0, 5.0), find(cubic, 0, 5, (a[1],))]
    )


def by_minimize(method, **options):
    return lambda a: optimize.minimize(loss, np.ones(2), (a,), method=method, **options).x


def by_fixed_point(method):
    f = lambda x, a: np.cos(x * a / 20)
    return lambda a: optimize.fixed_point(f, np.ones(2), (a,), xtol=1e-14, method=method)


def by_least_squares(**options):
    return lambda a: (
        optimize.least_squares(
            lambda x: residuals(x, a), np.array([1.0, 2.0]), **TIGHT, **options
        ).x
    )


def by_scalar_root(**given):
    return lambda a: optimize.root_scalar(cubic, (a[0] + a[1],), **given).root * a


def by_own_solver(a):
    def iterate(f, x0, a):
        for _ in range(60):
            x0 = {"u": x0["u"] - f(x0, a) / (3 * x0["u"] ** 2 + 1)}
        return x0

    solve = optimize.implicit(lambda x, a: cubic(x["u"], a), iterate)
    return solve({"u": np.ones(2)}, a)["u"]


def by_structure(a):
    def f(p):
        return [p["u"] ** 3 + p["u"] - a[0], p["v"] ** 3 + p["v"] * p["u"] - a[1]]

    x = optimize.root(f, {"u": np.ones(()), "v": np.ones(1)}, options={"xtol": 1e-15}).x
    return x["u"] * x["v"]


SOLVERS = {
    "root hybr": by_root("hybr"), "root lm": by_root("lm"), "root krylov": by_root("krylov"),
    "newton": lambda a: optimize.newton(cubic, np.ones(2), args=(a,), tol=1e-14),
    "halley": lambda a: optimize.newton(cubic, np.ones(2), args=(a,), fprime2=True, tol=1e-14),
    "brentq": by_bracket("brentq"), "bisect": by_bracket("bisect"),
    "toms748": by_bracket("toms748"), "ridder": by_bracket("ridder"),
    "brenth": by_bracket("brenth"),
    "root_scalar newton": by_scalar_root(x0=1.0, xtol=1e-14),
    "root_scalar halley": by_scalar_root(method="halley", x0=1.0, xtol=1e-14),
    "root_scalar secant": by_scalar_root(x0=1.0, x1=2.0, xtol=1e-14),
    "fixed_point": by_fixed_point("del2"), "iteration": by_fixed_point("iteration"),
    "anderson": by_fixed_point("anderson"),
    "BFGS": by_minimize("BFGS", options={"gtol": 1e-9}),
    "trust-exact": by_minimize("trust-exact", options={"gtol": 1e-9}),
    "Newton-CG": by_minimize("Newton-CG", options={"xtol": 1e-12}),
    "bounds": by_minimize("L-BFGS-B", bounds=[(0, None), (None, 1.5)], tol=1e-15),
    "minimize_scalar": lambda a: (
        optimize.minimize_scalar(lambda x: x**4 - a[0] * x * a[1], (0.5, 2.0), tol=1e-12).x * a
    ),
    "least_squares": by_least_squares(),
    "bounded least_squares": by_least_squares(bounds=(0, 2.5)),
    "soft_l1": by_least_squares(loss="soft_l1"), "cauchy": by_least_squares(loss="cauchy"),
    "curve_fit": lambda a: optimize.curve_fit(
        lambda t, u, v: u * np.exp(-v * t * a[0]) + 0 * a[1], TIME, DATA, p0=[1.0, 1.0]
    )[0],
    "implicit": by_own_solver, "structure": by_structure,
}  # fmt: skip
LOOSE = {"minimize_scalar", "BFGS", "Newton-CG", "trust-exact", "curve_fit", "soft_l1", "cauchy",
         "bounds", "least_squares", "bounded least_squares"}  # fmt: skip
every_solver = pytest.mark.parametrize("name", SOLVERS)


def differences(f, x, h=1e-3):
    """The directional derivatives of `f` along ones, by differences of sixth order."""
    one = np.ones_like(x)
    d = [np.asarray(f(x + k * h * one)) - np.asarray(f(x - k * h * one)) for k in (1, 2, 3)]
    return (45 * d[0] - 9 * d[1] + d[2]) / (60 * h)


def along_ones(f):
    return lambda a: gradops.jvp(f, [a], [np.ones(2)])[1]


@every_solver
def test_derivatives_agree_with_differences_to_second_order(name):
    solve = SOLVERS[name]
    # as near as the solver comes to the solution
    rtol, atol, h = (1e-4, 1e-6, 0.03) if name in LOOSE else (1e-8, 1e-9, 3e-3)
    first = along_ones(solve)
    assert_allclose(first(A), differences(solve, A, h), rtol=rtol, atol=atol)
    assert_allclose(along_ones(first)(A), differences(first, A, h), rtol=rtol, atol=atol)


@every_solver
def test_tape_graph_and_forward_mode_agree(name):
    solve, a = SOLVERS[name], dg.tensor(A, requires_grad=True)
    y = solve(a)
    (first,) = dg.autograd.grad(y.sum(), a, create_graph=True)
    (second,) = dg.autograd.grad(first.sum(), a)
    want = y.detach().numpy(), first.detach().numpy(), second.numpy()
    e = sg.placeholder("float64", [2], name="a")
    ye = solve(e)
    (g,) = sg.gradients(ye, e)
    (h,) = sg.gradients(g, e)
    (t,) = sg.jvp(ye, e, np.ones(2))
    got = sg.compile([ye, g, h, t], [e])(A)
    assert_allclose(got[0], want[0], rtol=1e-6)
    for x, w in zip(got[1:3], want[1:], strict=True):
        assert_allclose(x, w, rtol=1e-5, atol=1e-9)
    assert_allclose(got[3], along_ones(solve)(A), rtol=1e-5, atol=1e-9)
    assert_allclose(got[3].sum(), got[1].sum(), rtol=1e-7)


def test_plain_arrays_give_what_scipy_gives():
    f = lambda x: cubic(x, A)
    ours, theirs = optimize.root(f, [1.0, 1.0]), scipy_optimize.root(f, [1.0, 1.0])
    assert_allclose(ours.x, theirs.x)
    assert (ours.success, ours.message) == (theirs.success, theirs.message)
    r, s = optimize.root_scalar(cubic, (10.0,), bracket=(0, 5)), None
    s = scipy_optimize.root_scalar(cubic, (10.0,), bracket=(0, 5))
    assert (r.root, r.iterations, r.converged) == (s.root, s.iterations, s.converged)
    g = lambda t, u, v: u * np.exp(-v * t)
    for x, y in zip(
        optimize.curve_fit(g, TIME, DATA), scipy_optimize.curve_fit(g, TIME, DATA), strict=True
    ):
        assert_allclose(x, y, rtol=1e-4)
    m = optimize.minimize(loss, np.ones(2), (A,), tol=1e-6)
    assert_allclose(m.x, scipy_optimize.minimize(loss, np.ones(2), (A,), tol=1e-6).x, rtol=1e-5)
    assert m.success


def test_result_has_differentiable_values_and_fields_of_scipy():
    a = dg.tensor(A, requires_grad=True)
    r = optimize.minimize(lambda x: loss(x, a), np.ones(2), tol=1e-6)
    (by_value,) = dg.autograd.grad(r.fun, a, retain_graph=True)
    direct = dg.autograd.grad(loss(r.x.detach(), a), a)[0]
    assert_allclose(by_value.numpy(), direct.numpy(), atol=1e-8)  # the envelope theorem
    assert r.success
    assert r.nit > 0
    cost = optimize.least_squares(lambda x: residuals(x, a), np.ones(2), loss="huber").cost
    plain = optimize.least_squares(lambda x: residuals(x, A), np.ones(2), loss="huber").cost
    assert_allclose(cost.detach().numpy(), plain)


def test_derivatives_agree_with_unrolled_iterations():
    def unrolled(a):
        x = np.ones(2)
        for _ in range(40):
            x = x - cubic(x, a) / (3 * x**2 + 1)
        return x

    a = dg.tensor(A, requires_grad=True)
    (want,) = dg.autograd.grad(unrolled(a).sum(), a)
    (got,) = dg.autograd.grad(SOLVERS["root hybr"](a).sum(), a)
    assert_allclose(got.numpy(), want.numpy(), rtol=1e-10)


@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC", "SLSQP", "trust-constr"])
def test_active_bounds_pass_their_derivatives_on(method):
    high = dg.tensor(1.5, requires_grad=True, dtype=dg.float64)
    a = dg.tensor(A, requires_grad=True)
    bounds = scipy_optimize.Bounds([-np.inf, -np.inf], [np.inf, np.inf])
    bounds.ub = np.stack([high + 1e3, high])
    r = optimize.minimize(loss, np.ones(2), (a,), method=method, bounds=bounds)
    by_bound, by_data = dg.autograd.grad(r.x[1], [high, a])
    assert_allclose(by_bound.numpy(), 1.0)
    assert_allclose(by_data.numpy(), 0.0, atol=1e-12)


def test_active_bounds_of_one_number_pass_their_derivatives_on():
    high = dg.tensor(1.5, requires_grad=True, dtype=dg.float64)
    x = optimize.minimize_scalar(lambda x: (x - 2.0) ** 2, bounds=(0.0, high)).x
    assert_allclose(dg.autograd.grad(x, high)[0].numpy(), 1.0)
    r = optimize.minimize(loss, np.ones(2), (A,), bounds=[(0.0, None), (None, high)])
    assert_allclose(dg.autograd.grad(r.x[1], high)[0].numpy(), 1.0)


def inner(a):
    """The minimum of a function that depends on `a`."""
    return optimize.minimize(lambda x: ((x - a) ** 2).sum() + 0.1 * (x**4).sum(), np.zeros(2)).x


def outer(b):
    """The `a` at which the inner minimum is nearest to b: here, is b."""
    return optimize.minimize(lambda a: ((inner(a) - b) ** 2).sum(), np.zeros(2)).x


def test_solver_within_a_solver():
    want = 1 + 0.2, 2 * (1 + 0.6)  # a = b + 0.2 b**3, and twice its slope at b = 1
    b = dg.tensor(1.0, requires_grad=True, dtype=dg.float64)
    x = outer(b)
    assert_allclose(x.detach().numpy(), want[0], rtol=1e-4)
    assert_allclose(dg.autograd.grad(x.sum(), b)[0].numpy(), want[1], rtol=1e-3)
    assert_allclose(gradops.jvp(outer, [np.array(1.0)], [np.array(1.0)])[1], 1.6, rtol=1e-3)
    e = sg.placeholder("float64", [], name="b")
    x = outer(e)
    assert_allclose(sg.compile(sg.gradients(x, e), [e])(np.array(1.0))[0], want[1], rtol=1e-3)


@every_solver
def test_transforms_of_tensors_agree(name):
    solve, a, one = SOLVERS[name], dg.tensor(A), dg.ones(2, dtype=dg.float64)
    by_rows, by_columns = dg.func.jacrev(solve)(a), dg.func.jacfwd(solve)(a)
    assert_allclose(by_rows.numpy(), by_columns.numpy(), rtol=1e-7, atol=1e-10)
    tangent = lambda a: dg.func.jvp(solve, (a,), (one,))[1]
    over = dg.func.grad(lambda a: tangent(a).sum())(a)
    under = dg.func.jvp(dg.func.grad(lambda a: solve(a).sum()), (a,), (one,))[1]
    assert_allclose(over.numpy(), under.numpy(), rtol=1e-6, atol=1e-9)
    each = dg.func.vmap(solve)(dg.tensor(np.stack([A, A + 0.5])))
    assert_allclose(each.numpy()[0], solve(A), rtol=1e-7, atol=1e-9)


def test_many_unknowns_are_solved_without_a_matrix():
    n = 1200
    a = dg.tensor(np.linspace(1, 2, n), requires_grad=True)

    def f(x):
        around = np.concatenate([x[1:], x[:1]])
        return x**3 + 3 * x - 0.1 * around - a

    x = optimize.root(f, np.ones(n), method="krylov", options={"fatol": 1e-12}).x
    (g,) = dg.autograd.grad(x.sum(), a)
    v = x.detach().numpy()
    j = np.diag(3 * v**2 + 3) - 0.1 * np.roll(np.eye(n), 1, axis=1)
    assert_allclose(g.numpy(), np.linalg.solve(j.T, np.ones(n)), rtol=1e-9)
