"""Bad input of solvers: what did not converge, singular equations, NaN, interrupts, files."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import staticgrad as sg
from gradops import (
    ConvergenceWarning,
    GraphError,
    LinAlgError,
    MissingRuleError,
    OperandError,
)

pytest.importorskip("scipy")
from gradops.scipy import optimize


def leaf(*values):
    return dg.tensor(np.array(values), requires_grad=True)


def test_gradient_of_an_unconverged_solution_warns_with_its_residual():
    a = leaf(2.0, 10.0)
    r = optimize.root(lambda x: x**3 + x - a, np.ones(2), options={"maxfev": 2})
    assert not r.success
    with pytest.warns(ConvergenceWarning, match=r"residual is \d"):
        dg.autograd.grad(r.x.sum(), a)


def test_unconverged_fixed_point_is_an_error_with_its_residual():
    with pytest.raises(RuntimeError, match="the residual is"):
        optimize.fixed_point(lambda x: x + np.exp(x), np.ones(2), maxiter=5, method="anderson")


def test_graph_warns_when_it_runs():
    a = sg.placeholder("float64", [2], name="a")
    x = optimize.root(lambda x: x**3 + x - a, np.ones(2), options={"maxfev": 2}).x
    f = sg.compile(sg.gradients(x, a), [a])
    with pytest.warns(ConvergenceWarning):
        f(np.array([2.0, 10.0]))


def test_singular_jacobian_names_the_line_and_the_condition_number():
    a = leaf(1.0)
    x = optimize.root(lambda x: np.concatenate([x[:1] + x[1:] - a] * 2), np.ones(2)).x
    with pytest.raises(LinAlgError, match="condition number") as error:
        x.sum().backward()
    assert any("optimize.root(" in note for note in error.value.__notes__)


def test_double_root_has_no_derivative():
    a = leaf(0.0)
    x = optimize.newton(lambda x: x * x - a, np.zeros(1))
    with pytest.raises(LinAlgError, match="slope"):
        x.sum().backward()


def test_constrained_minimum_is_found_and_its_derivative_refused():
    a = leaf(2.0, 3.0)
    on_line = {"type": "eq", "fun": lambda x: x.sum() - 1}
    x = optimize.minimize(lambda x: ((x - a) ** 2).sum(), np.zeros(2), constraints=on_line).x
    assert_allclose(x.detach().numpy(), [0.0, 1.0], atol=1e-8)
    with pytest.raises(MissingRuleError, match="constraints"):
        x.sum().backward()


def test_nan_counts_as_not_converged():
    a = leaf(1.0)
    f = lambda x: np.where(x < 2, np.nan, x) - a
    x = optimize.root(f, np.ones(1)).x
    singular = pytest.raises(LinAlgError, match="singular")
    with pytest.warns(ConvergenceWarning, match="residual is nan"), singular:
        dg.autograd.grad(x.sum(), a)


def test_error_in_the_function_is_the_users_own():
    with pytest.raises(ZeroDivisionError, match="mine"):
        optimize.root(raise_mine, np.ones(2))


def raise_mine(x):
    raise ZeroDivisionError("mine")


def test_function_that_has_changed_since_is_noticed():
    a, factor = leaf(2.0, 10.0), {"k": 1.0}
    x = optimize.root(lambda x: x**3 + x - a * factor["k"], np.ones(2)).x
    y = optimize.minimize(lambda x: ((x - a * factor["k"]) ** 2).sum(), np.ones(2)).x
    factor["k"] = 2.0
    for solution in (x, y):
        with pytest.raises(OperandError, match="has changed since") as error:
            solution.sum().backward()
        assert any("optimize." in note for note in error.value.__notes__)


def test_array_among_the_arguments_may_be_written_to_after_the_call():
    a, data = leaf(2.0, 10.0), np.ones(2)
    x = optimize.root(lambda x, b: x**3 + x - a * b, np.ones(2), (data,)).x
    data[0] = 3.0
    assert_allclose(dg.autograd.grad(x.sum(), a)[0].numpy(), [1 / 4, 1 / 13])


def test_interrupt_leaves_everything_usable():
    a, calls = leaf(2.0, 10.0), []

    def f(x):
        calls.append(0)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return x**3 + x - a

    with pytest.raises(KeyboardInterrupt):
        optimize.root(f, np.ones(2))
    assert dg.is_grad_enabled()
    x = optimize.root(f, np.ones(2)).x
    assert_allclose(dg.autograd.grad(x.sum(), a)[0].numpy(), [1 / 4, 1 / 13])


def test_graph_with_a_solver_of_ones_own_cannot_be_saved():
    a = sg.placeholder("float64", [2], name="a")
    x = optimize.implicit(lambda x, a: x * x - a, lambda f, x0, a: np.sqrt(a))(np.ones(2), a)
    graph = sg.freeze([x, *sg.gradients(x, a)], [a])
    assert_allclose(sg.compile(graph)(np.array([1.0, 4.0])), [[1.0, 2.0], [0.5, 0.25]])
    with pytest.raises(GraphError, match="Python function"):
        sg.save(graph, io.BytesIO())
