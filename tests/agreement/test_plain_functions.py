"""A plain NumPy function goes through every transform as it is: arrays in, arrays out."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

X = np.array([0.5, -1.2, 2.0])
C = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 3.0]])


def f(x, c=C):
    return np.sum(np.log1p(x**2)) + 0.5 * x @ np.linalg.solve(c, x)


GRADIENT = 2 * X / (1 + X**2) + np.linalg.solve(C, X)
HESSIAN = np.diag(2 * (1 - X**2) / (1 + X**2) ** 2) + np.linalg.inv(C)


def test_derivatives_are_arrays_of_float64():
    value, gradient = dg.value_and_grad(f)(X)
    found = {
        "value": (value, f(X)), "gradient": (gradient, GRADIENT), "grad": (dg.grad(f)(X), GRADIENT),
        "hessian": (dg.hessian(f)(X), HESSIAN), "hvp": (dg.hvp(f)(X, X), HESSIAN @ X),
        "jacobian": (dg.jacobian(lambda x: C @ np.sin(x))(X), C * np.cos(X)),
    }  # fmt: skip
    for name, (got, want) in found.items():
        assert isinstance(got, np.ndarray | np.float64), name
        assert got.dtype == np.float64, name
        np.testing.assert_allclose(got, want, rtol=1e-13, err_msg=name)


@pytest.mark.parametrize("x", [X.astype(np.float32), np.float32(2.0), 2.0, np.float64(2.0)])
def test_the_dtype_is_that_of_the_argument(x):
    found = dg.grad(lambda x: np.sum(x**2))(x)
    assert (type(found), np.asarray(found).dtype) == (
        np.ndarray if np.ndim(x) else np.asarray(x).dtype.type, np.asarray(x).dtype
    )  # fmt: skip


def test_structures_argnums_and_what_comes_beside():
    def g(p, c):
        y = np.sum(p["w"] * p["b"][0]) * np.trace(c)
        return y, {"weights": p["w"]}

    p = {"w": X, "b": [2.0, np.ones(2)]}
    (by_p, by_c), aux = dg.grad(g, argnums=(0, 1), has_aux=True)(p, C)
    np.testing.assert_allclose(by_p["w"], np.full(3, 12.0))
    assert (by_p["b"][0], by_p["b"][1].tolist()) == (pytest.approx(6 * X.sum()), [0, 0])
    np.testing.assert_allclose(by_c, 2 * X.sum() * np.eye(3))
    assert isinstance(aux["weights"], np.ndarray)
    (value, aux), _ = dg.value_and_grad(g, has_aux=True)(p, C)
    assert (type(value), type(aux["weights"])) == (np.float64, np.ndarray)
    for transform in (dg.hessian, dg.jacobian):
        _, aux = transform(lambda x: (np.sum(x**2), x * 2), has_aux=True)(X)
        np.testing.assert_allclose(aux, X * 2)


@pytest.mark.parametrize("specs", [
    X, [X], dg.tensor(X), sg.ArrayType((3,), "float64"), [sg.ArrayType(("n",), "float64")],
], ids=["array", "list", "tensor", "type", "unknown size"])  # fmt: skip
def test_a_graph_is_traced_from_an_example_or_a_type(specs):
    graph = sg.trace(lambda x: np.sum(np.tanh(x) * x, axis=0), specs)
    assert sg.compile(graph)(X)[0] == np.sum(np.tanh(X) * X, axis=0)


def test_a_traced_function_is_differentiated_and_runs_compiled():
    @sg.function
    def value_and_gradient(x):
        y = f(x)
        return y, *sg.gradients(y, x)

    value, gradient = value_and_gradient(X)
    assert value == f(X)
    assert gradient.tobytes() == dg.grad(f)(X).tobytes()


REDUCE = [
    (np.add, {}), (np.add, {"axis": 1, "keepdims": True}), (np.multiply, {"axis": None}),
    (np.maximum, {"axis": 0}), (np.minimum, {"axis": 1, "initial": 0.5}),
    (np.logical_and, {}), (np.logical_or, {"axis": 1}), (np.add, {"where": C > 0.2, "axis": 1}),
    (np.add, {"dtype": np.float32}), (np.subtract, {"axis": 1}), (np.hypot, {"keepdims": True}),
    (np.logaddexp, {"axis": 1}), (np.true_divide, {}),
]  # fmt: skip


def both(g):
    tape = g(dg.tensor(C, requires_grad=True)).detach().numpy()
    with sg.Graph().as_default():
        x = sg.placeholder("float64", C.shape)
        return tape, sg.compile(g(x), [x], optimize=0)(C)


@pytest.mark.parametrize(("ufunc", "given"), REDUCE, ids=range(len(REDUCE)))
def test_a_ufunc_reduces(ufunc, given):
    want = ufunc.reduce(C, **given)
    for found in both(lambda x: ufunc.reduce(x, **given)):
        np.testing.assert_allclose(found, want, rtol=1e-14)
        assert found.dtype == want.dtype


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.subtract])
def test_a_ufunc_accumulates_and_makes_outer_products(ufunc, axis):
    for found in both(lambda x: ufunc.accumulate(x, axis=axis)):
        np.testing.assert_allclose(found, ufunc.accumulate(C, axis=axis), rtol=1e-14)
    for found in both(lambda x: ufunc.outer(x, X)):
        np.testing.assert_array_equal(found, ufunc.outer(C, X))
    for found in both(lambda x: ufunc.outer(X, x)):
        np.testing.assert_array_equal(found, ufunc.outer(X, C))


def test_a_ufunc_computes_in_the_dtype_asked_for():
    for found in both(lambda x: np.add(x, 1.0, dtype=np.float32)):
        np.testing.assert_array_equal(found, np.add(C, 1.0, dtype=np.float32))
    with pytest.raises(gradops.NumPyCallError, match="it gives no int64 of float64"):
        np.add(dg.tensor(C), 1, dtype=np.int64)


def test_a_tensor_takes_the_result_and_an_array_does_not():
    x, out = dg.tensor(C, requires_grad=True), dg.zeros(3, 3, dtype=dg.float64)
    assert np.multiply(x, 2.0, out=out, where=C > 1) is out
    out.sum().backward()
    assert (x.grad.numpy() == 2.0 * (C > 1)).all()
    assert np.sum(dg.tensor(C), out=dg.zeros((), dtype=dg.float64)).item() == C.sum()
    with pytest.raises(gradops.NumPyCallError, match=r"(?s)numpy\.sum.*cannot hold.*leave out="):
        np.sum(x, out=np.zeros(()))


REFUSED = {
    "leave out= away": lambda x: np.exp(x, out=np.zeros((3, 3))),
    "choose with np.where": lambda x: np.exp(x, where=C > 0),
    "there are constant, edge|OptionError|mode": lambda x: np.pad(x, 1, mode="maximum"),
    "tensors and expressions do not take period=": lambda x: np.interp(x, [0, 1], [0, 1], period=1),
    "scatter_add": lambda x: np.add.at(x, [0], 1.0),
    "index_add": lambda x: np.add.reduceat(x, [0, 1]),
    "give initial=": lambda x: np.max(x, where=C > 0),
    "mode is full, same or valid": lambda x: np.convolve(x[0], x[1], "some"),
    "numpy.lib.scimath.sqrt": lambda x: np.emath.sqrt(x),  # complex for negative numbers
    "this method|shape of its result": lambda x: np.histogram(x),
    "compute with log2": lambda x: np.frexp(x),
}


@pytest.mark.parametrize("says", REFUSED)
def test_what_is_not_here_is_refused_with_the_reason_and_a_way_out(says):
    with sg.Graph().as_default():
        for x in (dg.tensor(C, requires_grad=True), sg.placeholder("float64", C.shape)):
            with pytest.raises(gradops.GradError, match=says):
                REFUSED[says](x)


def test_scipys_ufuncs_that_have_an_op_are_differentiated():
    special = pytest.importorskip("scipy.special")
    for name in ("expit", "erf", "gammaln"):
        ufunc = getattr(special, name)
        slope = dg.grad(lambda x, ufunc=ufunc: np.sum(ufunc(x)))(np.abs(X))
        h = 1e-6
        want = (ufunc(np.abs(X) + h) - ufunc(np.abs(X) - h)) / (2 * h)
        np.testing.assert_allclose(slope, want, rtol=1e-8)
    with pytest.raises(gradops.NumPyCallError, match="kl_div"):  # SciPy's is another than the loss
        special.kl_div(dg.tensor(np.abs(X)), 1.0)
