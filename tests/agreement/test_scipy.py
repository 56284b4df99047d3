"""SciPy's solvers in one call: what they are given in both modes, and what they find."""

import math
import subprocess
import sys

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

optimize = pytest.importorskip("scipy.optimize")

either = pytest.mark.parametrize("package", [dg, sg], ids=["tape", "graph"])
START = np.array([-0.5, 0.3, 1.2])


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def convex(x):
    return np.sum((x - 1) ** 2 + (x - 1) ** 4) + np.exp(x[0] - x[1])


def decay(p, t, y):
    return p["size"] * np.exp(-p["rates"][0] * t) + p["rates"][1] - y


def decayed():
    t = np.linspace(0, 1, 20)
    return t, 2.0 * np.exp(-3.0 * t) + 0.5


METHODS = {
    "fun": ["nelder-mead", "Powell", "COBYLA", "COBYQA"],
    "fun jac": [None, "CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP"],
    "fun jac hessp": ["Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"],
    "fun jac hess": ["dogleg", "trust-exact"],
}
every_method = pytest.mark.parametrize(
    ("given", "method"), [(given, method) for given, ms in METHODS.items() for method in ms]
)


@either
@every_method
def test_a_method_is_given_what_it_uses_and_finds_the_minimum(package, given, method):
    problem = package.scipy(convex, START, method=method)
    assert problem.keys() - {"method"} == {"x0", *given.split()}
    found = optimize.minimize(**problem)  # it warns of what a method does not use
    np.testing.assert_allclose(dg.grad(convex)(found.x), 0, atol=2e-2)


def test_both_modes_give_the_same_bits_and_they_are_scipys():
    v = np.array([1.0, -2.0, 0.5])
    tape, graph = (p.scipy(rosenbrock, START, method="trust-ncg") for p in (dg, sg))
    value, gradient = tape["fun"](START)
    assert value == optimize.rosen(START)
    np.testing.assert_allclose(gradient, optimize.rosen_der(START), rtol=1e-13)
    np.testing.assert_allclose(tape["hessp"](START, v), optimize.rosen_hess_prod(START, v))
    assert graph["fun"](START)[1].tobytes() == gradient.tobytes()
    assert graph["hessp"](START, v).tobytes() == tape["hessp"](START, v).tobytes()
    dense = [p.scipy(rosenbrock, START, hess=True)["hess"](START) for p in (dg, sg)]
    np.testing.assert_allclose(dense[0], dense[1], rtol=1e-13)
    np.testing.assert_allclose(dense[0], optimize.rosen_hess(START), rtol=1e-13)


@either
def test_a_dense_hessian_is_given_on_request(package):
    assert package.scipy(rosenbrock, START, hess=True)["method"] == "trust-exact"
    bounded = package.scipy(rosenbrock, START, hess=True, bounds=[(0, 2)] * 3)
    assert (bounded["method"], "hessp" in bounded) == ("trust-constr", False)
    newton = package.scipy(rosenbrock, START, method="Newton-CG", hess=True)
    assert {"hess"} == newton.keys() & {"hess", "hessp"}
    np.testing.assert_allclose(optimize.minimize(**newton).x, 1, atol=1e-4)


@either
@pytest.mark.parametrize(
    "x0",
    [[1, 2.5], (1.0, 2.0), np.array([1, 2], np.float32), np.array([1, 2]), np.ones((2, 1)), 2.0,
     {"a": np.ones(2), "b": [3.0, np.ones((1, 2), np.float32)]}],
    ids=["list", "tuple", "float32", "int", "column", "number", "tree"],
)  # fmt: skip
def test_whatever_the_start_is_solvers_see_a_vector_of_float64(package, x0, capsys):
    def f(x):
        print(gradops.tree_map(np.shape, x))
        return sum(np.sum((leaf - 3.0) ** 2) for leaf in gradops.leaves_of(x))

    problem = package.scipy(f, x0)
    assert (problem["x0"].dtype, problem["x0"].ndim) == (np.float64, 1)
    found = problem.unflatten(optimize.minimize(**problem).x)
    whole = np.asarray(x0) if isinstance(x0, list | tuple) else x0
    seen = capsys.readouterr().out.splitlines()[0]
    assert seen == str(gradops.tree_map(np.shape, whole)) == str(gradops.tree_map(np.shape, found))
    for leaf in gradops.leaves_of(found):
        np.testing.assert_allclose(leaf, 3, rtol=1e-6)


@either
def test_constants_keep_their_dtype_and_the_result_is_float64(package):
    c = np.ones(2, np.float32)
    value, gradient = package.scipy(lambda x: x @ c, np.zeros(2, np.float32))["fun"](np.zeros(2))
    assert (type(value), gradient.dtype) == (float, np.float64)


@either
def test_results_are_memory_of_their_own(package):
    c = np.array([1.0, 2.0])
    problem = package.scipy(lambda x: x @ c, c, method="trust-exact")
    gradient = problem["fun"](c)[1]
    gradient += 5
    problem["x0"][:] = 7
    problem["hess"](c)[:] = 7
    assert c.tolist() == [1, 2]
    assert problem["fun"](c)[1].tolist() == [1, 2]


@either
def test_one_entry_is_a_number_but_two_are_not(package):
    value, gradient = package.scipy(lambda x: (x - 1) ** 2, [3.0])["fun"](np.array([3.0]))
    assert (value, gradient.tolist()) == (4.0, [4.0])
    with pytest.raises(gradops.ShapeError, match="more than one number\n  hint: sum it"):
        package.scipy(lambda x: x**2, [3.0, 4.0])["fun"](np.ones(2))


@either
def test_complex_numbers_are_refused(package):
    with pytest.raises(gradops.DTypeError, match="real numbers\n  hint: give real and imaginary"):
        package.scipy(lambda x: abs(x), 1j)


@either
def test_arguments_are_handed_on(package):
    def f(x, a, power):
        return np.sum(np.abs(x - a) ** power)

    problem = package.scipy(f, np.zeros(2), args=(np.array([1.0, 2.0]), 2), method="Newton-CG")
    np.testing.assert_allclose(optimize.minimize(**problem).x, [1, 2], atol=1e-6)
    assert package.scipy(f, 0.0, args=3)["args"] == (3,)


@either
def test_least_squares_of_a_structure(package):
    problem = package.scipy.least_squares(
        decay, {"size": 1.0, "rates": np.array([1.0, 0.0])}, args=decayed(), method="lm"
    )
    found = problem.unflatten(optimize.least_squares(**problem).x)
    assert found["size"] == pytest.approx(2)
    np.testing.assert_allclose(found["rates"], [3, 0.5])
    assert problem["jac"](problem["x0"], *decayed()).shape == (20, 3)


@either
@pytest.mark.parametrize("n", [1, 5])
def test_jacobians_are_the_same_by_columns_and_by_rows(package, n):
    a = np.arange(1.0, 3 * n + 1).reshape(n, 3)
    problem = package.scipy.least_squares(lambda x: [np.sin(a @ x), np.sum(x**2)], START)
    jacobian = problem["jac"](START)
    want = np.vstack([np.cos(a @ START)[:, None] * a, 2 * START])
    np.testing.assert_allclose(jacobian, want, rtol=1e-13)


@either
@pytest.mark.parametrize("method", [None, "hybr", "lm", "krylov"])
def test_roots(package, method):
    problem = package.scipy.root(lambda x: x**3 - np.flip(x) - 1, np.ones(2), method=method)
    found = optimize.root(**problem)
    assert found.success
    np.testing.assert_allclose(found.x**3, np.flip(found.x) + 1, atol=1e-5)
    assert ("jac" in problem) == (method != "krylov")


@either
@pytest.mark.parametrize("method", ["trust-constr", "SLSQP"])
def test_constraints(package, method):
    def inside(p):
        return np.sum(p["x"] ** 2), p["x"][0] * p["x"][1]

    start = {"x": np.array([0.5, 0.5, 0.5])}
    second = method == "trust-constr"
    arguments = package.scipy.constraint(inside, start, [0, -1], [1, 0.2], hess=second)
    constraint = optimize.NonlinearConstraint(**arguments)
    problem = package.scipy(
        lambda p: rosenbrock(p["x"]), start, method=method, constraints=[constraint]
    )
    found = problem.unflatten(optimize.minimize(**problem).x)["x"]
    assert found @ found <= 1 + 1e-6
    assert found[0] * found[1] <= 0.2 + 1e-6
    if second:
        h = arguments["hess"](np.ones(3), np.array([1.0, 10.0]))
        np.testing.assert_allclose(h, 2 * np.eye(3) + 10 * (np.eye(3)[[1, 0, 2]] * [1, 1, 0]))


def test_a_graph_is_made_once_for_each_kind(capsys):
    def f(x):
        print("called")
        return np.sum(x**4)

    optimize.minimize(**sg.scipy(f, np.ones(3), method="trust-krylov"))
    assert capsys.readouterr().out == "called\n" * 2


def test_a_function_that_keeps_what_it_sees_is_refused_where_it_is_traced():
    seen = []
    with pytest.raises(gradops.GraphError, match="changes seen while it is traced"):
        sg.scipy(lambda x: (seen.append(x), np.sum(x**2))[1], np.ones(2))["fun"](np.ones(2))
    assert seen == []


def test_scipy_is_not_imported_to_prepare_its_arguments():
    program = (
        "import sys, numpy as np, dynamicgrad as dg, staticgrad as sg\n"
        "for p in (dg, sg): p.scipy(lambda x: np.sum(x**2), np.ones(2))['fun'](np.ones(2))\n"
        "assert 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_where_to_start_comes_after_the_function():
    with pytest.raises(gradops.OptionError, match="the function comes first"):
        dg.scipy(np.zeros(2), np.sum)


@either
@pytest.mark.parametrize("constant", [3.0, np.inf, 2, np.float32(1.5), np.array([4.0])])
def test_a_constant_has_derivatives_of_zero(package, constant):
    problem = package.scipy(lambda x: constant, START, method="trust-exact")
    value, gradient = problem["fun"](START)
    assert value == constant
    assert gradient.tolist() == [0, 0, 0]
    assert not problem["hess"](START).any()
    along = package.scipy(lambda x: constant, START, method="trust-ncg")["hessp"]
    assert not along(START, START).any()
    found = package.scipy.least_squares(lambda x: [constant, x[1]], START)
    assert found["jac"](START).tolist() == [[0, 0, 0], [0, 1, 0]]


@either
def test_where_a_function_is_not_defined_it_may_be_infinite(package):
    def barrier(x):
        return np.where(x < 2, -np.log(2 - np.minimum(x, 1.999)), np.inf) + x**2

    found = optimize.minimize(**package.scipy(barrier, 0.0, method="trust-exact"))
    assert found.success


@either
def test_what_is_no_number_is_refused(package):
    for wrong in (None, "three"):
        with pytest.raises((TypeError, ValueError)):
            package.scipy(lambda x, wrong=wrong: wrong, START)["fun"](START)


@either
def test_what_is_no_number_to_start_with_or_no_pairs_of_bounds_is_refused(package):
    with pytest.raises(gradops.DTypeError, match="give arrays, or lists"):
        package.scipy(np.sum, "abc")
    with pytest.raises(gradops.OptionError, match="one vector, not a dict"):
        package.scipy(np.sum, START, bounds={"a": (0, 1)})


@pytest.mark.parametrize("f", [
    lambda x: float(np.sum(x * x)), lambda x: math.sin(x[0]), lambda x: np.sum(x * x).item(),
], ids=["float", "math", "item"])  # fmt: skip
@pytest.mark.filterwarnings("ignore::gradops.core.errors.DetachWarning")
def test_an_objective_that_cuts_its_value_off_is_refused_with_the_line(f):
    given = dg.scipy(f, np.ones(2))
    with pytest.raises(gradops.TransformError, match=r"test_scipy.py:\d+.*gradient would be zero"):
        given["fun"](np.ones(2))
    with pytest.raises(gradops.TransformError, match=r"test_scipy.py:\d+.*gradient would be zero"):
        dg.scipy.least_squares(f, np.ones(2))["jac"](np.ones(2))


NEEDED = [
    lambda x: float(x[0]) * x[1] + x[0], lambda x: x[1] + math.sin(x[0]), lambda x: x[0].item() * x,
    lambda x: x.tolist()[0] * x[1], lambda x: np.float64(x[0]) + x,
    lambda x: x * complex(x[1]).real,
]  # fmt: skip
HARMLESS = [
    lambda x: (float(x[0]), x * x)[1], lambda x: x * x if float(x[0]) < 3 else x,
    lambda x: x[int(x[0])] * x,
]  # fmt: skip


def entries(f, x):
    """Each entry of `dg.scipy` that differentiates `f`, as a call of what it gives."""
    one, near, curve = (lambda x: np.sum(f(x))), np.ones(2), np.ones(3)
    model = lambda t, a, b: one(np.stack([a, b])) * t
    yield lambda: dg.scipy(one, near)["fun"](x)
    yield lambda: dg.scipy(one, near, method="Newton-CG")["hessp"](x, near)
    yield lambda: dg.scipy(one, near, hess=True)["hess"](x)
    yield lambda: dg.scipy.least_squares(f, near)["jac"](x)
    yield lambda: dg.scipy.root(lambda x: f(x) + x, near)["jac"](x)
    yield lambda: dg.scipy.NonlinearConstraint(f, near, 0, 1)["jac"](x)
    yield lambda: dg.scipy.solve_ivp(lambda t, y: f(y) + y, (0, 1), near, "BDF")["jac"](0.0, x)
    yield lambda: dg.scipy.curve_fit(model, curve, curve)["jac"](curve, *x)


@pytest.mark.parametrize("point", [[0.0, 0.0], [0.5, 2.0]])
@pytest.mark.filterwarnings("ignore::gradops.core.errors.DetachWarning")
def test_a_result_that_depends_on_a_plain_number_is_refused_with_the_line(point):
    for f in NEEDED:
        for call in entries(f, np.array(point)):
            with pytest.raises(gradops.TransformError, match=r"test_scipy.py:\d+.*would be zero"):
                call()
    for f in HARMLESS:
        for call in entries(f, np.array(point)):
            assert np.isfinite(np.hstack(call())).all()


def test_a_solver_without_derivatives_takes_plain_numbers():
    given = dg.scipy(lambda x: float(np.sum(x * x)), np.ones(2), method="Nelder-Mead")
    assert given["fun"](np.ones(2)) == 2


def test_an_objective_that_is_constant_has_a_gradient_of_zeros():
    value, gradient = dg.scipy(lambda x: 3.0, np.ones(2))["fun"](np.ones(2))
    assert (value, gradient.tolist()) == (3.0, [0.0, 0.0])


def test_a_backend_is_set_beforehand():
    with pytest.raises(gradops.OptionError, match=r"take no backend(?s:.*)set_default_backend"):
        sg.scipy(lambda x: (x * x).sum(), np.zeros(2), backend="native")
