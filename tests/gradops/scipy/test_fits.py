"""Arguments of SciPy's solvers for fits, sparse problems and equations; summaries of fits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import staticgrad as sg
from gradops.core.errors import OptionError, TransformError, ValueUnknownError

optimize = pytest.importorskip("scipy.optimize")
integrate = pytest.importorskip("scipy.integrate")
sparse = pytest.importorskip("scipy.sparse")

both = pytest.mark.parametrize("package", [dg.scipy, sg.scipy], ids=["tape", "graph"])

rng = np.random.default_rng(0)
X = np.linspace(0, 2, 20)
Y = 2 * np.exp(-3 * X) + 0.01 * rng.normal(size=20)
decay = lambda x, a, k: a * np.exp(-k * x)
residuals = lambda p: decay(X, p["a"], p["k"]) - Y
START = {"a": 1.0, "k": 1.0}


@both
def test_curve_fit_has_the_exact_jacobian(package):
    problem = package.curve_fit(decay, X, Y)
    popt, pcov = optimize.curve_fit(**problem)
    want = optimize.curve_fit(decay, X, Y, ftol=1e-12, xtol=1e-12)
    assert_allclose(popt, want[0], rtol=1e-6)
    assert_allclose(pcov, want[1], rtol=1e-4)
    assert_allclose(problem["jac"](X, 2.0, 3.0)[:, 1], -2 * X * np.exp(-3 * X), rtol=1e-12)
    given = package.curve_fit(decay, X, Y, p0=[1.0, 2.0], sigma=np.full(20, 0.1))
    assert_allclose(optimize.curve_fit(**given)[0], want[0], rtol=1e-6)


@both
def test_bands_are_those_of_the_delta_method(package):
    problem = package.curve_fit(decay, X, Y)
    popt, pcov = optimize.curve_fit(**problem)
    lower, upper = problem.band(X, popt, pcov, level=0.9)
    slopes = np.stack([np.exp(-popt[1] * X), -popt[0] * X * np.exp(-popt[1] * X)])
    width = 1.6448536269514722 * np.sqrt(np.einsum("ik,ij,jk->k", slopes, pcov, slopes))
    assert_allclose(upper - lower, 2 * width, rtol=1e-10)
    assert_allclose((upper + lower) / 2, decay(X, *popt), rtol=1e-12)
    with pytest.raises(OptionError, match="between 0 and 1"):
        problem.band(X, popt, pcov, level=95)


@both
def test_summaries_have_errors_from_the_exact_hessian(package):
    problem = package.least_squares(residuals, START)
    result = optimize.least_squares(**problem, xtol=1e-12)
    found = package.fit_summary(result, problem)
    a, k = result.x
    e, r = np.exp(-k * X), a * np.exp(-k * X) - Y
    by_k, mixed = -X * a * e, -X * e
    corner = by_k @ e + r @ mixed
    hessian = np.array([[e @ e, corner], [corner, by_k @ by_k + r @ (X * X * a * e)]])
    want = np.sqrt(np.diag(np.linalg.inv(hessian)) * (r @ r) / 18)
    assert found.names == ["a", "k"]
    assert_allclose(found.errors, want, rtol=1e-8)
    head, first, *_ = str(found).splitlines()
    assert head.split() == ["parameter", "estimate", "std.", "error"]
    assert first.split()[0] == "a"
    assert "<table>" in found._repr_html_()
    assert "condition number" in str(found)
    plain = package.fit_summary(result)
    assert "Gauss" in str(plain)
    assert_allclose(plain.errors, found.errors, rtol=0.05)


@both
def test_summaries_of_likelihoods(package):
    data = rng.normal(3.0, 2.0, 400)
    nll = lambda p: np.sum(0.5 * ((data - p[0]) / np.exp(p[1])) ** 2 + p[1])
    problem = package(nll, np.zeros(2))
    result = optimize.minimize(**problem)
    found = package.fit_summary(result, problem)
    spread = np.exp(result.x[1])
    assert_allclose(found.errors, [spread / 20, 1 / np.sqrt(800)], rtol=1e-3)
    with pytest.raises(OptionError, match="has no exact Hessian"):
        package.fit_summary(result)


def test_summaries_say_where_there_is_no_minimum():
    problem = dg.scipy(lambda p: np.sum(p[:1] ** 2) + 0 * p[1], np.zeros(2))
    result = optimize.minimize(**problem)
    assert "not positive definite" in str(dg.scipy.fit_summary(result, problem))


def test_a_saddle_is_no_minimum():
    problem = dg.scipy(lambda x: -np.sum(x**2) / 2 + 2 * x[0] * x[1], np.zeros(2))
    found = dg.scipy.fit_summary(optimize.OptimizeResult(x=np.zeros(2)), problem)
    assert np.isnan(found.errors).all()
    assert "not positive definite" in str(found)


@both
def test_parameters_at_a_bound_are_left_out(package):
    f = lambda p: np.stack([p[0] + 1, p[0] + p[1] - 2, p[1] - 1.5, p[1] - 1.4])
    problem = package.least_squares(f, np.array([0.5, 0.5]), bounds=(0, 10))
    found = package.fit_summary(optimize.least_squares(**problem), problem)
    assert found.bound.tolist() == [True, False]
    r = f(np.array([0.0, found.estimates[1]]))
    assert_allclose(found.errors[1], np.sqrt(r @ r / 2 / 3), rtol=1e-6)
    assert "at its bound" in str(found)
    bounded = package(lambda p: np.sum((p - np.array([1.0, -1.0])) ** 2), np.ones(2),
                      method="L-BFGS-B", bounds=[(None, None), (0, None)])  # fmt: skip
    found = package.fit_summary(optimize.minimize(**bounded), bounded)
    assert found.bound.tolist() == [False, True]


def test_other_losses_have_no_summary():
    problem = dg.scipy.least_squares(residuals, START, loss="soft_l1")
    with pytest.raises(OptionError, match="plain sum of squares"):
        dg.scipy.fit_summary(optimize.least_squares(**problem), problem)


def test_too_few_data_are_named():
    problem = dg.scipy.least_squares(lambda p: p - 1, np.zeros(2))
    found = dg.scipy.fit_summary(optimize.least_squares(**problem), problem)
    assert "no more data than parameters" in str(found)


@pytest.mark.filterwarnings("ignore::gradops.DetachWarning")
def test_models_without_derivatives_are_refused():
    problem = dg.scipy.curve_fit(lambda x, a: float(a) * x, X, Y)
    with pytest.raises(TransformError, match="gradient would be zero"):
        optimize.curve_fit(**problem)
    with pytest.raises(OptionError, match="give p0"):
        dg.scipy.curve_fit(lambda x, *p: p[0] * x, X, Y)


def test_tables_of_many_parameters_are_cut():
    problem = dg.scipy(lambda p: np.sum(p["w"] ** 2), {"w": np.ones((4, 5))})
    text = str(dg.scipy.fit_summary(optimize.minimize(**problem), problem))
    assert "w[0, 1]" in text
    assert "... 8 more" in text


@both
def test_sparse_least_squares(package):
    f = lambda v: v[1:] - v[:-1] ** 2 - 0.1
    problem = package.least_squares(f, np.full(60, 0.3), sparse=True)
    dense = package.least_squares(f, np.full(60, 0.3))
    jacobian = problem["jac"](problem["x0"])
    assert isinstance(jacobian, sparse.csr_array)
    assert_allclose(jacobian.toarray(), dense["jac"](dense["x0"]))
    assert optimize.least_squares(**problem, tr_solver="lsmr").cost < 1e-12


@both
def test_sparse_minima_under_sparse_constraints(package):
    f = lambda v: np.sum((v[1:] - v[:-1] ** 2) ** 2) + np.sum((v - 1) ** 2)
    problem = package(f, np.zeros(12), sparse=True)
    assert isinstance(problem["hess"](problem["x0"]), sparse.csr_array)
    inside = lambda v: v[1:] ** 2 + v[:-1]
    given = package.NonlinearConstraint(inside, np.zeros(12), -np.inf, 1.0, sparse=True)
    assert isinstance(given["jac"](np.ones(12)), sparse.csr_array)
    assert isinstance(given["hess"](np.ones(12), np.ones(11)), sparse.csr_array)
    found = optimize.minimize(**problem, constraints=[optimize.NonlinearConstraint(**given)])
    same = package.constraint(inside, np.zeros(12), -np.inf, 1.0)
    dense = package(f, np.zeros(12), method="trust-constr")
    want = optimize.minimize(**dense, constraints=[optimize.NonlinearConstraint(**same)])
    assert_allclose(found.x, want.x, atol=1e-4)
    with pytest.raises(OptionError, match="takes no sparse Hessian"):
        package(f, np.zeros(12), method="BFGS", sparse=True)


@both
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("method", ["Radau", "BDF", integrate.Radau])
def test_stiff_equations_get_exact_jacobians(package, is_sparse, method):
    f = lambda t, y, k: np.stack([-k * y[0], k * y[0] - y[1] * t])
    start = np.array([1.0, 0.0])
    problem = package.solve_ivp(f, (0, 1), start, method, args=(100.0,), sparse=is_sparse)
    jacobian = problem["jac"](0.5, problem["y0"], 100.0)
    dense = jacobian.toarray() if is_sparse else jacobian
    assert_allclose(dense, [[-100, 0], [100, -0.5]])
    want = integrate.solve_ivp(lambda t, y: f(t, y, 100.0), (0, 1), [1.0, 0.0], rtol=1e-8)
    found = integrate.solve_ivp(**problem, rtol=1e-8)
    assert_allclose(found.y[:, -1], want.y[:, -1], rtol=1e-5, atol=1e-5)


@both
def test_equations_are_solved_by_the_default_method_of_scipy(package):
    f = lambda t, y: -y * np.sin(t)
    found = integrate.solve_ivp(**package.solve_ivp(f, (0, 1), np.ones(2)))
    assert found.nfev == integrate.solve_ivp(f, (0, 1), np.ones(2)).nfev
    for method in "RK45", integrate.RK45, "LSODA":
        with pytest.raises(OptionError, match="takes no sparse Jacobian"):
            package.solve_ivp(f, (0, 1), np.ones(2), method, sparse=True)


@pytest.mark.filterwarnings("ignore::gradops.DetachWarning")
@pytest.mark.parametrize(
    ("package", "error"), [(dg.scipy, TransformError), (sg.scipy, ValueUnknownError)]
)
def test_numbers_of_python_are_refused_with_the_line(package, error):
    with pytest.raises(error, match=r"test_fits\.py"):
        optimize.minimize(**package(lambda x: float(np.sum(x**2)), np.ones(2)))


@both
def test_one_number_in_an_array_is_one_number(package):
    problem = package(lambda x: np.sum(x**2, keepdims=True), np.ones(2))
    assert_allclose(optimize.minimize(**problem).x, 0, atol=1e-6)
