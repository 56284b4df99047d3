"""NumPy's methods on tensors: PyTorch's where they clash, with a warning to NumPy's programs."""

import warnings

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad.numpys import NumPyMethodWarning

A = np.array([[3.0, 1.0, 2.0], [0.5, 5.0, 4.0]])

METHODS = [
    lambda x: x.sum(axis=0, keepdims=True), lambda x: x.mean(0, keepdims=True), lambda x: x.max(),
    lambda x: x - x.max(axis=1, keepdims=True), lambda x: x.min(axis=0), lambda x: x.std(ddof=1),
    lambda x: x.std(axis=0), lambda x: x.var(axis=1, keepdims=True), lambda x: x.cumsum(),
    lambda x: x.cumsum(axis=1), lambda x: x.cumprod(axis=0), lambda x: x[0].dot(x[1]),
    lambda x: x.transpose(), lambda x: x.transpose(1, 0), lambda x: x.transpose((1, 0)),
    lambda x: x.reshape(-1), lambda x: x.ravel(), lambda x: x.flatten(), lambda x: x.swapaxes(0, 1),
    lambda x: x.repeat(2, axis=0), lambda x: x.take([0, 5]), lambda x: x.take([2, 0], axis=1),
    lambda x: x[:, :2].trace(), lambda x: x.diagonal(1), lambda x: x[None].squeeze(axis=0),
    lambda x: x.clip(1, 3), lambda x: x.clip(max=2), lambda x: x.astype(np.float32) * 2,
    lambda x: x.copy() * x.conj() * x.conjugate().real, lambda x: x.sum() / x.size,
    lambda x: x.compress([True, False], axis=0), lambda x: x.sum() * x.nbytes / x.itemsize,
    lambda x: x.round(1) + x, lambda x: x[x.argmax(axis=0)[0]], lambda x: sum(x.flat),
    lambda x: x * x.item(1) + x.item(1, 2) - x.item((0, 0)), lambda x: x.prod(axis=1),
    lambda x: np.where((x > 2).any(axis=0), x, 0.0) * (x > 0).all(), lambda x: x.mT @ x,
    lambda x: x[x.argsort(axis=0)[0]], lambda x: x.dot(x.T), lambda x: x.dot(x[0]),
]  # fmt: skip


@pytest.mark.parametrize("f", METHODS, ids=range(len(METHODS)))
def test_a_method_gives_a_numpy_program_what_numpys_gives(f):
    value, _ = dg.value_and_grad(lambda x: np.sum(f(x) * 1.0))(A)
    assert value == pytest.approx(np.sum(f(A)), rel=1e-14)


CLASHES = [
    lambda x: x.std(), lambda x: x.var(0), lambda x: x.max(0), lambda x: x.min(1),
    lambda x: x.sort(), lambda x: x[0].repeat(2), lambda x: x.nonzero(),
]  # fmt: skip
every_clash = pytest.mark.parametrize("f", CLASHES, ids=range(len(CLASHES)))


@every_clash
@pytest.mark.parametrize(
    "transform",
    [
        lambda f: dg.grad(f)(A), lambda f: dg.hessian(f)(A), lambda f: dg.jacobian(f)(A),
        lambda f: dg.hvp(f)(A, A), lambda f: dg.func.jacfwd(f)(A),
        lambda f: dg.scipy.least_squares(f, A)["fun"](A.ravel()),
    ],
    ids=["grad", "hessian", "jacobian", "hvp", "jacfwd", "scipy"],
)  # fmt: skip
def test_a_numpy_program_is_warned_where_pytorchs_method_gives_something_else(f, transform):
    with pytest.warns(NumPyMethodWarning, match="PyTorch's(?s:.*)hint: np") as seen:
        transform(lambda x: (f(x), x.sum())[1])
    assert {w.filename for w in seen} == {__file__}


@every_clash
def test_a_program_of_tensors_is_not(f):
    x = dg.tensor(A, requires_grad=True)
    f(x)
    dg.func.grad(lambda x: (f(x), x.sum())[1])(x)


def test_the_keywords_of_either_tell_which_is_meant():
    def f(x):
        both = x.std(correction=1) + x.var(unbiased=False) + x.max(dim=0)[0].sum()
        return both + x.sort(dim=0)[0].sum() + x.std(ddof=0)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, _ = dg.value_and_grad(f)(A)
    assert value == pytest.approx(A.std(ddof=1) + A.var() + A.max(axis=0).sum() + A.sum() + A.std())


def test_pytorchs_semantics_win_for_tensors():
    x = dg.tensor(A)
    assert x.std().item() == pytest.approx(A.std(ddof=1))
    values, indices = x.max(axis=0)
    assert (values.tolist(), indices.tolist()) == ([3, 5, 4], [0, 1, 1])
    assert x[0].repeat(2).tolist() == [3, 1, 2, 3, 1, 2]


def running_total(x):
    y = x**2
    total = y[0]
    total += y[1]
    return total * y[0]


def several_names(x):
    a = np.sum(x)
    b = a
    a *= 2.0
    a -= x[0]
    return a * b


def running_product(x):
    product = x[0]
    for entry in x[1:]:
        product *= entry
    return product + x[0]


def that_grows(x):
    total = x.prod()
    total += np.array([1.0, 2.0])
    return total[0] * total[1]


@pytest.mark.parametrize("f", [running_total, several_names, running_product, that_grows])
def test_an_augmented_assignment_to_a_number_names_it_anew_as_numpy_does(f):
    x = np.array([2.0, 3.0])
    value, gradient = dg.value_and_grad(f)(x)
    assert value == f(x)
    quotients = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient, quotients, rtol=1e-8)
    assert dg.scipy(f, x, method="nelder-mead")["fun"](x) == f(x)
    assert dg.vmap(f)(x[None])[0] == f(x)


def test_an_augmented_assignment_to_a_tensor_of_a_program_of_tensors_writes():
    y = dg.tensor([2.0, 3.0])
    total = y[0]
    total += 1
    assert y.tolist() == [3, 3]


def test_an_augmented_assignment_to_an_array_writes():
    def f(x):
        y = x * 1.0
        z = y[:1]
        z += 1.0
        return np.sum(y)

    assert dg.value_and_grad(f)(np.array([2.0, 3.0]))[0] == 6


def test_a_list_of_what_is_differentiated_is_not_made_in_silence():
    with pytest.warns(dg.DetachWarning, match="cuts it off(?s:.*)hint: iterate") as seen:
        dg.grad(lambda x: x[0] * x.tolist()[1])(A[0])
    assert seen[0].filename == __file__
    x = dg.tensor(A, requires_grad=True)
    assert x.tolist() == A.tolist()


def test_the_conjugate_of_what_is_real_is_itself():
    x = dg.tensor(A)
    assert x.conj() is x.conjugate() is x
    assert dg.tensor([1j]).conj().tolist() == [-1j]
