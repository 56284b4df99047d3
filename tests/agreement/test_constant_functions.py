"""Functions that ignore their argument have derivatives of zeros; a loss may be an array of one."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import DetachWarning, TransformError
from gradops.core.tree import leaves_of

F = dg.func
X, V, C = np.array([1.0, 2.0, 3.0]), np.ones(3), np.array([1.0, 2.0])
CONSTANTS = {
    "a float": lambda x: 3.0,
    "an int": lambda x: 3,
    "a truth value": lambda x: True,
    "a NumPy scalar": lambda x: np.sum(C),
    "an integer of NumPy's": lambda x: np.argmax(C),
    "an array without axes": lambda x: np.array(3.0),
    "an array of one": lambda x: np.array([3.0]),
}


def products(y, pull):
    """The results for cotangents of ones."""
    return pull(np.ones_like(y))


DERIVATIVES = {
    "grad": lambda f: dg.grad(f)(X),
    "value_and_grad": lambda f: dg.value_and_grad(f)(X)[1],
    "grad_and_value": lambda f: F.grad_and_value(f)(X)[0],
    "vjp": lambda f: products(*F.vjp(f, X)),
    "jvp": lambda f: F.jvp(f, (X,), (V,))[1],
    "linearize": lambda f: F.linearize(f, X)[1](V),
    "jacrev": lambda f: F.jacrev(f)(X),
    "jacfwd": lambda f: F.jacfwd(f)(X),
    "jacobian": lambda f: dg.jacobian(f)(X),
    "hessian": lambda f: dg.hessian(f)(X),
    "hvp": lambda f: dg.hvp(f)(X, V),
    "jet": lambda f: F.jet(f, (X,), [[V, V]])[1],
    "vmap of grad": lambda f: dg.vmap(dg.grad(f))(np.stack([X, X])),
    "grad of vmap": lambda f: dg.grad(lambda A: dg.vmap(f)(A).sum())(np.stack([X, X])),
    "grad of grad": lambda f: dg.grad(lambda x: dg.grad(f)(x).sum())(X),
}


def first(problem):
    """The gradient, of the value and the gradient."""
    return problem["fun"](X)[1]


SOLVERS = {
    "minimize": lambda scipy, f: first(scipy(f, X)),
    "minimize hess": lambda scipy, f: scipy(f, X, hess=True)["hess"](X),
    "minimize hessp": lambda scipy, f: scipy(f, X, method="trust-ncg")["hessp"](X, V),
    "least_squares": lambda scipy, f: scipy.least_squares(f, X)["jac"](X),
    "root": lambda scipy, f: scipy.root(f, X)["jac"](X),
    "constraint": lambda scipy, f: scipy.constraint(f, X, 0, 1)["jac"](X),
    "constraint hess": lambda scipy, f: scipy.constraint(f, X, 0, 1)["hess"](X, np.ones(1)),
}
CALLS = DERIVATIVES | {
    f"{kind} of {package.__name__}": lambda f, call=call, scipy=package.scipy: call(scipy, f)
    for kind, call in SOLVERS.items() for package in (dg, sg)
}  # fmt: skip
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@every_call
@pytest.mark.parametrize("constant", CONSTANTS.values(), ids=CONSTANTS)
def test_a_function_that_ignores_its_argument_has_derivatives_of_zeros(call, constant):
    found = leaves_of(call(constant))
    assert found
    for g in found:
        assert isinstance(g, np.ndarray | np.generic)
        assert not np.any(g)


@every_call
@pytest.mark.parametrize("shape", [(1,), (1, 1)])
def test_a_loss_may_be_an_array_of_one(call, shape):
    f = lambda x: np.sum(x**3)
    want, got = (
        np.concatenate([np.ravel(g) for g in leaves_of(call(of))])
        for of in (f, lambda x: np.reshape(f(x), shape))
    )
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("package", [dg, sg])
@pytest.mark.parametrize("constant", CONSTANTS.values(), ids=CONSTANTS)
def test_a_check_of_a_constant_finds_no_error(package, constant, capsys):
    assert package.check(constant, X) == 0


def test_tensors_are_as_strict_as_pytorchs():
    for f in (lambda x: 3.0, lambda x: x.sum().reshape(1)):
        with pytest.raises(TransformError, match="to return a"):
            dg.grad(f)(dg.tensor(X))


def test_a_number_made_of_the_argument_is_no_constant():
    for f in (float, lambda x: x.item(), lambda x: x.tolist()):
        with pytest.warns(DetachWarning):
            dg.grad(f)(np.array(2.0))
